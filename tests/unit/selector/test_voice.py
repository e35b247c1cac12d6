"""A question in the words of the one who is asked about."""

import pytest

from lightmem.domain.names import find_names
from lightmem_selector.asked_about import named_speakers
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
    ("question", "speakers", "said"),
    [
        ("What did Ana give Ben?", ["ana", "ben"], "What did I give you?"),
        ("What does Ben think of Ana's plan?", ["ana", "ben"], "What does I think of your plan?"),
        ("What do Ana and Ben share?", ["ana", "ben"], "What do we share?"),
        ("Do Ana, Ben and Eve ski?", ["ana", "ben", "eve"], "Do we ski?"),
        ("What did Ana García give Ben?", ["ana garcía", "ben"], "What did I give you?"),
        ("¿Qué piensa Ana del perro de Ben?", ["ana", "ben"], "¿Qué piensa yo del perro tuyo?"),
        ("小明送给小红什么？", ["小明", "小红"], "我送给你什么？"),
        ("小明和小红住在哪里？", ["小明", "小红"], "我们住在哪里？"),
    ],
)
def test_of_two_speakers_the_one_named_first_asks_the_other_unless_both_are_meant(
    question: str, speakers: list[str], said: str
) -> None:
    assert in_their_voice(question, find_names(question), speakers) == said


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("What did Ben say to Ana?", {"Ben"}),
        ("What do Ana & Ben like?", {"Ana", "Ben"}),
        ("How did Ana's sister and Ben's brother meet?", {"Ana"}),
        ("According to Eva López, what does Ana fear?", {"Eva López"}),
        ("What happened in Lisbon?", set()),
    ],
)
def test_a_question_is_about_the_speaker_whom_it_names_first(
    question: str, about: set[str]
) -> None:
    speakers = ["Ana", "Ben", "Eva López", None]

    named = named_speakers(question, find_names(question), speakers)

    assert {speaker for speaker in speakers if named.is_about(speaker)} == about


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


@pytest.mark.parametrize(
    ("question", "speaker", "expected"),
    [
        ("Where does ana live?", "Ana", True),
        ("Where does Ana live?", "Ana Pérez", True),
        ("Where does Ana's dog live?", "Ana", True),
        ("Where does Anabel live?", "Ana", False),
        ("What will happen?", "Will", False),
        ("Where did Will go?", "Will", True),
        ("Where does Ben go?", "Ben", True),
        ("¿Dónde vive Mía?", "Mía", True),
        ("Where does Ana live?", None, False),
    ],
)
def test_a_question_names_a_speaker_by_a_part_of_the_name(
    question: str, speaker: str | None, expected: bool
) -> None:
    named = named_speakers(question, find_names(question), [speaker])

    assert named.is_about(speaker) is expected
