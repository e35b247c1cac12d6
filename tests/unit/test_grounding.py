"""What was really said."""

import pytest

from lightmem.domain.grounding import (
    Said,
    name_phrases,
    unsaid_names,
    unsaid_numbers,
    unsaid_share,
)


@pytest.mark.parametrize(
    ("text", "unsaid"),
    [
        ("Ana moved to Lisbon.", []),
        ("Ana met Maria in Lisbon.", ["Maria"]),
        ("Maria moved to Lisbon.", ["Maria"]),
        ("Moved to Lisbon.", []),
        ("The move took Ana to Lisbon.", []),
        ("Lisboa is home.", ["Lisboa"]),
    ],
)
def test_names_that_nobody_said_are_seen(text: str, unsaid: list[str]) -> None:
    assert unsaid_names(text, Said(["We moved to Lisbon", "Ana"])) == unsaid


def test_a_name_like_another_is_another() -> None:
    assert unsaid_names("He met Marta.", Said(["He met Martin"])) == ["Marta"]


def test_inflected_names_are_the_same_name() -> None:
    assert unsaid_names("Он видел Анну.", Said(["Это Анна"])) == []


@pytest.mark.parametrize(
    ("text", "unsaid"),
    [
        ("She has 2 cats", []),
        ("She has two cats", []),
        ("She has three cats", ["three"]),
        ("It was in 2017", ["2017"]),
        ("It cost 1000", []),
        ("At 07:30", []),
        ("At 8:30", ["8:30"]),
    ],
)
def test_numbers_that_nobody_said_are_seen(text: str, unsaid: list[str]) -> None:
    said = Said(["two cats, 2016, 1,000 pounds, 7:30"])

    assert unsaid_numbers(text, said) == unsaid


def test_new_content_words_are_counted() -> None:
    said = Said(["We moved to Lisbon with our cats"])

    assert unsaid_share("The cat moves to Lisbon", said) == 0
    assert unsaid_share("She hates tomatoes", said) == 1
    assert unsaid_share("of the", said) == 0


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("I met Ben in New York.", ["Ben", "New York"]),
        ("Working with Jean-Luc Picard is fun", ["Jean-Luc Picard"]),
        ("Yesterday it rained", []),
        ("I live in Oslo. Oslo is cold", ["Oslo"]),
    ],
)
def test_neighbouring_names_are_one(text: str, phrases: list[str]) -> None:
    assert name_phrases(text) == phrases
