"""Of an attribute one memory holds, whoever writes; what was overtaken keeps its time."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from lightmem.adapters.ledger import SqlLedger
from lightmem.errors import VersionConflict
from lightmem.model import (
    AddMemory,
    AddSuperseded,
    JobKind,
    Memory,
    MemoryChange,
    MemoryStatus,
    Shortened,
    Source,
    SupersedeMemory,
    Turn,
    Use,
)
from support.clock import FixedClock
from support.ledgers import FREE, NOON, add, say, stored

KEY = "lives in:>>"
PORTO, LISBON = "I live in Porto.", "I live in Lisbon."


async def hear(ledger: SqlLedger, tenant_id: str, content: str) -> tuple[Turn, str]:
    accepted = await say(ledger, tenant_id, content)
    return accepted.turns[0], accepted.operation.id


def living(turn: Turn, *, memory_id: str | None = None) -> AddMemory:
    """That somebody lives where the turn says."""
    added = add(turn.content, Source(turn.id, turn.content))
    return replace(added, attribute_key=KEY, memory_id=memory_id)


async def commit(
    ledger: SqlLedger, tenant_id: str, heard: tuple[Turn, str], *changes: MemoryChange
) -> list[Memory]:
    turn, operation_id = heard
    return await ledger.commit_writing(
        tenant_id,
        "ana",
        operation_id,
        changes=changes,
        outcomes=stored(turn),
        extraction=FREE,
    )


async def test_a_second_value_of_an_attribute_is_refused(ledger: SqlLedger, acme: str) -> None:
    porto, lisbon = await hear(ledger, acme, PORTO), await hear(ledger, acme, LISBON)
    await commit(ledger, acme, porto, living(porto[0]))

    with pytest.raises(VersionConflict):
        await commit(ledger, acme, lisbon, living(lisbon[0]))

    found = await ledger.memories_of_attributes(acme, "ana", [KEY])
    assert [memory.text for memory in found[KEY]] == [PORTO]


async def test_writers_of_two_values_end_with_one_that_holds(ledger: SqlLedger, acme: str) -> None:
    heard = [await hear(ledger, acme, f"I live in town {number}.") for number in range(6)]

    async def write(one: tuple[Turn, str]) -> None:
        """As the Writer does: look, decide, and again when another was first."""
        while True:
            known = (await ledger.memories_of_attributes(acme, "ana", [KEY])).get(KEY, [])
            held = [memory for memory in known if memory.status is MemoryStatus.ACTIVE]
            added = living(one[0])
            change: MemoryChange = added
            if held:
                change = SupersedeMemory(held[0].id, held[0].version, added, NOON)
            try:
                await commit(ledger, acme, one, change)
                return
            except VersionConflict:
                continue

    await asyncio.gather(*[write(one) for one in heard])

    known = (await ledger.memories_of_attributes(acme, "ana", [KEY]))[KEY]
    assert len(known) == len(heard)
    assert [memory.status for memory in known].count(MemoryStatus.ACTIVE) == 1


async def test_writers_of_the_same_fact_end_in_one_memory(ledger: SqlLedger, acme: str) -> None:
    heard = [await hear(ledger, acme, PORTO) for _ in range(4)]

    await asyncio.gather(*[commit(ledger, acme, one, living(one[0])) for one in heard])

    [memory] = (await ledger.memories_of_attributes(acme, "ana", [KEY]))[KEY]
    assert len(memory.sources) == len(heard)


async def test_what_took_the_place_holds_from_when_the_other_ended(
    ledger: SqlLedger, acme: str
) -> None:
    porto, lisbon = await hear(ledger, acme, PORTO), await hear(ledger, acme, LISBON)
    [old] = await commit(ledger, acme, porto, living(porto[0]))

    change = SupersedeMemory(old.id, old.version, living(lisbon[0]), NOON + timedelta(days=3))
    closed, new = await commit(ledger, acme, lisbon, change)

    assert (closed.status, closed.superseded_by) == (MemoryStatus.SUPERSEDED, new.id)
    assert closed.valid_to == NOON + timedelta(days=3)
    assert await ledger.hold_from(acme, "ana", [new.id]) == {new.id: NOON + timedelta(days=3)}
    assert [each.version for each in await ledger.memory_history(acme, old.id)] == [2, 1]


async def test_what_was_overtaken_before_it_was_learnt_is_stored_closed(
    ledger: SqlLedger, acme: str
) -> None:
    lisbon, porto = await hear(ledger, acme, LISBON), await hear(ledger, acme, PORTO)
    [new] = await commit(ledger, acme, lisbon, living(lisbon[0]))

    late = AddSuperseded(living(porto[0]), new.id, NOON)
    old = (await commit(ledger, acme, porto, late))[0]

    assert (old.status, old.superseded_by, old.valid_to) == (MemoryStatus.SUPERSEDED, new.id, NOON)
    assert (await ledger.get_memory(acme, new.id)).status is MemoryStatus.ACTIVE


async def test_what_is_learnt_between_two_values_ends_the_earlier_one(
    ledger: SqlLedger, acme: str
) -> None:
    heard = [await hear(ledger, acme, f"I live in {town}.") for town in ("Porto", "Faro", "Lisbon")]
    porto, faro, lisbon = heard
    [first] = await commit(ledger, acme, porto, living(porto[0]))
    later = SupersedeMemory(first.id, first.version, living(lisbon[0]), NOON + timedelta(days=30))
    closed, last = await commit(ledger, acme, lisbon, later)
    shortened = Shortened(closed.id, closed.version, NOON + timedelta(days=10))

    between = AddSuperseded(
        living(faro[0]), last.id, NOON + timedelta(days=30), shortened=shortened
    )
    await commit(ledger, acme, faro, between)

    known = (await ledger.memories_of_attributes(acme, "ana", [KEY]))[KEY]
    by_text = {memory.text: memory for memory in known}
    old, middle = by_text[PORTO], by_text["I live in Faro."]
    assert (old.valid_to, old.superseded_by) == (NOON + timedelta(days=10), middle.id)
    assert (middle.valid_to, middle.superseded_by) == (NOON + timedelta(days=30), last.id)
    again = await hear(ledger, acme, "I live in Braga.")
    stale = AddSuperseded(living(again[0]), last.id, NOON + timedelta(days=30), shortened=shortened)
    with pytest.raises(VersionConflict):
        await commit(ledger, acme, again, stale)


async def test_uses_add_up_and_make_a_memory_more_useful(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    porto = await hear(ledger, acme, PORTO)
    [memory] = await commit(ledger, acme, porto, living(porto[0]))
    at = ledger_clock.now()

    await ledger.note_uses(
        [Use(acme, "ana", memory.id, 2, at), Use(acme, "ana", porto[0].id, 1, at)]
    )
    await ledger.note_uses([Use(acme, "ana", "nobody", 1, at), Use(acme, "ben", memory.id, 9, at)])

    used = await ledger.get_memory(acme, memory.id)
    assert (used.access_count, used.last_accessed_at) == (3, at)
    assert used.utility > memory.utility
    assert used.version == memory.version


async def test_the_least_useful_beyond_the_capacity_are_archived(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    learnt = []
    for number in range(4):
        heard = await hear(ledger, acme, f"Fact number {number}.")
        added = add(heard[0].content, Source(heard[0].id, heard[0].content))
        learnt += await commit(ledger, acme, heard, added)
    await ledger.note_uses([Use(acme, "ana", learnt[0].id, 3, ledger_clock.now())])

    asked = await ledger.ask_for_archiving(acme, "ana", capacity=3)
    again = await ledger.ask_for_archiving(acme, "ana", capacity=3)
    jobs = (await ledger.pending_jobs())[JobKind.ARCHIVE]
    archived = await ledger.archive_surplus(acme, "ana", capacity=3)

    assert (asked, again, jobs) == (True, True, 1)
    assert archived == [learnt[1].id]
    kept = await ledger.get_memory(acme, learnt[1].id)
    assert (kept.status, kept.text) == (MemoryStatus.ARCHIVED, "Fact number 1.")
    assert not await ledger.ask_for_archiving(acme, "ana", capacity=3)
    assert await ledger.archive_surplus(acme, "ana", capacity=3) == []


async def test_the_audit_names_each_archived_memory_and_never_its_user(
    ledger: SqlLedger, acme: str
) -> None:
    for number in range(3):
        heard = await hear(ledger, acme, f"Fact number {number}.")
        added = add(heard[0].content, Source(heard[0].id, heard[0].content))
        await commit(ledger, acme, heard, added)

    archived = await ledger.archive_surplus(acme, "ana", capacity=1)

    entries = (await ledger.list_audit(acme, limit=100, cursor=None)).items
    assert {one.target for one in entries if one.action == "memory.archive"} == set(archived)
    assert "ana" not in {one.target for one in entries}
