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

import qdrant_edge as edge

from lightmem.adapters import qdrant_layout as layout
from lightmem.adapters.embedded.qdrant_edge import convert
from lightmem.adapters.embedded.qdrant_edge.flusher import IdleFlusher
from lightmem.adapters.embedded.qdrant_edge.folder import EdgeFolder, engine_errors
from lightmem.adapters.qdrant_layout import Hit
from lightmem.errors import IndexUnavailable
from lightmem.model import (
    Health,
    IndexEntry,
    IndexPoint,
    Item,
    Page,
    RecallFilters,
    View,
    ViewQuery,
)
from lightmem.ports import Encoded

R = TypeVar("R")
PointId = int | str | UUID
Answers = list[list[Hit[PointId]]]

#: Points of one write: some 3 ms, for which a search has to wait.
WRITE_POINTS = 64


class QdrantEdgeIndex:
    """`MemoryIndex` in one folder of this process, which no other process may have open."""

    def __init__(self, path: Path) -> None:
        self._folder = EdgeFolder(path)
        # One thread: the engine takes one call at a time anyway, and calls keep their order.
        self._thread = ThreadPoolExecutor(1, "lightmem-index")
        self._flusher = IdleFlusher(lambda: self._thread.submit(self._folder.flush))

    async def open(self, encoder_id: str, dim: int, token_dim: int = 0) -> None:
        """Create or load the folder, mode 0700; opening twice is no error.

        Raises:
            IncompatibleIndex: another encoder filled it.
            IndexUnavailable: another process has it open, or its files do not load.
        """
        await self._run(lambda: self._folder.open(encoder_id, dim, token_dim))

    async def reset(self, encoder_id: str, dim: int, token_dim: int = 0) -> None:
        """Empty the folder and give it to this encoder."""
        await self._run(lambda: self._folder.reset(encoder_id, dim, token_dim))

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
        await self._put(tenant_id, user_id, points, edge.UpdateMode.Upsert)

    async def insert(self, tenant_id: str, user_id: str, points: Sequence[IndexPoint]) -> None:
        """Put those points whose item has none yet."""
        await self._put(tenant_id, user_id, points, edge.UpdateMode.InsertOnly)

    async def _put(
        self, tenant_id: str, user_id: str, points: Sequence[IndexPoint], mode: edge.UpdateMode
    ) -> None:
        for start in range(0, len(points), WRITE_POINTS):
            piece = points[start : start + WRITE_POINTS]
            await self._write(
                edge.UpdateOperation.upsert_points(
                    [convert.point(tenant_id, user_id, point) for point in piece],
                    update_mode=mode,
                )
            )

    async def delete(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> None:
        """Delete those of the items that exist."""
        if ids:
            chosen = convert.point_ids(tenant_id, user_id, ids)
            await self._delete(edge.UpdateOperation.delete_points(chosen))

    async def delete_user(self, tenant_id: str, user_id: str) -> None:
        """Delete all points of one user."""
        chosen = convert.condition_filter(layout.owned(tenant_id, user_id))
        await self._delete(edge.UpdateOperation.delete_points_by_filter(chosen))

    async def count(self, tenant_id: str, user_id: str | None = None) -> int:
        """How many points a user has, or a tenant."""
        whose = layout.belonging(tenant_id, user_id)
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
        """For each query its best items: one batch finds, another scores what it found."""
        finding, scoring = layout.split(queries)
        if not finding:
            return [[] for _ in queries]
        chosen = convert.condition_filter(layout.conditions(tenant_id, user_id, filters))
        corpus = convert.condition_filter(layout.owned(tenant_id, user_id))
        batch = [convert.request(query, chosen, corpus) for query in finding]
        hits, scores, items = await self._run(lambda: self._find(finding, batch, scoring))
        return layout.ranked(queries, hits, scores, items)

    def _find(
        self,
        finding: Sequence[ViewQuery],
        batch: list[edge.QueryRequest],
        scoring: Sequence[ViewQuery],
    ) -> tuple[Answers, Answers, dict[PointId, Item]]:
        """Ids and scores first, then the payload of each point once: views often find the same."""
        shard = self._folder.opened()
        hits = _answers(shard, batch)
        found = {key for answer in hits for key, _ in answer}
        if not found:
            return hits, [], {}
        pool = layout.pool_of(finding, hits)
        scores = _answers(shard, [convert.scoring_request(query, pool) for query in scoring])
        # The whole payload: choosing fields costs more than the few that nobody reads.
        records = shard.retrieve(list(found), True, False)
        items = {record.id: layout.item_of(record.payload or {}) for record in records}
        return hits, scores, items

    async def get(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> list[Item]:
        """Those of the items that exist, in the order asked for."""
        records = await self._retrieve(tenant_id, user_id, ids, layout.ITEM_FIELDS, vectors=False)
        return layout.items_in_order(ids, [record.payload for record in records])

    async def encoded(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> dict[str, Encoded]:
        """The vectors of the items that have them, by id: of the text and of its tokens."""
        records = await self._retrieve(tenant_id, user_id, ids, ("id",), vectors=True)
        found = {record.payload["id"]: layout.encoded_of(record.vector or {}) for record in records}
        return {item_id: encoded for item_id, encoded in found.items() if encoded is not None}

    async def speakers(self, tenant_id: str, user_id: str) -> list[str]:
        """Who speaks in the user's turns, in lower case, those heard most often first."""
        request = edge.FacetRequest(
            layout.SPEAKERS,
            limit=layout.MOST_SPEAKERS,
            exact=True,
            filter=convert.condition_filter(layout.owned(tenant_id, user_id)),
        )
        found = await self._run(lambda: self._folder.opened().facet(request))
        return layout.most_heard((str(hit.value), hit.count) for hit in found.hits)

    async def entries(
        self, tenant_id: str | None, user_id: str | None, *, limit: int, cursor: str | None
    ) -> Page[IndexEntry]:
        """All that is here of a user, of a tenant, or of all, a page at a time."""
        request = edge.ScrollRequest(
            offset=cursor,
            limit=limit,
            filter=convert.condition_filter(layout.belonging(tenant_id, user_id)),
            with_payload=list(layout.ENTRY_FIELDS),
            with_vector=[View.DENSE.value],
        )
        records, following = await self._run(lambda: self._folder.opened().scroll(request))
        entries = [
            layout.entry_of(record.payload or {}, is_encoded=bool(record.vector))
            for record in records
        ]
        return Page(entries, None if following is None else str(following))

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
        names = [view.value for view in layout.ENCODED_VIEWS] if vectors else False
        return await self._run(lambda: self._folder.opened().retrieve(chosen, list(fields), names))

    # --- the index's thread ---------------------------------------------------------------------

    async def _run(self, work: Callable[[], R]) -> R:
        """Do the work in the index's thread, its errors turned into ours."""
        self._flusher.note_use()
        loop = asyncio.get_running_loop()
        with engine_errors():
            return await loop.run_in_executor(self._thread, work)

    async def _delete(self, operation: edge.UpdateOperation) -> None:
        """Delete, and remember to take what was deleted off the disk at the next start."""
        await self._run(self._folder.note_deleted)
        await self._write(operation)

    async def _write(self, operation: edge.UpdateOperation) -> None:
        await self._run(lambda: self._folder.opened().update(operation))
        self._flusher.note_change()


def _answers(shard: edge.EdgeShard, batch: Sequence[edge.QueryRequest]) -> Answers:
    if not batch:
        return []
    answers = shard.query_batch(edge.QueryBatchRequest(list(batch)))
    return [[(hit.id, hit.score) for hit in answer] for answer in answers]
