"""What nobody used and nobody would miss goes; whatever tells anything stays."""

from dataclasses import replace

import pytest

from lightmem.model import DreamAction, MemoryKind, Verdict
from lightmem_consolidator.chatter import is_passing_remark
from lightmem_consolidator.leaving import MOST, UNUSED, unused_steps
from support.dreams import judged, known
from support.ledgers import NOON


@pytest.mark.parametrize(
    "text",
    [
        "I'm so happy for you!",
        "Your support really means a lot to me.",
        "I've heard so many great things.",
        "We were so lucky to have everyone with us!",
        "Estoy muy contenta, muchas gracias.",
        "我真的很开心，谢谢你！",
    ],
)
def test_a_remark_of_feeling_praise_or_thanks_tells_nothing(text: str) -> None:
    assert is_passing_remark(known(text))


@pytest.mark.parametrize(
    "text",
    [
        "I am vegan.",
        "I'm trans.",
        "I play the cello.",
        "I am getting better.",
        "I need help.",
        "I'm trying to get help.",
        "I came out.",
        "I feel nothing.",
        "I took it again.",
        "I'm a huge fan of Sibelius.",
        "It was really great, we talked for six hours.",
        "I'm so happy to know my sister is well.",
        "I'm glad the doctor called.",
        "I have a really good job.",
        "I really hope we can see the lighthouse.",
        "Tengo muchas ganas de ver a mi madre.",
        "Soy celíaco.",
        "我太太很好。",
        "我有了。",
        "我很喜欢下棋。",
    ],
)
def test_what_is_short_and_tells_something_stays(text: str) -> None:
    assert not is_passing_remark(known(text))


def test_kinds_and_times_that_matter_stay_whatever_the_words() -> None:
    remark = known("I'm so excited!")
    memory = remark.memory

    plan = replace(remark, memory=replace(memory, kind=MemoryKind.PLAN))
    liked = replace(remark, memory=replace(memory, kind=MemoryKind.PREFERENCE))
    dated = replace(remark, memory=replace(memory, valid_from=NOON))
    named = replace(remark, memory=replace(memory, entities=("Rex",)))
    often = replace(remark, memory=replace(memory, sources=[*memory.sources] * 2))

    assert is_passing_remark(remark)
    assert not any(is_passing_remark(one) for one in (plan, liked, dated, named))
    assert is_passing_remark(often), "one turn quoted twice is one turn"


def test_the_speakers_own_name_is_nobody_elses() -> None:
    remark = known("Ana: I'm so excited!", speaker="Ana")

    assert is_passing_remark(replace(remark, memory=replace(remark.memory, entities=("Ana",))))


def test_each_goes_by_a_step_of_its_own_that_says_why_and_the_checks_allow_it() -> None:
    remark, fact = known("I'm so excited!", id="m1"), known("I am vegan.", id="m2")
    others = [known(f"The tram {number} is late.", id=f"o{number}") for number in range(9)]

    steps = judged(*unused_steps([remark, fact], ()), known=[remark, fact, *others])

    (step,) = steps
    assert step.action is DreamAction.FORGET
    assert [one.memory_id for one in step.before] == ["m1"]
    assert (step.verdict, step.reason) == (Verdict.ACCEPTED, UNUSED)


def test_what_another_step_works_on_is_left_to_it_and_one_dream_takes_some() -> None:
    many = [known("I'm so excited!", id=f"m{number}") for number in range(MOST + 5)]

    steps = unused_steps(many, {"m0"})

    assert len(steps) == MOST
    assert {"m0"}.isdisjoint(one.memory_id for step in steps for one in step.before)
