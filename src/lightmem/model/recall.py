"""What is asked of the memory, how it is planned, and what comes back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from lightmem.model.memories import MemoryKind, Precision


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


class RecallMode(StrEnum):
    """FAST makes no generative call; DEEP may ask the small model, under a deadline."""

    FAST = "fast"
    DEEP = "deep"


@dataclass(frozen=True, slots=True)
class TimeRange:
    """From `start` (inclusive) to `end` (exclusive); None is open."""

    start: datetime | None
    end: datetime | None
    precision: Precision = Precision.DAY


@dataclass(frozen=True, slots=True)
class RecallFilters:
    """Hard limits that the caller sets. Empty means all.

    `start` and `end` are on the time of saying; `known_before` is on the time of recording.
    """

    start: datetime | None = None
    end: datetime | None = None
    speakers: Sequence[str] = ()
    kinds: Sequence[ItemKind] = ()
    session_ids: Sequence[str] = ()
    known_before: datetime | None = None


@dataclass(frozen=True, slots=True)
class AsOf:
    """What was true at `valid`, by what was known at `known`; None is now."""

    valid: datetime | None = None
    known: datetime | None = None


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A question to the memory. Limits are those of `lightmem.domain.limits`.

    `k_anonymity` is the tenant's, which the gateway knows; without it nothing that users share is
    served.
    """

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
    k_anonymity: int | None = None


@dataclass(frozen=True, slots=True)
class PlannedQuery:
    """One thing to search for. `rule` names what made it: `query`, `entities`, …

    `by_word`: it is a list of words, so meaning is not asked for and nothing is encoded.
    """

    text: str
    weight: float
    rule: str
    by_word: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """How to answer a recall. `source` is `rules` or `slm`.

    `wants` names what kind of answer is asked for, as `lightmem.domain.asking` tells it.
    """

    queries: Sequence[PlannedQuery]
    time_range: TimeRange | None
    entities: Sequence[str]
    layers: Sequence[Layer]
    source: str = "rules"
    degraded: Sequence[str] = ()
    model_calls: int = 0
    wants: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """A recalled piece, as it stands in its store.

    `source_turn_ids`: the turn itself, or the turns that a memory quotes.
    `session_id` and `seq` place a turn in its conversation (None and 0 for others).
    `recorded_at` and `superseded_at`: when it was known to us, and until when as current.
    The last three are of memories alone; `holds_from` is when one took another's place, which
    its words need not say.
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
    recorded_at: datetime | None = None
    superseded_at: datetime | None = None
    superseded_by: str | None = None
    valid_precision: Precision | None = None
    memory_kind: MemoryKind | None = None
    holds_from: datetime | None = None


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
    `added` are queries that were searched for besides the plan's.
    """

    items: Sequence[Item]
    candidates: Sequence[Candidate] = ()
    degraded: Sequence[str] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    added: Sequence[PlannedQuery] = ()


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
