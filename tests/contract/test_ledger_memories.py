"""Memories keep their quotes and their history; what the Writer decides is applied whole."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from lightmem.adapters.ledger import SqlLedger
from lightmem.domain.ids import new_id
from lightmem.domain.utility import utility
from lightmem.errors import InvalidInput, NotFound, VersionConflict
from lightmem.model import (
    AddMemory,
    JobKind,
    Memory,
    MemoryChange,
    MemoryKind,
    MemoryStatus,
    Outcome,
    Precision,
    Source,
    Statement,
    SupersedeMemory,
    SupportMemory,
    Turn,
)
from support.clock import FixedClock
from support.ledgers import FREE, NOON, add, ids, learn, say, stored


def utility_of_new(*, quotes: int) -> float:
    return utility(now=NOON, learnt_at=NOON, used_at=None, accesses=0, quotes=quotes)


LISBON = "We moved to Lisbon."
OSLO = "We moved to Oslo, not Lisbon."
MAY = datetime(2024, 5, 1, tzinfo=UTC)


async def hear(ledger: SqlLedger, tenant_id: str, content: str) -> tuple[Turn, str]:
    """A new turn and the operation that it waits in."""
    accepted = await say(ledger, tenant_id, content)
    return accepted.turns[0], accepted.operation.id


async def commit(
    ledger: SqlLedger, tenant_id: str, operation_id: str, turn: Turn, *changes: MemoryChange
) -> list[Memory]:
    return await ledger.commit_writing(
        tenant_id,
        "ana",
        operation_id,
        changes=changes,
        outcomes=stored(turn),
        extraction=FREE,
    )


# --- adding ---------------------------------------------------------------------------------


async def test_a_memory_comes_back_as_it_was_stated(ledger: SqlLedger, acme: str) -> None:
    turn, operation_id = await hear(ledger, acme, "Nos mudamos a Lisboa en mayo.")
    statement = Statement(
        text="Ana se mudó a Lisboa.",
        kind=MemoryKind.EVENT,
        language="es",
        entities=["Ana", "Lisboa"],
        sources=[Source(turn.id, "a Lisboa"), Source(turn.id, "Nos mudamos")],
        valid_from=MAY,
        valid_to=MAY + timedelta(days=31),
        valid_precision=Precision.MONTH,
    )

    (memory,) = await commit(ledger, acme, operation_id, turn, AddMemory(statement, "f1"))

    assert memory == await ledger.get_memory(acme, memory.id)
    assert memory == Memory(
        id=memory.id,
        tenant_id=acme,
        user_id="ana",
        kind=MemoryKind.EVENT,
        text=statement.text,
        language="es",
        entities=("Ana", "Lisboa"),
        status=MemoryStatus.ACTIVE,
        version=1,
        recorded_at=NOON,
        sources=tuple(statement.sources),
        valid_from=statement.valid_from,
        valid_to=statement.valid_to,
        valid_precision=Precision.MONTH,
        utility=utility_of_new(quotes=len(statement.sources)),
    )
    assert await ledger.memory_history(acme, memory.id) == [memory]


async def test_a_writing_names_the_memories_of_each_turn(ledger: SqlLedger, acme: str) -> None:
    accepted = await say(ledger, acme, "I like tea.", "And coffee.", "Hm.")
    tea, coffee, _ = accepted.turns
    both = add("tea and coffee", Source(tea.id, "tea"), Source(coffee.id, "coffee"))

    touched = await ledger.commit_writing(
        acme,
        "ana",
        accepted.operation.id,
        changes=[add("tea", Source(tea.id, "tea")), both],
        outcomes=stored(tea, coffee),
        extraction=FREE,
    )

    of_tea, of_coffee, of_last = (await ledger.get_operation(acme, accepted.operation.id)).outcomes
    assert list(of_tea.memory_ids) == ids(touched)
    assert list(of_coffee.memory_ids) == [touched[1].id]
    assert (of_last.outcome, of_last.memory_ids) == (Outcome.PENDING, ())
    (job,) = await ledger.lease_jobs([JobKind.INDEX_MEMORIES], limit=9, lease_s=60.0)
    assert job.payload == {"memory_ids": ids(touched)}


async def test_the_same_said_again_is_one_memory_with_both_quotes(
    ledger: SqlLedger, acme: str
) -> None:
    first = await learn(ledger, acme, LISBON)

    second = await learn(ledger, acme, LISBON)

    assert second.id == first.id
    assert len(second.sources) == 2
    assert second.version == 1
    assert {source.quote for source in second.sources} == {LISBON}


async def test_sixteen_writers_of_one_fingerprint_at_once_make_one_memory(
    ledger: SqlLedger, acme: str
) -> None:
    heard = [await hear(ledger, acme, LISBON) for _ in range(16)]

    await asyncio.gather(
        *[
            commit(ledger, acme, operation_id, turn, add(LISBON, Source(turn.id, LISBON)))
            for turn, operation_id in heard
        ]
    )

    page = await ledger.list_memories(
        acme, "ana", status=None, kind=None, query=None, limit=50, cursor=None
    )
    (memory,) = page.items
    assert {source.turn_id for source in memory.sources} == {turn.id for turn, _ in heard}
    assert len(memory.sources) == 16


async def test_a_quote_is_kept_once(ledger: SqlLedger, acme: str) -> None:
    turn, operation_id = await hear(ledger, acme, LISBON)
    source = Source(turn.id, "Lisbon")

    (memory,) = await commit(ledger, acme, operation_id, turn, add("x", source, source))

    assert memory.sources == (source,)


async def test_a_quote_as_long_as_a_turn_is_kept(ledger: SqlLedger, acme: str) -> None:
    content = "Ñandú " * 5_000
    memory = await learn(ledger, acme, content)

    assert (await ledger.get_memory(acme, memory.id)).sources[0].quote == content


async def test_a_quote_that_its_turn_does_not_hold_counts_for_nothing(
    ledger: SqlLedger, acme: str
) -> None:
    turn, operation_id = await hear(ledger, acme, LISBON)

    touched = await commit(
        ledger,
        acme,
        operation_id,
        turn,
        add("invented", Source(turn.id, "We moved to Oslo")),
        add("from nowhere", Source("no such turn", "We")),
        add("unquoted"),
        add("half", Source(turn.id, "Lisbon"), Source(turn.id, "Oslo")),
    )

    assert [memory.text for memory in touched] == ["half"]
    assert touched[0].sources == (Source(turn.id, "Lisbon"),)


async def test_a_turn_deleted_meanwhile_gives_nothing(ledger: SqlLedger, acme: str) -> None:
    turn, operation_id = await hear(ledger, acme, LISBON)
    await ledger.delete_turn(acme, turn.id, user_id=None, actor="test")

    touched = await commit(ledger, acme, operation_id, turn, add(LISBON, Source(turn.id, LISBON)))

    assert touched == []
    (outcome,) = (await ledger.get_operation(acme, operation_id)).outcomes
    assert (outcome.outcome, outcome.reason) == (Outcome.REJECTED, "DELETED")


# --- supporting and superseding -------------------------------------------------------------


async def test_a_supported_memory_gains_sources(ledger: SqlLedger, acme: str) -> None:
    memory = await learn(ledger, acme, LISBON)
    turn, operation_id = await hear(ledger, acme, "Lisbon it is.")
    source = Source(turn.id, "Lisbon")

    (supported,) = await commit(
        ledger, acme, operation_id, turn, SupportMemory(memory.id, [source])
    )

    assert supported == replace(memory, sources=(*memory.sources, source))


async def test_a_superseded_memory_is_closed_and_names_its_successor(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    memory = await learn(ledger, acme, LISBON)
    turn, operation_id = await hear(ledger, acme, OSLO)
    ledger_clock.advance(60.0)
    change = SupersedeMemory(memory.id, 1, add(OSLO, Source(turn.id, OSLO)), MAY)

    closed, successor = await commit(ledger, acme, operation_id, turn, change)

    assert closed == replace(
        memory,
        status=MemoryStatus.SUPERSEDED,
        version=2,
        valid_to=MAY,
        superseded_at=ledger_clock.now(),
        superseded_by=successor.id,
    )
    assert (successor.text, successor.status, successor.version) == (OSLO, MemoryStatus.ACTIVE, 1)
    assert await ledger.memory_history(acme, memory.id) == [closed, memory]
    jobs = await ledger.lease_jobs([JobKind.INDEX_MEMORIES], limit=9, lease_s=60.0)
    assert jobs[-1].payload == {"memory_ids": [closed.id, successor.id]}


async def test_a_successor_that_is_known_already_gains_the_sources(
    ledger: SqlLedger, acme: str
) -> None:
    lisbon = await learn(ledger, acme, LISBON)
    oslo = await learn(ledger, acme, OSLO)
    turn, operation_id = await hear(ledger, acme, OSLO)
    change = SupersedeMemory(lisbon.id, 1, add(OSLO, Source(turn.id, OSLO)), None)

    closed, successor = await commit(ledger, acme, operation_id, turn, change)

    assert (closed.superseded_by, successor.id) == (oslo.id, oslo.id)
    assert len(successor.sources) == 2


async def test_what_says_the_same_already_stands_for_what_was_to_be_stored(
    ledger: SqlLedger, acme: str
) -> None:
    lisbon = await learn(ledger, acme, LISBON)
    turn, operation_id = await hear(ledger, acme, f"{LISBON} Yes. {OSLO}")
    again = replace(add(LISBON, Source(turn.id, LISBON)), memory_id=new_id())
    assert again.memory_id is not None
    oslo = add(OSLO, Source(turn.id, OSLO))

    closed, successor = await commit(
        ledger,
        acme,
        operation_id,
        turn,
        again,
        SupportMemory(again.memory_id, [Source(turn.id, "Yes.")]),
        SupersedeMemory(again.memory_id, 1, oslo, MAY),
    )

    quotes = [source.quote for source in closed.sources]
    assert (closed.id, closed.superseded_by) == (lisbon.id, successor.id)
    assert quotes == [LISBON, LISBON, "Yes."]


async def test_the_words_of_a_superseded_memory_may_become_true_again(
    ledger: SqlLedger, acme: str
) -> None:
    lisbon = await learn(ledger, acme, LISBON)
    turn, operation_id = await hear(ledger, acme, OSLO)
    change = SupersedeMemory(lisbon.id, 1, add(OSLO, Source(turn.id, OSLO)), None)
    await commit(ledger, acme, operation_id, turn, change)

    again = await learn(ledger, acme, LISBON)

    assert again.id != lisbon.id
    assert again.status is MemoryStatus.ACTIVE


async def test_nothing_is_retired_for_a_successor_without_a_quote(
    ledger: SqlLedger, acme: str
) -> None:
    memory = await learn(ledger, acme, LISBON)
    turn, operation_id = await hear(ledger, acme, OSLO)
    change = SupersedeMemory(memory.id, 1, add("invented", Source(turn.id, "Paris")), None)

    assert await commit(ledger, acme, operation_id, turn, change) == []

    assert await ledger.get_memory(acme, memory.id) == memory


async def test_a_writing_that_meets_another_version_changes_nothing(
    ledger: SqlLedger, acme: str
) -> None:
    memory = await learn(ledger, acme, LISBON)
    turn, operation_id = await hear(ledger, acme, OSLO)
    oslo = add(OSLO, Source(turn.id, OSLO))
    other = add("other", Source(turn.id, "moved"))

    with pytest.raises(VersionConflict):
        await commit(
            ledger, acme, operation_id, turn, other, SupersedeMemory(memory.id, 2, oslo, None)
        )

    assert await ledger.get_memory(acme, memory.id) == memory
    page = await ledger.list_memories(
        acme, "ana", status=None, kind=None, query=None, limit=50, cursor=None
    )
    assert page.items == [memory]
    operation = await ledger.get_operation(acme, operation_id)
    assert operation.outcomes[0].outcome is Outcome.PENDING


async def test_only_an_active_memory_is_supported_or_superseded(
    ledger: SqlLedger, acme: str
) -> None:
    memory = await learn(ledger, acme, LISBON)
    turn, operation_id = await hear(ledger, acme, OSLO)
    oslo = add(OSLO, Source(turn.id, OSLO))
    await commit(ledger, acme, operation_id, turn, SupersedeMemory(memory.id, 1, oslo, None))
    late, late_operation_id = await hear(ledger, acme, LISBON)
    change = SupportMemory(memory.id, [Source(late.id, LISBON)])

    with pytest.raises(VersionConflict):
        await commit(ledger, acme, late_operation_id, late, change)
    with pytest.raises(VersionConflict):
        await commit(
            ledger, acme, late_operation_id, late, SupersedeMemory(memory.id, 2, oslo, None)
        )


async def test_of_two_that_supersede_at_once_one_is_told_to_look_again(
    ledger: SqlLedger, acme: str
) -> None:
    memory = await learn(ledger, acme, LISBON)
    heard = [await hear(ledger, acme, f"We moved to {city}.") for city in ("Oslo", "Rome")]

    results = await asyncio.gather(
        *[
            commit(
                ledger,
                acme,
                operation_id,
                turn,
                SupersedeMemory(
                    memory.id, 1, add(turn.content, Source(turn.id, turn.content)), None
                ),
            )
            for turn, operation_id in heard
        ],
        return_exceptions=True,
    )

    assert sorted(type(result).__name__ for result in results) == ["VersionConflict", "list"]
    assert len(await ledger.memory_history(acme, memory.id)) == 2


# --- reading --------------------------------------------------------------------------------


async def listed(
    ledger: SqlLedger,
    tenant_id: str,
    *,
    status: MemoryStatus | None = None,
    kind: MemoryKind | None = None,
    query: str | None = None,
) -> list[str]:
    page = await ledger.list_memories(
        tenant_id, "ana", status=status, kind=kind, query=query, limit=50, cursor=None
    )
    return [memory.text for memory in page.items]


async def test_memories_are_listed_latest_first_by_pages(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    made = []
    for number in range(5):
        made.append(await learn(ledger, acme, f"Fact {number}."))
        ledger_clock.advance(number % 2)
    found: list[str] = []
    cursor = None

    for _ in range(3):
        page = await ledger.list_memories(
            acme, "ana", status=None, kind=None, query=None, limit=2, cursor=cursor
        )
        found += ids(page.items)
        cursor = page.next_cursor

    assert found == ids(made[::-1])
    assert cursor is None


async def test_memories_are_listed_by_status_and_kind(ledger: SqlLedger, acme: str) -> None:
    memory = await learn(ledger, acme, LISBON)
    turn, operation_id = await hear(ledger, acme, OSLO)
    event = add(OSLO, Source(turn.id, OSLO), kind=MemoryKind.EVENT)
    await commit(ledger, acme, operation_id, turn, SupersedeMemory(memory.id, 1, event, None))

    assert await listed(ledger, acme, status=MemoryStatus.ACTIVE) == [OSLO]
    assert await listed(ledger, acme, status=MemoryStatus.SUPERSEDED) == [LISBON]
    assert await listed(ledger, acme, kind=MemoryKind.EVENT) == [OSLO]
    assert await listed(ledger, acme, kind=MemoryKind.PLAN) == []


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("ÑANDÚ", True),
        ("ñandú feliz", True),
        ("STRASSE", True),
        ("100%", True),
        ("a_b", True),
        ("axb", False),
        ("%", True),
        ("feliz%strasse", False),
        ("'; DROP TABLE memories; --", False),
    ],
)
async def test_a_query_is_a_substring_whatever_its_case(
    ledger: SqlLedger, acme: str, query: str, found: bool
) -> None:
    text = "El Ñandú feliz, Straße, 100%, a_b."
    await learn(ledger, acme, text)

    assert await listed(ledger, acme, query=query) == ([text] if found else [])


async def test_memories_are_given_in_the_order_asked_for(ledger: SqlLedger, acme: str) -> None:
    made = [await learn(ledger, acme, f"Fact {number}.") for number in range(3)]

    found = await ledger.get_memories(acme, "ana", [made[2].id, "nothing", made[0].id, made[2].id])

    assert found == [made[2], made[0]]


async def test_an_unknown_memory_is_not_found(ledger: SqlLedger, acme: str) -> None:
    with pytest.raises(NotFound):
        await ledger.get_memory(acme, "nothing")
    with pytest.raises(NotFound):
        await ledger.memory_history(acme, "nothing")


@pytest.mark.parametrize("cursor", ["x", "WyJtZW1vcmllcyIsICIyMDI0LTA1LTA4IiwgIngiXQ"])
async def test_a_cursor_of_no_list_of_memories_is_refused(
    ledger: SqlLedger, acme: str, cursor: str
) -> None:
    with pytest.raises(InvalidInput):
        await ledger.list_memories(
            acme, "ana", status=None, kind=None, query=None, limit=2, cursor=cursor
        )
