"""Work that a caller can follow, the jobs behind it, and its answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, TypeVar

from lightmem.model.turns import Turn

T = TypeVar("T")


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
    INDEX_MEMORIES: {"memory_ids": [...]}; DELETE_POINTS: {"ids": [...]}; the first and the third
    have "anew" where words were struck;
    FORGET: {"operation_id": ..., "memory_ids": [...], "actor": ...};
    ARCHIVE: {"capacity": ...} keeps the user's memories within it;
    DREAM: {"dream_id": ...}; PROMOTE: {} brings the graph in step with the user's promotions.
    """

    INDEX_TURNS = "index_turns"
    WRITE = "write"
    INDEX_MEMORIES = "index_memories"
    DELETE_POINTS = "delete_points"
    ERASE = "erase"
    SWEEP = "sweep"
    IMPORT = "import"
    DREAM = "dream"
    PROMOTE = "promote"
    FORGET = "forget"
    ARCHIVE = "archive"


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
    #: The conversation whose waiting jobs are done together, if it is of one.
    session_id: str | None = None
    #: It comes after what somebody says right now.
    is_bulk: bool = False


class JobEnd(StrEnum):
    """How a try of a job ended, if by no error."""

    #: Nothing is left to do.
    DONE = "done"
    #: Some of it failed and has to be tried again.
    LEFT = "left"
    #: It had its share of the time; the rest goes on after others had theirs.
    GOES_ON = "goes_on"


@dataclass(frozen=True, slots=True)
class Gathering:
    """How the turns of one call wait for more of their session, to be learnt from together.

    They wait until nothing was said for `quiet_s`, for `most_s` in all, or until there are
    `full_bytes` of them. A bulk waits for nobody, and gives way to what is said right now.
    """

    quiet_s: float
    most_s: float
    full_bytes: int
    is_bulk: bool = False


@dataclass(frozen=True, slots=True)
class Backlog:
    """The jobs that are done together with the first of them, and their turns still pending."""

    jobs: Sequence[Job]
    #: By operation, in order.
    pending: Mapping[str, Sequence[TurnOutcome]]


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
