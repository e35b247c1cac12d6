"""Short answers read by their questions, and who "she" is."""

import pytest

from lightmem.domain.attributes import ANSWER, claims_of


def claimed(text: str, language: str = "en", speaker: str | None = None) -> list[str]:
    return [
        f"{claim.attribute} {claim.subject} {claim.value} {claim.mode}"
        for claim in claims_of(text, language=language, speaker=speaker)
    ]


ANSWERS = [
    ("en", "Where do you live now?", "Lisbon.", "lives in >> lisbon holds"),
    ("en", "Where do you live?", "In Lisbon, since May.", "lives in >> lisbon holds"),
    ("en", "Where does your sister live?", "Seville", "lives in >sister> seville holds"),
    ("en", "Who do you work for?", "Globex now.", "works at >> globex holds"),
    ("en", "How old are you?", "34", "age >> 34 holds"),
    ("en", "What's your phone number?", "555-0202", "phone number >> 555 0202 holds"),
    ("en", "What's your favourite colour?", "Green!", "favourite colour >> green holds"),
    ("en", "Do you live in Porto?", "Yes.", "lives in >> porto holds"),
    ("en", "Do you still live in Porto?", "No.", "lives in >> porto ends"),
    ("en", "Do you smoke?", "No, not any more.", "smokes >> no holds"),
    ("es", "¿Dónde vives ahora?", "En Lisboa.", "lives in >> lisboa holds"),
    ("es", "¿Cuántos años tienes?", "34 años", "age >> 34 holds"),
    ("es", "¿Fumas?", "No.", "smokes >> no holds"),
    ("zh", "你现在住在哪里？", "里斯本。", "lives in >> 里斯本 holds"),
    ("zh", "你今年多大？", "34岁", "age >> 34 holds"),
]


@pytest.mark.parametrize(("language", "question", "answer", "expected"), ANSWERS)
def test_a_short_answer_claims_what_was_asked(
    language: str, question: str, answer: str, expected: str
) -> None:
    assert claimed(f"assistant: {question}{ANSWER}{answer}", language) == [expected]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where do you live?", "No."),
        ("Where do you live?", "I would rather not tell you about that, it is a long story, sorry"),
        ("How was your day?", "Lovely."),
        ("Do you like coffee?", "Maybe."),
        ("Do you like coffee?", "Yes, but not in the evening."),
        ("Do you remember that my sister lives in Porto?", "Yes."),
        ("Would you move to Porto?", "Yes."),
    ],
)
def test_an_answer_that_leaves_it_open_claims_nothing(question: str, answer: str) -> None:
    assert claimed(f"assistant: {question}{ANSWER}{answer}") == []


def test_the_answer_is_about_who_gives_it() -> None:
    found = claimed(f"Ben: Where do you live now?{ANSWER}Ana: Lisbon.", speaker="Ana")

    assert found == ["lives in ana>> lisbon holds"]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "My sister Ana came by. She moved to Seville.",
         "lives in >sister>ana seville holds"),
        ("en", "My brother and my sister came. She lives in Seville.",
         "lives in >sister> seville holds"),
        ("en", "I met my sister Ana on Monday in Faro. She lives in Seville.",
         "lives in >sister>ana seville holds"),
        ("en", "Carla called me. She moved to Seville.", "lives in >?>carla seville holds"),
        ("es", "Comí con mi hermana Ana. Ella vive en Sevilla.",
         "lives in >sister>ana sevilla holds"),
        ("zh", "我姐姐来了。她搬到塞维利亚了。", "lives in >sister> 塞维利亚 holds"),
    ],
)  # fmt: skip
def test_she_is_the_one_person_spoken_of_before(language: str, text: str, expected: str) -> None:
    assert expected in claimed(text, language)


@pytest.mark.parametrize(
    "text",
    [
        "My sister Ana met Carla. She moved to Seville.",
        "My brother and my cousin visited. He lives in Leeds.",
        "My brother came by. She lives in Leeds.",
        "Work was fine. She lives in Leeds.",
        "She lives in Leeds.",
    ],
)
def test_where_two_may_be_meant_or_nobody_is_nothing_is_claimed(text: str) -> None:
    assert claimed(text) == []
