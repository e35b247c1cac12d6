"""Look once more at what the stores hold of a user, and take out what the ledger does not have.

Whoever puts something into a store looks at the ledger afterwards; a process that is killed between
the two leaves it there. Long after an erasure no such process is left, and this finds its trace.
"""

from lightmem.domain.concepts import supporter_of
from lightmem.domain.paging import pages
from lightmem.ports import KnowledgeGraph, Ledger, MemoryIndex, ShortTermBuffer

#: Points that are read at a time.
PAGE = 500


class Sweep:
    """Sweeps after one user."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        index: MemoryIndex,
        short_term: ShortTermBuffer,
        graph: KnowledgeGraph,
        secret: bytes,
    ) -> None:
        self._ledger = ledger
        self._index = index
        self._short_term = short_term
        self._graph = graph
        self._secret = secret

    async def __call__(self, tenant_id: str, user_id: str) -> int:
        """How many things were in a store and not in the ledger; they are no more."""
        return (
            await self._sweep_index(tenant_id, user_id)
            + await self._sweep_buffer(tenant_id, user_id)
            + await self._sweep_graph(tenant_id, user_id)
        )

    async def _sweep_index(self, tenant_id: str, user_id: str) -> int:
        gone: list[str] = []
        points = pages(
            lambda cursor: self._index.entries(tenant_id, user_id, limit=PAGE, cursor=cursor)
        )
        async for entries in points:
            ids = {entry.id for entry in entries}
            gone += ids - await self._known(tenant_id, user_id, ids)
        await self._index.delete(tenant_id, user_id, gone)
        return len(gone)

    async def _sweep_buffer(self, tenant_id: str, user_id: str) -> int:
        ids = await self._short_term.ids(tenant_id, user_id)
        gone = ids - await self._known(tenant_id, user_id, ids)
        if gone:
            await self._short_term.remove(tenant_id, user_id, sorted(gone))
        return len(gone)

    async def _sweep_graph(self, tenant_id: str, user_id: str) -> int:
        if await self._ledger.has_user(tenant_id, user_id):
            return 0
        supporter = supporter_of(self._secret, tenant_id, user_id)
        return await self._graph.withdraw_user(tenant_id, supporter)

    async def _known(self, tenant_id: str, user_id: str, ids: set[str]) -> set[str]:
        """Those of the ids that the ledger has a turn or a memory of."""
        asked = sorted(ids)
        turns = await self._ledger.get_turns(tenant_id, user_id, asked)
        memories = await self._ledger.get_memories(tenant_id, user_id, asked)
        return {turn.id for turn in turns} | {memory.id for memory in memories}
