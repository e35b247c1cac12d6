"""Rows of the tables and the values they stand for: both directions of each mapping."""

import unicodedata
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from sqlalchemy import Row

from lightmem.domain.audit import AuditEntry
from lightmem.model import (
    ApiKey,
    Job,
    JobKind,
    KeyRole,
    Memory,
    MemoryKind,
    MemoryStatus,
    Operation,
    OperationKind,
    OperationStatus,
    Outcome,
    Precision,
    Role,
    Session,
    Source,
    Tenant,
    Turn,
    TurnOutcome,
)

Values = dict[str, Any]


def to_tenant(row: Row[Any]) -> Tenant:
    return Tenant(row.id, row.name, row.k_anonymity, row.created_at)


def from_tenant(tenant: Tenant) -> Values:
    return {
        "id": tenant.id,
        "name": tenant.name,
        "k_anonymity": tenant.k_anonymity,
        "created_at": tenant.created_at,
    }


def to_key(row: Row[Any]) -> ApiKey:
    return ApiKey(
        id=row.id,
        role=KeyRole(row.role),
        tenant_id=row.tenant_id,
        user_id=row.user_id,
        created_at=row.created_at,
        expires_at=row.expires_at,
    )


def from_key(key: ApiKey, *, key_hash: str) -> Values:
    return {
        "id": key.id,
        "tenant_id": key.tenant_id,
        "role": key.role.value,
        "user_id": key.user_id,
        "key_hash": key_hash,
        "created_at": key.created_at,
        "expires_at": key.expires_at,
    }


def to_turn(row: Row[Any]) -> Turn:
    return Turn(
        id=row.id,
        tenant_id=row.tenant_id,
        user_id=row.user_id,
        session_id=row.session_id,
        seq=row.seq,
        role=Role(row.role),
        content=row.content,
        occurred_at=row.occurred_at,
        recorded_at=row.recorded_at,
        client_id=row.client_id,
        speaker=row.speaker,
        metadata=row.metadata,
        utc_offset_minutes=row.utc_offset_minutes,
    )


def from_turn(turn: Turn) -> Values:
    return {
        "id": turn.id,
        "tenant_id": turn.tenant_id,
        "user_id": turn.user_id,
        "session_id": turn.session_id,
        "seq": turn.seq,
        "role": turn.role.value,
        "content": turn.content,
        "occurred_at": turn.occurred_at,
        "recorded_at": turn.recorded_at,
        "client_id": turn.client_id,
        "speaker": turn.speaker,
        "metadata": dict(turn.metadata),
        "utc_offset_minutes": turn.utc_offset_minutes,
    }


def to_session(row: Row[Any]) -> Session:
    return Session(row.session_id, row.first_at, row.last_at, row.turns)


def to_operation(row: Row[Any], outcomes: Sequence[TurnOutcome]) -> Operation:
    return Operation(
        id=row.id,
        tenant_id=row.tenant_id,
        user_id=row.user_id,
        kind=OperationKind(row.kind),
        status=OperationStatus(row.status),
        outcomes=tuple(outcomes),
        created_at=row.created_at,
        finished_at=row.finished_at,
        result=row.result,
        model_calls=row.model_calls,
        prompt_tokens=row.prompt_tokens,
        completion_tokens=row.completion_tokens,
    )


def from_operation(operation: Operation) -> Values:
    return {
        "id": operation.id,
        "tenant_id": operation.tenant_id,
        "user_id": operation.user_id,
        "kind": operation.kind.value,
        "status": operation.status.value,
        "created_at": operation.created_at,
        "finished_at": operation.finished_at,
        "result": operation.result,
        "model_calls": operation.model_calls,
        "prompt_tokens": operation.prompt_tokens,
        "completion_tokens": operation.completion_tokens,
    }


def to_outcome(row: Row[Any]) -> TurnOutcome:
    return TurnOutcome(row.turn_id, Outcome(row.outcome), tuple(row.memory_ids), row.reason)


def from_outcome(
    outcome: TurnOutcome, *, operation_id: str, position: int, tenant_id: str
) -> Values:
    return {
        "operation_id": operation_id,
        "position": position,
        "tenant_id": tenant_id,
        "turn_id": outcome.turn_id,
        "outcome": outcome.outcome.value,
        "memory_ids": list(outcome.memory_ids),
        "reason": outcome.reason,
    }


def to_memory(row: Row[Any], sources: Sequence[Source]) -> Memory:
    return _memory(row._mapping, row._mapping, sources)


def to_version(version: Row[Any], memory: Row[Any], sources: Sequence[Source]) -> Memory:
    """An earlier form of a memory; its sources and statistics are those of today."""
    return _memory(version._mapping, memory._mapping, sources)


def from_memory(
    memory: Memory, *, fingerprint: str | None, attribute_key: str | None = None
) -> Values:
    """The row of a memory; see `from_version` for that of its version."""
    return {
        **_statement(memory),
        "id": memory.id,
        "tenant_id": memory.tenant_id,
        "user_id": memory.user_id,
        "folded": folded(memory.text),
        "fingerprint": fingerprint,
        "attribute_key": attribute_key,
        "utility": memory.utility,
        "access_count": memory.access_count,
        "last_accessed_at": memory.last_accessed_at,
    }


def from_version(memory: Memory) -> Values:
    return {**_statement(memory), "memory_id": memory.id, "tenant_id": memory.tenant_id}


def from_source(source: Source, *, memory_id: str, position: int, tenant_id: str) -> Values:
    return {
        "memory_id": memory_id,
        "turn_id": source.turn_id,
        "quote_hash": sha256(source.quote.encode("utf-8", "surrogatepass")).hexdigest(),
        "tenant_id": tenant_id,
        "position": position,
        "quote": source.quote,
    }


def to_job(row: Row[Any], *, attempts: int) -> Job:
    return Job(
        id=row.id,
        kind=JobKind(row.kind),
        tenant_id=row.tenant_id,
        user_id=row.user_id,
        payload=row.payload,
        attempts=attempts,
        session_id=row.session_id,
        is_bulk=row.priority > 0,
    )


def to_entry(row: Row[Any]) -> AuditEntry:
    return AuditEntry(
        id=row.id,
        tenant_id=row.tenant_id,
        seq=row.seq,
        at=row.at,
        actor=row.actor,
        action=row.action,
        target=row.target,
        prev_hash=row.prev_hash,
        hash=row.hash,
    )


def from_entry(entry: AuditEntry) -> Values:
    return {name: getattr(entry, name) for name in AuditEntry.__slots__}


def folded(text: str) -> str:
    """The text as substrings are looked for: case and width do not matter."""
    return unicodedata.normalize("NFKC", text).casefold()


def _statement(memory: Memory) -> Values:
    """What a memory says and how it stands: the columns that a version keeps."""
    return {
        "kind": memory.kind.value,
        "text": memory.text,
        "language": memory.language,
        "entities": list(memory.entities),
        "status": memory.status.value,
        "version": memory.version,
        "recorded_at": memory.recorded_at,
        "valid_from": memory.valid_from,
        "valid_to": memory.valid_to,
        "valid_precision": memory.valid_precision.value if memory.valid_precision else None,
        "superseded_at": memory.superseded_at,
        "superseded_by": memory.superseded_by,
    }


def _memory(said: Mapping[Any, Any], owner: Mapping[Any, Any], sources: Sequence[Source]) -> Memory:
    precision = said["valid_precision"]
    return Memory(
        id=owner["id"],
        tenant_id=owner["tenant_id"],
        user_id=owner["user_id"],
        kind=MemoryKind(said["kind"]),
        text=said["text"],
        language=said["language"],
        entities=tuple(said["entities"]),
        status=MemoryStatus(said["status"]),
        version=said["version"],
        recorded_at=said["recorded_at"],
        sources=tuple(sources),
        valid_from=said["valid_from"],
        valid_to=said["valid_to"],
        valid_precision=Precision(precision) if precision else None,
        superseded_at=said["superseded_at"],
        superseded_by=said["superseded_by"],
        utility=owner["utility"],
        access_count=owner["access_count"],
        last_accessed_at=owner["last_accessed_at"],
    )
