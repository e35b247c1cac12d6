"""LoCoMo's conversations and questions, with the evidence repaired where it is dirty.

Only ids leave this module for the results: no text of the data set is written anywhere.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from lightmem.client import SaidTurn
from lightmem.ingest import Format, SessionTurns, parse

#: One id, also with a stray colon or zeros: `D8:6`, `D:11:26`, `D30:05`.
_EVIDENCE_ID = re.compile(r"D:?(\d+):0*(\d+)")


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the turns that its answer rests on.

    `evidence` is what the data set says, repaired; `audited` is what the public audit says where
    it found a fault, else the same. Either may be empty: then it cannot be scored. `kind` is what
    some data call their questions beside the category; `answer` is empty where none is given.
    """

    id: str
    category: int
    text: str
    evidence: tuple[str, ...]
    audited: tuple[str, ...]
    kind: str = ""
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A sample: its sessions as they are ingested, and its questions."""

    id: str
    sessions: Sequence[SessionTurns]
    questions: Sequence[Question]
    language: str = "en"

    @property
    def turns(self) -> list[SaidTurn]:
        """All turns in order."""
        return [turn for session in self.sessions for turn in session.turns]

    @property
    def ended_at(self) -> datetime | None:
        """When the last turn was said: the moment of the questions, not years later."""
        return max((turn.occurred_at for turn in self.turns if turn.occurred_at), default=None)


@dataclass(slots=True)
class Repairs:
    """What was dirty in the evidence, counted."""

    counts: Counter[str] = field(default_factory=Counter)


def dialogue_id(turn: SaidTurn) -> str:
    """The data set's own id of a turn."""
    return str(turn.metadata["dia_id"])


def load(file: Path, audit_file: Path | None, repairs: Repairs) -> list[Conversation]:
    """The conversations of a file of LoCoMo's format, and of our generator's, which adds fields.

    Args:
        audit_file: Known faults with the right evidence, by sample and place of the question.
        repairs: Takes the counts of what was mended and what had to be left out.
    """
    text = file.read_text(encoding="utf-8")
    parsed = parse(text, Format.LOCOMO, name=file.stem)
    repairs.counts["turns not stored"] += len(parsed.faults)
    audit = _audit(audit_file)
    return [
        _conversation(
            sample,
            [s for s in parsed.sessions if s.user_id == str(sample["sample_id"])],
            audit,
            repairs,
        )
        for sample in json.loads(text)
    ]


def repaired(evidence: Sequence[str], known: set[str], repairs: Repairs) -> tuple[str, ...]:
    """The turns that evidence strings mean, each once; what means none is counted."""
    found: list[str] = []
    for text in evidence:
        ids = [f"D{session}:{turn}" for session, turn in _EVIDENCE_ID.findall(text)]
        if ids != [text]:
            repairs.counts["evidence strings mended" if ids else "evidence strings without id"] += 1
        for turn_id in ids:
            if turn_id not in known:
                repairs.counts["evidence ids without a turn"] += 1
            elif turn_id not in found:
                found.append(turn_id)
    return tuple(found)


def _conversation(
    sample: dict[str, Any],
    sessions: Sequence[SessionTurns],
    audit: dict[str, list[str]],
    repairs: Repairs,
) -> Conversation:
    sample_id = str(sample["sample_id"])
    known = {dialogue_id(turn) for session in sessions for turn in session.turns}
    questions = []
    for place, entry in enumerate(sample["qa"]):
        question_id = f"{sample_id}/{place}"
        evidence = repaired(entry.get("evidence", []), known, repairs)
        right = audit.get(question_id)
        audited = evidence if right is None else repaired(right, known, Repairs())
        category = int(entry["category"])
        if not evidence:
            repairs.counts["questions without evidence, not scored"] += 1
        kind = str(entry.get("kind", ""))
        text = str(entry["question"])
        answer = str(entry.get("answer") or "")
        questions.append(Question(question_id, category, text, evidence, audited, kind, answer))
    return Conversation(sample_id, sessions, questions, str(sample.get("language", "en")))


def _audit(file: Path | None) -> dict[str, list[str]]:
    if file is None:
        return {}
    entries = json.loads(file.read_text(encoding="utf-8"))
    return {
        f"{entry['sample_id']}/{entry['question_id'].rpartition('qa')[2]}": list(
            entry["correct_evidence"]
        )
        for entry in entries
    }
