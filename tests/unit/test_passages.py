"""Long turns cut into passages: every word in one of them, each as it was said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightmem.domain.passages import LEAST, LONG, MOST, is_long, passage_about, passages_of

SENTENCE = "The kettle of house number {} is blue and rather small. "


def test_a_short_turn_has_no_passages() -> None:
    assert passages_of("x" * LONG) == []


def test_passages_are_slices_in_order_that_hold_every_word() -> None:
    content = "  " + "".join(SENTENCE.format(number) for number in range(60))

    passages = passages_of(content)

    assert " ".join(passages).split() == content.split()
    assert all(passage in content and 0 < len(passage) <= MOST for passage in passages)


def test_a_passage_ends_with_a_paragraph_that_is_long_enough() -> None:
    paragraph = (SENTENCE.format(7) * 20)[: LEAST + 40].rsplit(". ", 1)[0] + "."

    passages = passages_of("\n\n".join([paragraph] * 4))

    assert passages == [paragraph] * 4


@given(st.text(alphabet="ab .!?\n。中", max_size=4 * LONG))
def test_any_text_is_cut_without_loss(content: str) -> None:
    passages = passages_of(content)

    if is_long(content):
        assert "".join("".join(passages).split()) == "".join(content.split())
    assert bool(passages) is is_long(content)
    assert all(passage in content and not is_long(passage) for passage in passages)


def test_chinese_is_cut_to_what_an_encoder_reads_of_it() -> None:
    content = "这只水壶是蓝色的。" * 60

    passages = passages_of(content)

    assert "".join(passages) == content
    assert max(map(len, passages)) <= MOST // 3


@pytest.mark.parametrize("gap", [" ", "\n\n"])
def test_the_passage_about_a_question_has_most_of_its_words(gap: str) -> None:
    content = gap.join([SENTENCE.format(n) for n in range(30)] + ["The boiler is due in March."])

    assert "boiler is due in March" in passage_about("When is the boiler due?", content)
    assert passage_about("When is the boiler due?", "It is due.") == "It is due."
