"""Data by their format: LoCoMo's and our generator's (`.json`), or plain JSON Lines (`.jsonl`).

A line of the plain format is a turn as `lightmem ingest --format jsonl` takes it, with a
`client_id` and, for more than one conversation, a `user_id`:

    {"content": "We moved.", "speaker": "Ana", "session_id": "s1", "client_id": "t1",
     "user_id": "ana", "occurred_at": "2024-05-08T10:15:00+02:00"}

or a question about the conversation of its `user_id`:

    {"question": "Who moved?", "evidence": ["t1"], "category": 4, "user_id": "ana"}

(each on one line). `category` is 4 when left out, `answer` may say what is right. `language` may be
on any line of a conversation.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from lightmem.errors import InvalidInput
from lightmem.ingest import Format, SessionTurns, parse
from lightmem_evaluation.locomo import Conversation, Question, Repairs, load

DEFAULT_CATEGORY = 4


def load_dataset(file: Path, audit_file: Path | None, repairs: Repairs) -> list[Conversation]:
    """The conversations of a file, by its format.

    Raises:
        InvalidInput: the file is not of the format that its name says.
    """
    if file.suffix == ".jsonl":
        return _load_lines(file, repairs)
    return load(file, audit_file or audit_beside(file), repairs)


def audit_beside(data: Path) -> Path | None:
    """The audit `audit_X` that lies beside the data `locomo_X`, if there is one."""
    beside = data.with_name(data.name.replace("locomo_", "audit_"))
    return beside if beside != data and beside.exists() else None


def _load_lines(file: Path, repairs: Repairs) -> list[Conversation]:
    text = file.read_text(encoding="utf-8")
    entries = list(_entries(text))
    turns = "\n".join(json.dumps(entry) for entry in entries if "question" not in entry)
    parsed = parse(turns, Format.JSONL, name=file.stem)
    repairs.counts["turns not stored"] += len(parsed.faults)
    conversations: dict[str, Conversation] = {}
    for session in parsed.sessions:
        name = session.user_id or file.stem
        before = conversations.setdefault(name, Conversation(name, [], []))
        sessions = [*before.sessions, _with_ids(session)]
        conversations[name] = replace(before, sessions=sessions)
    languages = {_whose(entry, file): entry["language"] for entry in entries if "language" in entry}
    return [
        replace(
            conversation,
            questions=_questions(conversation, entries, file, repairs),
            language=str(languages.get(name, "en")),
        )
        for name, conversation in conversations.items()
    ]


def _entries(text: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                entry = json.loads(line)
            except ValueError as exc:
                raise InvalidInput(f"line {number} is not JSON: {exc}") from exc
            if not isinstance(entry, dict):
                raise InvalidInput(f"line {number} is not a JSON object")
            yield entry


def _with_ids(session: SessionTurns) -> SessionTurns:
    """The session with each turn's `client_id` as the id that evidence names."""
    turns = [
        replace(turn, metadata={**turn.metadata, "dia_id": turn.client_id})
        for turn in session.turns
    ]
    return replace(session, turns=turns)


def _whose(entry: dict[str, Any], file: Path) -> str:
    return str(entry.get("user_id") or file.stem)


def _questions(
    conversation: Conversation, entries: list[dict[str, Any]], file: Path, repairs: Repairs
) -> list[Question]:
    known = {turn.client_id for turn in conversation.turns}
    questions: list[Question] = []
    for entry in entries:
        if "question" not in entry or _whose(entry, file) != conversation.id:
            continue
        asked = [str(turn) for turn in entry.get("evidence", [])]
        evidence = tuple(turn for turn in dict.fromkeys(asked) if turn in known)
        repairs.counts["evidence ids without a turn"] += sum(turn not in known for turn in asked)
        repairs.counts["questions without evidence, not scored"] += not evidence
        questions.append(
            Question(
                id=f"{conversation.id}/{len(questions)}",
                category=int(entry.get("category", DEFAULT_CATEGORY)),
                text=str(entry["question"]),
                evidence=evidence,
                audited=evidence,
                kind=str(entry.get("kind", "")),
                answer=str(entry.get("answer") or ""),
            )
        )
    return questions
