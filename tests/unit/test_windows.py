"""What the index sees of a turn and of the turns around it."""

import numpy as np

from lightmem.domain.windows import dense_text, lexical_text, mean_direction, windows_of
from lightmem.model import Role
from support.turns import a_turn

TURNS = [a_turn(f"words {number}", number=number) for number in range(1, 8)]


def seen(windows: list[int], *, asked: list[int]) -> None:
    found = windows_of(TURNS, frozenset(TURNS[number - 1].id for number in asked))
    assert [window.turn.seq for window in found] == windows


def test_a_new_turn_changes_its_own_window_and_its_neighbours() -> None:
    seen([3, 4, 5], asked=[4])
    seen([1, 2], asked=[1])
    seen([6, 7], asked=[7])
    seen([1, 2, 3, 5, 6, 7], asked=[1, 2, 6])


def test_a_window_is_the_turn_with_those_beside_it() -> None:
    windows = windows_of(TURNS, frozenset([TURNS[3].id]))

    assert [[turn.seq for turn in window.turns] for window in windows] == [
        [2, 3, 4],
        [3, 4, 5],
        [4, 5, 6],
    ]


def test_windows_end_with_the_session() -> None:
    other = a_turn("elsewhere", session_id="s2", number=1)

    windows = windows_of([*TURNS, other], frozenset([other.id]))

    assert [[turn.id for turn in window.turns] for window in windows] == [[other.id]]


def test_a_gap_left_by_a_deleted_turn_ends_a_window() -> None:
    turns = [turn for turn in TURNS if turn.seq != 4]

    windows = windows_of(turns, frozenset([TURNS[4].id]))

    assert [[turn.seq for turn in window.turns] for window in windows] == [[5, 6], [5, 6, 7]]


def test_a_system_turn_is_in_no_window() -> None:
    turns = [a_turn("be kind", number=1, role=Role.SYSTEM), *TURNS[1:3]]

    windows = windows_of(turns, frozenset(turn.id for turn in turns))

    assert [[turn.seq for turn in window.turns] for window in windows] == [[2, 3], [2, 3]]


def test_a_caption_is_embedded_and_searched_by_word_and_a_speaker_by_word_alone() -> None:
    turn = a_turn("Look!", speaker="Ana", metadata={"caption": "a red kite"})

    assert dense_text(turn) == "Look!\na red kite"
    assert lexical_text(turn) == "Ana: Look!\na red kite"


def test_a_caption_that_is_no_text_is_passed_over() -> None:
    for caption in (None, "", 7, ["a"], {"text": "a"}):
        assert dense_text(a_turn("Look!", metadata={"caption": caption})) == "Look!"


def test_without_a_speaker_the_words_stand_alone() -> None:
    assert lexical_text(a_turn("Look!", speaker=None)) == "Look!"


def test_the_mean_direction_is_a_unit_vector_between() -> None:
    east, north = np.eye(2, dtype=np.float32)

    np.testing.assert_allclose(mean_direction([east, north]), [0.5**0.5] * 2, atol=1e-6)
    np.testing.assert_allclose(mean_direction([east]), east)


def test_vectors_that_cancel_out_leave_the_turns_own() -> None:
    east = np.array([1, 0], np.float32)

    assert mean_direction([east, -east]).tolist() == [-1, 0]
