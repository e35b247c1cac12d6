"""The LoCoMo format: a list of samples, each a conversation of two people over many sessions.

Both speakers are people, so both have the role `user`. A session's time has no zone; it is taken
as UTC, and the turns follow it by one second each, so that their order is in their times. A
turn's `dia_id` stays in `metadata` and, after the sample's id, is its `client_id`; what a shared
photo shows (`blip_caption`) is `metadata.caption`.
"""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from lightmem.client.turns import SaidTurn
from lightmem.errors import InvalidInput
from lightmem.ingest.parsed import Fault, Parsed, Refused, SessionTurns, checked

_MONTHS = [
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
]
_TIME = re.compile(
    r"\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})\s*(?P<half>[ap])\.?m\.?\s+on\s+"
    r"(?P<day>\d{1,2})\s+(?P<month>[a-z]+),?\s+(?P<year>\d{4})\s*",
    re.IGNORECASE,
)
_SESSION = re.compile(r"session_(\d+)")


def parse_locomo(text: str) -> Parsed:
    """The sessions of every sample, in order; the user is the sample's id.

    Raises:
        InvalidInput: the text is not JSON, or not a list of samples.
    """
    sessions = []
    faults: list[Fault] = []
    for sample in _samples(text):
        sample_id = str(sample["sample_id"])
        for name in session_names(sample["conversation"]):
            found, bad = _session(sample_id, name, sample["conversation"])
            faults.extend(bad)
            if found.turns:
                sessions.append(found)
    return Parsed(sessions, faults)


def session_names(conversation: dict[str, Any]) -> list[str]:
    """The names of the sessions by their number."""
    numbers = [int(match[1]) for name in conversation if (match := _SESSION.fullmatch(name))]
    return [f"session_{number}" for number in sorted(numbers)]


def session_time(text: str) -> datetime:
    """A time such as `1:56 pm on 8 May, 2023`, taken as UTC.

    Raises:
        Refused: it is written otherwise.
    """
    match = _TIME.fullmatch(text)
    if match is None or match["month"].lower() not in _MONTHS:
        raise Refused(f"time {text!r} is not like '1:56 pm on 8 May, 2023'")
    hour = int(match["hour"]) % 12 + (12 if match["half"].lower() == "p" else 0)
    month = _MONTHS.index(match["month"].lower()) + 1
    try:
        return datetime(
            int(match["year"]), month, int(match["day"]), hour, int(match["minute"]), tzinfo=UTC
        )
    except ValueError as exc:
        raise Refused(f"time {text!r}: {exc}") from exc


def _samples(text: str) -> list[dict[str, Any]]:
    try:
        document = json.loads(text)
    except ValueError as exc:
        raise InvalidInput(f"the file is not JSON: {exc}") from exc
    samples = document if isinstance(document, list) else [document]
    for sample in samples:
        conversation = sample.get("conversation") if isinstance(sample, dict) else None
        if not isinstance(conversation, dict) or "sample_id" not in sample:
            raise InvalidInput("the file is no list of samples with sample_id and conversation")
    return samples


def _session(
    sample_id: str, name: str, conversation: dict[str, Any]
) -> tuple[SessionTurns, list[Fault]]:
    where = f"{sample_id}, {name}"
    entries = conversation[name]
    try:
        start = session_time(str(conversation.get(f"{name}_date_time")))
        if not isinstance(entries, list):
            raise Refused("is no list of turns")
    except Refused as exc:
        return SessionTurns(sample_id, name, []), [Fault(where, str(exc))]
    turns = []
    faults = []
    for place, entry in enumerate(entries):
        try:
            turns.append(_turn(sample_id, entry, start + timedelta(seconds=place)))
        except Refused as exc:
            faults.append(Fault(f"{where}, turn {place + 1}", str(exc)))
    return SessionTurns(sample_id, name, turns), faults


def _turn(sample_id: str, entry: Any, at: datetime) -> SaidTurn:
    if not isinstance(entry, dict) or not all(
        isinstance(entry.get(name), str) for name in ("speaker", "dia_id", "text")
    ):
        raise Refused("has no speaker, dia_id and text")
    metadata = {"dia_id": entry["dia_id"]}
    if caption := entry.get("blip_caption"):
        metadata["caption"] = str(caption)
    turn = SaidTurn(
        content=entry["text"],
        speaker=entry["speaker"],
        occurred_at=at,
        client_id=f"{sample_id}/{entry['dia_id']}",
        metadata=metadata,
    )
    return checked(turn)
