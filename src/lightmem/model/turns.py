"""What was said, word for word."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Role(StrEnum):
    """Who said a turn."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


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
