"""The validator lets nothing be lost and nothing be made up, and says why it refuses."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightmem.domain.fingerprint import normalised
from lightmem.domain.grounding import Said, unsaid_names, unsaid_numbers
from lightmem.model import (
    Claim,
    ConceptType,
    DreamAction,
    MemoryKind,
    MemoryRef,
    PlannedStep,
    Relation,
    Role,
    Term,
    Verdict,
)
from lightmem_consolidator.keeping import touches_what_matters
from lightmem_consolidator.known import Known
from lightmem_consolidator.rules import merged, updated
from lightmem_consolidator.words import keys_of
from support.dreams import judged, known
from support.ledgers import NOON

LATER = NOON + timedelta(days=30)
TEA = known("Ana: I like tea.")
GREEN = known("Ana: I still like tea every morning.", at=LATER)
LISBON = known("Ana: I rent in Lisbon.")
PORTO = known("Ana: I rent in Porto 3.", at=LATER)


def forgetting(*memories: Known) -> PlannedStep:
    return PlannedStep(DreamAction.FORGET, [one.ref for one in memories])


def reason_of(step: PlannedStep, *memories: Known, **given_: object) -> str | None:
    (verdict,) = judged(step, known=memories, **given_)
    return verdict.reason if verdict.verdict is Verdict.REJECTED else None


# --- what passes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Ana: I still like tea every morning.",
        "Ana: I like tea. I still like tea every morning.",
        "Ana: I like tea and still like tea every morning.",
    ],
)
def test_a_merge_that_says_all_that_each_says_is_accepted(text: str) -> None:
    assert reason_of(merged([TEA, GREEN], text), TEA, GREEN) is None


def test_an_update_in_the_later_words_is_accepted() -> None:
    assert reason_of(updated([LISBON, PORTO]), LISBON, PORTO) is None


def test_an_update_may_keep_the_earlier_value_beside_the_later() -> None:
    step = updated([LISBON, PORTO], "Ana: I rent in Lisbon. I rent in Porto 3.")

    assert reason_of(step, LISBON, PORTO) is None


def test_what_nobody_would_miss_may_be_forgotten() -> None:
    rain = known("Ana: The rain was loud.", kind=MemoryKind.OTHER)

    assert reason_of(forgetting(rain), rain) is None


# --- what is made up -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Ana: I like tea. I still like tea every morning with Boris.", "longer"),
        ("Boris: I like tea every morning.", "a name"),
        ("Ana: I like tea 4 times.", "a number"),
        ("Ana: I like coffee.", "a word"),
        ("Ana: I like tea on 2024-01-02.", "a number"),
        ("Ana: Me gusta el té por la mañana.", "another language"),
        ("安娜喜欢茶。", "another script"),
        ('{"text": "Ana likes tea"}', "markup"),
        ("", "no text"),
        ("Ana: I like morning.", "not made of"),
        ("Ana: I like tea.", "would be lost"),
    ],
)
def test_a_merge_into_anything_else_is_refused_with_its_reason(text: str, reason: str) -> None:
    assert reason in (reason_of(merged([TEA, GREEN], text), TEA, GREEN) or "accepted")


def test_values_do_not_change_sides() -> None:
    both = known("Ana: I live in Lisbon. My cousin lives in Porto.")
    other = known("Ana: My cousin lives in Porto.", at=LATER)

    step = merged([both, other], "Ana: I live in Porto. My cousin lives in Lisbon.")

    assert reason_of(step, both, other) == "not made of what the memories say"


def test_a_day_that_is_said_is_not_merged_away() -> None:
    dated = known("Ana (2024-05-08): I bought tea.", id="dated")
    plain = known("Ana: I bought tea.", at=LATER, id="plain")

    kept = merged([dated, plain], dated.memory.text)
    lost = merged([dated, plain], plain.memory.text)

    assert reason_of(kept, dated, plain) is None
    assert reason_of(lost, dated, plain) == "something that a memory says would be lost"


def test_a_denial_is_not_merged_away() -> None:
    meat, none = known("Ana: I eat meat."), known("Ana: I never eat meat.", at=LATER)

    step = merged([meat, none], "Ana: I never eat meat.")

    assert reason_of(step, meat, none) == "something that a memory says would be lost"


def test_what_two_people_said_stays_two_memories() -> None:
    ben = known("Ben: I like tea.", speaker="Ben", at=LATER)

    assert reason_of(merged([TEA, ben], "Ben: I like tea."), TEA, ben) == "said by different people"


def test_what_was_true_at_different_times_stays_two_memories() -> None:
    then = known("Ana: I rent in Rome.", valid_from=NOON, id="then")
    now = known("Ana: I rent in Rome.", valid_from=LATER, id="now", at=LATER)

    assert reason_of(merged([then, now], then.memory.text), then, now) == (
        "true at different times"
    )


# --- what is lost --------------------------------------------------------------------------------


def test_the_value_that_holds_now_is_kept() -> None:
    step = updated([LISBON, PORTO], "Ana: I rent in Lisbon.")

    assert reason_of(step, LISBON, PORTO) == "the value that holds now would be lost"


def test_an_earlier_memory_changes_no_later_one() -> None:
    step = updated([LISBON, PORTO])
    turned = PlannedStep(step.action, [PORTO.ref, LISBON.ref], step.after)

    assert reason_of(turned, LISBON, PORTO) == "an earlier memory may not change a later one"


def test_an_assistant_does_not_overrule_the_user() -> None:
    bot = known("Ana: I rent in Rome.", role=Role.ASSISTANT, at=LATER)

    assert reason_of(updated([LISBON, bot]), LISBON, bot) == (
        "what an assistant said does not overrule the user"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Ana: My knee hurts since the fall.",
        "Ana: My boss is quick.",
        "Ana: Mi hermana vive lejos.",
        "Ana: The dog steals socks.",
        "Ana: I booked the flight.",
        "Ana: 我妈妈很忙。",
    ],
)
def test_health_work_family_pets_and_plans_are_kept(text: str) -> None:
    memory = known(text, kind=MemoryKind.OTHER)

    assert reason_of(forgetting(memory), memory) is not None


def test_what_is_long_term_said_often_or_recalled_is_kept() -> None:
    rain = known("Ana: The rain was loud.")
    often = known("Ana: The rain was loud.", turns=3, id="often")
    used = known("Ana: The rain was loud.", access_count=1, id="used")

    assert reason_of(forgetting(rain), rain, promoted=frozenset({rain.id})) is not None
    assert reason_of(forgetting(often), often) == "it was said often"
    assert reason_of(forgetting(used), used) == "it was recalled"


def test_no_more_is_removed_than_the_dream_may() -> None:
    rain = [known(f"Ana: The rain was loud, {n}.", kind=MemoryKind.OTHER) for n in range(4)]

    verdicts = judged(
        *[forgetting(one) for one in rain], known=rain, active=10, max_removed_fraction=0.2
    )

    assert [step.verdict for step in verdicts] == [Verdict.ACCEPTED] * 2 + [Verdict.REJECTED] * 2


def test_merging_does_not_count_as_removal() -> None:
    step = merged([TEA, GREEN], GREEN.memory.text)

    assert reason_of(step, TEA, GREEN, max_removed_fraction=0.0) is None


def test_two_steps_do_not_work_on_one_memory() -> None:
    first, second = merged([TEA, GREEN], GREEN.memory.text), forgetting(TEA)

    verdicts = judged(first, second, known=[TEA, GREEN])

    assert [step.verdict for step in verdicts] == [Verdict.ACCEPTED, Verdict.REJECTED]


def test_a_step_about_a_memory_that_was_not_read_is_refused() -> None:
    step = PlannedStep(DreamAction.FORGET, [MemoryRef("unknown", 1)])

    assert reason_of(step, TEA) == "it names a memory that was not read"


def test_a_plan_built_on_what_was_forgotten_is_refused() -> None:
    step = merged([TEA, GREEN], GREEN.memory.text)

    for forgotten in ({TEA.id}, {GREEN.memory.text}):
        assert reason_of(step, TEA, GREEN, forgotten=forgotten) == (
            "it rests on what was forgotten"
        )


def test_something_is_promoted_only_with_evidence_of_several_turns() -> None:
    tea = Term(ConceptType.CONCEPT, "tea", "tea")
    claim = Claim(tea, Relation.IS_A, Term(ConceptType.CONCEPT, "drink", "drink"))
    often = known("Ana: Tea is a drink.", turns=2)
    one, two = (
        PlannedStep(DreamAction.PROMOTE, [often.ref], None, claim, often.turn_ids[:count])
        for count in (1, 2)
    )

    assert reason_of(one, often) == "too few turns say it"
    assert reason_of(two, often) is None
    elsewhere = PlannedStep(DreamAction.PROMOTE, [often.ref], None, claim, ["a", "b"])
    assert reason_of(elsewhere, often) == "it names turns that the memories do not quote"


# --- whatever a model says -----------------------------------------------------------------------

WORDS = [
    "I",
    "you",
    "like",
    "hate",
    "tea",
    "coffee",
    "Lisbon",
    "Porto",
    "Boris",
    "never",
    "3",
    "7",
    "2024-05-08",
    "dog",
    "green",
    "and",
]
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(
    lambda chosen: " ".join(chosen) + "."
)
texts = st.lists(sentences, min_size=1, max_size=3).map(lambda said: "Ana: " + " ".join(said))
free = st.one_of(texts, st.text(max_size=60), st.sampled_from(WORDS))


@st.composite
def proposals(draw: st.DrawFn) -> tuple[list[Known], PlannedStep]:
    """Memories of made-up sentences, and a step whose text may say anything."""
    said = draw(st.lists(texts, min_size=2, max_size=3, unique_by=normalised))
    memories = [
        known(text, at=NOON + timedelta(days=day), id=f"m{day}") for day, text in enumerate(said)
    ]
    own = [st.just(one.memory.text) for one in memories]
    mixed = st.permutations([s for one in said for s in one.removeprefix("Ana: ").split(". ")])
    joined = mixed.map(lambda parts: "Ana: " + ". ".join(parts[:3]))
    text = draw(st.one_of(free, joined, *own))
    make = draw(st.sampled_from([merged, updated]))
    return memories, make(memories, text)


@given(proposals())
def test_whatever_is_accepted_says_nothing_new(proposed: tuple[list[Known], PlannedStep]) -> None:
    memories, step = proposed

    (verdict,) = judged(step, known=memories)

    assert (verdict.verdict is Verdict.ACCEPTED) == (verdict.reason is None)
    if verdict.verdict is Verdict.ACCEPTED:
        assert verdict.after is not None
        said = Said(one.memory.text for one in memories)
        assert unsaid_names(verdict.after.text, said) == []
        assert unsaid_numbers(verdict.after.text, said) == []
        allowed = keys_of(" ".join(one.memory.text for one in memories)) | {"and"}
        assert keys_of(verdict.after.text) <= allowed


@given(proposals())
def test_whatever_is_accepted_keeps_the_value_that_holds_now(
    proposed: tuple[list[Known], PlannedStep],
) -> None:
    memories, step = proposed

    (verdict,) = judged(step, known=memories)

    if verdict.verdict is Verdict.ACCEPTED:
        assert verdict.after is not None
        kept = keys_of(verdict.after.text) | {"and"}
        must_stay = memories if step.action is DreamAction.MERGE else memories[-1:]
        for one in must_stay:
            assert keys_of(one.memory.text) <= kept


@given(st.lists(texts, min_size=1, max_size=8, unique=True), st.floats(0, 1), st.integers(0, 8))
def test_whatever_is_forgotten_matters_to_nobody_and_is_within_bounds(
    said: list[str], fraction: float, active: int
) -> None:
    memories = [known(text, id=text, kind=MemoryKind.OTHER) for text in said]

    verdicts = judged(
        *[forgetting(one) for one in memories],
        known=memories,
        active=active,
        max_removed_fraction=fraction,
    )

    gone = [
        one
        for one, step in zip(memories, verdicts, strict=True)
        if step.verdict is Verdict.ACCEPTED
    ]
    assert len(gone) <= fraction * active
    assert not any(touches_what_matters(one.memory.text) for one in gone)


def test_what_is_promoted_is_not_forgotten_in_the_same_dream() -> None:
    tea = Term(ConceptType.CONCEPT, "tea", "tea")
    claim = Claim(tea, Relation.IS_A, Term(ConceptType.CONCEPT, "drink", "drink"))
    often = known("Ana: Tea is a drink.", turns=2, kind=MemoryKind.OTHER)
    promoting = PlannedStep(DreamAction.PROMOTE, [often.ref], None, claim, often.turn_ids)

    verdicts = judged(forgetting(often), promoting, known=[often])

    assert [step.verdict for step in verdicts] == [Verdict.REJECTED, Verdict.ACCEPTED]
