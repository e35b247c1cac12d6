"""Calls of one conversation wait for each other and are learnt from together, over each ledger."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from lightmem.adapters.ledger import SqlLedger
from lightmem.errors import WriterUnavailable
from lightmem.model import (
    AcceptedTurns,
    Extraction,
    Gathering,
    Health,
    Job,
    JobEnd,
    JobKind,
    Operation,
    OperationStatus,
    Outcome,
    Turn,
)
from lightmem.ports import Writer
from lightmem_writer import ExtractStatements, LearnTurns
from support.clock import FixedClock
from support.ledgers import said
from support.models import ScriptedLanguageModel
from support.words import Words
from support.writers import PoisonedWriter

QUIET = Gathering(quiet_s=5.0, most_s=12.0, full_bytes=400)
BULK = Gathering(quiet_s=5.0, most_s=12.0, full_bytes=400, is_bulk=True)
AT_ONCE = Gathering(quiet_s=0.0, most_s=0.0, full_bytes=0)


async def say(
    ledger: SqlLedger,
    tenant_id: str,
    *contents: str,
    gathering: Gathering = QUIET,
    user_id: str = "ana",
    session_id: str = "s1",
) -> AcceptedTurns:
    turns = [said(content) for content in contents]
    return await ledger.append_turns(
        tenant_id, user_id, session_id, turns, actor="test", gathering=gathering
    )


async def lease(ledger: SqlLedger, *, limit: int = 10) -> list[Job]:
    return await ledger.lease_jobs([JobKind.WRITE], limit=limit, lease_s=60.0)


def learning(ledger: SqlLedger, writer: Writer | None = None, **options: Any) -> LearnTurns:
    writer = writer or ExtractStatements(None)
    return LearnTurns(ledger=ledger, writer=writer, tokenizer=Words(), **options)


async def operation_of(ledger: SqlLedger, tenant_id: str, accepted: AcceptedTurns) -> Operation:
    return await ledger.get_operation(tenant_id, accepted.operation.id)


# --- when they are due --------------------------------------------------------------------------


async def test_a_call_waits_for_a_quiet_moment(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    await say(ledger, acme, "One.")
    ledger_clock.advance(4.0)
    await say(ledger, acme, "Two.")
    ledger_clock.advance(4.0)
    between = await lease(ledger)
    ledger_clock.advance(1.0)

    assert between == []
    assert len(await lease(ledger)) == 1


async def test_however_much_is_said_it_does_not_wait_for_ever(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    for number in range(4):
        await say(ledger, acme, f"{number}.")
        ledger_clock.advance(3.0)

    assert len(await lease(ledger)) == 1


async def test_enough_for_a_segment_waits_no_longer(ledger: SqlLedger, acme: str) -> None:
    await say(ledger, acme, "A" * 150)
    await say(ledger, acme, "B" * 150)
    before = await lease(ledger)
    await say(ledger, acme, "C" * 150)

    assert before == []
    assert len(await lease(ledger)) == 1


async def test_who_waits_for_the_outcome_hastens_those_before(ledger: SqlLedger, acme: str) -> None:
    await say(ledger, acme, "I own two boats.")
    waited_for = await say(ledger, acme, "I live in Oslo.", gathering=AT_ONCE)

    (job,) = await lease(ledger)
    await learning(ledger).run(job)

    assert (await operation_of(ledger, acme, waited_for)).status is OperationStatus.SUCCEEDED


async def test_a_call_that_is_being_learnt_from_is_not_put_off(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    await say(ledger, acme, "One.")
    ledger_clock.advance(5.0)
    (job,) = await lease(ledger)

    await say(ledger, acme, "B" * 500)

    assert await lease(ledger) == []
    ledger_clock.advance(60.0)
    assert [again.id for again in await lease(ledger)] == [job.id]


async def test_sessions_and_users_do_not_wait_for_each_other(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    await say(ledger, acme, "One.")
    await say(ledger, acme, "Two.", session_id="s2")
    await say(ledger, acme, "Three.", user_id="bob")
    ledger_clock.advance(5.0)

    assert len(await lease(ledger)) == 3


# --- together -----------------------------------------------------------------------------------


async def test_calls_that_waited_share_one_call_of_the_model(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    calls = [
        await say(ledger, acme, words)
        for words in ("I own two boats.", "They lie in Oslo.", "My sister Clara sails them.")
    ]
    ledger_clock.advance(60.0)
    model = ScriptedLanguageModel('{"statements": []}')

    (job,) = await lease(ledger)
    end = await learning(ledger, ExtractStatements(model)).run(job)

    assert end is JobEnd.DONE
    assert len(model.asked) == 1
    operations = [await operation_of(ledger, acme, call) for call in calls]
    assert {operation.status for operation in operations} == {OperationStatus.SUCCEEDED}
    assert [operation.model_calls for operation in operations] == [1, 0, 0]
    assert (await ledger.pending_jobs())[JobKind.WRITE] == 0


async def test_each_turn_ends_once_though_two_workers_learn_from_it(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    accepted = await say(ledger, acme, "I own two boats.")
    ledger_clock.advance(60.0)
    (job,) = await lease(ledger)
    slow = SlowWriter(learning(ledger), job)

    await learning(ledger, slow).run(job)

    (outcome,) = (await operation_of(ledger, acme, accepted)).outcomes
    memories = await ledger.list_memories(
        acme, "ana", status=None, kind=None, query=None, limit=9, cursor=None
    )
    assert outcome.outcome is Outcome.STORED
    assert [memory.text for memory in memories.items] == ["I own two boats."]


class SlowWriter:
    """Has another worker learn the whole job while it extracts something else from it itself."""

    def __init__(self, other: LearnTurns, job: Job) -> None:
        self._other = other
        self._job = job

    async def extract(
        self, tenant_id: str, user_id: str, turns: Sequence[Turn], context: Sequence[Turn] = ()
    ) -> Extraction:
        found = await ExtractStatements(None).extract(tenant_id, user_id, turns, context)
        await self._other.run(self._job)
        (statement,) = found.statements
        return Extraction([replace(statement, text="Ana has boats, two of them.")])


async def test_poison_in_one_call_holds_up_no_other(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    bad = await say(ledger, acme, "I own the ZYX boat.")
    good = await say(ledger, acme, "I live in Oslo.")
    ledger_clock.advance(60.0)
    learn = learning(ledger, PoisonedWriter("ZYX"))

    for _ in range(3):
        for job in await lease(ledger):
            await learn.run(job)
            await ledger.defer_job(job.id, delay_s=0, reason="test")

    assert (await operation_of(ledger, acme, bad)).outcomes[0].outcome is Outcome.QUARANTINED
    assert (await operation_of(ledger, acme, good)).outcomes[0].outcome is Outcome.STORED


# --- progress -----------------------------------------------------------------------------------


async def test_an_operation_shows_how_far_it_is(ledger: SqlLedger, acme: str) -> None:
    facts = [f"I own {number} boats in harbour {number}." for number in range(2, 12)]
    accepted = await say(ledger, acme, *facts, gathering=AT_ONCE)
    clock = iter([0.0, 100.0, *[200.0] * 50])
    learn = learning(ledger, segment_tokens=14, monotonic=lambda: next(clock))
    (job,) = await lease(ledger)

    end = await learn.run(job)

    operation = await operation_of(ledger, acme, accepted)
    assert end is JobEnd.GOES_ON
    assert operation.status is OperationStatus.RUNNING
    assert operation.result is not None
    assert operation.result["turns"] == 10
    assert 0 < operation.result["ended"] < 10
    assert operation.result["segments"] == 1


# --- priorities ---------------------------------------------------------------------------------


async def test_what_is_said_now_comes_before_a_bulk(ledger: SqlLedger, acme: str) -> None:
    for number in range(3):
        await say(ledger, acme, f"Old {number}.", gathering=BULK)
    live = await say(ledger, acme, "Now.", gathering=AT_ONCE)
    other = (await ledger.create_tenant("other", k_anonymity=3, actor="test")).id
    theirs = await say(ledger, other, "Now too.", gathering=AT_ONCE)

    first = await lease(ledger, limit=2)

    assert {job.payload["operation_id"] for job in first} == {
        live.operation.id,
        theirs.operation.id,
    }
    assert [job.is_bulk for job in await lease(ledger)] == [True] * 3


async def test_a_bulk_does_not_wait_for_ever(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    bulk = await say(ledger, acme, "Old.", gathering=BULK)
    ledger_clock.advance(600.0)
    for number in range(4):
        await say(ledger, acme, "Now.", gathering=AT_ONCE, session_id=f"s{number}")

    leased = await lease(ledger, limit=2)

    assert bulk.operation.id in {job.payload["operation_id"] for job in leased}


async def test_what_waits_is_counted_no_further_than_asked(ledger: SqlLedger, acme: str) -> None:
    for number in range(3):
        await say(ledger, acme, f"{number}.")

    assert await ledger.waiting(acme, most=10) == 3
    assert await ledger.waiting(acme, most=2) == 2


# --- a Writer in a process of its own -----------------------------------------------------------


class RemoteWriter:
    """A Writer that some words end; it is up again right afterwards, unless told otherwise."""

    def __init__(self, *lethal: str) -> None:
        self._lethal = lethal
        self._writer = ExtractStatements(None)
        self.is_up = True
        self.calls = 0

    async def extract(
        self, tenant_id: str, user_id: str, turns: Sequence[Turn], context: Sequence[Turn] = ()
    ) -> Extraction:
        self.calls += 1
        if not self.is_up or any(word in turn.content for turn in turns for word in self._lethal):
            raise WriterUnavailable("the Writer does not answer")
        return await self._writer.extract(tenant_id, user_id, turns, context)

    async def check(self) -> Health:
        return Health("writer", "ok" if self.is_up else "down")


async def until_done(ledger: SqlLedger, learn: LearnTurns) -> int:
    """Run the job as the runner would, giving tries back; how many it took."""
    for number in range(1, 40):
        (job,) = await lease(ledger)
        try:
            end = await learn.run(job)
        except WriterUnavailable:
            await ledger.defer_job(job.id, delay_s=0, reason="test", tries=-1)
            continue
        assert end is JobEnd.DONE
        return number
    raise AssertionError("the job never ends")


async def test_a_turn_that_ends_a_remote_writer_is_found_and_quarantined(
    ledger: SqlLedger, acme: str
) -> None:
    facts = [f"I own {number} boats in harbour {number}." for number in range(2, 9)]
    accepted = await say(
        ledger, acme, *facts[:4], "I own the ZYX boat.", *facts[4:], gathering=AT_ONCE
    )
    writer = RemoteWriter("ZYX")

    tries = await until_done(ledger, learning(ledger, writer, ask_writer=writer.check))

    outcomes = (await operation_of(ledger, acme, accepted)).outcomes
    assert [one.outcome for one in outcomes].count(Outcome.STORED) == 7
    assert outcomes[4].outcome is Outcome.QUARANTINED
    assert "went away" in (outcomes[4].reason or "")
    assert tries <= 8


async def test_a_long_outage_of_a_remote_writer_blames_nobody(ledger: SqlLedger, acme: str) -> None:
    accepted = await say(ledger, acme, "I own two boats.", gathering=AT_ONCE)
    writer = RemoteWriter()
    writer.is_up = False
    learn = learning(ledger, writer, ask_writer=writer.check)
    for _ in range(20):
        (job,) = await lease(ledger)
        with pytest.raises(WriterUnavailable):
            await learn.run(job)
        await ledger.defer_job(job.id, delay_s=0, reason="test", tries=-1)

    writer.is_up = True
    await until_done(ledger, learn)

    (outcome,) = (await operation_of(ledger, acme, accepted)).outcomes
    assert outcome.outcome is Outcome.STORED
    assert writer.calls == 2
