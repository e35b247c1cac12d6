"""Delete a turn: gone from recall when the call returns, from what derives from it soon after."""

import logging

from lightmem.errors import Unavailable
from lightmem.ports import Ledger, MemoryIndex, ShortTermBuffer
from lightmem_gateway.remembering import Notify

logger = logging.getLogger(__name__)


class DeleteTurn:
    """Takes a turn out of the ledger, and at once out of what recall reads."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        short_term: ShortTermBuffer,
        index: MemoryIndex,
        notify: Notify,
    ) -> None:
        self._ledger = ledger
        self._short_term = short_term
        self._index = index
        self._notify = notify

    async def __call__(
        self, tenant_id: str, turn_id: str, *, user_id: str | None, actor: str
    ) -> str:
        """Delete the turn, and tell whose it was.

        Memories lose its quotes, or are forgotten with the last of them.

        Args:
            user_id: The one user that the caller reaches, if it is one.

        Raises:
            NotFound: no such turn, or it is not the caller's.
        """
        turn = await self._ledger.get_turn(tenant_id, turn_id, user_id=user_id)
        await self._ledger.delete_turn(tenant_id, turn_id, user_id=user_id, actor=actor)
        self._notify()
        for store in (self._short_term.remove, self._index.delete):
            try:
                await store(tenant_id, turn.user_id, [turn_id])
            except Unavailable as exc:
                # The ledger has left a job for the index; the buffer forgets by itself.
                logger.warning("a deleted turn leaves later: %s", exc.code)
        return turn.user_id
