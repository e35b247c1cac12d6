"""What one turn said in several sentences becomes one memory, and nothing else does."""

import random
from dataclasses import replace
from datetime import timedelta

import pytest

from lightmem.model import MemoryKind, PlannedStep, Source, Verdict
from lightmem_consolidator.known import Known, known_of
from lightmem_consolidator.rules import MOST_JOINED, fragment_steps
from support.dreams import judged, known
from support.ledgers import NOON

SENTENCES = (
    "We roasted marshmallows around the campfire.",
    "I used to be afraid of the dark!",
    "But the stars were out",
    "Nobody wanted to go home.",
    "Would you believe that we sang?",
)


def fragments(*texts: str, speaker: str = "Ana", **changes: object) -> list[Known]:
    """Memories of one turn, a sentence each."""
    found = []
    for number, text in enumerate(texts):
        one = known(f"{speaker}: {text}", speaker=speaker, id=f"m{number}", **changes)  # type: ignore[arg-type]
        memory = replace(one.memory, sources=[Source("t1", text)])
        found.append(replace(one, memory=memory))
    return found


def texts_of(steps: list[PlannedStep]) -> list[str]:
    return [step.after.text for step in steps if step.after is not None]


def test_sentences_of_one_turn_are_joined_in_their_order_each_whole() -> None:
    pieces = fragments(*SENTENCES)

    steps = fragment_steps(pieces, ())

    assert texts_of(steps) == [
        "Ana: We roasted marshmallows around the campfire. I used to be afraid of the dark! "
        "But the stars were out. Nobody wanted to go home. Would you believe that we sang?"
    ]
    assert [step.verdict for step in judged(*steps, known=pieces)] == [Verdict.ACCEPTED]


def test_chinese_sentences_are_joined_too() -> None:
    pieces = fragments("我们在篝火旁唱歌。", "星星出来了。", language="zh")

    steps = fragment_steps(pieces, ())

    assert [step.verdict for step in judged(*steps, known=pieces)] == [Verdict.ACCEPTED]


def test_what_may_be_replaced_by_itself_stays_by_itself() -> None:
    pieces = fragments("I live in Lisbon.", "The light there is wonderful.")

    assert fragment_steps(pieces, ()) == []


def test_other_kinds_times_turns_and_openings_stay_apart() -> None:
    plan = fragments("We sang by the lake.", kind=MemoryKind.PLAN)
    event = fragments("Stars came out.", "Owls hooted.", kind=MemoryKind.EVENT)[1:]
    later = fragments("a", "b", "The moon rose.", valid_from=NOON - timedelta(days=1))[2:]
    other = fragments("a", "b", "c", "Rain fell.", speaker="Ben")[3:]
    elsewhere = [known("Ana: Snow fell.", id="m9")]

    assert fragment_steps([*plan, *event, *later, *other, *elsewhere], ()) == []


def test_a_fact_goes_with_what_it_is_said_beside() -> None:
    fact, event = fragments("The lake is deep.", "We swam to the far shore.")
    event = replace(event, memory=replace(event.memory, kind=MemoryKind.EVENT))

    (step,) = fragment_steps([fact, event], ())

    assert step.after is not None
    assert step.after.kind is MemoryKind.EVENT


def test_a_plan_goes_with_plans_alone_for_it_is_fulfilled_by_itself() -> None:
    fact, plan, again = fragments("The lake is deep.", "We meet there soon.", "We will swim.")
    plan, again = (
        replace(one, memory=replace(one.memory, kind=MemoryKind.PLAN)) for one in (plan, again)
    )

    (step,) = fragment_steps([fact, plan, again], ())

    assert [one.memory_id for one in step.before] == ["m1", "m2"]


def test_what_another_step_works_on_is_left_to_it() -> None:
    pieces = fragments(*SENTENCES[:2])

    assert fragment_steps(pieces, {"m1"}) == []


@pytest.mark.parametrize("seed", range(20))
def test_no_memory_grows_beyond_its_bound_and_no_sentence_is_lost(seed: int) -> None:
    rng = random.Random(seed)
    words = [
        "lake",
        "star",
        "fire",
        "song",
        "owl",
        "dark",
        "home",
        "not",
        "but",
        "if",
        "was",
        "tree",
    ]
    said = [" ".join(rng.choices(words, k=rng.randint(2, 25))) + "." for _ in range(7)]
    pieces = fragments(*dict.fromkeys(said))

    steps = fragment_steps(pieces, ())

    assert all(len(text) <= MOST_JOINED for text in texts_of(steps))
    assert all(step.verdict is Verdict.ACCEPTED for step in judged(*steps, known=pieces))
    named = [one.memory_id for step in steps for one in step.before]
    assert len(named) == len(set(named))
    for step, text in zip(steps, texts_of(steps), strict=True):
        chosen = {one.memory_id for one in step.before}
        assert all(one.words in text for one in pieces if one.id in chosen)


def test_a_sentence_cut_or_joined_without_its_stop_is_still_refused() -> None:
    pieces = fragments("I do not think so.", "The lake is deep.")
    (step,) = fragment_steps(pieces, ())
    assert step.after is not None
    for text in ("Ana: I do not think so the lake is deep.", "Ana: I do not think so. The lake."):
        cut = replace(step, after=replace(step.after, text=text))

        (verdict,) = judged(cut, known=pieces)

        assert verdict.verdict is Verdict.REJECTED


def test_memories_without_a_turn_are_none() -> None:
    assert known_of([known("Ana: Snow fell.").memory], {}) == {}
