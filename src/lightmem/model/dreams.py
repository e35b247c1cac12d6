"""A dream: what it would do to memories, why each step is allowed or not, and what was done."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from lightmem.model.concepts import Claim
from lightmem.model.memories import Memory, MemoryKind, Precision


class DreamPolicy(StrEnum):
    """Whether a person decides about the plan, or all that passed the checks is done at once."""

    REVIEW = "review"
    AUTO = "auto"


class DreamTrigger(StrEnum):
    """Why a dream was begun."""

    HAND = "hand"
    IDLE = "idle"
    TURNS = "turns"
    CAPACITY = "capacity"


class DreamStatus(StrEnum):
    """Where a dream stands."""

    PLANNING = "planning"
    REVIEW = "review"
    APPLIED = "applied"
    REJECTED = "rejected"
    UNDONE = "undone"
    FAILED = "failed"


class DreamAction(StrEnum):
    """What a step does.

    MERGE: one memory says all that several say. UPDATE: a later memory closes earlier ones.
    PROMOTE: something general goes to long-term memory. FORGET: a memory leaves the index.
    """

    MERGE = "MERGE"
    UPDATE = "UPDATE"
    PROMOTE = "PROMOTE"
    FORGET = "FORGET"


class Verdict(StrEnum):
    """ACCEPTED may be done or was done; REJECTED must not; ABORTED could not any more."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    ABORTED = "aborted"


@dataclass(frozen=True, slots=True)
class MemoryRef:
    """A memory as a dream read it: by its version, not by its words."""

    memory_id: str
    version: int


@dataclass(frozen=True, slots=True)
class DreamtMemory:
    """The statement that takes the place of memories; it rests on their quotes."""

    text: str
    kind: MemoryKind
    language: str
    entities: Sequence[str] = ()
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    valid_precision: Precision | None = None


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A step with its verdict, as it goes into a plan.

    Args:
        before: The memories it works on, those said earlier first.
        after: What MERGE and UPDATE put in their place.
        claim: What PROMOTE gives to long-term memory.
        evidence: The turns that it rests on.
        reason: Why it is proposed, where that is not plain; why it must not be, once it is refused.
    """

    action: DreamAction
    before: Sequence[MemoryRef]
    after: DreamtMemory | None = None
    claim: Claim | None = None
    evidence: Sequence[str] = ()
    verdict: Verdict = Verdict.ACCEPTED
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class DreamCost:
    """What a dream took of a model, and what it was thought to take before the first call."""

    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated_calls: int = 0
    estimated_tokens: int = 0


@dataclass(frozen=True, slots=True)
class DreamPlan:
    """All that a dream would do.

    `read_up_to` is the greatest id of the memories that it read, `unused_up_to` of the unused ones
    that no later dream has to look at. `reason` tells in short what kept the model from proposing,
    if anything did.
    """

    steps: Sequence[PlannedStep]
    cost: DreamCost = field(default_factory=DreamCost)
    read_up_to: str | None = None
    reason: str | None = None
    unused_up_to: str | None = None


@dataclass(frozen=True, slots=True)
class DreamStep:
    """A stored step. `before` are the memories as the dream read them.

    `memory_id` is the memory that now stands for them: made by the step, or one of them.
    """

    id: str
    action: DreamAction
    before: Sequence[Memory]
    after: DreamtMemory | None
    claim: Claim | None
    evidence: Sequence[str]
    verdict: Verdict
    reason: str | None
    is_applied: bool = False
    memory_id: str | None = None


@dataclass(frozen=True, slots=True)
class Dream:
    """A pass over one user's memories: its plan and what became of it."""

    id: str
    tenant_id: str
    user_id: str
    operation_id: str
    policy: DreamPolicy
    trigger: DreamTrigger
    max_removed_fraction: float
    status: DreamStatus
    created_at: datetime
    steps: Sequence[DreamStep] = ()
    cost: DreamCost = field(default_factory=DreamCost)
    planned_at: datetime | None = None
    applied_at: datetime | None = None
    undone_at: datetime | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class DreamBasis:
    """What a dream begins with: memories new or used since the last one, and how many there are.

    Args:
        memories: Active ones, new ones first, each once.
        pressed: When there are nearly too many, the least useful that nobody recalled, in order.
        active: Count of all active memories of the user.
        unused: Facts of no time that nobody recalled for long and no dream looked at, by id.
    """

    memories: Sequence[Memory]
    pressed: Sequence[Memory]
    active: int
    read_up_to: str | None
    unused: Sequence[Memory] = ()


@dataclass(frozen=True, slots=True)
class DueDream:
    """A user whose memories are to be dreamt over, and why."""

    tenant_id: str
    user_id: str
    trigger: DreamTrigger
