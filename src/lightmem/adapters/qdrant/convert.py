"""Our values as Qdrant's messages, and its messages as ours."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from google.protobuf.timestamp_pb2 import Timestamp
from numpy.typing import NDArray
from qdrant_client import grpc as qdrant

from lightmem.adapters import qdrant_answers as answers
from lightmem.adapters import qdrant_layout as layout
from lightmem.adapters.qdrant_answers import Hit
from lightmem.adapters.qdrant_layout import Conditions
from lightmem.model import IndexPoint, Item, SparseVector, TokenVectors, Vector, View, ViewQuery

_ITEM_PAYLOAD = qdrant.WithPayloadSelector(
    include=qdrant.PayloadIncludeSelector(fields=layout.ITEM_FIELDS)
)
_NO_PAYLOAD = qdrant.WithPayloadSelector(enable=False)


def create_request(
    collection: str, encoder_id: str, dim: int, token_dim: int
) -> qdrant.CreateCollection:
    """The collection: no HNSW graph, since search is exact over one user's points."""
    vectors = {
        view.value: qdrant.VectorParams(size=dim, distance=qdrant.Distance.Cosine)
        for view in layout.DENSE_VIEWS
    }
    if token_dim:
        vectors[View.TOKENS.value] = qdrant.VectorParams(
            size=token_dim,
            distance=qdrant.Distance.Dot,
            multivector_config=qdrant.MultiVectorConfig(
                comparator=qdrant.MultiVectorComparator.MaxSim
            ),
            datatype=qdrant.Datatype.Float16,
        )
    sparse = {
        view.value: qdrant.SparseVectorParams(modifier=qdrant.Modifier.Idf)
        for view in layout.SPARSE_VIEWS
    }
    return qdrant.CreateCollection(
        collection_name=collection,
        vectors_config=qdrant.VectorsConfig(params_map=qdrant.VectorParamsMap(map=vectors)),
        sparse_vectors_config=qdrant.SparseVectorConfig(map=sparse),
        hnsw_config=qdrant.HnswConfigDiff(m=0, payload_m=0),
        # The idf is counted per shard: more than one would score by another idf each.
        shard_number=1,
        metadata={"filled_by": value_of(layout.filled_by(encoder_id))},
    )


def field_index_requests(collection: str) -> list[qdrant.CreateFieldIndexCollection]:
    """One payload index for each field that is filtered."""
    keywords = [
        qdrant.CreateFieldIndexCollection(
            collection_name=collection,
            wait=True,
            field_name=name,
            field_type=qdrant.FieldType.FieldTypeKeyword,
            field_index_params=qdrant.PayloadIndexParams(
                keyword_index_params=qdrant.KeywordIndexParams(is_tenant=name == layout.OWNER)
            ),
        )
        for name in layout.KEYWORD_FIELDS
    ]
    times = [
        qdrant.CreateFieldIndexCollection(
            collection_name=collection,
            wait=True,
            field_name=name,
            field_type=qdrant.FieldType.FieldTypeDatetime,
        )
        for name in layout.TIME_FIELDS
    ]
    return [*keywords, *times]


def point(tenant_id: str, user_id: str, indexed: IndexPoint) -> qdrant.PointStruct:
    """A point with its vectors and payload."""
    vectors = {
        name: qdrant.Vector(**_vector(vector))
        for name, vector in layout.stored_vectors(indexed).items()
    }
    payload = layout.payload_of(tenant_id, user_id, indexed)
    return qdrant.PointStruct(
        id=qdrant.PointId(uuid=layout.id_of(tenant_id, user_id, indexed)),
        vectors=qdrant.Vectors(vectors=qdrant.NamedVectors(vectors=vectors)),
        payload={name: value_of(value) for name, value in payload.items()},
    )


def point_ids(tenant_id: str, user_id: str, ids: Sequence[str]) -> list[qdrant.PointId]:
    """The points that hold these items of this user."""
    owner = layout.owner_of(tenant_id, user_id)
    return [qdrant.PointId(uuid=layout.point_id(owner, item_id)) for item_id in ids]


def condition_filter(conditions: Conditions) -> qdrant.Filter:
    """All conditions at once."""
    must = [
        qdrant.FieldCondition(
            key=name, match=qdrant.Match(keywords=qdrant.RepeatedStrings(strings=values))
        )
        for name, values in conditions.any_of.items()
    ]
    for name, (start, end) in conditions.times.items():
        bounds = qdrant.DatetimeRange(gte=_timestamp(start), lt=_timestamp(end))
        must.append(qdrant.FieldCondition(key=name, datetime_range=bounds))
    return qdrant.Filter(must=[qdrant.Condition(field=condition) for condition in must])


def query_points(
    collection: str, query: ViewQuery, chosen: Conditions, corpus: Conditions
) -> qdrant.QueryPoints:
    """One view's query among the points `chosen`; `corpus` is where the idf is counted.

    It reads nothing of them: most are found by several views, and read once by their ids.
    """
    idf = None
    if isinstance(query.vector, SparseVector):
        idf = qdrant.IdfParams(corpus=condition_filter(layout.of_kind(corpus, query.kind)))
    return qdrant.QueryPoints(
        collection_name=collection,
        query=_nearest(query),
        using=query.view.value,
        filter=condition_filter(layout.of_kind(chosen, query.kind)),
        params=qdrant.SearchParams(exact=True, idf=idf),
        limit=query.limit + answers.SPARE,
        with_payload=_NO_PAYLOAD,
    )


def scoring_points(
    collection: str, query: ViewQuery, found: Collection[str], *, is_read: bool
) -> qdrant.QueryPoints:
    """A query that scores these points, by their ids, and reads their items where it is said to."""
    ids = qdrant.HasIdCondition(has_id=[qdrant.PointId(uuid=key) for key in sorted(found)])
    return qdrant.QueryPoints(
        collection_name=collection,
        query=_nearest(query),
        using=query.view.value,
        filter=qdrant.Filter(must=[qdrant.Condition(has_id=ids)]),
        params=qdrant.SearchParams(exact=True),
        limit=len(found),
        with_payload=_ITEM_PAYLOAD if is_read else _NO_PAYLOAD,
    )


def fields(names: Sequence[str]) -> qdrant.WithPayloadSelector:
    """These fields of payloads alone."""
    return qdrant.WithPayloadSelector(include=qdrant.PayloadIncludeSelector(fields=names))


def vectors(views: Sequence[View]) -> qdrant.WithVectorsSelector:
    """The vectors of these views, or none."""
    if not views:
        return qdrant.WithVectorsSelector(enable=False)
    names = [view.value for view in views]
    return qdrant.WithVectorsSelector(include=qdrant.VectorsSelector(names=names))


def hits_of(result: qdrant.BatchResult) -> list[Hit[str]]:
    """Ids and scores of one answer."""
    return [(hit.id.uuid, hit.score) for hit in result.result]


def items_of(points: Iterable[qdrant.ScoredPoint | qdrant.RetrievedPoint]) -> dict[str, Item]:
    """The items of points that were read, by point id."""
    return {point.id.uuid: layout.item_of(payload_of(point.payload)) for point in points}


def payload_of(values: Mapping[str, qdrant.Value]) -> dict[str, Any]:
    """A payload as plain values."""
    return {name: plain_of(value) for name, value in values.items()}


def value_of(plain: str | int | Sequence[str]) -> qdrant.Value:
    """A payload value: text, a whole number, or a list of texts."""
    if isinstance(plain, str):
        return qdrant.Value(string_value=plain)
    if isinstance(plain, int):
        return qdrant.Value(integer_value=plain)
    return qdrant.Value(list_value=qdrant.ListValue(values=[value_of(part) for part in plain]))


def plain_of(value: qdrant.Value) -> Any:
    """The plain value of a payload's value."""
    match value.WhichOneof("kind"):
        case "string_value":
            return value.string_value
        case "integer_value":
            return value.integer_value
        case "list_value":
            return [plain_of(part) for part in value.list_value.values]
    return None


def arrays_of(record: qdrant.RetrievedPoint) -> dict[str, NDArray[np.float32]]:
    """A point's vectors by name, those of tokens one below the other."""
    return {name: _array(vector) for name, vector in record.vectors.vectors.vectors.items()}


def _array(vector: qdrant.VectorOutput) -> NDArray[np.float32]:
    if vector.WhichOneof("vector") == "multi_dense":
        return np.array([row.data for row in vector.multi_dense.vectors], np.float32)
    # Servers of some versions leave a dense vector in the older field.
    return np.array(vector.dense.data or vector.data, np.float32)


def _nearest(query: ViewQuery) -> qdrant.Query:
    return qdrant.Query(nearest=qdrant.VectorInput(**_vector(query.vector)))


def _vector(vector: Vector) -> dict[str, Any]:
    """A vector under the name of its kind, which stored ones and queries share."""
    if isinstance(vector, SparseVector):
        return {"sparse": qdrant.SparseVector(indices=vector.indices, values=vector.values)}
    if isinstance(vector, TokenVectors):
        rows = [qdrant.DenseVector(data=row) for row in vector.rows]
        return {"multi_dense": qdrant.MultiDenseVector(vectors=rows)}
    return {"dense": qdrant.DenseVector(data=layout.floats(vector))}


def _timestamp(time: datetime | None) -> Timestamp | None:
    if time is None:
        return None
    stamp = Timestamp()
    stamp.FromDatetime(time)
    return stamp
