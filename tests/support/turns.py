"""Short ways to say what a test says."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from lightmem.model import Role, Turn

#: A Wednesday.
SAID_AT = datetime(2024, 5, 8, 10, 15, tzinfo=UTC)


def a_turn(
    content: str,
    *,
    speaker: str | None = "Ana",
    number: int = 1,
    session_id: str = "s1",
    role: Role = Role.USER,
    occurred_at: datetime = SAID_AT,
    recorded_at: datetime | None = None,
    utc_offset_minutes: int = 0,
    user_id: str = "ana",
    metadata: Mapping[str, Any] | None = None,
) -> Turn:
    """A turn of the tenant `acme`; `number` is its place in the session and in its id."""
    return Turn(
        id=f"{session_id}-{number:04d}",
        tenant_id="acme",
        user_id=user_id,
        session_id=session_id,
        seq=number,
        role=role,
        content=content,
        occurred_at=occurred_at,
        recorded_at=recorded_at or occurred_at,
        speaker=speaker,
        metadata=metadata or {},
        utc_offset_minutes=utc_offset_minutes,
    )


def a_talk(*lines: tuple[str, str]) -> list[Turn]:
    """Turns of one session from (speaker, words), in order."""
    return [
        a_turn(words, speaker=speaker, number=number)
        for number, (speaker, words) in enumerate(lines, start=1)
    ]
