"""Answers: values of the domain as JSON, each in one place."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from lightmem.model import (
    AcceptedTurns,
    ApiKey,
    Memory,
    Operation,
    Page,
    Session,
    Tenant,
    Turn,
    TurnOutcome,
)

V = TypeVar("V")
S = TypeVar("S")


class View(BaseModel):
    """An answer. Every field is always there; what is not known is null."""

    model_config = ConfigDict(frozen=True)


class PageView(View, Generic[V]):
    """A slice of a list; `next_cursor` is null at the end."""

    items: list[V]
    next_cursor: str | None


def page_view(page: Page[S], view: Callable[[S], V]) -> PageView[V]:
    """A page, each item through its view."""
    return PageView(items=[view(item) for item in page.items], next_cursor=page.next_cursor)


# --- turns and operations -------------------------------------------------------------------


class TurnView(View):
    """A turn; `occurred_at` has the offset that it was said with."""

    id: str
    client_id: str | None
    user_id: str
    session_id: str
    role: str
    speaker: str | None
    content: str
    occurred_at: datetime
    recorded_at: datetime
    metadata: dict[str, Any]

    @classmethod
    def of(cls, turn: Turn) -> "TurnView":
        """The view of a turn."""
        zone = timezone(timedelta(minutes=turn.utc_offset_minutes))
        return cls(
            id=turn.id,
            client_id=turn.client_id,
            user_id=turn.user_id,
            session_id=turn.session_id,
            role=turn.role,
            speaker=turn.speaker,
            content=turn.content,
            occurred_at=turn.occurred_at.astimezone(zone)
            if turn.utc_offset_minutes
            else turn.occurred_at,
            recorded_at=turn.recorded_at,
            metadata=dict(turn.metadata),
        )


class SessionView(View):
    """One conversation."""

    session_id: str
    first_at: datetime
    last_at: datetime
    turns: int

    @classmethod
    def of(cls, session: Session) -> "SessionView":
        """The view of a session."""
        return cls(
            session_id=session.session_id,
            first_at=session.first_at,
            last_at=session.last_at,
            turns=session.turns,
        )


class OutcomeView(View):
    """What became of one turn."""

    turn_id: str
    outcome: str
    memory_ids: list[str]
    reason: str | None

    @classmethod
    def of(cls, outcome: TurnOutcome) -> "OutcomeView":
        """The view of an outcome."""
        return cls(
            turn_id=outcome.turn_id,
            outcome=outcome.outcome,
            memory_ids=list(outcome.memory_ids),
            reason=outcome.reason,
        )


class TokensView(View):
    """Tokens that models took."""

    prompt: int
    completion: int


class OperationView(View):
    """A piece of work that the caller can follow."""

    id: str
    kind: str
    status: str
    outcomes: list[OutcomeView]
    result: dict[str, Any] | None
    created_at: datetime
    finished_at: datetime | None
    model_calls: int
    tokens: TokensView

    @classmethod
    def of(cls, operation: Operation) -> "OperationView":
        """The view of an operation."""
        return cls(
            id=operation.id,
            kind=operation.kind,
            status=operation.status,
            outcomes=[OutcomeView.of(outcome) for outcome in operation.outcomes],
            result=dict(operation.result) if operation.result is not None else None,
            created_at=operation.created_at,
            finished_at=operation.finished_at,
            model_calls=operation.model_calls,
            tokens=TokensView(
                prompt=operation.prompt_tokens, completion=operation.completion_tokens
            ),
        )


class AcceptedView(View):
    """Turns that are durable."""

    operation_id: str
    turn_ids: list[str]
    status: str

    @classmethod
    def of(cls, accepted: AcceptedTurns) -> "AcceptedView":
        """The view of accepted turns."""
        return cls(
            operation_id=accepted.operation.id,
            turn_ids=list(accepted.turn_ids),
            status=accepted.operation.status,
        )


class WrittenView(AcceptedView):
    """Turns that the Writer has ended with."""

    outcomes: list[OutcomeView]

    @classmethod
    def of_operation(cls, operation: Operation, turn_ids: Sequence[str]) -> "WrittenView":
        """The view of an ended operation."""
        return cls(
            operation_id=operation.id,
            turn_ids=list(turn_ids),
            status=operation.status,
            outcomes=[OutcomeView.of(outcome) for outcome in operation.outcomes],
        )


# --- memories -------------------------------------------------------------------------------


class SourceView(View):
    """The words of a turn that a memory rests on."""

    turn_id: str
    quote: str


class MemoryView(View):
    """A statement that was learnt."""

    id: str
    user_id: str
    kind: str
    text: str
    language: str
    entities: list[str]
    status: str
    version: int
    valid_from: datetime | None
    valid_to: datetime | None
    valid_precision: str | None
    recorded_at: datetime
    superseded_at: datetime | None
    superseded_by: str | None
    sources: list[SourceView]
    utility: float
    access_count: int
    last_accessed_at: datetime | None

    @classmethod
    def of(cls, memory: Memory) -> "MemoryView":
        """The view of a memory."""
        return cls(
            id=memory.id,
            user_id=memory.user_id,
            kind=memory.kind,
            text=memory.text,
            language=memory.language,
            entities=list(memory.entities),
            status=memory.status,
            version=memory.version,
            valid_from=memory.valid_from,
            valid_to=memory.valid_to,
            valid_precision=memory.valid_precision,
            recorded_at=memory.recorded_at,
            superseded_at=memory.superseded_at,
            superseded_by=memory.superseded_by,
            sources=[
                SourceView(turn_id=source.turn_id, quote=source.quote) for source in memory.sources
            ],
            utility=memory.utility,
            access_count=memory.access_count,
            last_accessed_at=memory.last_accessed_at,
        )


# --- administration -------------------------------------------------------------------------


class TenantView(View):
    """A tenant."""

    id: str
    name: str
    k_anonymity: int
    created_at: datetime

    @classmethod
    def of(cls, tenant: Tenant) -> "TenantView":
        """The view of a tenant."""
        return cls(
            id=tenant.id,
            name=tenant.name,
            k_anonymity=tenant.k_anonymity,
            created_at=tenant.created_at,
        )


class KeyView(View):
    """A key as it is kept: without the key itself."""

    id: str
    role: str
    tenant_id: str | None
    user_id: str | None
    created_at: datetime
    expires_at: datetime | None

    @classmethod
    def of(cls, key: ApiKey) -> "KeyView":
        """The view of a key."""
        return cls(
            id=key.id,
            role=key.role,
            tenant_id=key.tenant_id,
            user_id=key.user_id,
            created_at=key.created_at,
            expires_at=key.expires_at,
        )


class NewKeyView(KeyView):
    """A key that was just made; `key` is shown this once."""

    key: str

    @classmethod
    def with_key(cls, kept: Mapping[str, Any], key: str) -> "NewKeyView":
        """The view of a key with its text."""
        return cls.model_validate({**kept, "key": key})
