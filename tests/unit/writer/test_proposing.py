"""What a trained model may propose, and what the Writer makes of it."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from lightmem.model import (
    AddMemory,
    MemoryChange,
    MemoryKind,
    Source,
    Statement,
    SupersedeMemory,
    Turn,
)
from lightmem_writer.contradiction import Said
from lightmem_writer.drafting import drafts_of
from lightmem_writer.proposing import Proposals, proposals
from lightmem_writer.reconcile import Reconciliation
from support.changes import ScriptedChanges
from support.turns import SAID_AT, a_turn

OLD = "Our standup is at nine sharp."
NEW = "Everybody dials in at half ten because of the Lisbon crew."


def said(words: str, kind: MemoryKind = MemoryKind.FACT, language: str = "en") -> Said:
    return Said(words, kind, language)


async def test_what_is_likely_enough_is_proposed() -> None:
    changes = ScriptedChanges({NEW: 0.95})

    found = await proposals(changes, [(said(NEW), [said(OLD)])])

    assert found == {(NEW, OLD): 0.95}


async def test_what_is_not_likely_enough_is_not_proposed() -> None:
    changes = ScriptedChanges({NEW: 0.89})

    assert await proposals(changes, [(said(NEW), [said(OLD)])]) == {}
    assert len(changes.shown) == 1


async def test_without_a_model_nothing_is_proposed() -> None:
    assert await proposals(None, [(said(NEW), [said(OLD)])]) == {}


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (said(NEW), said(OLD, MemoryKind.EVENT)),
        (said(NEW, MemoryKind.PLAN), said(OLD)),
        (said("I'd love to start at half ten."), said(OLD)),
        (said("We also have a call at half ten."), said(OLD)),
        (said("We might start at half ten."), said(OLD)),
        (said(NEW), said("I think nine is a good time.")),
        (said("My sister Ana lives in Leeds."), said("My brother lives in Porto.")),
        (said("My friend Nina moved to Leeds."), said("My friend Leo lives in Porto.")),
        (said("Room 12 costs 80 euros."), said("Room 14 costs 60 euros.")),
        (said(OLD), said(OLD)),
        (said("Quedamos a las diez y media.", language="es"), said(OLD)),
        (said("Quedamos a las diez.", language="es"), said("Quedamos a las 9.", language="es")),
    ],
    ids=[
        "what happened", "a plan", "a wish", "also", "unreal", "an opinion", "another relative",
        "another friend", "two numbers", "the same words", "another language",
        "a language it does not read",
    ],
)  # fmt: skip
async def test_the_model_is_not_asked_about(new: Said, old: Said) -> None:
    changes = ScriptedChanges({new.words: 1.0})

    found = await proposals(changes, [(new, [old])])

    assert found == {}
    assert changes.shown == []


def decided(*words: str, proposed: Proposals, kinds: Sequence[MemoryKind]) -> list[MemoryChange]:
    turns: dict[str, Turn] = {}
    statements = []
    for number, (each, kind) in enumerate(zip(words, kinds, strict=True), start=1):
        turn = a_turn(
            each, speaker=None, number=number, occurred_at=SAID_AT + timedelta(days=number)
        )
        turns[turn.id] = turn
        statements.append(Statement(each, kind, "en", (), (Source(turn.id, each),)))
    return Reconciliation(proposed=proposed).decide(drafts_of(statements, turns))


def test_what_is_proposed_closes_the_older_memory_when_the_newer_was_said() -> None:
    _, change = decided(
        OLD, NEW, proposed={(NEW, OLD): 0.95}, kinds=[MemoryKind.FACT, MemoryKind.FACT]
    )

    assert isinstance(change, SupersedeMemory)
    assert change.successor.statement.text == NEW
    assert change.valid_to == SAID_AT + timedelta(days=2)


def test_the_likeliest_alone_is_closed() -> None:
    other = "The whole team meets in the kitchen."
    proposed = {(NEW, OLD): 0.95, (NEW, other): 0.92}

    first, _, change = decided(OLD, other, NEW, proposed=proposed, kinds=[MemoryKind.FACT] * 3)

    assert isinstance(first, AddMemory)
    assert isinstance(change, SupersedeMemory)
    assert change.memory_id == first.memory_id


def test_rules_have_the_first_say() -> None:
    old, new = "My favourite colour is blue.", "My favourite colour is green now."
    talk = "The walls are white."

    first, _, change = decided(
        old, talk, new, proposed={(new, talk): 1.0}, kinds=[MemoryKind.FACT] * 3
    )

    assert isinstance(first, AddMemory)
    assert isinstance(change, SupersedeMemory)
    assert change.memory_id == first.memory_id


def test_the_successor_takes_over_the_attribute() -> None:
    old, new = "I work at Acme.", "Globex made me an offer and I took it."

    first, change = decided(old, new, proposed={(new, old): 0.99}, kinds=[MemoryKind.FACT] * 2)

    assert isinstance(first, AddMemory)
    assert isinstance(change, SupersedeMemory)
    assert change.successor.attribute_key == first.attribute_key
    assert first.attribute_key is not None
