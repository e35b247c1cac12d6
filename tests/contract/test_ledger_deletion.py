"""Deleting a turn reaches all that derives from it; no words of it stay."""

from datetime import timedelta

import pytest
from sqlalchemy import create_engine

from lightmem.adapters.ledger import SqlLedger
from lightmem.adapters.ledger.tables import metadata
from lightmem.errors import NotFound
from lightmem.model import (
    JobKind,
    MemoryStatus,
    NewTurn,
    OperationStatus,
    Outcome,
    Role,
    Session,
    Source,
)
from support.clock import FixedClock
from support.ledgers import FREE, NOON, add, learn, said, say, stored

SECRET = "Xylophonist Quetzal"


async def delete(ledger: SqlLedger, tenant_id: str, turn_id: str) -> None:
    await ledger.delete_turn(tenant_id, turn_id, user_id="ana", actor="test")


def everything_in(url: str) -> str:
    """All rows of all tables, as text."""
    engine = create_engine(url)
    with engine.connect() as connection:
        rows = [
            str(tuple(row))
            for table in metadata.tables.values()
            for row in connection.execute(table.select())
        ]
    engine.dispose()
    return "\n".join(rows)


async def test_a_deleted_turn_is_gone_from_every_list(ledger: SqlLedger, acme: str) -> None:
    accepted = await say(ledger, acme, "One.", "Two.")
    first, second = accepted.turn_ids

    await delete(ledger, acme, first)

    with pytest.raises(NotFound):
        await ledger.get_turn(acme, first)
    page = await ledger.list_turns(acme, "ana", session_id=None, limit=10, cursor=None)
    assert [turn.id for turn in page.items] == [second]
    with pytest.raises(NotFound):
        await delete(ledger, acme, first)


async def test_a_memory_that_nothing_else_says_is_forgotten(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    memory = await learn(ledger, acme, f"I am the {SECRET}.")
    ledger_clock.advance(60.0)

    await delete(ledger, acme, memory.sources[0].turn_id)

    forgotten = await ledger.get_memory(acme, memory.id)
    assert forgotten.status is MemoryStatus.FORGOTTEN
    assert (forgotten.text, forgotten.entities, forgotten.sources) == ("", (), ())
    assert forgotten.superseded_at == ledger_clock.now()
    history = await ledger.memory_history(acme, memory.id)
    assert [(version.version, version.text) for version in history] == [(2, ""), (1, "")]


async def test_no_words_of_a_deleted_turn_are_left_in_the_ledger(
    ledger: SqlLedger, acme: str, ledger_url: str
) -> None:
    turn = NewTurn(
        Role.USER,
        f"I am the {SECRET}.",
        NOON,
        client_id=f"c {SECRET}",
        speaker=SECRET,
        metadata={"also": SECRET},
    )
    accepted = await ledger.append_turns(acme, "ana", "s1", [turn], actor="test")
    (stored_turn,) = accepted.turns
    await ledger.commit_writing(
        acme,
        "ana",
        accepted.operation.id,
        changes=[add(f"Ana is the {SECRET}", Source(stored_turn.id, SECRET), fingerprint="f")],
        outcomes=stored(stored_turn),
        extraction=FREE,
    )
    before = everything_in(ledger_url)

    await delete(ledger, acme, stored_turn.id)

    assert SECRET in before
    after = everything_in(ledger_url)
    assert SECRET not in after
    assert SECRET.casefold() not in after


async def test_a_memory_that_another_turn_says_too_lives_on(ledger: SqlLedger, acme: str) -> None:
    first = await learn(ledger, acme, "Tea.")
    second = await learn(ledger, acme, "Tea.")

    await delete(ledger, acme, first.sources[0].turn_id)

    memory = await ledger.get_memory(acme, first.id)
    assert memory.status is MemoryStatus.ACTIVE
    assert memory.text == "Tea."
    assert memory.sources == second.sources[1:]


async def test_what_was_forgotten_with_a_turn_may_be_learnt_again(
    ledger: SqlLedger, acme: str
) -> None:
    memory = await learn(ledger, acme, "Tea.")
    await delete(ledger, acme, memory.sources[0].turn_id)

    again = await learn(ledger, acme, "Tea.")

    assert again.id != memory.id
    assert again.status is MemoryStatus.ACTIVE


async def test_the_index_is_told_what_left_and_what_changed(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    accepted = await say(ledger, acme, "Before.", "Tea, coffee.", "Coffee.", "After.")
    before, deleted, after, _ = accepted.turns
    tea, coffee = await ledger.commit_writing(
        acme,
        "ana",
        accepted.operation.id,
        changes=[
            add("tea", Source(deleted.id, "Tea")),
            add("coffee", Source(deleted.id, "coffee"), Source(after.id, "Coffee")),
        ],
        outcomes=stored(*accepted.turns),
        extraction=FREE,
    )
    ledger_clock.advance(60.0)
    for job in await ledger.lease_jobs(list(JobKind), limit=10, lease_s=600.0):
        await ledger.complete_job(job.id)

    await delete(ledger, acme, deleted.id)

    jobs = await ledger.lease_jobs(list(JobKind), limit=10, lease_s=600.0)
    assert {job.kind: job.payload for job in jobs} == {
        JobKind.DELETE_POINTS: {"ids": [deleted.id, tea.id]},
        JobKind.INDEX_TURNS: {"turn_ids": [before.id, after.id]},
        JobKind.INDEX_MEMORIES: {"memory_ids": [coffee.id]},
    }


async def test_a_session_shows_what_is_left_of_it(ledger: SqlLedger, acme: str) -> None:
    times = [NOON, NOON + timedelta(hours=1), NOON + timedelta(hours=2)]
    accepted = await ledger.append_turns(
        acme, "ana", "s1", [said("Hi.", at=at) for at in times], actor="test"
    )
    first, second, third = accepted.turn_ids

    await delete(ledger, acme, third)
    after_one = await ledger.list_sessions(acme, "ana", limit=10, cursor=None)
    await delete(ledger, acme, first)
    await delete(ledger, acme, second)
    after_all = await ledger.list_sessions(acme, "ana", limit=10, cursor=None)

    assert after_one.items == [Session("s1", times[0], times[1], turns=2)]
    assert after_all.items == []


async def test_a_place_in_a_session_is_not_given_twice(ledger: SqlLedger, acme: str) -> None:
    accepted = await say(ledger, acme, "One.", "Two.")
    await delete(ledger, acme, accepted.turn_ids[1])

    later = await say(ledger, acme, "Three.")

    assert later.turns[0].seq == 3


async def test_a_turn_deleted_before_it_was_learnt_from_is_not_waited_for(
    ledger: SqlLedger, acme: str
) -> None:
    accepted = await say(ledger, acme, "One.")

    await delete(ledger, acme, accepted.turn_ids[0])

    operation = await ledger.get_operation(acme, accepted.operation.id)
    assert operation.status is OperationStatus.SUCCEEDED
    (outcome,) = operation.outcomes
    assert (outcome.outcome, outcome.reason) == (Outcome.REJECTED, "DELETED")


async def test_the_client_id_of_a_deleted_turn_is_free_again(ledger: SqlLedger, acme: str) -> None:
    first = await ledger.append_turns(
        acme, "ana", "s1", [said("One.", client_id="c1")], actor="test"
    )
    await delete(ledger, acme, first.turn_ids[0])

    second = await ledger.append_turns(
        acme, "ana", "s1", [said("Two.", client_id="c1")], actor="test"
    )

    assert len(second.turns) == 1
