"""When two statements are the same words."""

import pytest

from lightmem.domain.fingerprint import fingerprint


@pytest.mark.parametrize(
    "other",
    [
        "ana: we moved to lisbon",
        "Ana: We moved to Lisbon.",
        "  Ana:  We\tmoved to\nLisbon!  ",
        "Ana: We mo\u200bved to Lis\u00adbon",
        "Ａｎａ： Ｗｅ ｍｏｖｅｄ ｔｏ Ｌｉｓｂｏｎ",
        "Ana — “We moved to Lisbon”…",
    ],
)
def test_case_width_space_and_punctuation_make_no_difference(other: str) -> None:
    assert fingerprint(other) == fingerprint("Ana: We moved to Lisbon")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It costs 3.5", "It costs 35"),
        ("It costs 3.5", "It costs 3 5"),
        ("It is -5 outside", "It is 5 outside"),
        ("It grew by 5%", "It grew by 5"),
        ("She writes C#", "She writes C"),
        ("It costs $5", "It costs €5"),
        ("Ana lives here", "Ana does not live here"),
        ("我们搬到了里斯本", "我们搬到了上海"),
    ],
)
def test_what_means_something_else_differs(one: str, other: str) -> None:
    assert fingerprint(one) != fingerprint(other)


def test_an_apostrophe_is_no_gap() -> None:
    assert fingerprint("I don't know") == fingerprint("I don’t know") == fingerprint("I dont know")


def test_it_holds_none_of_the_words() -> None:
    assert fingerprint("Lisbon").isalnum()
    assert "lisbon" not in fingerprint("Lisbon")
