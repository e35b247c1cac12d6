"""What is left of forgotten values: enough to know them again, never the words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lightmem.model.memories import Memory
from lightmem.model.turns import Turn


@dataclass(frozen=True, slots=True)
class Form:
    """One way a forgotten value was said: keyed hashes, and a unit vector of its meaning.

    `whole` hashes its words in order, `length` of them; None where they say too little to be
    known again by themselves. `values` are its numbers and names, `telling` those that stand for it
    alone, such as a telephone number, `words` its other content words.
    """

    length: int
    whole: str | None
    words: Sequence[str]
    values: Sequence[str]
    telling: Sequence[str]
    vector: Sequence[float] = field(repr=False)
    has_number: bool = False
    #: Whether its script sets spaces between words.
    is_spaced: bool = True


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A value that is not to come back. `encoder_id` made the vectors of its forms."""

    id: str
    tenant_id: str
    user_id: str
    created_at: datetime
    reason: str
    encoder_id: str
    forms: Sequence[Form] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Tombstones:
    """All tombstones of a user, and the state of forgetting in which they were read.

    The state is the id of the last change of the user's tombstones, None before the first.
    Whoever holds words against them hands it on to the ledger's write, which refuses what was
    held against another state.
    """

    state: str | None
    items: Sequence[Tombstone]


@dataclass(frozen=True, slots=True)
class Marks:
    """How far a user's turns and memories had come.

    By session the place of its last turn; by memory its version and how many quotes it had.
    """

    state: str | None
    sessions: Mapping[str, int]
    memories: Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class VersionText:
    """What one version of a memory says."""

    memory_id: str
    version: int
    text: str


@dataclass(frozen=True, slots=True)
class Strike:
    """Spans of a turn's content that are struck, in order and apart, and its metadata after."""

    turn: Turn
    spans: Sequence[tuple[int, int]]
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Forgetting:
    """All that one forgetting does, as it was planned for the marks.

    `memory_ids` are forgotten as asked, each with a tombstone.
    `rewritten` are versions of memories of which other words stay, as they read from now on.
    `strike` takes the value out of any other text that is kept, as in answers and results.
    """

    marks: Marks
    memory_ids: Sequence[str]
    tombstones: Sequence[Tombstone]
    strikes: Sequence[Strike]
    rewritten: Sequence[VersionText]
    strike: Callable[[str], str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Forgot:
    """What came of a forgetting."""

    forgotten: Sequence[str]
    tombstones: Sequence[str]
    redacted_turns: Sequence[str]
    #: Memories that live on with other quotes or another text.
    changed: Sequence[str]


@dataclass(frozen=True, slots=True)
class MemoryPatch:
    """A memory as it is to be from now on, made from `before` by its owner."""

    before: Memory
    after: Memory
    fingerprint: str
