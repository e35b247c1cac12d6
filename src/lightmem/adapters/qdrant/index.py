"""The index port on a Qdrant server, by gRPC."""

import re
from collections.abc import Sequence, Set

from qdrant_client import grpc as qdrant

from lightmem.adapters import qdrant_answers as answers
from lightmem.adapters import qdrant_layout as layout
from lightmem.adapters.qdrant import convert
from lightmem.adapters.qdrant.channel import QdrantChannel
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

#: The first server that counts idf over chosen points alone.
OLDEST_SERVER = (1, 19)
READ_S, WRITE_S, ADMIN_S = 2.0, 10.0, 30.0
#: Points of one write.
WRITE_POINTS = 64


class QdrantIndex:
    """`MemoryIndex` in one collection of a Qdrant server."""

    def __init__(self, url: str, *, api_key: str | None, collection: str = "lightmem") -> None:
        self._channel = QdrantChannel(url, api_key=api_key)
        self._collection = collection

    async def open(self, encoder_id: str, dim: int, token_dim: int = 0) -> None:
        """Create the collection and its field indexes where they are missing.

        Raises:
            IncompatibleIndex: another encoder filled it.
            IndexUnavailable: the server is older than 1.19, or does not answer.
        """
        await self._check_version()
        if await self._filled_by() is None:
            await self._create(encoder_id, dim, token_dim)
        found = await self._filled_by()
        layout.check_filled_by(found or "", encoder_id)
        for request in convert.field_index_requests(self._collection):
            await self._channel.call("Points", "CreateFieldIndex", request, timeout_s=ADMIN_S)

    async def reset(self, encoder_id: str, dim: int, token_dim: int = 0) -> None:
        """Empty the collection and give it to this encoder."""
        request = qdrant.DeleteCollection(collection_name=self._collection)
        await self._channel.call("Collections", "Delete", request, timeout_s=ADMIN_S)
        await self.open(encoder_id, dim, token_dim)

    async def check(self) -> Health:
        """`ok` when the server answers and has the collection."""
        try:
            is_there = await self._filled_by() is not None
        except IndexUnavailable as exc:
            return Health("index", "down", exc.message)
        return Health("index", "ok") if is_there else Health("index", "down", "no collection")

    async def close(self) -> None:
        """Close the channel."""
        await self._channel.close()

    # --- what is stored -----------------------------------------------------------------------

    async def upsert(self, tenant_id: str, user_id: str, points: Sequence[IndexPoint]) -> None:
        """Put points by item id, a piece at a time; visible when it returns."""
        await self._put(tenant_id, user_id, points)

    async def insert(self, tenant_id: str, user_id: str, points: Sequence[IndexPoint]) -> None:
        """Put those points whose item has none yet."""
        await self._put(tenant_id, user_id, points, insert_only=True)

    async def _put(
        self,
        tenant_id: str,
        user_id: str,
        points: Sequence[IndexPoint],
        *,
        insert_only: bool = False,
    ) -> None:
        modes = qdrant.UpdateMode
        for start in range(0, len(points), WRITE_POINTS):
            request = qdrant.UpsertPoints(
                collection_name=self._collection,
                wait=True,
                points=[
                    convert.point(tenant_id, user_id, point)
                    for point in points[start : start + WRITE_POINTS]
                ],
                update_mode=modes.InsertOnly if insert_only else modes.Upsert,
            )
            await self._channel.call("Points", "Upsert", request, timeout_s=WRITE_S)

    async def delete(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> None:
        """Delete those of the items that exist, with their passages."""
        if ids:
            passages = convert.condition_filter(layout.passages(tenant_id, user_id, ids))
            await self._delete(qdrant.PointsSelector(filter=passages))
            chosen = qdrant.PointsIdsList(ids=convert.point_ids(tenant_id, user_id, ids))
            await self._delete(qdrant.PointsSelector(points=chosen))

    async def delete_user(self, tenant_id: str, user_id: str) -> None:
        """Delete all points of one user."""
        chosen = convert.condition_filter(layout.owned(tenant_id, user_id))
        await self._delete(qdrant.PointsSelector(filter=chosen))

    async def count(self, tenant_id: str, user_id: str | None = None) -> int:
        """How many points a user has, or a tenant."""
        whose = layout.belonging(tenant_id, user_id)
        request = qdrant.CountPoints(
            collection_name=self._collection, filter=convert.condition_filter(whose), exact=True
        )
        answer = await self._channel.call("Points", "Count", request, timeout_s=READ_S)
        return int(answer.result.count)

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
        """Scores for each query, and items: one batch finds, another scores what it found.

        What was found is read with the second batch, each point once.
        """
        finding, scoring = answers.split(queries)
        if not finding:
            return Found([{} for _ in queries], {})
        chosen = layout.conditions(tenant_id, user_id, filters)
        corpus = layout.owned(tenant_id, user_id)
        results = await self._query(
            [convert.query_points(self._collection, query, chosen, corpus) for query in finding]
        )
        hits = [convert.hits_of(result) for result in results]
        pool = answers.pool_of(finding, hits)
        scored = await self._query(
            [
                convert.scoring_points(self._collection, query, pool, is_read=number == 0)
                for number, query in enumerate(scoring if pool else ())
            ]
        )
        items = convert.items_of(scored[0].result) if scored else {}
        items |= await self._read(pool - items.keys())
        # Beyond the pool are ties that are cut, and what was deleted since.
        kept = [[hit for hit in one if hit[0] in items] for one in hits]
        return answers.found_of(queries, kept, map(convert.hits_of, scored), items)

    async def get(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> list[Item]:
        """Those of the items that exist, in the order asked for."""
        records = await self._retrieve(tenant_id, user_id, ids, layout.ITEM_FIELDS, vectors=False)
        payloads = [convert.payload_of(record.payload) for record in records]
        return layout.items_in_order(ids, payloads)

    async def held(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> set[str]:
        """Those of the ids that have a point."""
        records = await self._retrieve(tenant_id, user_id, ids, ("id",), vectors=False)
        return {record.payload["id"].string_value for record in records}

    async def encoded(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> dict[str, Encoded]:
        """The vectors of the items that have them, by id: of the text and of its tokens."""
        records = await self._retrieve(tenant_id, user_id, ids, ("id",), vectors=True)
        found = {
            record.payload["id"].string_value: layout.encoded_of(convert.arrays_of(record))
            for record in records
        }
        return {item_id: encoded for item_id, encoded in found.items() if encoded is not None}

    async def speakers(self, tenant_id: str, user_id: str) -> list[str]:
        """Who speaks in the user's turns, in lower case, those heard most often first."""
        request = qdrant.FacetCounts(
            collection_name=self._collection,
            key=layout.SPEAKERS,
            filter=convert.condition_filter(layout.owned(tenant_id, user_id)),
            limit=layout.MOST_SPEAKERS,
            exact=True,
        )
        answer = await self._channel.call("Points", "Facet", request, timeout_s=READ_S)
        return layout.most_heard((hit.value.string_value, hit.count) for hit in answer.hits)

    async def entries(
        self, tenant_id: str | None, user_id: str | None, *, limit: int, cursor: str | None
    ) -> Page[IndexEntry]:
        """All that is here of a user, of a tenant, or of all, a page at a time."""
        request = qdrant.ScrollPoints(
            collection_name=self._collection,
            filter=convert.condition_filter(layout.belonging(tenant_id, user_id)),
            offset=None if cursor is None else qdrant.PointId(uuid=cursor),
            limit=limit,
            with_payload=convert.fields(layout.ENTRY_FIELDS),
            with_vectors=convert.vectors((View.DENSE,)),
        )
        answer = await self._channel.call("Points", "Scroll", request, timeout_s=ADMIN_S)
        entries = [
            layout.entry_of(
                convert.payload_of(record.payload), is_encoded=bool(convert.arrays_of(record))
            )
            for record in answer.result
        ]
        has_more = answer.HasField("next_page_offset")
        kept = [entry for entry in entries if entry is not None]
        return Page(kept, answer.next_page_offset.uuid if has_more else None)

    # --- calls --------------------------------------------------------------------------------

    async def _query(self, asked: Sequence[qdrant.QueryPoints]) -> list[qdrant.BatchResult]:
        if not asked:
            return []
        request = qdrant.QueryBatchPoints(collection_name=self._collection, query_points=asked)
        answer = await self._channel.call("Points", "QueryBatch", request, timeout_s=READ_S)
        return list(answer.result)

    async def _read(self, keys: Set[str]) -> dict[str, Item]:
        """The items of points that were found and not scored: those that have no tokens."""
        if not keys:
            return {}
        points = [qdrant.PointId(uuid=key) for key in sorted(keys)]
        return convert.items_of(await self._points(points, layout.ITEM_FIELDS, vectors=False))

    async def _retrieve(
        self,
        tenant_id: str,
        user_id: str,
        ids: Sequence[str],
        fields: Sequence[str],
        *,
        vectors: bool,
    ) -> list[qdrant.RetrievedPoint]:
        if not ids:
            return []
        return await self._points(
            convert.point_ids(tenant_id, user_id, ids), fields, vectors=vectors
        )

    async def _points(
        self, points: Sequence[qdrant.PointId], fields: Sequence[str], *, vectors: bool
    ) -> list[qdrant.RetrievedPoint]:
        request = qdrant.GetPoints(
            collection_name=self._collection,
            ids=points,
            with_payload=convert.fields(fields),
            with_vectors=convert.vectors(layout.ENCODED_VIEWS if vectors else ()),
        )
        answer = await self._channel.call("Points", "Get", request, timeout_s=READ_S)
        return list(answer.result)

    async def _delete(self, chosen: qdrant.PointsSelector) -> None:
        request = qdrant.DeletePoints(collection_name=self._collection, wait=True, points=chosen)
        await self._channel.call("Points", "Delete", request, timeout_s=WRITE_S)

    async def _check_version(self) -> None:
        """Refuse a server that would pass `idf` over and count it over everybody's texts."""
        request = qdrant.HealthCheckRequest()
        answer = await self._channel.call("Qdrant", "HealthCheck", request, timeout_s=READ_S)
        found = re.match(r"v?(\d+)\.(\d+)", answer.version)
        if found is None or tuple(map(int, found.groups())) < OLDEST_SERVER:
            raise IndexUnavailable(f"Qdrant {answer.version} is too old: 1.19 or newer is needed")

    async def _filled_by(self) -> str | None:
        """Who filled the collection; None when there is none."""
        exists = qdrant.CollectionExistsRequest(collection_name=self._collection)
        answer = await self._channel.call(
            "Collections", "CollectionExists", exists, timeout_s=READ_S
        )
        if not answer.result.exists:
            return None
        request = qdrant.GetCollectionInfoRequest(collection_name=self._collection)
        info = await self._channel.call("Collections", "Get", request, timeout_s=READ_S)
        return str(info.result.config.metadata["filled_by"].string_value)

    async def _create(self, encoder_id: str, dim: int, token_dim: int) -> None:
        request = convert.create_request(self._collection, encoder_id, dim, token_dim)
        try:
            await self._channel.call("Collections", "Create", request, timeout_s=ADMIN_S)
        except IndexUnavailable as exc:
            # Another process was first: whose it is is checked after this.
            if exc.details.get("status") not in ("ALREADY_EXISTS", "INVALID_ARGUMENT"):
                raise
