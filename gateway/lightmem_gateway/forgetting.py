"""Forget memories for a caller who waits a while, and is told where to look after that."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from lightmem.errors import LightMemError, Unavailable
from lightmem.forgetting import ForgetMemories
from lightmem.model import Forgot
from lightmem.ports import Ledger
from lightmem_gateway.remembering import Notify
from lightmem_gateway.under_way import UnderWay

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class GoesOn:
    """A forgetting that takes long; its operation ends with it."""

    operation_id: str


@dataclass(slots=True)
class _Wish:
    """What is to be forgotten, and the operation that ends with it once it has one."""

    tenant_id: str
    user_id: str
    memory_ids: Sequence[str]
    actor: str
    operation_id: str | None = None


class Forget:
    """Forgets memories; what takes longer than a caller waits becomes an operation.

    Args:
        wait_s: How long a caller waits before it is told to come back.
    """

    def __init__(
        self, *, ledger: Ledger, forget: ForgetMemories, notify: Notify, wait_s: float
    ) -> None:
        self._ledger = ledger
        self._forget = forget
        self._notify = notify
        self._wait_s = wait_s
        self._under_way = UnderWay()

    async def __call__(
        self, tenant_id: str, user_id: str, memory_ids: Sequence[str], *, actor: str
    ) -> Forgot | GoesOn:
        """Forget them.

        Raises:
            NotFound: one is not this user's; nothing was forgotten.
        """
        wish = _Wish(tenant_id, user_id, list(dict.fromkeys(memory_ids)), actor)
        task = self._under_way.begin(
            self._forget(
                tenant_id,
                user_id,
                wish.memory_ids,
                actor=actor,
                operation_id=lambda: wish.operation_id,
            )
        )
        try:
            done = await asyncio.wait_for(asyncio.shield(task), self._wait_s)
        except TimeoutError:
            return await self._hand_over(wish, task)
        self._notify()
        return done

    async def would_forget(
        self, tenant_id: str, user_id: str, memory_ids: Sequence[str], *, actor: str
    ) -> list[str]:
        """The ids of all that would go, those named first.

        Raises:
            NotFound: one is not this user's.
        """
        found = await self._forget(tenant_id, user_id, memory_ids, actor=actor, dry_run=True)
        return list(dict.fromkeys(found.forgotten))

    async def settle(self) -> None:
        """Wait a while for what is under way, then leave it to its jobs."""
        await self._under_way.settle()

    async def _hand_over(self, wish: _Wish, task: asyncio.Task[Forgot]) -> GoesOn:
        """Give the work an operation, and a job for the case that this process ends before it."""
        wish.operation_id = await self._ledger.begin_forgetting(
            wish.tenant_id, wish.user_id, wish.memory_ids, actor=wish.actor
        )
        self._under_way.begin(self._follow(wish.tenant_id, wish.operation_id, task))
        return GoesOn(wish.operation_id)

    async def _follow(self, tenant_id: str, operation_id: str, task: asyncio.Task[Forgot]) -> None:
        """End the operation with the work, where the work did not do so itself."""
        try:
            done = await task
            await self._ledger.end_forgetting(tenant_id, operation_id, done=done)
            self._notify()
        except Unavailable as exc:
            logger.warning("forgetting is left to its job: %s", exc.code)
        except LightMemError as exc:
            await self._ledger.end_forgetting(tenant_id, operation_id, failed=exc.code)
