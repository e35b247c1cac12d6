"""What becomes of statements: the same, changed, put right, ended, late, and of two people."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from lightmem.model import (
    AddMemory,
    AddSuperseded,
    MemoryChange,
    MemoryKind,
    Role,
    Source,
    Statement,
    SupersedeMemory,
    SupportMemory,
    Turn,
)
from lightmem_writer.drafting import drafts_of
from lightmem_writer.reconcile import Reconciliation, sources_of
from support.turns import SAID_AT, a_turn


def decided(
    *said: str,
    language: str = "en",
    kinds: Sequence[MemoryKind] = (),
    days: Sequence[int] = (),
    role: Role = Role.USER,
) -> list[MemoryChange]:
    """What is decided on turns of one session, each a statement, said a day after the other."""
    turns: dict[str, Turn] = {}
    statements = []
    for number, words in enumerate(said, start=1):
        day = days[number - 1] if days else number
        turn = a_turn(
            words,
            speaker=None,
            number=number,
            role=role,
            occurred_at=SAID_AT + timedelta(days=day),
        )
        turns[turn.id] = turn
        kind = kinds[number - 1] if kinds else MemoryKind.FACT
        statements.append(Statement(words, kind, language, (), (Source(turn.id, words),)))
    return Reconciliation().decide(drafts_of(statements, turns))


def kinds_of(changes: Sequence[MemoryChange]) -> list[str]:
    return [type(change).__name__ for change in changes]


def test_the_same_words_add_up_their_sources() -> None:
    (change,) = decided("I really mean it.", "i really mean IT")

    assert isinstance(change, AddMemory)
    assert change.statement.text == "I really mean it."
    assert len(sources_of(change)) == 2


def test_other_words_are_another_memory() -> None:
    changes = decided("The trains were late again.", "My knees hurt after the run.")

    assert kinds_of(changes) == ["AddMemory", "AddMemory"]


@pytest.mark.parametrize(
    ("old", "new", "language"),
    [
        ("I live in Porto.", "I moved to Lisbon.", "en"),
        ("I work at Acme.", "I started a new job at Globex.", "en"),
        ("My favourite colour is blue.", "My favorite color is now green.", "en"),
        ("I prefer tea to coffee.", "I prefer coffee now.", "en"),
        ("I love sushi.", "I don't like sushi any more.", "en"),
        ("Vivo en Oporto.", "Me mudé a Lisboa.", "es"),
        ("Trabajo en Acme.", "Empecé a trabajar en Globex.", "es"),
        ("Me encanta el sushi.", "Ya no me gusta el sushi.", "es"),
        ("我住在北京。", "我搬到了上海。", "zh"),
        ("我在谷歌工作。", "我加入了腾讯。", "zh"),
        ("我喜欢吃寿司。", "我不喜欢吃寿司了。", "zh"),
    ],
)
def test_a_new_value_supersedes_the_old_one_from_when_it_was_said(
    old: str, new: str, language: str
) -> None:
    added, superseded = decided(old, new, language=language)

    assert isinstance(added, AddMemory)
    assert isinstance(superseded, SupersedeMemory)
    assert superseded.memory_id == added.memory_id
    assert superseded.successor.attribute_key == added.attribute_key is not None
    assert superseded.valid_to == SAID_AT + timedelta(days=2)


@pytest.mark.parametrize(
    ("first", "again", "language"),
    [
        ("I live in Porto.", "We live in Porto, Portugal.", "en"),
        ("Vivo en Oporto.", "Seguimos igual: vivo en Oporto.", "es"),
        ("我住在北京。", "我现在还住在北京。", "zh"),
    ],
)
def test_the_same_value_again_supports_what_is_known(first: str, again: str, language: str) -> None:
    added, support = decided(first, again, language=language)

    assert isinstance(added, AddMemory)
    assert isinstance(support, SupportMemory)
    assert support.memory_id == added.memory_id


@pytest.mark.parametrize(
    ("said", "language"),
    [
        (("My sister Ana lives in Porto.", "My colleague Ana lives in Madrid."), "en"),
        (("I live in Porto.", "My brother lives in Madrid."), "en"),
        (("Mi hermana Ana vive en Oporto.", "Mi compañera Ana vive en Madrid."), "es"),
        (("我姐姐安娜住在波尔图。", "我同事安娜住在马德里。"), "zh"),
    ],
)
def test_two_people_do_not_overwrite_each_other(said: Sequence[str], language: str) -> None:
    assert kinds_of(decided(*said, language=language)) == ["AddMemory", "AddMemory"]


def test_what_is_multiple_adds() -> None:
    changes = decided("I love sushi.", "I love hiking.", "I have a dog named Rex.")

    assert kinds_of(changes) == ["AddMemory"] * 3


@pytest.mark.parametrize(
    ("said", "language", "value"),
    [
        (("I live in Porto.", "No, I meant Lisbon."), "en", "Lisbon"),
        (("Vivo en Oporto.", "No, quise decir Lisboa."), "es", "Lisboa"),
        (("我住在北京。", "我说错了，是上海。"), "zh", "上海"),
    ],
)
def test_a_correction_closes_what_never_held(
    said: Sequence[str], language: str, value: str
) -> None:
    _, change = decided(*said, language=language)

    assert isinstance(change, SupersedeMemory)
    assert change.valid_to is None
    assert value in change.successor.statement.text
    assert len(sources_of(change)) == 2


@pytest.mark.parametrize(
    ("old", "end", "language"),
    [
        ("I work at Acme.", "I no longer work at Acme.", "en"),
        ("I work at Acme.", "I quit my job at Acme.", "en"),
        ("Trabajo en Acme.", "Ya no trabajo en Acme.", "es"),
        ("我在谷歌工作。", "我不在谷歌上班了。", "zh"),
        ("I play chess on Sundays with Tom.", "I stopped playing chess with Tom.", "en"),
    ],
)
def test_an_end_closes_what_held(old: str, end: str, language: str) -> None:
    _, change = decided(old, end, language=language)

    assert isinstance(change, SupersedeMemory)
    assert change.valid_to == SAID_AT + timedelta(days=2)


def test_the_end_of_something_else_leaves_what_holds() -> None:
    changes = decided("I work at Globex.", "I no longer work at Acme.")

    assert kinds_of(changes) == ["AddMemory", "AddMemory"]


@pytest.mark.parametrize(
    ("plan", "fact", "language"),
    [
        ("I'm moving to Madrid in July.", "I moved to Madrid.", "en"),
        ("Me voy a mudar a Madrid.", "Me mudé a Madrid.", "es"),
        ("我打算搬到上海。", "我搬到了上海。", "zh"),
    ],
)
def test_a_plan_that_came_to_pass_gives_way(plan: str, fact: str, language: str) -> None:
    added, change = decided(plan, fact, language=language)

    assert isinstance(added, AddMemory)
    assert isinstance(change, SupersedeMemory)
    assert change.memory_id == added.memory_id


def test_a_plan_without_a_claim_gives_way_to_what_happened() -> None:
    kinds = (MemoryKind.PLAN, MemoryKind.EVENT)

    changes = decided(
        "I'm going to run the Valencia marathon.", "I ran the Valencia marathon!", kinds=kinds
    )

    assert kinds_of(changes) == ["AddMemory", "SupersedeMemory"]


def test_a_plan_does_not_change_what_holds() -> None:
    changes = decided("I live in Porto.", "I'm moving to Madrid in July.")

    assert kinds_of(changes) == ["AddMemory", "AddMemory"]


def test_what_was_said_before_and_is_learnt_late_is_stored_closed() -> None:
    added, late = decided("I live in Lisbon.", "I live in Porto.", days=(10, 1))

    assert isinstance(added, AddMemory)
    assert isinstance(late, AddSuperseded)
    assert late.successor_id == added.memory_id
    assert late.valid_to == SAID_AT + timedelta(days=10)


def test_an_assistant_overrules_nobody() -> None:
    changes = decided("I live in Porto.", "I live in Lisbon.", role=Role.ASSISTANT)

    assert kinds_of(changes) == ["AddMemory", "AddMemory"]
    assert all(isinstance(one, AddMemory) and one.attribute_key is None for one in changes)


def test_two_claims_of_one_sentence_change_one_by_one() -> None:
    home, work, moved = decided("I live in Porto and I work at Acme.", "I moved to Lisbon.")

    assert isinstance(home, AddMemory)
    assert isinstance(work, AddMemory)
    assert isinstance(moved, SupersedeMemory)
    assert (home.statement.text, work.statement.text) == ("I live in Porto", "I work at Acme.")
    assert moved.memory_id == home.memory_id


@pytest.mark.parametrize(
    "said",
    [
        ("My sister is tired.", "My sister is a doctor."),
        ("I ran 5 km this morning.", "I ran 8 km this morning."),
        ("If I lived in Rome I would be happy.", "I live in Porto."),
        ("I used to live in Rome.", "I live in Porto."),
    ],
)
def test_what_is_merely_alike_stays(said: Sequence[str]) -> None:
    kinds = [MemoryKind.EVENT if "ran" in words else MemoryKind.FACT for words in said]

    assert kinds_of(decided(*said, kinds=kinds)) == ["AddMemory", "AddMemory"]


@pytest.mark.parametrize(
    ("language", "known", "ended"),
    [
        ("en", "I've been volunteering at the animal shelter on Saturdays with Tom.",
         "I had to stop volunteering at the shelter, my shoulder hurts."),
        ("en", "We're in a chess club with the neighbours.", "The chess club fell apart."),
        ("es", "Mi hermano da clases de piano en casa los sábados.",
         "Mi hermano ha dejado las clases de piano, no le salía a cuenta."),
        ("zh", "我们家订了一份晚报，每天下午送到。", "晚报退订了，没空看。"),
    ],
)  # fmt: skip
def test_what_ends_is_known_by_the_words_that_name_it(
    language: str, known: str, ended: str
) -> None:
    changes = decided(known, ended, language=language)

    assert kinds_of(changes) == ["AddMemory", "SupersedeMemory"]


@pytest.mark.parametrize(
    ("known", "ended"),
    [
        ("I bought a book about whales.", "I had to stop reading the novel."),
        ("My sister has a garden in Leeds.", "I quit the choir, no time."),
        ("I love the park by the river.", "We gave up on the boat by the river."),
    ],
)
def test_what_ends_is_not_what_only_shares_a_word(known: str, ended: str) -> None:
    assert kinds_of(decided(known, ended)) == ["AddMemory", "AddMemory"]


def test_a_plan_came_to_pass_however_much_is_said_around_it() -> None:
    changes = decided(
        "I'm going to start a pottery course soon, I've already paid the deposit.",
        "The pottery course started and my first bowl cracked in the kiln.",
        kinds=(MemoryKind.PLAN, MemoryKind.EVENT),
    )

    assert kinds_of(changes) == ["AddMemory", "SupersedeMemory"]


def test_what_puts_right_nothing_known_is_not_kept() -> None:
    assert decided("Sorry, 270.") == []


def test_a_late_turn_between_two_values_ends_the_earlier_one() -> None:
    changes = decided(
        "I live in Porto.", "I live in Lisbon.", "I live in Madrid.", days=[1, 30, 10]
    )

    porto, lisbon, madrid = changes
    assert isinstance(porto, AddMemory)
    assert isinstance(lisbon, SupersedeMemory)
    assert isinstance(madrid, AddSuperseded)
    assert madrid.valid_to == SAID_AT + timedelta(days=30)
    assert madrid.shortened is not None
    assert madrid.shortened.memory_id == porto.memory_id
    assert madrid.shortened.valid_to == SAID_AT + timedelta(days=10)
