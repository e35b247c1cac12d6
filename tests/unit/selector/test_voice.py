"""A question in the words of the one who is asked about."""

import pytest

from lightmem_selector.voice import in_their_voice


@pytest.mark.parametrize(
    ("question", "entities", "speakers", "said"),
    [
        ("What did Ana research?", ["Ana"], ["ana", "ben"], "What did I research?"),
        ("What is Ana's dog called?", ["Ana"], ["ana"], "What is my dog called?"),
        ("Does Ana like her vet?", ["Ana"], ["ana"], "Does I like my vet?"),
        ("Where did Ana meet Jean?", ["Ana", "Jean"], ["ana", "ben"], "Where did I meet Jean?"),
        ("where does ana live?", [], ["ana garcía"], "where does I live?"),
        ("Where does Ana García work?", ["Ana García"], ["ana garcía"], "Where does I work?"),
        ("¿Dónde vive la hermana de Ana?", ["Ana"], ["ana"], "¿Dónde vive la hermana ?"),
        ("小明的妹妹住在哪里？", [], ["小明"], "我的妹妹住在哪里？"),
    ],
)
def test_a_speaker_is_spoken_of_as_of_oneself(
    question: str, entities: list[str], speakers: list[str], said: str
) -> None:
    assert in_their_voice(question, entities, speakers) == said


@pytest.mark.parametrize(
    ("question", "entities", "speakers"),
    [
        ("Where does her sister Eve live?", ["Eve"], ["ana", "ben"]),
        ("What did I say about tea?", [], ["ana"]),
        ("Where did they live?", [], []),
        ("What will Analysis show?", ["Analysis"], ["ana"]),
    ],
)
def test_a_question_that_names_no_speaker_stays_as_it_is(
    question: str, entities: list[str], speakers: list[str]
) -> None:
    assert in_their_voice(question, entities, speakers) == question
