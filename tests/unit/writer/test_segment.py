"""Where an operation's turns are cut."""

from dataclasses import replace
from datetime import timedelta

from lightmem.model import Turn
from lightmem_writer.segment import CONTEXT_TURNS, Segment, cut_segments
from support.turns import a_talk, a_turn


def words(text: str) -> int:
    return len(text.split())


def cut(
    turns: list[Turn], *, max_tokens: int = 100, before: tuple[Turn, ...] = ()
) -> list[Segment]:
    return cut_segments(turns, count_tokens=words, max_tokens=max_tokens, before=before)


def numbers(segments: list[Segment]) -> list[list[int]]:
    return [[turn.seq for turn in segment.turns] for segment in segments]


def test_what_fits_is_one_segment() -> None:
    talk = a_talk(("Ana", "one two"), ("Ben", "three"), ("Ana", "four"))

    assert numbers(cut(talk)) == [[1, 2, 3]]


def test_a_segment_holds_no_more_than_its_tokens() -> None:
    talk = a_talk(*[("Ana", "cats cats cats")] * 5)

    assert numbers(cut(talk, max_tokens=6)) == [[1, 2], [3, 4], [5]]


def test_a_turn_that_is_too_long_is_a_segment_of_its_own() -> None:
    talk = a_talk(("Ana", "one"), ("Ben", "long " * 50), ("Ana", "two"))

    assert numbers(cut(talk, max_tokens=10)) == [[1], [2], [3]]


def test_a_long_silence_parts_segments() -> None:
    first = a_turn("cats", number=1)
    later = a_turn("cats", number=2, occurred_at=first.occurred_at + timedelta(hours=2))

    assert numbers(cut([first, later])) == [[1], [2]]


def test_a_missing_turn_parts_segments() -> None:
    assert numbers(cut([a_turn("cats", number=1), a_turn("cats", number=3)])) == [[1], [3]]


def test_another_topic_parts_a_segment_that_is_half_full() -> None:
    talk = a_talk(
        ("Ana", "pottery kiln glaze"),
        ("Ben", "glaze kiln pottery"),
        ("Ana", "marathon training"),
        ("Ben", "training shoes marathon"),
    )

    assert numbers(cut(talk, max_tokens=12)) == [[1, 2], [3, 4]]


def test_sessions_are_never_mixed() -> None:
    one, other = a_turn("cats", session_id="a"), a_turn("cats", session_id="b")

    segments = cut([other, one])

    assert [segment.turns[0].session_id for segment in segments] == ["a", "b"]


def test_turns_out_of_order_are_put_in_order() -> None:
    talk = a_talk(("Ana", "cats"), ("Ben", "cats"), ("Ana", "cats"))

    assert numbers(cut(talk[::-1])) == [[1, 2, 3]]


def test_the_turns_before_a_segment_explain_it() -> None:
    talk = a_talk(*[("Ana", "cats cats")] * 5)

    segments = cut(talk[1:], max_tokens=4, before=(talk[0],))

    assert numbers(segments) == [[2, 3], [4, 5]]
    assert [[turn.seq for turn in segment.context] for segment in segments] == [[1], [2, 3]]
    assert all(len(segment.context) <= CONTEXT_TURNS for segment in segments)


def test_context_is_of_the_same_session() -> None:
    stranger = replace(a_turn("cats", number=1), session_id="other")

    (segment,) = cut([a_turn("cats", number=2)], before=(stranger,))

    assert segment.context == ()
