"""Our values as Qdrant Edge's: points, filters and queries."""

from collections.abc import Collection, Sequence
from typing import Any

import qdrant_edge as edge

from lightmem.adapters import qdrant_answers as answers
from lightmem.adapters import qdrant_layout as layout
from lightmem.adapters.qdrant_layout import Conditions
from lightmem.model import IndexPoint, SparseVector, TokenVectors, Vector, View, ViewQuery

#: No segment reaches this size (in KB): no HNSW graph is built, and search is exact.
_NEVER = 10**9


def config(dim: int, token_dim: int) -> edge.EdgeConfig:
    """The vectors of the shard and how it is kept."""
    vectors = {
        view.value: edge.EdgeVectorParams(dim, edge.Distance.Cosine) for view in layout.DENSE_VIEWS
    }
    if token_dim:
        vectors[View.TOKENS.value] = edge.EdgeVectorParams(
            token_dim,
            edge.Distance.Dot,
            multivector_config=edge.MultiVectorConfig(edge.MultiVectorComparator.MaxSim),
            datatype=edge.VectorStorageDatatype.Float16,
        )
    return edge.EdgeConfig(
        vectors=vectors,
        sparse_vectors={
            view.value: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)
            for view in layout.SPARSE_VIEWS
        },
        optimizers=edge.EdgeOptimizersConfig(
            default_segment_number=1, max_segment_size=_NEVER, indexing_threshold=_NEVER
        ),
        max_search_threads=1,
    )


def field_indexes() -> list[edge.UpdateOperation]:
    """One payload index for each field that is filtered."""
    keywords = [
        edge.UpdateOperation.create_field_index(
            name, edge.KeywordIndexParams(is_tenant=name == layout.OWNER)
        )
        for name in layout.KEYWORD_FIELDS
    ]
    times = [
        edge.UpdateOperation.create_field_index(name, edge.DatetimeIndexParams())
        for name in layout.TIME_FIELDS
    ]
    return [*keywords, *times]


def point(tenant_id: str, user_id: str, indexed: IndexPoint) -> edge.Point:
    """A point with its vectors and payload."""
    vectors: dict[str, Any] = {
        name: _vector(vector) for name, vector in layout.stored_vectors(indexed).items()
    }
    return edge.Point(
        layout.id_of(tenant_id, user_id, indexed),
        vectors,
        layout.payload_of(tenant_id, user_id, indexed),
    )


def point_ids(tenant_id: str, user_id: str, ids: Sequence[str]) -> list[Any]:
    """The points that hold these items of this user."""
    owner = layout.owner_of(tenant_id, user_id)
    return [layout.point_id(owner, item_id) for item_id in ids]


def condition_filter(conditions: Conditions) -> edge.Filter:
    """All conditions at once."""
    must: list[Any] = [
        edge.FieldCondition(name, match=edge.MatchAny(list(values)))
        for name, values in conditions.any_of.items()
    ]
    for name, (start, end) in conditions.times.items():
        bounds = edge.RangeDateTime(
            gte=start.isoformat() if start else None, lt=end.isoformat() if end else None
        )
        must.append(edge.FieldCondition(name, range=bounds))
    return edge.Filter(must=must)


def request(query: ViewQuery, chosen: Conditions, corpus: Conditions) -> edge.QueryRequest:
    """One view's query among the points `chosen`; `corpus` is where the idf is counted."""
    idf = None
    if isinstance(query.vector, SparseVector):
        idf = edge.IdfParams(corpus=condition_filter(layout.of_kind(corpus, query.kind)))
    return edge.QueryRequest(
        limit=query.limit + answers.SPARE,
        query=edge.Query.Nearest(_vector(query.vector), using=query.view.value),
        filter=condition_filter(layout.of_kind(chosen, query.kind)),
        params=edge.SearchParams(exact=True, idf=idf),
    )


def scoring_request(query: ViewQuery, found: Collection[Any]) -> edge.QueryRequest:
    """A query that scores these points, by their ids."""
    return edge.QueryRequest(
        limit=len(found),
        query=edge.Query.Nearest(_vector(query.vector), using=query.view.value),
        filter=edge.Filter(must=[edge.HasIdCondition(set(found))]),
        params=edge.SearchParams(exact=True),
    )


def _vector(vector: Vector) -> Any:
    """A vector as the engine takes it: a list, a list of lists, or its own sparse one."""
    if isinstance(vector, SparseVector):
        return edge.SparseVector(list(vector.indices), list(vector.values))
    if isinstance(vector, TokenVectors):
        return vector.rows
    return layout.floats(vector)
