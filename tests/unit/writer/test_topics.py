"""Where a conversation turns to something else."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lightmem.model import Turn
from lightmem_writer.segment import cut_segments
from lightmem_writer.topics import LEAST_TURNS, boundaries, valley_depths
from support.turns import a_talk

POTTERY = "the kiln and the glaze of my pottery bowl"
RUNNING = "marathon training shoes and a half marathon race"
COOKING = "soup with leeks, garlic and a stew of beans"


def talk_of(*topics: str, each: int = 5) -> list[Turn]:
    return a_talk(*[("Ana", f"{topic} number") for topic in topics for _ in range(each)])


def vectors_of(turns: list[Turn], *, at: dict[str, int]) -> dict[str, NDArray[np.float32]]:
    """A unit vector by the topic that a turn's words are of."""
    axes = np.eye(8, dtype=np.float32)
    return {
        turn.id: axes[next(axis for word, axis in at.items() if word in turn.content)]
        for turn in turns
    }


AXES = {"kiln": 0, "marathon": 1, "soup": 2}


def test_a_topic_begins_where_meaning_and_words_both_change() -> None:
    turns = talk_of(POTTERY, RUNNING, COOKING)

    assert boundaries(turns, vectors_of(turns, at=AXES)) == [5, 10]


def test_without_vectors_words_alone_tell() -> None:
    assert boundaries(talk_of(POTTERY, RUNNING), {}) == [5]


def test_other_words_for_the_same_thing_begin_no_topic() -> None:
    turns = talk_of(POTTERY, RUNNING)
    same = {turn.id: np.eye(8, dtype=np.float32)[0] for turn in turns}

    assert boundaries(turns, same) == []


def test_an_answer_is_on_the_topic_of_its_question() -> None:
    turns = a_talk(
        *[("Ana", POTTERY)] * 4,
        ("Ana", "And what do you do all day long?"),
        *[("Ben", RUNNING)] * 5,
    )

    assert 5 not in boundaries(turns, {})


def test_topics_are_not_changed_with_every_turn() -> None:
    found = boundaries(talk_of(POTTERY, RUNNING, COOKING, each=1) * 4, {})

    assert all(later - earlier >= LEAST_TURNS for earlier, later in pairwise(found))


def test_a_valley_is_as_deep_as_the_peaks_on_its_sides() -> None:
    scores = np.array([[0.9], [0.2], [0.7], [0.7]])

    assert np.allclose(valley_depths(scores)[:, 0], [0.0, 0.7 + 0.5, 0.0, 0.0])


def test_what_is_full_is_cut_where_the_topic_changed() -> None:
    turns = talk_of(POTTERY, RUNNING)
    tokens = sum(len(turn.content.split()) for turn in turns)

    segments = cut_segments(
        turns,
        count_tokens=lambda text: len(text.split()),
        max_tokens=tokens * 4 // 5,
        vectors=vectors_of(turns, at=AXES),
    )

    assert [len(segment.turns) for segment in segments] == [5, 5]


def test_no_talk_has_no_topics() -> None:
    assert boundaries([], {}) == []
    assert boundaries(talk_of(POTTERY, each=1), {}) == []
