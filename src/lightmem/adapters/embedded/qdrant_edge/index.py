"""The index port on Qdrant Edge.

The engine holds Python's global lock while it works, so each call is short: writes go in small
pieces with searches between them, and vacuum, which may take seconds, runs when the folder is
opened. Whatever has returned is in the engine's write-ahead log and survives a killed process.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import numpy as np
import qdrant_edge as edge
from numpy.typing import NDArray

from lightmem.adapters import qdrant_layout as layout
from lightmem.adapters.embedded.qdrant_edge import convert
from lightmem.adapters.embedded.qdrant_edge.flusher import IdleFlusher
from lightmem.adapters.embedded.qdrant_edge.folder import EdgeFolder, engine_errors
from lightmem.adapters.qdrant_layout import Conditions, Hit
from lightmem.errors import IndexUnavailable
from lightmem.model import Health, IndexPoint, Item, RecallFilters, View, ViewQuery

R = TypeVar("R")
PointId = int | str | UUID

#: Points of one write: some 3 ms, for which a search has to wait.
WRITE_POINTS = 64


class QdrantEdgeIndex:
    """`MemoryIndex` in one folder of this process, which no other process may have open."""

    def __init__(self, path: Path) -> None:
        self._folder = EdgeFolder(path)
        # One thread: the engine takes one call at a time anyway, and calls keep their order.
        self._thread = ThreadPoolExecutor(1, "lightmem-index")
        self._flusher = IdleFlusher(lambda: self._thread.submit(self._folder.flush))

    async def open(self, encoder_id: str, dim: int) -> None:
        """Create or load the folder, mode 0700; opening twice is no error.

        Raises:
            IncompatibleIndex: another encoder filled it.
            IndexUnavailable: another process has it open, or its files do not load.
        """
        await self._run(lambda: self._folder.open(encoder_id, dim))

    async def reset(self, encoder_id: str, dim: int) -> None:
        """Empty the folder and give it to this encoder."""
        await self._run(lambda: self._folder.reset(encoder_id, dim))

    async def check(self) -> Health:
        """`ok` when the folder is open and the engine answers."""
        try:
            await self._run(lambda: self._folder.opened().count(edge.CountRequest(exact=False)))
        except IndexUnavailable as exc:
            return Health("index", "down", exc.message)
        return Health("index", "ok")

    async def close(self) -> None:
        """Flush and release the folder."""
        self._flusher.stop()
        await self._run(self._folder.close)
        self._thread.shutdown(wait=False)

    # --- what is stored -----------------------------------------------------------------------

    async def upsert(self, tenant_id: str, user_id: str, points: Sequence[IndexPoint]) -> None:
        """Put points by item id, a piece at a time; visible when it returns."""
        for start in range(0, len(points), WRITE_POINTS):
            piece = points[start : start + WRITE_POINTS]
            await self._write(
                edge.UpdateOperation.upsert_points(
                    [convert.point(tenant_id, user_id, point) for point in piece]
                )
            )

    async def delete(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> None:
        """Delete those of the items that exist."""
        if ids:
            chosen = convert.point_ids(tenant_id, user_id, ids)
            await self._write(edge.UpdateOperation.delete_points(chosen))

    async def delete_user(self, tenant_id: str, user_id: str) -> None:
        """Delete all points of one user."""
        chosen = convert.condition_filter(layout.owned(tenant_id, user_id))
        await self._write(edge.UpdateOperation.delete_points_by_filter(chosen))

    async def count(self, tenant_id: str, user_id: str | None = None) -> int:
        """How many points a user has, or a tenant."""
        whose = (
            Conditions({layout.TENANT: [tenant_id]})
            if user_id is None
            else layout.owned(tenant_id, user_id)
        )
        request = edge.CountRequest(exact=True, filter=convert.condition_filter(whose))
        return await self._run(lambda: self._folder.opened().count(request))

    # --- what is found ------------------------------------------------------------------------

    async def search(
        self,
        tenant_id: str,
        user_id: str,
        queries: Sequence[ViewQuery],
        *,
        filters: RecallFilters,
    ) -> list[list[Item]]:
        """For each query its best items; all are asked in one batch."""
        asked = [query for query in queries if not layout.is_empty(query)]
        if not asked:
            return [[] for _ in queries]
        chosen = convert.condition_filter(layout.conditions(tenant_id, user_id, filters))
        corpus = convert.condition_filter(layout.owned(tenant_id, user_id))
        batch = edge.QueryBatchRequest([convert.request(query, chosen, corpus) for query in asked])
        hits, items = await self._run(lambda: self._find(batch))
        return layout.ranked(queries, hits, items)

    def _find(
        self, batch: edge.QueryBatchRequest
    ) -> tuple[list[list[Hit[PointId]]], dict[PointId, Item]]:
        """Ids and scores first, then the payload of each point once: views often find the same."""
        shard = self._folder.opened()
        hits = [[(hit.id, hit.score) for hit in answer] for answer in shard.query_batch(batch)]
        found = {key for answer in hits for key, _ in answer}
        records = shard.retrieve(list(found), list(layout.ITEM_FIELDS), False)
        return hits, {record.id: layout.item_of(record.payload or {}) for record in records}

    async def get(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> list[Item]:
        """Those of the items that exist, in the order asked for."""
        records = await self._retrieve(tenant_id, user_id, ids, layout.ITEM_FIELDS, vectors=False)
        return layout.items_in_order(ids, [record.payload for record in records])

    async def dense_vectors(
        self, tenant_id: str, user_id: str, ids: Sequence[str]
    ) -> dict[str, NDArray[np.float32]]:
        """The `dense` vectors of those of the items that exist, by id."""
        records = await self._retrieve(tenant_id, user_id, ids, ("id",), vectors=True)
        return {
            record.payload["id"]: np.asarray(record.vector[View.DENSE.value], np.float32)
            for record in records
        }

    async def _retrieve(
        self,
        tenant_id: str,
        user_id: str,
        ids: Sequence[str],
        fields: Sequence[str],
        *,
        vectors: bool,
    ) -> list[Any]:
        chosen = convert.point_ids(tenant_id, user_id, ids)
        names = [View.DENSE.value] if vectors else False
        return await self._run(lambda: self._folder.opened().retrieve(chosen, list(fields), names))

    # --- the index's thread ---------------------------------------------------------------------

    async def _run(self, work: Callable[[], R]) -> R:
        """Do the work in the index's thread, its errors turned into ours."""
        self._flusher.note_use()
        loop = asyncio.get_running_loop()
        with engine_errors():
            return await loop.run_in_executor(self._thread, work)

    async def _write(self, operation: edge.UpdateOperation) -> None:
        await self._run(lambda: self._folder.opened().update(operation))
        self._flusher.note_change()
