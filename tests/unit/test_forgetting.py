"""What is kept of a forgotten value, where a text says it again, and how it is struck."""

import unicodedata
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightmem.domain.forgetting import (
    MARKER,
    Hasher,
    Matcher,
    form_of,
    is_words,
    merged,
    says_nothing,
    spans_of,
    struck,
    struck_quote,
    tokens_of,
    with_strings,
    without,
)
from lightmem.model import Form, Tombstone

HASHER = Hasher(b"secret", "acme", "ana")
SAYS_PHONE = "My phone number is 555-0142."
AT = datetime(2024, 5, 8, tzinfo=UTC)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


def form(text: str, hasher: Hasher = HASHER) -> Form:
    made = form_of(text, [1.0, 0.0], hasher)
    assert made is not None
    return made


def matcher(*forgotten: str, hasher: Hasher = HASHER) -> Matcher:
    forms = [form(text) for text in forgotten]
    tombstone = Tombstone("t1", "acme", "ana", AT, "requested", "encoder", forms)
    return Matcher([tombstone], hasher, encoder_id="encoder")


def known(matcher: Matcher, text: str) -> str:
    """The text as the words alone show it."""
    return struck(text, matcher.look(text).spans)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("My phone number is 555-0142.", "[forgotten]."),
        ("MY PHONE NUMBER IS 555 0142", "[forgotten]"),
        ("so my phone\u00ad number is 5550142, ok", "so [forgotten], ok"),
        ("It is 555-0142, and I like tea.", "[forgotten], and I like tea."),
        ("My number: 555.0142", "My number: [forgotten]"),
        ("Call +1 (202) 555-0142!", "[forgotten]!"),
        ("My phone number is 555-0143.", "My phone number is 555-0143."),
        ("It cost 5.550.142.", "It cost 5.550.142."),
        ("I lost my phone.", "I lost my phone."),
    ],
)
def test_words_in_order_and_telling_numbers_are_known_without_a_vector(
    text: str, left: str
) -> None:
    assert known(matcher(SAYS_PHONE), text) == left


def test_hashes_of_another_user_know_nothing() -> None:
    other = matcher(SAYS_PHONE, hasher=Hasher(b"secret", "acme", "bob"))

    assert known(other, SAYS_PHONE) == SAYS_PHONE


@pytest.mark.parametrize("text", ["Yes.", "I am.", "是的", "!?", "Ana"])
def test_what_says_too_little_leaves_no_form(text: str) -> None:
    assert form_of(text, [1.0], HASHER) is None


def test_a_near_sentence_with_another_name_says_something_else() -> None:
    near = np.array([1.0, 0.0], np.float32)
    lisbon = matcher("I live in Lisbon.")
    again, other = lisbon.look("My home is in Lisbon"), lisbon.look("My home is in Madrid")

    assert lisbon.spans(again, np.array([near] * len(again.texts()))) == [(0, 20)]
    assert lisbon.spans(other, np.array([near] * len(other.texts()))) == []


def test_vectors_of_another_encoder_are_not_compared() -> None:
    forms = [form("I live in Lisbon.")]
    tombstone = Tombstone("t1", "acme", "ana", AT, "requested", "an older encoder", forms)
    old = Matcher([tombstone], HASHER, encoder_id="encoder")
    look = old.look("My home is in Lisbon")

    spans = old.spans(look, np.array([[1.0, 0.0]] * len(look.texts()), np.float32))

    assert spans == []
    assert known(old, "I live in Lisbon.") == "[forgotten]."


def test_numbers_codes_and_addresses_are_one_word_however_they_are_set() -> None:
    keys = [token.key for token in tokens_of("(555) 0142-77 AB-1234-X 12,000 ana@x.org 3.5")]

    assert keys == ["5014277", "ab1234x", "12000", "ana@x.org", "3.5"]


def test_a_quote_stays_a_part_of_its_turn() -> None:
    text = "My phone number is 555-0142 and I keep bees in the garden."
    spans = matcher(SAYS_PHONE).look(text).spans
    left = struck(text, spans)

    assert struck_quote(text, spans, "I keep bees in the garden") == "I keep bees in the garden"
    assert struck_quote(text, spans, "My phone number is 555-0142") is None
    assert (struck_quote(text, spans, text) or "?") in left


def test_what_says_little_is_struck_only_where_it_stands_alone() -> None:
    assert without("Yes", ["Yes"]) == MARKER
    assert without("Yesterday", ["Yes"]) == "Yesterday"
    assert without("I keep big bees.", ["big bees"]) == f"I keep {MARKER}."


@pytest.mark.parametrize(
    ("text", "nothing"),
    [
        ("[forgotten].", True),
        ("[forgotten] and [forgotten]!", True),
        ("[forgotten]. I keep bees.", False),
        ("and", False),
        ("", False),
    ],
)
def test_it_is_known_when_nothing_is_left(text: str, nothing: bool) -> None:
    assert says_nothing(text) is nothing


@given(before=texts, after=texts)
def test_a_value_is_known_between_any_other_words(before: str, after: str) -> None:
    text = f"{before} \n{SAYS_PHONE}\n {after}"

    assert "0142" not in known(matcher(SAYS_PHONE), text)


@given(text=texts.filter(str.strip))
def test_a_text_is_known_in_its_other_forms(text: str) -> None:
    value = f"bees keep {text} honey"
    forgotten = matcher(value)

    for again in (
        value.upper(),
        unicodedata.normalize("NFD", value),
        value.replace("e", "e\u200d"),
    ):
        if [token.key for token in tokens_of(again)] == [token.key for token in tokens_of(value)]:
            assert "honey" not in known(forgotten, again).casefold()


@given(text=texts, places=st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=5))
def test_striking_keeps_all_that_is_outside_of_the_spans(
    text: str, places: list[tuple[int, int]]
) -> None:
    spans = merged([(min(a, len(text)), min(b, len(text))) for a, b in places if a < b])

    left = struck(text, spans)

    begins, ends = [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(text)]
    outside = [text[start:end] for start, end in zip(begins, ends, strict=True)]
    assert left == MARKER.join(outside)


@given(text=texts)
def test_tokens_stand_where_they_say(text: str) -> None:
    tokens = tokens_of(text)

    assert all(0 <= token.start < token.end <= len(text) for token in tokens)
    assert [token.start for token in tokens] == sorted(token.start for token in tokens)
    assert all(text[start:end] for start, end in spans_of(text, text))


def test_texts_within_json_are_changed_and_names_of_members_are_not() -> None:
    value = {"tea": ["tea", {"a": "tea"}], "n": 1}

    assert with_strings(value, str.upper) == {"tea": ["TEA", {"a": "TEA"}], "n": 1}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("01890000-0000-7000-8000-000000000142", False),
        ("2024-05-08T10:15:00+02:00", False),
        ("2024-05-08T10:15:00.123456Z", False),
        ("2024-05-08", True),
        ("555-0142", True),
        ("at 2024-05-08T10:15:00Z", True),
        ("", True),
    ],
)
def test_ids_and_moments_within_answers_are_no_words(text: str, expected: bool) -> None:
    assert is_words(text) is expected
