"""From examples to weights: what is preferred, and that the file scores as the trees do."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lightmem.adapters.onnx import open_ranker
from lightmem_selector.features import NAMES, VERSION
from lightmem_training.conversations import conversations_of, place_of
from lightmem_training.examples import Group, useful
from lightmem_training.export import to_onnx, write
from lightmem_training.fit import FALLING, RISING, fit, score

ITEMS = 20


def groups(count: int, seed: int) -> list[Group]:
    """Questions whose answer is the item that the tokens' view scores highest."""
    generator = np.random.default_rng(seed)
    made = []
    for number in range(count):
        values = generator.standard_normal((ITEMS, len(NAMES))).astype(np.float32)
        labels = np.zeros(ITEMS, np.int32)
        labels[values[:, NAMES.index("tokens")].argmax()] = 1
        made.append(Group(f"c{number % 5}", values, labels))
    return made


def sample(**changes: Any) -> dict[str, Any]:
    """A conversation of two turns and one question, in LoCoMo's format."""
    turns = [
        {"speaker": "Ana", "dia_id": "D1:1", "text": "We moved to Porto."},
        {"speaker": "Ben", "dia_id": "D1:2", "text": "Lovely!"},
    ]
    conversation = {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": turns,
    }
    question = {"question": "Where did Ana move?", "category": 4, "evidence": ["D1:01; D9:9"]}
    return {"sample_id": "s", "conversation": conversation, "qa": [{**question, **changes}]}


def test_the_file_scores_as_the_trees_do(tmp_path: Path) -> None:
    boosters = fit(groups(40, seed=1), groups(10, seed=2))
    [unseen] = groups(1, seed=3)

    write(tmp_path, to_onnx(boosters), {"name": "test"})
    ranker = open_ranker(str(tmp_path), features_version=VERSION, columns=NAMES)

    expected = score(boosters, unseen.values)
    np.testing.assert_allclose(ranker.score(unseen.values), expected, rtol=1e-4, atol=1e-5)


def test_the_same_examples_give_the_same_file() -> None:
    training, validation = groups(20, seed=1), groups(5, seed=2)

    files = [to_onnx(fit(training, validation)) for _ in range(2)]

    assert files[0] == files[1]


def test_columns_that_rise_and_fall_are_features_and_apart() -> None:
    assert set(NAMES) >= RISING
    assert set(NAMES) >= FALLING
    assert not RISING & FALLING


def test_a_question_without_a_choice_teaches_nothing() -> None:
    [group] = groups(1, seed=1)
    none = Group("c", group.values, np.zeros(ITEMS, np.int32))
    alone = Group("c", group.values[:1], np.ones(1, np.int32))

    assert useful([group, none, alone]) == [group]


@pytest.mark.parametrize(
    ("evidence", "places"),
    [(["D1:1"], {"D1:1"}), (["D:1:02", "D1:1"], {"D1:1", "D1:2"}), (["D9:9"], set())],
)
def test_evidence_is_read_as_places_of_turns_that_exist(
    evidence: list[str], places: set[str]
) -> None:
    [conversation] = conversations_of(json.dumps([sample(evidence=evidence)]), name="test")

    assert conversation.questions[0].evidence == places
    turns = conversation.sessions[0].turns
    assert [place_of(turn) for turn in turns] == ["D1:1", "D1:2"]
    assert conversation.ended_at == turns[-1].occurred_at
