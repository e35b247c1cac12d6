"""The lines that carry a user out and in again: one JSON object a line, each with its `type`.

Sessions come first, then turns, memories, the versions of memories, and tombstones: a line refers
to earlier ones alone, but for `superseded_by`. Two exports of the same state are the same bytes.
"""

import base64
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from lightmem.domain.portable_fields import (
    Hash,
    Hashes,
    Id,
    Metadata,
    Name,
    Place,
    Time,
    Vector,
    Whole,
    Words,
    WordsOrNone,
)
from lightmem.errors import FieldError
from lightmem.model import MemoryKind, MemoryStatus, Precision, Role

#: Bytes of one line; a turn of the greatest length, with its metadata, has far fewer.
MAX_LINE_BYTES = 8 * 1024 * 1024
MAX_SOURCES, MAX_ENTITIES = 10_000, 1_000
FLOAT_BYTES = 4


class Line(BaseModel, ABC):
    """A line. `owner` marks whose export it is, see `owner_mark`; without it, anybody's."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: str
    owner: Annotated[StrictStr, Field(max_length=64, pattern="^[0-9a-f]*$")] | None = None

    @property
    @abstractmethod
    def name(self) -> str:
        """What occurs once among the lines of its type."""

    def encoded(self) -> bytes:
        """The line as UTF-8, its fields always in the same order."""
        return self.model_dump_json(warnings=False).encode() + b"\n"


class SessionLine(Line):
    """A conversation: how far it has come."""

    type: Literal["session"] = "session"
    session_id: Name
    first_at: Time
    last_at: Time
    turns: Place
    last_seq: Place

    @property
    def name(self) -> str:
        return self.session_id


class TurnLine(Line):
    """A message, word for word but for what was struck; `occurred_at` as it was said there."""

    type: Literal["turn"] = "turn"
    id: Id
    session_id: Name
    seq: Place
    role: Role
    speaker: Name | None
    content: Words
    occurred_at: Time
    recorded_at: Time
    client_id: Name | None
    metadata: Metadata

    @property
    def name(self) -> str:
        return self.id


class SourceField(BaseModel):
    """The words of a turn that a memory rests on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    turn_id: Id
    quote: Words


#: What a memory says in a version of which no words are left.
NOTHING_SAID: Mapping[str, Any] = {
    "text": "",
    "entities": [],
    "valid_from": None,
    "valid_to": None,
    "valid_precision": None,
}


class _Statement(Line):
    """What a memory says in one of its versions. A forgotten one says nothing."""

    version: Place
    kind: MemoryKind
    text: WordsOrNone
    language: Name
    entities: Annotated[list[Words], Field(max_length=MAX_ENTITIES)]
    status: MemoryStatus
    recorded_at: Time
    valid_from: Time | None
    valid_to: Time | None
    valid_precision: Precision | None
    superseded_at: Time | None
    superseded_by: Id | None

    def without_words(self) -> Self:
        """This version, saying nothing any more."""
        return self.model_copy(update=NOTHING_SAID)


class MemoryLine(_Statement):
    """A memory as it stands, with the quotes it rests on."""

    type: Literal["memory"] = "memory"
    id: Id
    sources: Annotated[list[SourceField], Field(max_length=MAX_SOURCES)]
    utility: Annotated[StrictFloat | StrictInt, Field(ge=-1e12, le=1e12)]
    access_count: Whole
    last_accessed_at: Time | None
    #: Exports of earlier versions have no such field; then the words tell.
    attribute_key: Words | None = None

    @property
    def name(self) -> str:
        return self.id

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.status is MemoryStatus.FORGOTTEN:
            if self.text or self.entities or self.sources:
                raise PydanticCustomError("forgotten", "says something though it is forgotten")
        elif not self.text:
            raise PydanticCustomError("blank", "says nothing though it is not forgotten")
        if self.superseded_by == self.id:
            raise PydanticCustomError("cycle", "is superseded by itself")
        return self

    def forgotten(self, at: datetime) -> Self:
        """This memory as forgotten, at the latest then: without words, quotes and attribute."""
        changed: dict[str, Any] = {
            "sources": [],
            "attribute_key": None,
            "status": MemoryStatus.FORGOTTEN,
            "superseded_at": self.superseded_at or at,
        }
        return self.without_words().model_copy(update=changed)


class VersionLine(_Statement):
    """A memory as it was or is: each memory has its versions from 1 to the one it stands at."""

    type: Literal["memory_version"] = "memory_version"
    memory_id: Id

    @property
    def name(self) -> str:
        return f"{self.memory_id} {self.version}"


class FormField(BaseModel):
    """One way a forgotten value was said, see `model.Form`; its vector as base64 of floats."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    length: Whole
    whole: Hash | None
    words: Hashes
    values: Hashes
    telling: Hashes
    vector: Vector
    has_number: StrictBool
    is_spaced: StrictBool

    @property
    def dim(self) -> int:
        """How many numbers the vector has."""
        return len(base64.b64decode(self.vector)) // FLOAT_BYTES


class TombstoneLine(Line):
    """A value that is not to come back: keyed hashes and vectors, never its words.

    The hashes are those of this `owner` alone, and mean nothing to another.
    """

    type: Literal["tombstone"] = "tombstone"
    id: Id
    created_at: Time
    reason: Name
    encoder_id: Name
    forms: Annotated[list[FormField], Field(max_length=1_000)]

    @property
    def name(self) -> str:
        return self.id


AnyLine = SessionLine | TurnLine | MemoryLine | VersionLine | TombstoneLine
_LINES: TypeAdapter[AnyLine] = TypeAdapter(Annotated[AnyLine, Discriminator("type")])

#: The types of lines in the order in which they come.
TYPES = ("session", "turn", "memory", "memory_version", "tombstone")


def line_of(value: Any) -> AnyLine | list[FieldError]:
    """The line that a JSON value is, or which of its fields cannot be, and why."""
    try:
        return _LINES.validate_python(value)
    except ValidationError as exc:
        return [
            FieldError(_field(fault["loc"]), _message(fault))
            for fault in exc.errors(include_url=False, include_input=False)
        ]


def said_at(turn: TurnLine) -> tuple[datetime, int]:
    """When a turn was said, in UTC, and the offset there in minutes."""
    offset = turn.occurred_at.utcoffset()
    minutes = int(offset.total_seconds() // 60) if offset else 0
    return turn.occurred_at.astimezone(UTC), minutes


def _field(location: Sequence[int | str]) -> str:
    """The path within the line; the first part names the type that the line was read as."""
    return ".".join(str(part) for part in location[1:]) or "type"


def _message(fault: Mapping[str, Any]) -> str:
    match fault["type"]:
        case "extra_forbidden":
            return "unknown field"
        case "missing":
            return "is required"
        case "union_tag_not_found" | "union_tag_invalid":
            return f"must be one of {', '.join(TYPES)}"
        case "model_attributes_type" | "model_type":
            return "must be a JSON object"
        case _:
            return str(fault["msg"])
