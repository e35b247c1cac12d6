"""When two texts say the same, and what asks."""

import pytest

from lightmem.domain.names import find_names
from lightmem.domain.text import are_echoes, is_question, says_no_more, tells_most_of, words_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We moved to Lisbon!", "we moved to lisbon"),
        ("“Hola”, dijo.", "hola dijo"),
        ("我住在里斯本。", "我住在里斯本"),
    ],
)
def test_the_same_words_are_an_echo(one: str, other: str) -> None:
    assert are_echoes(words_of(one), words_of(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I ran 5 km", "I ran 6 km"),
        ("It cost 3.5 euros", "It cost 35 euros"),
        ("I love Lisbon", "I love Porto"),
        ("我住在里斯本", "我住在波尔图"),
        ("", "Lisbon"),
    ],
)
def test_another_word_or_number_is_another_text(one: str, other: str) -> None:
    assert not are_echoes(words_of(one), words_of(other))


def test_a_statement_covered_by_its_source_says_no_more() -> None:
    source = "Well, we moved to Lisbon with our 2 dogs last Friday, you know."

    assert says_no_more("We moved to Lisbon", source)
    assert not says_no_more("We moved to Lisbon with 3 dogs", source)
    assert not says_no_more("Ana moved to Lisbon for her new job", source)


@pytest.mark.parametrize("text", ["Why?", "¿Por qué?", "为什么？", 'She said "why?"', "Why?  "])
def test_what_ends_by_asking_is_a_question(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize("text", ["Why? Because.", "", "No."])
def test_what_goes_on_after_a_question_is_none(text: str) -> None:
    assert not is_question(text)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What did Ana's sister say about New York?", ["Ana", "New York"]),
        ("Did Ana go to the Museo del Prado?", ["Ana", "Museo del Prado"]),
        ("Where does ana live?", []),
        ('Who wrote "blue river" for Ana?', ["blue river", "Ana"]),
        ("¿Qué hizo Ángel en París con María José?", ["Ángel", "París", "María José"]),
        ("When did Maria O'Neil meet Smith-Jones?", ["Maria O'Neil", "Smith-Jones"]),
        ("谁写了「蓝河」？", ["蓝河"]),
        ("I was told that Ana and ANA met.", ["Ana"]),
        ("Did Will and Dr. Bell meet?", ["Will", "Bell"]),
        ("WHAT IS NASA?", ["NASA"]),
        ("", []),
    ],
)
def test_names_are_capitalised_or_quoted(text: str, names: list[str]) -> None:
    assert find_names(text) == names


def test_half_of_what_is_told_is_most_of_it() -> None:
    assert tells_most_of("Ana bought a lamp", "Oh, Ana bought a green lamp")
    assert not tells_most_of("Ana smiled", "Oh, Ana bought a green lamp")
