"""Counting tokens for budgets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightmem.adapters.tokens import open_tokenizer

TOKENIZER = open_tokenizer()


def test_the_tokenizer_is_named() -> None:
    assert TOKENIZER.name == "smollm2"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("Hello, world!", 4),
        ("2024", 4),
        ("the the the", 3),
        ("\x04", 1),
        ("\U0003ffff", 4),
    ],
)
def test_known_texts_have_known_counts(text: str, count: int) -> None:
    assert TOKENIZER.count(text) == count


def test_a_special_token_that_a_user_writes_is_plain_text() -> None:
    assert TOKENIZER.count("<|im_start|>") > 1


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200))
def test_no_text_hides_from_the_count(text: str) -> None:
    assert 1 <= TOKENIZER.count(text) <= len(text.encode())


@given(st.binary(min_size=1, max_size=50))
def test_every_byte_counts(raw: bytes) -> None:
    text = raw.decode("latin-1")

    assert TOKENIZER.count(text * 3) >= 1
