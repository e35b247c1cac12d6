"""Data of each format become conversations with questions, and more of it becomes noise."""

import json
from pathlib import Path

import pytest

from lightmem.client import SaidTurn
from lightmem.errors import InvalidInput
from lightmem.ingest import SessionTurns
from lightmem_evaluation.datasets import load_dataset
from lightmem_evaluation.growth import merged, noise_steps
from lightmem_evaluation.locomo import Conversation, Question, Repairs, dialogue_id


def conversation(name: str, turns: int, *questions: Question) -> Conversation:
    said = [SaidTurn(f"{name} {n}", metadata={"dia_id": f"D1:{n}"}) for n in range(1, turns + 1)]
    return Conversation(name, [SessionTurns(name, "s1", said)], questions)


def test_lines_are_turns_and_questions_of_their_user(tmp_path: Path) -> None:
    lines = [
        {"content": "Nos mudamos.", "client_id": "t1", "user_id": "ana", "language": "es"},
        {"content": "Hello.", "client_id": "t1", "user_id": "bo", "session_id": "s2"},
        {"question": "¿Quién se mudó?", "evidence": ["t1", "t7"], "user_id": "ana", "category": 2},
        {"question": "Who said hello?", "evidence": [], "user_id": "bo"},
    ]
    file = tmp_path / "said.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines))
    repairs = Repairs()

    ana, bo = load_dataset(file, None, repairs)

    assert [dialogue_id(turn) for turn in ana.turns] == ["t1"]
    assert (ana.language, bo.language) == ("es", "en")
    assert [(q.category, q.evidence) for q in ana.questions] == [(2, ("t1",))]
    assert [(q.id, q.category) for q in bo.questions] == [("bo/0", 4)]
    assert repairs.counts["evidence ids without a turn"] == 1
    assert repairs.counts["questions without evidence, not scored"] == 1


def test_a_line_that_is_not_json_is_named(tmp_path: Path) -> None:
    file = tmp_path / "said.jsonl"
    file.write_text('{"content": "Hello."}\n{"content":')

    with pytest.raises(InvalidInput, match="line 2"):
        load_dataset(file, None, Repairs())


def test_noise_comes_in_exactly_the_sizes_asked_for() -> None:
    noise = [conversation("one", 7), conversation("two", 7)]

    steps = list(noise_steps(noise, [0, 3, 10]))

    assert [len(step.turns) for step in steps] == [0, 3, 7]
    assert [turn.content for step in steps for turn in step.turns][6:8] == ["one 7", "two 1"]


def test_more_noise_than_there_is_is_refused() -> None:
    with pytest.raises(ValueError, match="there are 7 turns of noise, not 8"):
        list(noise_steps([conversation("one", 7)], [8]))


def test_conversations_of_one_user_keep_their_turns_apart() -> None:
    asked = Question("one/0", 4, "?", ("D1:1",), ("D1:1",))
    unasked = [Question("two/0", 5, "?", ("D1:1",), ()), Question("two/1", 4, "?", (), ())]

    user = merged([conversation("one", 1, asked), conversation("two", 1, *unasked)])

    assert [dialogue_id(turn) for turn in user.turns] == ["one/D1:1", "two/D1:1"]
    assert [question.evidence for question in user.questions] == [("one/D1:1",)]
