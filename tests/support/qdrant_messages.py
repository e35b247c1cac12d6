"""Qdrant's gRPC messages as the engine's values and back, for the stand-in server.

Only what the project sends is read; anything else is refused rather than passed over.
"""

from typing import Any

import qdrant_edge as edge
from qdrant_client import grpc as qdrant


def edge_config(request: qdrant.CreateCollection) -> edge.EdgeConfig:
    """The shard of a collection: exact search alone, as the project asks for."""
    if request.hnsw_config.m != 0:
        raise ValueError("the stand-in builds no HNSW graph")
    return edge.EdgeConfig(
        vectors={
            name: _vector_params(params)
            for name, params in request.vectors_config.params_map.map.items()
        },
        sparse_vectors={
            name: edge.EdgeSparseVectorParams(
                modifier=edge.Modifier.Idf if params.modifier == qdrant.Modifier.Idf else None
            )
            for name, params in request.sparse_vectors_config.map.items()
        },
        optimizers=edge.EdgeOptimizersConfig(
            default_segment_number=1, max_segment_size=10**9, indexing_threshold=10**9
        ),
        max_search_threads=1,
    )


def edge_index(request: qdrant.CreateFieldIndexCollection) -> Any:
    """The index parameters of a payload field."""
    if request.field_type == qdrant.FieldType.FieldTypeDatetime:
        return edge.DatetimeIndexParams()
    if request.field_type == qdrant.FieldType.FieldTypeKeyword:
        is_tenant = request.field_index_params.keyword_index_params.is_tenant
        return edge.KeywordIndexParams(is_tenant=is_tenant)
    raise ValueError(f"field type {request.field_type} is not served")


def edge_point(point: qdrant.PointStruct) -> edge.Point:
    """A point with named vectors."""
    vectors: dict[str, Any] = {}
    for name, vector in point.vectors.vectors.vectors.items():
        vectors[name] = _vector(vector, vector.WhichOneof("vector"))
    payload = {name: _plain(value) for name, value in point.payload.items()}
    return edge.Point(point.id.uuid, vectors, payload)


def edge_update_mode(request: qdrant.UpsertPoints) -> edge.UpdateMode:
    """Whether a point that is there is replaced or stays."""
    match request.update_mode:
        case qdrant.UpdateMode.Upsert:
            return edge.UpdateMode.Upsert
        case qdrant.UpdateMode.InsertOnly:
            return edge.UpdateMode.InsertOnly
    raise ValueError(f"update mode {request.update_mode} is not served")


def edge_filter(chosen: qdrant.Filter) -> edge.Filter:
    """A filter of `must` conditions on keywords and times."""
    if chosen.should or chosen.must_not or chosen.HasField("min_should"):
        raise ValueError("only `must` is served")
    return edge.Filter(must=[_condition(condition) for condition in chosen.must])


def edge_query(query: qdrant.QueryPoints) -> edge.QueryRequest:
    """A nearest-neighbour query of one named vector."""
    nearest = query.query.nearest
    vector = _vector(nearest, nearest.WhichOneof("variant"))
    idf = None
    if query.params.HasField("idf"):
        idf = edge.IdfParams(corpus=edge_filter(query.params.idf.corpus))
    return edge.QueryRequest(
        limit=query.limit,
        query=edge.Query.Nearest(vector, using=query.using),
        filter=edge_filter(query.filter),
        params=edge.SearchParams(exact=query.params.exact, idf=idf),
        with_payload=payload_fields(query.with_payload),
    )


def payload_fields(selector: qdrant.WithPayloadSelector) -> Any:
    """What is to be read of payloads: all, nothing, or some fields."""
    return list(selector.include.fields) or selector.enable


def scored_message(hit: edge.ScoredPoint) -> qdrant.ScoredPoint:
    """A hit with its payload."""
    return qdrant.ScoredPoint(
        id=qdrant.PointId(uuid=str(hit.id)), score=hit.score, payload=_values(hit.payload)
    )


def record_message(record: edge.Record) -> qdrant.RetrievedPoint:
    """A point as it was asked for by id."""
    named: Any = record.vector or {}
    vectors = {name: _vector_output(vector) for name, vector in named.items()}
    return qdrant.RetrievedPoint(
        id=qdrant.PointId(uuid=str(record.id)),
        payload=_values(record.payload),
        vectors=qdrant.VectorsOutput(vectors=qdrant.NamedVectorsOutput(vectors=vectors)),
    )


_DISTANCES = {
    qdrant.Distance.Cosine: edge.Distance.Cosine,
    qdrant.Distance.Dot: edge.Distance.Dot,
}


def _vector_params(params: qdrant.VectorParams) -> edge.EdgeVectorParams:
    """One vector a point, or one a token compared by MaxSim."""
    if not params.HasField("multivector_config"):
        return edge.EdgeVectorParams(params.size, _DISTANCES[params.distance])
    if params.datatype != qdrant.Datatype.Float16:
        raise ValueError("token vectors are served as 16-bit floats")
    return edge.EdgeVectorParams(
        params.size,
        _DISTANCES[params.distance],
        multivector_config=edge.MultiVectorConfig(edge.MultiVectorComparator.MaxSim),
        datatype=edge.VectorStorageDatatype.Float16,
    )


def _vector(message: qdrant.Vector | qdrant.VectorInput, kind: str | None) -> Any:
    match kind:
        case "sparse":
            return _sparse(message.sparse)
        case "dense":
            return list(message.dense.data)
        case "multi_dense":
            return [list(row.data) for row in message.multi_dense.vectors]
    raise ValueError(f"vector {kind!r} is not served")


def _vector_output(vector: Any) -> qdrant.VectorOutput:
    if vector and isinstance(vector[0], list):
        rows = [qdrant.DenseVector(data=row) for row in vector]
        return qdrant.VectorOutput(multi_dense=qdrant.MultiDenseVector(vectors=rows))
    return qdrant.VectorOutput(dense=qdrant.DenseVector(data=vector))


def _condition(condition: qdrant.Condition) -> edge.FieldCondition | edge.HasIdCondition:
    if condition.HasField("has_id"):
        return edge.HasIdCondition({point.uuid for point in condition.has_id.has_id})
    field = condition.field
    if field.HasField("datetime_range"):
        bounds = {
            name: getattr(field.datetime_range, name).ToJsonString()
            for name in ("gte", "gt", "lte", "lt")
            if field.datetime_range.HasField(name)
        }
        return edge.FieldCondition(field.key, range=edge.RangeDateTime(**bounds))
    match field.match.WhichOneof("match_value"):
        case "keyword":
            return edge.FieldCondition(field.key, match=edge.MatchValue(field.match.keyword))
        case "keywords":
            values = list(field.match.keywords.strings)
            return edge.FieldCondition(field.key, match=edge.MatchAny(values))
        case other:
            raise ValueError(f"condition {other!r} is not served")


def _sparse(vector: qdrant.SparseVector) -> edge.SparseVector:
    return edge.SparseVector(list(vector.indices), list(vector.values))


def _plain(value: qdrant.Value) -> Any:
    match value.WhichOneof("kind"):
        case "list_value":
            return [_plain(part) for part in value.list_value.values]
        case "null_value" | None:
            return None
        case kind:
            return getattr(value, kind)


def _values(payload: dict[str, Any] | None) -> dict[str, qdrant.Value]:
    return {name: _value(plain) for name, plain in (payload or {}).items()}


def _value(plain: Any) -> qdrant.Value:
    match plain:
        case bool():
            return qdrant.Value(bool_value=plain)
        case int():
            return qdrant.Value(integer_value=plain)
        case float():
            return qdrant.Value(double_value=plain)
        case str():
            return qdrant.Value(string_value=plain)
        case list():
            return qdrant.Value(
                list_value=qdrant.ListValue(values=[_value(part) for part in plain])
            )
    return qdrant.Value(null_value=qdrant.NullValue.NULL_VALUE)
