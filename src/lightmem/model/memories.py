"""What was learnt, and how it changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


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
class Use:
    """A memory or turn that was served to a user so often, the last time at `at`."""

    tenant_id: str
    user_id: str
    item_id: str
    count: int
    at: datetime


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
    #: What was said, in tokens, and what of it a model was given to read.
    said_tokens: int = 0
    read_tokens: int = 0
    #: Whether the model kept the schema at once; None when it gave no answer.
    is_valid_at_once: bool | None = None


@dataclass(frozen=True, slots=True)
class AddMemory:
    """Store a new memory. A memory of the same fingerprint gains the sources instead.

    `attribute_key` names what at most one active memory of the user may say, see
    `domain.attributes`. `memory_id` is given where other changes of the same call speak of it.
    """

    statement: Statement
    fingerprint: str
    attribute_key: str | None = None
    memory_id: str | None = None


@dataclass(frozen=True, slots=True)
class Shortened:
    """A closed memory that gave way earlier than was known: at `valid_to`, to what is stored."""

    memory_id: str
    expected_version: int
    valid_to: datetime


@dataclass(frozen=True, slots=True)
class AddSuperseded:
    """Store what was overtaken before it was learnt: it held until `valid_to`, by `successor_id`.

    `valid_to` is None for what never held, such as words that were put right at once. `shortened`
    held before it.
    """

    added: AddMemory
    successor_id: str
    valid_to: datetime | None
    shortened: Shortened | None = None


@dataclass(frozen=True, slots=True)
class SupportMemory:
    """The same was said before: the memory gains sources."""

    memory_id: str
    sources: Sequence[Source]


@dataclass(frozen=True, slots=True)
class SupersedeMemory:
    """The world changed: close `memory_id` at `valid_to` and store its successor.

    `valid_to` is None where the world did not change, and only the words did: a correction, or
    the same said better. What is closed so is not served as something that held once.
    """

    memory_id: str
    expected_version: int
    successor: AddMemory
    valid_to: datetime | None


MemoryChange = AddMemory | AddSuperseded | SupportMemory | SupersedeMemory
