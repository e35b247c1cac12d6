"""What stands beside recalled items in a context, and what it may take the place of: nothing."""

from datetime import UTC, datetime, timedelta

import pytest

from lightmem.domain.context import CLOSING, HEADER, LATEST, OPENING, PackedContext, pack_context
from lightmem.domain.surroundings import (
    Quote,
    Surroundings,
    is_worth_showing,
    needs_after,
    needs_before,
)
from lightmem.model import Item, ItemKind, Layer

START = datetime(2024, 5, 8, 9, 0, tzinfo=UTC)


class WordTokenizer:
    """Counts words."""

    name = "words"

    def count(self, text: str) -> int:
        return len(text.split())


def turn(text: str, *, seq: int, speaker: str = "Ana", kind: ItemKind = ItemKind.TURN) -> Item:
    return Item(
        id=f"{kind.value}-{seq}",
        layer=Layer.MID_TERM,
        kind=kind,
        text=text,
        score=0.5,
        speaker=speaker if kind is ItemKind.TURN else None,
        occurred_at=START + timedelta(minutes=seq),
        session_id="s1",
        seq=seq,
    )


ASKED = turn("Which instrument do you play?", seq=1, speaker="Ben")
ANSWER = turn("The violin.", seq=2)
MEMORY = turn("Ana plays the violin.", seq=0, kind=ItemKind.MEMORY)


def packed(items: list[Item], surroundings: Surroundings, *, budget: int = 200) -> PackedContext:
    return pack_context(
        items, budget_tokens=budget, tokenizer=WordTokenizer(), surroundings=surroundings
    )


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("The violin, since I was nine years old at school.", "Which instrument do you play?"),
        ("Yes, every single morning before breakfast at home.", "You still run."),
        ("It broke down near the old bridge yesterday evening.", "My car is a wreck."),
        ("Sí, lo compré ayer en la tienda del barrio.", "Tienes uno nuevo."),
        ("Two, actually.", "You have a dog."),
        ("是的，我昨天买了一个新的。", "你有一个。"),
    ],
)
def test_what_answers_or_leans_needs_the_turn_before_it(text: str, before: str) -> None:
    assert needs_before(text, before)


def test_what_stands_alone_needs_nothing() -> None:
    text = "My sister bought a blue kayak for our trip to the lake."

    assert not needs_before(text, "The weather was fine.")
    assert not needs_after(text, "Nice!")


def test_a_question_needs_its_answer() -> None:
    assert needs_after("Which instrument do you play?", "The violin.")
    assert not needs_after("Which instrument do you play?", "Why do you ask?")


@pytest.mark.parametrize("text", ["", "[forgotten]", "x" * 601, "?!"])
def test_what_is_struck_or_long_is_not_brought(text: str) -> None:
    assert not is_worth_showing(text)


def test_the_question_stands_before_the_answer_that_was_chosen() -> None:
    found = packed([ANSWER], Surroundings(beside={ANSWER.id: [ASKED]}))

    assert found.text.splitlines() == [
        HEADER,
        OPENING,
        "Wednesday, 8 May 2024",
        "- Ben: Which instrument do you play?",
        "- Ana: The violin.",
        CLOSING,
    ]
    assert list(found.items) == [ANSWER]


def test_a_memory_shows_the_words_that_it_rests_on() -> None:
    quoting = Surroundings(quotes={MEMORY.id: [Quote("Ana", "I play the violin")]})

    found = packed([MEMORY], quoting)

    assert "- memory: Ana plays the violin.\n  Ana said: “I play the violin”" in found.text


def test_a_quote_that_a_shown_turn_has_is_not_shown_again() -> None:
    quoting = Surroundings(quotes={MEMORY.id: [Quote("Ana", "The violin")]})

    assert "said:" not in packed([MEMORY, ANSWER], quoting).text


def test_the_latest_turns_come_last_under_a_heading_of_theirs() -> None:
    latest = Surroundings(latest=[ANSWER, turn("See you!", seq=9, speaker="Ben")])

    found = packed([ANSWER], latest)

    assert found.text.splitlines()[-3:] == [LATEST, "- Ben: See you!", CLOSING]
    assert found.text.count("The violin.") == 1


def test_nothing_beside_takes_the_place_of_an_item() -> None:
    items = [turn(f"Line {n} about tea and the old harbour.", seq=10 * n) for n in range(1, 6)]
    alone = packed(items, Surroundings())
    beside = {item.id: [turn("Which tea is it?", seq=item.seq - 1)] for item in items}

    for budget in range(30, 140, 7):
        full = Surroundings(beside=beside, latest=[turn("Bye!", seq=99)])
        found = packed(items, full, budget=budget)
        assert found.items == packed(items, Surroundings(), budget=budget).items
        assert found.tokens <= budget
        assert found.tokens == WordTokenizer().count(found.text)
    assert len(alone.items) == 5


def test_what_found_no_room_is_counted_within_the_fence() -> None:
    items = [turn(f"Line {n} about tea and the old harbour.", seq=10 * n) for n in range(1, 6)]

    found = packed(items, Surroundings(), budget=60)

    assert 0 < len(found.items) < 5
    assert found.left_out == 5 - len(found.items)
    assert found.text.splitlines()[-2] == f"({found.left_out} more found no room)"


def test_without_items_the_latest_turns_are_the_context() -> None:
    found = packed([], Surroundings(latest=[ANSWER]))

    assert "- Ana: The violin." in found.text
    assert packed([], Surroundings()).text == ""
