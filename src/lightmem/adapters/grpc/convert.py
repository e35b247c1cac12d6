"""Domain values to protobuf messages and back: both directions of each mapping side by side.

Sequences come back as tuples. A required time that is missing and an unknown word in a closed set
are `InvalidInput`, named by field.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct
from google.protobuf.timestamp_pb2 import Timestamp

from lightmem import model as m
from lightmem.errors import InvalidInput
from lightmem.rpc.v1 import memory_pb2 as pb
from lightmem.rpc.v1 import selector_pb2, writer_pb2

E = TypeVar("E", bound=StrEnum)

# --- small values ---------------------------------------------------------------------------


def time_to_pb(value: datetime | None) -> Timestamp | None:
    if value is None:
        return None
    stamp = Timestamp()
    stamp.FromDatetime(value.astimezone(UTC))
    return stamp


def time_from_pb(message: Message, field: str) -> datetime | None:
    """The field as an aware UTC datetime, or None where it is absent."""
    if not message.HasField(field):
        return None
    stamp: Timestamp = getattr(message, field)
    return stamp.ToDatetime(tzinfo=UTC)


def _required_time(message: Message, field: str) -> datetime:
    value = time_from_pb(message, field)
    if value is None:
        raise InvalidInput.of(field, "is missing")
    return value


def _text(message: Message, field: str) -> str | None:
    return str(getattr(message, field)) if message.HasField(field) else None


def _enum(cls: type[E], field: str, value: str) -> E:
    try:
        return cls(value)
    except ValueError:
        raise InvalidInput.of(field, f"unknown value {value!r}") from None


def _optional(cls: type[E], message: Message, field: str) -> E | None:
    value = _text(message, field)
    return None if value is None else _enum(cls, field, value)


def metadata_to_pb(metadata: Mapping[str, Any]) -> Struct:
    struct = Struct()
    struct.update(metadata)
    return struct


def metadata_from_pb(struct: Struct) -> dict[str, Any]:
    return {key: _whole(value) for key, value in MessageToDict(struct).items()}


def _whole(value: Any) -> Any:
    """Struct knows doubles alone; a whole one was an integer in the caller's JSON."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_whole(element) for element in value]
    if isinstance(value, dict):
        return {key: _whole(element) for key, element in value.items()}
    return value


def range_to_pb(value: m.TimeRange | None) -> pb.TimeRange | None:
    if value is None:
        return None
    return pb.TimeRange(
        start=time_to_pb(value.start),
        end=time_to_pb(value.end),
        precision=value.precision.value,
    )


def range_from_pb(message: pb.TimeRange) -> m.TimeRange:
    return m.TimeRange(
        start=time_from_pb(message, "start"),
        end=time_from_pb(message, "end"),
        precision=_enum(m.Precision, "precision", message.precision),
    )


# --- a recall -------------------------------------------------------------------------------


def filters_to_pb(value: m.RecallFilters) -> pb.RecallFilters:
    return pb.RecallFilters(
        start=time_to_pb(value.start),
        end=time_to_pb(value.end),
        speakers=value.speakers,
        kinds=[kind.value for kind in value.kinds],
        session_ids=value.session_ids,
    )


def filters_from_pb(message: pb.RecallFilters) -> m.RecallFilters:
    return m.RecallFilters(
        start=time_from_pb(message, "start"),
        end=time_from_pb(message, "end"),
        speakers=tuple(message.speakers),
        kinds=tuple(_enum(m.ItemKind, "filters.kinds", kind) for kind in message.kinds),
        session_ids=tuple(message.session_ids),
    )


def request_to_pb(value: m.RecallRequest) -> pb.RecallRequest:
    return pb.RecallRequest(
        query=value.query,
        now=time_to_pb(value.now),
        session_id=value.session_id,
        top_k=value.top_k,
        budget_tokens=value.budget_tokens,
        layers=[layer.value for layer in value.layers],
        mode=value.mode.value,
        filters=filters_to_pb(value.filters),
        as_of_valid=time_to_pb(value.as_of.valid),
        as_of_known=time_to_pb(value.as_of.known),
        explain=value.explain,
        utc_offset_minutes=value.utc_offset_minutes,
        k_anonymity=value.k_anonymity,
    )


def request_from_pb(message: pb.RecallRequest) -> m.RecallRequest:
    return m.RecallRequest(
        query=message.query,
        now=_required_time(message, "now"),
        session_id=_text(message, "session_id"),
        top_k=message.top_k,
        budget_tokens=message.budget_tokens,
        layers=tuple(_enum(m.Layer, "layers", layer) for layer in message.layers),
        mode=_enum(m.RecallMode, "mode", message.mode),
        filters=filters_from_pb(message.filters),
        as_of=m.AsOf(
            valid=time_from_pb(message, "as_of_valid"),
            known=time_from_pb(message, "as_of_known"),
        ),
        explain=message.explain,
        utc_offset_minutes=message.utc_offset_minutes,
        k_anonymity=message.k_anonymity if message.HasField("k_anonymity") else None,
    )


def query_to_pb(value: m.PlannedQuery) -> pb.PlannedQuery:
    return pb.PlannedQuery(
        text=value.text, weight=value.weight, rule=value.rule, by_word=value.by_word
    )


def query_from_pb(message: pb.PlannedQuery) -> m.PlannedQuery:
    return m.PlannedQuery(
        text=message.text, weight=message.weight, rule=message.rule, by_word=message.by_word
    )


def plan_to_pb(value: m.Plan) -> pb.Plan:
    return pb.Plan(
        queries=[query_to_pb(query) for query in value.queries],
        time_range=range_to_pb(value.time_range),
        entities=value.entities,
        layers=[layer.value for layer in value.layers],
        source=value.source,
        degraded=value.degraded,
        model_calls=value.model_calls,
        wants=value.wants,
    )


def plan_from_pb(message: pb.Plan) -> m.Plan:
    has_range = message.HasField("time_range")
    return m.Plan(
        queries=tuple(query_from_pb(query) for query in message.queries),
        time_range=range_from_pb(message.time_range) if has_range else None,
        entities=tuple(message.entities),
        layers=tuple(_enum(m.Layer, "plan.layers", layer) for layer in message.layers),
        source=message.source,
        degraded=tuple(message.degraded),
        model_calls=message.model_calls,
        wants=tuple(message.wants),
    )


def item_to_pb(value: m.Item) -> pb.Item:
    return pb.Item(
        id=value.id,
        layer=value.layer.value,
        kind=value.kind.value,
        text=value.text,
        score=value.score,
        speaker=value.speaker,
        occurred_at=time_to_pb(value.occurred_at),
        valid_from=time_to_pb(value.valid_from),
        valid_to=time_to_pb(value.valid_to),
        source_turn_ids=value.source_turn_ids,
        session_id=value.session_id,
        seq=value.seq,
        recorded_at=time_to_pb(value.recorded_at),
        superseded_at=time_to_pb(value.superseded_at),
        superseded_by=value.superseded_by,
        valid_precision=value.valid_precision.value if value.valid_precision else None,
        memory_kind=value.memory_kind.value if value.memory_kind else None,
        holds_from=time_to_pb(value.holds_from),
    )


def item_from_pb(message: pb.Item) -> m.Item:
    return m.Item(
        id=message.id,
        layer=_enum(m.Layer, "item.layer", message.layer),
        kind=_enum(m.ItemKind, "item.kind", message.kind),
        text=message.text,
        score=message.score,
        speaker=_text(message, "speaker"),
        occurred_at=time_from_pb(message, "occurred_at"),
        valid_from=time_from_pb(message, "valid_from"),
        valid_to=time_from_pb(message, "valid_to"),
        source_turn_ids=tuple(message.source_turn_ids),
        session_id=_text(message, "session_id"),
        seq=message.seq,
        recorded_at=time_from_pb(message, "recorded_at"),
        superseded_at=time_from_pb(message, "superseded_at"),
        superseded_by=_text(message, "superseded_by"),
        valid_precision=_optional(m.Precision, message, "valid_precision"),
        memory_kind=_optional(m.MemoryKind, message, "memory_kind"),
        holds_from=time_from_pb(message, "holds_from"),
    )


def selection_to_pb(value: m.Selection) -> selector_pb2.SelectResponse:
    return selector_pb2.SelectResponse(
        items=[item_to_pb(item) for item in value.items],
        candidates=[
            selector_pb2.Candidate(
                item=item_to_pb(candidate.item),
                features=candidate.features,
                reason=candidate.reason,
            )
            for candidate in value.candidates
        ],
        degraded=value.degraded,
        timings_ms=value.timings_ms,
        added=[query_to_pb(query) for query in value.added],
    )


def selection_from_pb(message: selector_pb2.SelectResponse) -> m.Selection:
    return m.Selection(
        items=tuple(item_from_pb(item) for item in message.items),
        candidates=tuple(
            m.Candidate(
                item=item_from_pb(candidate.item),
                features=dict(candidate.features),
                reason=candidate.reason,
            )
            for candidate in message.candidates
        ),
        degraded=tuple(message.degraded),
        timings_ms=dict(message.timings_ms),
        added=tuple(query_from_pb(query) for query in message.added),
    )


# --- writing --------------------------------------------------------------------------------


def turn_to_pb(value: m.Turn) -> pb.Turn:
    """Whose turn it is travels once, beside the turns."""
    return pb.Turn(
        id=value.id,
        session_id=value.session_id,
        seq=value.seq,
        role=value.role.value,
        content=value.content,
        occurred_at=time_to_pb(value.occurred_at),
        recorded_at=time_to_pb(value.recorded_at),
        client_id=value.client_id,
        speaker=value.speaker,
        metadata=metadata_to_pb(value.metadata),
        utc_offset_minutes=value.utc_offset_minutes,
    )


def turn_from_pb(tenant_id: str, user_id: str, message: pb.Turn) -> m.Turn:
    return m.Turn(
        id=message.id,
        tenant_id=tenant_id,
        user_id=user_id,
        session_id=message.session_id,
        seq=message.seq,
        role=_enum(m.Role, "turn.role", message.role),
        content=message.content,
        occurred_at=_required_time(message, "occurred_at"),
        recorded_at=_required_time(message, "recorded_at"),
        client_id=_text(message, "client_id"),
        speaker=_text(message, "speaker"),
        metadata=metadata_from_pb(message.metadata),
        utc_offset_minutes=message.utc_offset_minutes,
    )


def statement_to_pb(value: m.Statement) -> pb.Statement:
    precision = value.valid_precision
    return pb.Statement(
        text=value.text,
        kind=value.kind.value,
        language=value.language,
        entities=value.entities,
        sources=[pb.Source(turn_id=source.turn_id, quote=source.quote) for source in value.sources],
        valid_from=time_to_pb(value.valid_from),
        valid_to=time_to_pb(value.valid_to),
        valid_precision=None if precision is None else precision.value,
    )


def statement_from_pb(message: pb.Statement) -> m.Statement:
    precision = _text(message, "valid_precision")
    return m.Statement(
        text=message.text,
        kind=_enum(m.MemoryKind, "statement.kind", message.kind),
        language=message.language,
        entities=tuple(message.entities),
        sources=tuple(
            m.Source(turn_id=source.turn_id, quote=source.quote) for source in message.sources
        ),
        valid_from=time_from_pb(message, "valid_from"),
        valid_to=time_from_pb(message, "valid_to"),
        valid_precision=None
        if precision is None
        else _enum(m.Precision, "statement.valid_precision", precision),
    )


def extraction_to_pb(value: m.Extraction) -> writer_pb2.ExtractResponse:
    return writer_pb2.ExtractResponse(
        statements=[statement_to_pb(statement) for statement in value.statements],
        model_calls=value.model_calls,
        prompt_tokens=value.prompt_tokens,
        completion_tokens=value.completion_tokens,
        fallback_reason=value.fallback_reason,
        rejected=value.rejected,
        said_tokens=value.said_tokens,
        read_tokens=value.read_tokens,
        is_valid_at_once=value.is_valid_at_once,
    )


def extraction_from_pb(message: writer_pb2.ExtractResponse) -> m.Extraction:
    return m.Extraction(
        statements=tuple(statement_from_pb(statement) for statement in message.statements),
        model_calls=message.model_calls,
        prompt_tokens=message.prompt_tokens,
        completion_tokens=message.completion_tokens,
        fallback_reason=_text(message, "fallback_reason"),
        rejected=tuple(message.rejected),
        said_tokens=message.said_tokens,
        read_tokens=message.read_tokens,
        is_valid_at_once=message.is_valid_at_once if message.HasField("is_valid_at_once") else None,
    )
