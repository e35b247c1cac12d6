"""The index port on Qdrant Edge.

The engine holds Python's global lock while it works, so each call is short: writes go in small
pieces with searches between them, and vacuum, which may take seconds, runs when the folder is
opened. Whatever has returned is in the engine's write-ahead log and survives a killed process.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import qdrant_edge as edge

from lightmem.adapters import qdrant_answers as answers
from lightmem.adapters import qdrant_layout as layout
from lightmem.adapters.embedded.qdrant_edge import convert
from lightmem.adapters.embedded.qdrant_edge.at_hand import ItemsAtHand, SpeakersAtHand
from lightmem.adapters.embedded.qdrant_edge.flusher import IdleFlusher
from lightmem.adapters.embedded.qdrant_edge.folder import EdgeFolder, engine_errors
from lightmem.adapters.embedded.qdrant_edge.searching import find_points
from lightmem.errors import IndexUnavailable
from lightmem.model import (
    Found,
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

#: Points of one write: some 3 ms, for which a search has to wait.
WRITE_POINTS = 64


class QdrantEdgeIndex:
    """`MemoryIndex` in one folder of this process, which no other process may have open."""

    def __init__(self, path: Path) -> None:
        self._folder = EdgeFolder(path)
        # One thread: the engine takes one call at a time anyway, and calls keep their order.
        self._thread = ThreadPoolExecutor(1, "lightmem-index")
        self._flusher = IdleFlusher(lambda: self._thread.submit(self._folder.flush))
        # Changed in the index's thread alone, so that what is at hand is what the engine has.
        self._items = ItemsAtHand()
        self._speakers = SpeakersAtHand()

    async def open(self, encoder_id: str, dim: int, token_dim: int = 0) -> None:
        """Create or load the folder, mode 0700; opening twice is no error.

        Raises:
            IncompatibleIndex: another encoder filled it.
            IndexUnavailable: another process has it open, or its files do not load.
        """
        await self._run(lambda: self._folder.open(encoder_id, dim, token_dim))

    async def reset(self, encoder_id: str, dim: int, token_dim: int = 0) -> None:
        """Empty the folder and give it to this encoder."""

        def reset() -> None:
            self._forget_all()
            self._folder.reset(encoder_id, dim, token_dim)

        await self._run(reset)

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
        owner = layout.owner_of(tenant_id, user_id)
        for start in range(0, len(points), WRITE_POINTS):
            piece = points[start : start + WRITE_POINTS]
            keys = [layout.id_of(tenant_id, user_id, point) for point in piece]
            operation = edge.UpdateOperation.upsert_points(
                [convert.point(tenant_id, user_id, point) for point in piece], update_mode=mode
            )
            await self._write(operation, partial(self._note_put, owner, keys, piece))

    def _note_put(self, owner: str, keys: Sequence[str], points: Sequence[IndexPoint]) -> None:
        self._items.drop(UUID(key).int for key in keys)
        self._speakers.note(owner, points)

    async def delete(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> None:
        """Delete those of the items that exist, with their passages."""
        if ids:
            passages = convert.condition_filter(layout.passages(tenant_id, user_id, ids))
            chosen = convert.point_ids(tenant_id, user_id, ids)
            gone = partial(self._note_deleted, layout.owner_of(tenant_id, user_id), ids)
            await self._delete(edge.UpdateOperation.delete_points_by_filter(passages), gone)
            await self._delete(edge.UpdateOperation.delete_points(chosen), gone)

    async def delete_user(self, tenant_id: str, user_id: str) -> None:
        """Delete all points of one user."""
        chosen = convert.condition_filter(layout.owned(tenant_id, user_id))
        operation = edge.UpdateOperation.delete_points_by_filter(chosen)
        await self._delete(operation, self._forget_all)

    def _note_deleted(self, owner: str, ids: Sequence[str]) -> None:
        self._items.drop_items(frozenset(ids))
        self._speakers.drop(owner)

    def _forget_all(self) -> None:
        self._items.clear()
        self._speakers.clear()

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
        """For each query its best items."""
        return (await self.find(tenant_id, user_id, queries, filters=filters)).ranked()

    async def find(
        self,
        tenant_id: str,
        user_id: str,
        queries: Sequence[ViewQuery],
        *,
        filters: RecallFilters,
    ) -> Found:
        """Scores for each query, and items: one batch finds, another scores what it found."""
        finding, scoring = answers.split(queries)
        if not finding:
            return Found([{} for _ in queries], {})
        chosen = layout.conditions(tenant_id, user_id, filters)
        corpus = layout.owned(tenant_id, user_id)
        batch = [convert.request(query, chosen, corpus) for query in finding]
        hits, scores, items = await self._run(
            lambda: find_points(self._folder.opened(), finding, batch, scoring, self._items)
        )
        return answers.found_of(queries, hits, scores, items)

    async def get(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> list[Item]:
        """Those of the items that exist, in the order asked for."""
        records = await self._retrieve(tenant_id, user_id, ids, layout.ITEM_FIELDS, vectors=False)
        return layout.items_in_order(ids, [record.payload for record in records])

    async def held(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> set[str]:
        """Those of the ids that have a point."""
        keys = map(UUID, convert.point_ids(tenant_id, user_id, ids))
        unknown: dict[Any, str] = {
            key: item_id
            for key, item_id in zip(keys, ids, strict=True)
            if self._items.get(key.int) is None
        }
        if not unknown:
            return set(ids)
        chosen = list(unknown)
        records = await self._run(lambda: self._folder.opened().retrieve(chosen, False, False))
        found = {unknown[record.id] for record in records}
        return set(ids) - (set(unknown.values()) - found)

    async def encoded(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> dict[str, Encoded]:
        """The vectors of the items that have them, by id: of the text and of its tokens."""
        records = await self._retrieve(tenant_id, user_id, ids, ("id",), vectors=True)
        found = {record.payload["id"]: layout.encoded_of(record.vector or {}) for record in records}
        return {item_id: encoded for item_id, encoded in found.items() if encoded is not None}

    async def speakers(self, tenant_id: str, user_id: str) -> list[str]:
        """Who speaks in the user's turns, in lower case, those heard most often first."""
        owner = layout.owner_of(tenant_id, user_id)
        if (known := self._speakers.get(owner)) is not None:
            return known
        whose = convert.condition_filter(layout.owned(tenant_id, user_id))
        return await self._run(lambda: self._count_speakers(owner, whose))

    def _count_speakers(self, owner: str, whose: edge.Filter) -> list[str]:
        request = edge.FacetRequest(
            layout.SPEAKERS, limit=layout.MOST_SPEAKERS, exact=True, filter=whose
        )
        found = self._folder.opened().facet(request)
        speakers = layout.most_heard((str(hit.value), hit.count) for hit in found.hits)
        self._speakers.put(owner, speakers)
        return speakers

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
        kept = [entry for entry in entries if entry is not None]
        return Page(kept, None if following is None else str(following))

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

    async def _delete(self, operation: edge.UpdateOperation, note: Callable[[], None]) -> None:
        """Delete, and remember to take what was deleted off the disk at the next start."""
        await self._run(self._folder.note_deleted)
        await self._write(operation, note)

    async def _write(self, operation: edge.UpdateOperation, note: Callable[[], None]) -> None:
        """Change the shard; `note` drops what is at hand of it, before anything else is read."""

        def write() -> None:
            note()
            self._folder.opened().update(operation)

        await self._run(write)
        self._flusher.note_change()
