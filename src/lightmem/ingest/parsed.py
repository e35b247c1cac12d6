"""What a file of conversations holds, and what in it cannot be taken."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lightmem.client.turns import SaidTurn
from lightmem.domain.limits import MAX_ID_CODE_POINTS, MAX_TURN_CODE_POINTS, fault_of_text
from lightmem.model import Role


@dataclass(frozen=True, slots=True)
class SessionTurns:
    """The turns of one session, in the order of the file. Every turn has a `client_id`."""

    user_id: str | None
    session_id: str
    turns: Sequence[SaidTurn]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that cannot be stored: where it is in the file, and why."""

    where: str
    why: str

    def __str__(self) -> str:
        return f"{self.where}: {self.why}"


@dataclass(frozen=True, slots=True)
class Parsed:
    """All of a file: what can be stored and what cannot. Nothing is left out of both."""

    sessions: Sequence[SessionTurns]
    faults: Sequence[Fault] = ()

    @property
    def turns(self) -> int:
        """How many turns can be stored."""
        return sum(len(session.turns) for session in self.sessions)


class Refused(ValueError):
    """A turn that cannot be stored; its text says why."""


def checked(turn: SaidTurn) -> SaidTurn:
    """The turn itself.

    Raises:
        Refused: the system would not store it.
    """
    if (fault := fault_of_text(turn.content)) is not None:
        raise Refused(f"content {fault}")
    if len(turn.content) > MAX_TURN_CODE_POINTS:
        raise Refused(f"content is longer than {MAX_TURN_CODE_POINTS} characters")
    for name, value in (("speaker", turn.speaker), ("client_id", turn.client_id)):
        if value is not None:
            check_name(name, value)
    if turn.occurred_at is not None and turn.occurred_at.tzinfo is None:
        raise Refused("occurred_at must have an offset, such as Z or +02:00")
    return turn


def check_name(name: str, value: str) -> None:
    """Raise `Refused` for an id or a name that the system would not store."""
    if (fault := fault_of_text(value)) is not None:
        raise Refused(f"{name} {fault}")
    if len(value) > MAX_ID_CODE_POINTS:
        raise Refused(f"{name} is longer than {MAX_ID_CODE_POINTS} characters")


def text_or_none(entry: dict[str, Any], name: str) -> str | None:
    """A field that is text or left out."""
    value = entry.get(name)
    if value is not None and not isinstance(value, str):
        raise Refused(f"{name} must be text")
    return value


def role_of(entry: dict[str, Any]) -> Role:
    """The `role` of an entry; `user` when it is left out, `developer` is `system`."""
    name = entry.get("role", "user")
    if name == "developer":
        return Role.SYSTEM
    if name == "function":
        return Role.TOOL
    try:
        return Role(name)
    except ValueError:
        raise Refused(f"role must be one of {', '.join(Role)}, not {name!r}") from None


def time_of(entry: dict[str, Any], name: str) -> datetime | None:
    """A field that is an RFC 3339 time with an offset, or left out."""
    text = text_or_none(entry, name)
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise Refused(f"{name} is no RFC 3339 time: {text!r}") from None
