"""Erase a user: out of the ledger at once, then out of every other store, then a receipt.

From the first step on nobody writes for the user, so that what is counted at the end stays so.
"""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from lightmem.domain.concepts import supporter_of
from lightmem.errors import Unavailable
from lightmem.model import Operation, OperationStatus
from lightmem.ports import KnowledgeGraph, Ledger, MemoryIndex, ShortTermBuffer

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Store:
    """A store by the name that a receipt has for it: how much it holds, and how it is emptied."""

    name: str
    count: Callable[[], Awaitable[int]]
    clear: Callable[[], Awaitable[object]]


class EraseUser:
    """Erases users from all stores.

    Args:
        secret: The installation's secret: by a keyed hash the graph knows who supports what.
    """

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

    async def begin(self, tenant_id: str, user_id: str, *, actor: str) -> Operation:
        """Take the user out of the ledger; `end` has to follow, here or by the job it left."""
        return await self._ledger.begin_erasure(tenant_id, user_id, actor=actor)

    async def end(self, operation: Operation) -> Operation:
        """Take the user out of the other stores, and end the operation with its receipt.

        May be repeated. A store that is down does not keep the others from being emptied.

        Raises:
            Unavailable: a store did not answer; what it holds has yet to go.
            NotFound: the tenant was deleted meanwhile.
        """
        if operation.status is not OperationStatus.RUNNING:
            return operation
        remaining: dict[str, int] = {}
        down: Unavailable | None = None
        for store in self._stores(operation.tenant_id, operation.user_id):
            try:
                remaining[store.name] = await self._empty(operation, store)
            except Unavailable as exc:
                logger.warning("an erasure waits for %s: %s", store.name, exc.message)
                down = exc
        if down is not None:
            raise down
        return await self._ledger.end_erasure(
            operation.tenant_id, operation.id, remaining=remaining
        )

    async def _empty(self, operation: Operation, store: _Store) -> int:
        """What the store is found to hold once it was emptied."""
        held = await store.count()
        await self._ledger.note_erased(operation.tenant_id, operation.id, store.name, held)
        await store.clear()
        return await store.count()

    def _stores(self, tenant_id: str, user_id: str) -> list[_Store]:
        supporter = supporter_of(self._secret, tenant_id, user_id)

        async def at_hand() -> int:
            return len(await self._short_term.ids(tenant_id, user_id))

        return [
            _Store(
                "qdrant",
                lambda: self._index.count(tenant_id, user_id),
                lambda: self._index.delete_user(tenant_id, user_id),
            ),
            _Store(
                "neo4j",
                lambda: self._graph.support_of(tenant_id, supporter),
                lambda: self._graph.withdraw_user(tenant_id, supporter),
            ),
            _Store("redis", at_hand, lambda: self._short_term.clear(tenant_id, user_id)),
        ]
