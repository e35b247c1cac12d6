"""Dreams and attributes of which one value holds: what was learnt since is not overruled."""

from dataclasses import replace

import pytest

from lightmem.adapters.ledger import SqlLedger
from lightmem.domain.fingerprint import fingerprint
from lightmem.errors import AttributeTaken
from lightmem.model import (
    AddMemory,
    DreamPolicy,
    DreamStatus,
    Memory,
    MemoryStatus,
    Source,
    SupersedeMemory,
    Verdict,
)
from lightmem.ports.dreams import DreamWish
from support.dreams import forget, merge, planned, rows_of_user
from support.ledgers import FREE, add, say, stored

AUTO = DreamWish(DreamPolicy.AUTO)
LIVES = "lives in:>>"
LISBON, PORTO = "I live in Lisbon.", "I live in Porto."


async def learn(
    ledger: SqlLedger, tenant_id: str, text: str, key: str | None, over: Memory | None = None
) -> Memory:
    """Learn what claims an attribute, in the place of another memory if there is one."""
    accepted = await say(ledger, tenant_id, text)
    said = add(text, Source(accepted.turn_ids[0], text), fingerprint=fingerprint(text))
    added: AddMemory = replace(said, attribute_key=key)
    change = added if over is None else SupersedeMemory(over.id, over.version, added, None)
    found = await ledger.commit_writing(
        tenant_id,
        "ana",
        accepted.operation.id,
        changes=[change],
        outcomes=stored(*accepted.turns),
        extraction=FREE,
    )
    return next(one for one in found if one.text == text)


async def test_undoing_does_not_overrule_the_value_that_was_learnt_since(
    ledger: SqlLedger, acme: str, ledger_url: str
) -> None:
    lisbon = await learn(ledger, acme, LISBON, LIVES)
    dream = await planned(ledger, acme, forget(lisbon), wish=AUTO)
    porto = await learn(ledger, acme, PORTO, LIVES)
    before = rows_of_user(ledger_url, acme)

    with pytest.raises(AttributeTaken, match=porto.id):
        await ledger.undo_dream(acme, dream.id, user_id=None, actor="test")

    assert rows_of_user(ledger_url, acme) == before
    assert (await ledger.get_dream(acme, dream.id)).status is DreamStatus.APPLIED


async def test_it_can_be_undone_when_that_value_is_gone(ledger: SqlLedger, acme: str) -> None:
    lisbon = await learn(ledger, acme, LISBON, LIVES)
    dream = await planned(ledger, acme, forget(lisbon), wish=AUTO)
    porto = await learn(ledger, acme, PORTO, LIVES)
    await ledger.delete_turn(acme, porto.sources[0].turn_id, user_id=None, actor="test")

    await ledger.undo_dream(acme, dream.id, user_id=None, actor="test")

    assert (await ledger.get_memory(acme, lisbon.id)).status is MemoryStatus.ACTIVE


async def test_the_same_value_said_again_gives_way_to_the_restored_one(
    ledger: SqlLedger, acme: str
) -> None:
    lisbon = await learn(ledger, acme, LISBON, LIVES)
    dream = await planned(ledger, acme, forget(lisbon), wish=AUTO)
    again = await learn(ledger, acme, LISBON, LIVES)

    await ledger.undo_dream(acme, dream.id, user_id=None, actor="test")

    restored, other = await ledger.get_memories(acme, "ana", [lisbon.id, again.id])
    assert restored.status is MemoryStatus.ACTIVE
    assert (other.status, other.superseded_by) == (MemoryStatus.SUPERSEDED, lisbon.id)


async def test_a_merge_keeps_the_attribute_and_gives_it_back(
    ledger: SqlLedger, acme: str, ledger_url: str
) -> None:
    lisbon = await learn(ledger, acme, LISBON, LIVES)
    sun = await learn(ledger, acme, "The sun shines.", None)
    before = rows_of_user(ledger_url, acme)
    dream = await planned(ledger, acme, merge(f"{LISBON} {sun.text}", lisbon, sun), wish=AUTO)
    made = dream.steps[0].memory_id

    held = (await ledger.memories_of_attributes(acme, "ana", [LIVES]))[LIVES]
    await ledger.undo_dream(acme, dream.id, user_id=None, actor="test")

    assert [one.id for one in held if one.status is MemoryStatus.ACTIVE] == [made]
    assert rows_of_user(ledger_url, acme) == before


async def test_a_step_whose_value_was_replaced_meanwhile_is_aborted(
    ledger: SqlLedger, acme: str
) -> None:
    lisbon = await learn(ledger, acme, LISBON, LIVES)
    sun = await learn(ledger, acme, "The sun shines.", None)
    dream = await planned(ledger, acme, merge(f"{LISBON} {sun.text}", lisbon, sun))
    porto = await learn(ledger, acme, PORTO, LIVES, over=lisbon)

    applied = await ledger.apply_dream(acme, dream.id, step_ids=None, user_id=None, actor="test")

    assert applied.steps[0].verdict is Verdict.ABORTED
    assert (await ledger.get_memory(acme, porto.id)).status is MemoryStatus.ACTIVE
