"""The values that all parts speak of: immutable, without behaviour beyond their own meaning.

Times are aware UTC datetimes. Ids of turns, memories, operations and jobs are UUIDs as text
(version 7, so they sort by creation). `score`: higher is better.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Layer(StrEnum):
    """Where a recalled item lives."""

    SHORT_TERM = "short_term"
    MID_TERM = "mid_term"
    LONG_TERM = "long_term"


class ItemKind(StrEnum):
    """What a recalled item is."""

    TURN = "turn"
    MEMORY = "memory"
    CONCEPT = "concept"


class Role(StrEnum):
    """Who said a turn."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class MemoryKind(StrEnum):
    """What a memory states."""

    FACT = "fact"
    PREFERENCE = "preference"
    EVENT = "event"
    PLAN = "plan"
    RELATION = "relation"
    OTHER = "other"


class MemoryStatus(StrEnum):
    """Where a memory stands in its life. ARCHIVED: out of the index, still in the ledger."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    FORGOTTEN = "forgotten"
    ARCHIVED = "archived"


class Precision(StrEnum):
    """How exactly a date was said."""

    INSTANT = "instant"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    SEASON = "season"
    YEAR = "year"


class KeyRole(StrEnum):
    """What a key may reach: the installation, one tenant, or one user of one tenant."""

    ADMIN = "admin"
    TENANT = "tenant"
    USER = "user"


class OperationKind(StrEnum):
    """What an operation does."""

    WRITE = "write"
    DREAM = "dream"
    FORGET = "forget"
    ERASE = "erase"
    IMPORT = "import"


class OperationStatus(StrEnum):
    """Where an operation stands."""

    PENDING = "pending"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class Outcome(StrEnum):
    """What became of a turn. All but PENDING are final."""

    PENDING = "pending"
    STORED = "stored"
    DUPLICATE = "duplicate"
    NO_FACTS = "no_facts"
    QUARANTINED = "quarantined"
    REJECTED = "rejected"


class JobKind(StrEnum):
    """Work that follows a ledger transaction.

    INDEX_TURNS: payload {"turn_ids": [...]}; WRITE: {"operation_id": ...};
    INDEX_MEMORIES: {"memory_ids": [...]}; DELETE_POINTS: {"ids": [...]}.
    """

    INDEX_TURNS = "index_turns"
    WRITE = "write"
    INDEX_MEMORIES = "index_memories"
    DELETE_POINTS = "delete_points"


class RecallMode(StrEnum):
    """FAST makes no generative call; DEEP may ask the small model, under a deadline."""

    FAST = "fast"
    DEEP = "deep"


# --- whose ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tenant:
    """An isolated customer of the installation."""

    id: str
    name: str
    k_anonymity: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A credential as it is stored: by hash, never the key itself.

    `tenant_id` is None for ADMIN keys only; `user_id` is set for USER keys only.
    """

    id: str
    role: KeyRole
    tenant_id: str | None
    user_id: str | None
    created_at: datetime
    expires_at: datetime | None = None


# --- what was said --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A turn as the caller gives it."""

    role: Role
    content: str
    occurred_at: datetime
    client_id: str | None = None
    speaker: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    #: Offset of `occurred_at` from UTC where it was said, in minutes: "yesterday" needs it.
    utc_offset_minutes: int = 0


@dataclass(frozen=True, slots=True)
class Turn:
    """One message, immutable, word for word. `seq` counts from 1 within its session."""

    id: str
    tenant_id: str
    user_id: str
    session_id: str
    seq: int
    role: Role
    content: str
    occurred_at: datetime
    recorded_at: datetime
    client_id: str | None = None
    speaker: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    utc_offset_minutes: int = 0


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation of a user."""

    session_id: str
    first_at: datetime
    last_at: datetime
    turns: int


# --- what was learnt ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Source:
    """Where a memory comes from: `quote` is a substring of the turn's content."""

    turn_id: str
    quote: str


@dataclass(frozen=True, slots=True)
class Memory:
    """One mid-term entry: a statement with quotes of the turns it came from.

    `valid_from`/`valid_to`: true in the world; null when nothing was said.
    `recorded_at`/`superseded_at`: known to us. `language` is a BCP 47 tag.
    """

    id: str
    tenant_id: str
    user_id: str
    kind: MemoryKind
    text: str
    language: str
    entities: Sequence[str]
    status: MemoryStatus
    version: int
    recorded_at: datetime
    sources: Sequence[Source]
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    valid_precision: Precision | None = None
    superseded_at: datetime | None = None
    superseded_by: str | None = None
    utility: float = 0.0
    access_count: int = 0
    last_accessed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """What the Writer drew from one segment, before it is held against what is known."""

    text: str
    kind: MemoryKind
    language: str
    entities: Sequence[str]
    sources: Sequence[Source]
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    valid_precision: Precision | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """All statements of one segment and what they cost.

    `fallback_reason` says why the deterministic rules answered in place of a model; None when
    the model did, and when there is none that they could stand in for.
    """

    statements: Sequence[Statement]
    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    fallback_reason: str | None = None
    #: Statements that failed a check, as short reasons without any words of the turn.
    rejected: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class AddMemory:
    """Store a new memory. A memory of the same fingerprint gains the sources instead."""

    statement: Statement
    fingerprint: str


@dataclass(frozen=True, slots=True)
class SupportMemory:
    """The same was said before: the memory gains sources."""

    memory_id: str
    sources: Sequence[Source]


@dataclass(frozen=True, slots=True)
class SupersedeMemory:
    """The world changed: close `memory_id` at `valid_to` and store its successor."""

    memory_id: str
    expected_version: int
    successor: AddMemory
    valid_to: datetime | None


MemoryChange = AddMemory | SupportMemory | SupersedeMemory


# --- operations -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TurnOutcome:
    """What became of one turn, and why."""

    turn_id: str
    outcome: Outcome
    memory_ids: Sequence[str] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """A piece of work that the caller can follow."""

    id: str
    tenant_id: str
    user_id: str
    kind: OperationKind
    status: OperationStatus
    outcomes: Sequence[TurnOutcome]
    created_at: datetime
    finished_at: datetime | None = None
    result: Mapping[str, Any] | None = None
    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Job:
    """An entry of the outbox.

    `attempts` counts the tries so far, this one included; a try that ended because a dependency
    was down, or because its worker was told to stop, does not count.
    """

    id: str
    kind: JobKind
    tenant_id: str
    user_id: str
    payload: Mapping[str, Any]
    attempts: int


@dataclass(frozen=True, slots=True)
class AcceptedTurns:
    """What the ledger holds once `append_turns` has returned.

    `turn_ids` has one id per given turn, in order; a duplicate has the id of the first.
    `turns` are the newly stored ones only; `index_job_id` is None when there are none.
    """

    operation: Operation
    turn_ids: Sequence[str]
    turns: Sequence[Turn]
    index_job_id: str | None


@dataclass(frozen=True, slots=True)
class Idempotency:
    """A caller's idempotency key within its scope (tenant and route) and its body's hash."""

    route: str
    key: str
    body_hash: str


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A slice of a list; `next_cursor` is None at the end."""

    items: Sequence[T]
    next_cursor: str | None


# --- recall ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TimeRange:
    """From `start` (inclusive) to `end` (exclusive); None is open."""

    start: datetime | None
    end: datetime | None
    precision: Precision = Precision.DAY


@dataclass(frozen=True, slots=True)
class RecallFilters:
    """Hard limits that the caller sets. Empty means all."""

    start: datetime | None = None
    end: datetime | None = None
    speakers: Sequence[str] = ()
    kinds: Sequence[ItemKind] = ()
    session_ids: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class AsOf:
    """What was true at `valid`, by what was known at `known`; None is now."""

    valid: datetime | None = None
    known: datetime | None = None


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A question to the memory. Limits are those of `lightmem.domain.limits`."""

    query: str
    now: datetime
    session_id: str | None = None
    top_k: int = 5
    budget_tokens: int = 1150
    layers: Sequence[Layer] = (Layer.SHORT_TERM, Layer.MID_TERM, Layer.LONG_TERM)
    mode: RecallMode = RecallMode.FAST
    filters: RecallFilters = field(default_factory=RecallFilters)
    as_of: AsOf = field(default_factory=AsOf)
    explain: bool = False
    utc_offset_minutes: int = 0


@dataclass(frozen=True, slots=True)
class PlannedQuery:
    """One thing to search for. `rule` names what made it: `query`, `entities`, …"""

    text: str
    weight: float
    rule: str


@dataclass(frozen=True, slots=True)
class Plan:
    """How to answer a recall. `source` is `rules` or `slm`."""

    queries: Sequence[PlannedQuery]
    time_range: TimeRange | None
    entities: Sequence[str]
    layers: Sequence[Layer]
    source: str = "rules"
    degraded: Sequence[str] = ()
    model_calls: int = 0


@dataclass(frozen=True, slots=True)
class Item:
    """A recalled piece, as it stands in its store.

    `source_turn_ids`: the turn itself, or the turns that a memory quotes.
    `session_id` and `seq` place a turn in its conversation (None and 0 for others).
    """

    id: str
    layer: Layer
    kind: ItemKind
    text: str
    score: float
    speaker: str | None = None
    occurred_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    source_turn_ids: Sequence[str] = ()
    session_id: str | None = None
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that was considered: its features by name, and why it was chosen or not."""

    item: Item
    features: Mapping[str, float]
    reason: str


@dataclass(frozen=True, slots=True)
class Selection:
    """The Selector's answer, best first. `candidates` only when an explanation was asked for.

    `timings_ms` has `embed`, `gather` and `select`. `degraded` names what could not be asked.
    """

    items: Sequence[Item]
    candidates: Sequence[Candidate] = ()
    degraded: Sequence[str] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recall:
    """A finished recall: the items that fit, and the text to put before the model."""

    items: Sequence[Item]
    context: str
    context_tokens: int
    tokenizer: str
    plan: Plan
    candidates: Sequence[Candidate]
    degraded: Sequence[str]
    timings_ms: Mapping[str, float]
    left_out: int = 0


# --- index ----------------------------------------------------------------------------------


class View(StrEnum):
    """A way of looking at an indexed text: alone or with its neighbours, by meaning or by word."""

    DENSE = "dense"
    BM25 = "bm25"
    WINDOW_DENSE = "window_dense"
    WINDOW_BM25 = "window_bm25"
    #: Late interaction: each token of the question finds its nearest token of the text.
    TOKENS = "tokens"


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Token ids and weights of equal length; ids are unique 32-bit hashes of stems."""

    indices: Sequence[int]
    values: Sequence[float]


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """One unit vector for each token of a text, in order; all of one length."""

    rows: Sequence[Sequence[float]]


Vector = Sequence[float] | SparseVector | TokenVectors


@dataclass(frozen=True, slots=True)
class IndexPoint:
    """A turn or memory as the index holds it: the item and one vector per view.

    `session_ids` and `speakers` are what filters see; empty means the item's own. A memory has
    those of the turns it quotes.
    """

    item: Item
    vectors: Mapping[View, Vector]
    memory_kind: MemoryKind | None = None
    session_ids: Sequence[str] = ()
    speakers: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ViewQuery:
    """Ask one view for its `limit` best by its own score.

    `View.TOKENS` is asked of what the other queries of the call found, and of nothing else.
    """

    view: View
    vector: Vector
    limit: int


@dataclass(frozen=True, slots=True)
class Concept:
    """A node of the long-term graph. `support` counts distinct users."""

    id: str
    type: str
    name: str
    description: str
    support: int
    weight: float


# --- models ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer and its price in tokens, as counted by the server."""

    text: str
    model: str
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Health:
    """A dependency's state: `ok`, `degraded` or `down`. `detail` names no host or secret."""

    name: str
    status: str
    detail: str = ""
