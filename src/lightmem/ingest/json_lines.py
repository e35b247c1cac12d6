"""JSON Lines: one turn a line.

    {"content": "We moved last Friday.", "session_id": "s1", "role": "user", "speaker": "Ana",
     "occurred_at": "2024-05-08T10:15:00+02:00", "client_id": "m-17", "user_id": "ana",
     "metadata": {"channel": "phone"}}

(on one line). `content` alone is needed. `session_id` left out is the file's name, `role` is
`user`, `occurred_at` is the moment of storing. Other fields are kept in `metadata`. Blank lines
are passed over. Turns keep the order of the file within their session.
"""

import json
from typing import Any

from lightmem.client.turns import SaidTurn
from lightmem.ingest.identity import TurnNamer
from lightmem.ingest.parsed import (
    Fault,
    Parsed,
    Refused,
    SessionTurns,
    check_name,
    checked,
    role_of,
    text_or_none,
    time_of,
)

_OWN_FIELDS = {
    "content",
    "session_id",
    "user_id",
    "role",
    "speaker",
    "occurred_at",
    "client_id",
    "metadata",
}


def parse_json_lines(text: str, *, name: str) -> Parsed:
    """The turns of each line; a line that is none is a fault named by its number from 1."""
    namer = TurnNamer()
    sessions: dict[tuple[str | None, str], list[SaidTurn]] = {}
    faults = []
    # Not splitlines(): U+2028 and its like may stand within a JSON text.
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            entry = _entry(line)
            user_id, session_id = _whose(entry, name)
            turn = namer.named(session_id, _turn(entry))
        except Refused as exc:
            faults.append(Fault(f"line {number}", str(exc)))
            continue
        sessions.setdefault((user_id, session_id), []).append(turn)
    found = [SessionTurns(user, session, turns) for (user, session), turns in sessions.items()]
    return Parsed(found, faults)


def _entry(line: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError as exc:
        raise Refused(f"is not JSON ({exc})") from None
    if not isinstance(entry, dict):
        raise Refused("is not a JSON object")
    return entry


def _whose(entry: dict[str, Any], name: str) -> tuple[str | None, str]:
    user_id = text_or_none(entry, "user_id")
    session_id = text_or_none(entry, "session_id") or name
    check_name("session_id", session_id)
    if user_id is not None:
        check_name("user_id", user_id)
    return user_id, session_id


def _turn(entry: dict[str, Any]) -> SaidTurn:
    content = entry.get("content")
    if not isinstance(content, str):
        raise Refused("content must be there and be text")
    metadata = entry.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise Refused("metadata must be an object")
    others = {key: value for key, value in entry.items() if key not in _OWN_FIELDS}
    turn = SaidTurn(
        content=content,
        role=role_of(entry),
        speaker=text_or_none(entry, "speaker"),
        occurred_at=time_of(entry, "occurred_at"),
        client_id=text_or_none(entry, "client_id"),
        metadata={**others, **metadata},
    )
    return checked(turn)
