"""Where sentences begin and end."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightmem.domain.sentences import MAX_SENTENCE, split_sentences


def texts(content: str) -> list[str]:
    return [sentence.text for sentence in split_sentences(content)]


@pytest.mark.parametrize(
    ("content", "sentences"),
    [
        ("We moved. It rains!", ["We moved.", "It rains!"]),
        ("I met Dr. Smith at 3.30 p.m. today.", ["I met Dr. Smith at 3.30 p.m. today."]),
        ("Wait... what? Yes", ["Wait...", "what?", "Yes"]),
        ('She said "Go." Then left.', ['She said "Go."', "Then left."]),
        ("我们搬家了。真好！你呢？", ["我们搬家了。", "真好！", "你呢？"]),
        ("¿Dónde vives? Vivo aquí.", ["¿Dónde vives?", "Vivo aquí."]),
        ("one\n\ntwo", ["one", "two"]),
        ("  \n ", []),
        ("no stop at all", ["no stop at all"]),
    ],
)
def test_stops_part_sentences(content: str, sentences: list[str]) -> None:
    assert texts(content) == sentences


@given(st.text(max_size=200))
def test_each_sentence_stands_in_its_text_and_none_is_blank(content: str) -> None:
    sentences = split_sentences(content)

    assert all(content[one.start : one.end] == one.text for one in sentences)
    assert all(one.text.strip() == one.text != "" for one in sentences)
    assert all(one.end <= other.start for one, other in pairwise(sentences))


@given(st.text(max_size=200))
def test_nothing_but_space_is_left_out(content: str) -> None:
    rest = content
    for sentence in reversed(split_sentences(content)):
        rest = rest[: sentence.start] + rest[sentence.end :]

    assert rest.strip() == ""


def test_a_text_without_end_is_cut() -> None:
    pieces = texts("word " * 1000)

    assert max(map(len, pieces)) <= MAX_SENTENCE
    assert " ".join(pieces) == ("word " * 1000).strip()


def test_questions_are_known() -> None:
    assert [one.is_question for one in split_sentences("Is it? It is. 是吗？")] == [
        True,
        False,
        True,
    ]
