"""Dreams: asked for, and decided about. What is decided is done when the call returns."""

from collections.abc import Sequence

from lightmem.model import Dream
from lightmem.ports.dreams import DreamLedger, DreamWish
from lightmem.telemetry import DREAM_SECONDS, timed
from lightmem_gateway.remembering import Notify


class Dreaming:
    """Asks for dreams and decides about their plans; the index follows through the outbox.

    Args:
        notify: Wakes those who dream, wherever they are.
    """

    def __init__(self, ledger: DreamLedger, notify: Notify) -> None:
        self._ledger = ledger
        self._notify = notify

    async def request(self, tenant_id: str, user_id: str, wish: DreamWish, *, actor: str) -> Dream:
        """A dream that will be planned."""
        dream = await self._ledger.request_dream(tenant_id, user_id, wish, actor=actor)
        assert dream is not None, "only a wish that gives way may find nothing to do"
        self._notify()
        return dream

    async def apply(
        self,
        tenant_id: str,
        dream_id: str,
        *,
        step_ids: Sequence[str] | None,
        user_id: str | None,
        actor: str,
    ) -> Dream:
        """Do the accepted steps, or those named; see `DreamLedger.apply_dream`."""
        with timed(DREAM_SECONDS, "apply"):
            dream = await self._ledger.apply_dream(
                tenant_id, dream_id, step_ids=step_ids, user_id=user_id, actor=actor
            )
        self._notify()
        return dream

    async def undo(
        self, tenant_id: str, dream_id: str, *, user_id: str | None, actor: str
    ) -> Dream:
        """Restore what was before; see `DreamLedger.undo_dream`."""
        with timed(DREAM_SECONDS, "undo"):
            dream = await self._ledger.undo_dream(tenant_id, dream_id, user_id=user_id, actor=actor)
        self._notify()
        return dream

    async def reject(
        self, tenant_id: str, dream_id: str, *, user_id: str | None, actor: str
    ) -> Dream:
        """Put a plan aside."""
        return await self._ledger.reject_dream(tenant_id, dream_id, user_id=user_id, actor=actor)
