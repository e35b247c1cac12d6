"""What the HTTP API answers, typed. Fields that a newer server adds are let through unread."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from lightmem.model import (
    ItemKind,
    KeyRole,
    Layer,
    MemoryKind,
    MemoryStatus,
    OperationKind,
    OperationStatus,
    Outcome,
    Precision,
    Role,
)

T = TypeVar("T")


class Answer(BaseModel):
    """A frozen value read from the wire."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class TurnOutcome(Answer):
    """What became of one turn, and why."""

    turn_id: str
    outcome: Outcome
    memory_ids: tuple[str, ...] = ()
    reason: str | None = None


class Remembered(Answer):
    """Turns that are stored. `turn_ids` has one id per given turn, in order.

    `outcomes` is filled where the call waited for the Writer and it ended in time.
    """

    operation_id: str
    turn_ids: tuple[str, ...]
    status: OperationStatus
    outcomes: tuple[TurnOutcome, ...] = ()


class TokenCount(Answer):
    """Tokens that generative models took."""

    prompt: int = 0
    completion: int = 0


class Operation(Answer):
    """A piece of work; each of its turns ends in exactly one outcome."""

    id: str
    kind: OperationKind
    status: OperationStatus
    outcomes: tuple[TurnOutcome, ...] = ()
    result: Mapping[str, Any] | None = None
    created_at: datetime
    finished_at: datetime | None = None
    model_calls: int = 0
    tokens: TokenCount = TokenCount()

    @property
    def is_finished(self) -> bool:
        """Whether nothing of it is still to be done."""
        return self.status in {OperationStatus.SUCCEEDED, OperationStatus.FAILED}


class RecalledItem(Answer):
    """A turn, memory or concept that bears on the question."""

    id: str
    layer: Layer
    kind: ItemKind
    text: str
    score: float
    speaker: str | None = None
    occurred_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    source_turn_ids: tuple[str, ...] = ()


class Recall(Answer):
    """What is relevant, best first, and the text to put before a model.

    `degraded` names what could not be asked. `candidates` is filled by `explain`.
    """

    items: tuple[RecalledItem, ...]
    context: str
    context_tokens: int
    tokenizer: str
    plan: Mapping[str, Any] = Field(default_factory=dict)
    degraded: tuple[str, ...] = ()
    timings_ms: Mapping[str, float] = Field(default_factory=dict)
    candidates: tuple[Mapping[str, Any], ...] = ()
    trace_id: str | None = None


class Chat(Answer):
    """An answer given with memory; the exchange itself is remembered under `operation_id`."""

    answer: str
    model: str
    recall: Recall | None = None
    operation_id: str | None = None
    timings_ms: Mapping[str, float] = Field(default_factory=dict)


class ChatEvent(Answer):
    """One event of a streamed answer: `recall`, `token`, `done` or `error`, with its data."""

    event: str
    data: Any


class Turn(Answer):
    """A stored turn."""

    id: str
    user_id: str
    session_id: str
    role: Role
    content: str
    occurred_at: datetime
    recorded_at: datetime
    client_id: str | None = None
    speaker: str | None = None
    metadata: Mapping[str, Any] = Field(default_factory=dict)


class Session(Answer):
    """One conversation of a user."""

    session_id: str
    first_at: datetime
    last_at: datetime
    turns: int


class Quote(Answer):
    """The words of a turn that a memory rests on."""

    turn_id: str
    quote: str


class Memory(Answer):
    """A statement that was learnt, with the words it rests on."""

    id: str
    user_id: str
    kind: MemoryKind
    text: str
    language: str
    status: MemoryStatus
    version: int
    recorded_at: datetime
    entities: tuple[str, ...] = ()
    sources: tuple[Quote, ...] = ()
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    valid_precision: Precision | None = None
    superseded_at: datetime | None = None
    superseded_by: str | None = None


class Tenant(Answer):
    """An isolated customer of the installation."""

    id: str
    name: str
    k_anonymity: int


class NewKey(Answer):
    """A key, shown this once."""

    id: str
    key: str
    role: KeyRole
    tenant_id: str | None = None
    user_id: str | None = None
    expires_at: datetime | None = None


class Page(Answer, Generic[T]):
    """A slice of a list; `next_cursor` is None at the end."""

    items: tuple[T, ...]
    next_cursor: str | None = None
