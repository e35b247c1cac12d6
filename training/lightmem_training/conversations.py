"""Conversations with questions in LoCoMo's format: made by the generator, or from a file."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lightmem.client import SaidTurn
from lightmem.ingest import Format, SessionTurns, parse

#: One id of evidence, also with a stray colon or zeros.
_PLACE = re.compile(r"D:?(\d+):0*(\d+)")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the places of the turns that its answer rests on."""

    category: int
    text: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation as it is ingested, and the questions on it."""

    id: str
    sessions: Sequence[SessionTurns]
    questions: Sequence[Asked]

    @property
    def ended_at(self) -> datetime:
        """When its last turn was said: the questions are asked then."""
        return said_at(self.sessions[-1].turns[-1])


def said_at(turn: SaidTurn) -> datetime:
    """A turn's time, which the format always gives."""
    if turn.occurred_at is None:
        raise ValueError(f"turn {turn.metadata.get('dia_id')!r} has no time")
    return turn.occurred_at


def place_of(turn: SaidTurn) -> str:
    """A turn's place as evidence names it."""
    return str(turn.metadata["dia_id"])


def conversations_of(text: str, *, name: str) -> list[Conversation]:
    """The conversations of a JSON text in LoCoMo's format; evidence that is no turn is left out."""
    sessions = parse(text, Format.LOCOMO, name=name).sessions
    return [
        _conversation(sample, [one for one in sessions if one.user_id == str(sample["sample_id"])])
        for sample in json.loads(text)
    ]


def _conversation(sample: dict[str, Any], sessions: Sequence[SessionTurns]) -> Conversation:
    known = {place_of(turn) for session in sessions for turn in session.turns}
    questions = [
        Asked(int(entry["category"]), str(entry["question"]), _evidence(entry) & known)
        for entry in sample["qa"]
    ]
    return Conversation(str(sample["sample_id"]), sessions, questions)


def _evidence(entry: dict[str, Any]) -> frozenset[str]:
    found = _PLACE.findall(" ".join(entry.get("evidence", [])))
    return frozenset(f"D{session}:{turn}" for session, turn in found)
