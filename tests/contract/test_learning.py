"""Learning from turns, over each ledger: every turn ends in one outcome, nothing is doubled."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from lightmem.adapters.ledger import SqlLedger
from lightmem.errors import NotFound, VersionConflict, WriterUnavailable
from lightmem.jobs import JobRunner
from lightmem.model import (
    AcceptedTurns,
    Job,
    JobEnd,
    JobKind,
    Memory,
    MemoryChange,
    NewTurn,
    Operation,
    OperationStatus,
    Outcome,
    Role,
)
from lightmem.ports import Writer
from lightmem_writer import ExtractStatements, LearnTurns
from support.clock import FixedClock
from support.jobs import RecordingIndexing, RecordingPoints
from support.ledgers import NOON, said
from support.models import ScriptedLanguageModel, is_unavailable
from support.words import Words
from support.writers import FlakyWriter, LethalWriter, PoisonedWriter, WorkerKilled

LEASE_S = 30.0


def learning(ledger: SqlLedger, writer: Writer | None = None, **options: Any) -> LearnTurns:
    return LearnTurns(
        ledger=ledger, writer=writer or ExtractStatements(None), tokenizer=Words(), **options
    )


async def append(ledger: SqlLedger, tenant_id: str, *turns: NewTurn | str) -> AcceptedTurns:
    given = [said(turn) if isinstance(turn, str) else turn for turn in turns]
    return await ledger.append_turns(tenant_id, "ana", "s1", given, actor="test")


async def lease(ledger: SqlLedger) -> Job:
    (job,) = await ledger.lease_jobs([JobKind.WRITE], limit=1, lease_s=LEASE_S)
    return job


async def operation_of(ledger: SqlLedger, tenant_id: str, accepted: AcceptedTurns) -> Operation:
    return await ledger.get_operation(tenant_id, accepted.operation.id)


async def memories(ledger: SqlLedger, tenant_id: str) -> Sequence[Memory]:
    page = await ledger.list_memories(
        tenant_id, "ana", status=None, kind=None, query=None, limit=200, cursor=None
    )
    return page.items


def outcomes(operation: Operation) -> list[Outcome]:
    return [outcome.outcome for outcome in operation.outcomes]


async def test_each_turn_ends_in_an_outcome(ledger: SqlLedger, acme: str) -> None:
    accepted = await append(
        ledger,
        acme,
        "I work as a nurse in Oslo.",
        "Thanks!",
        NewTurn(Role.SYSTEM, "You are kind.", NOON),
    )

    end = await learning(ledger).run(await lease(ledger))

    operation = await operation_of(ledger, acme, accepted)
    assert end is JobEnd.DONE
    assert operation.status is OperationStatus.SUCCEEDED
    assert outcomes(operation) == [Outcome.STORED, Outcome.NO_FACTS, Outcome.NO_FACTS]
    (memory,) = await memories(ledger, acme)
    assert operation.outcomes[0].memory_ids == (memory.id,)
    assert memory.text == "I work as a nurse in Oslo."
    assert memory.sources[0].quote in "I work as a nurse in Oslo."


async def test_what_was_learnt_is_to_be_indexed_and_the_job_is_gone(
    ledger: SqlLedger, acme: str
) -> None:
    await append(ledger, acme, "I work as a nurse in Oslo.")

    await learning(ledger).run(await lease(ledger))

    pending = await ledger.pending_jobs()
    assert (pending[JobKind.WRITE], pending[JobKind.INDEX_MEMORIES]) == (0, 1)


async def test_the_same_words_are_two_turns_and_one_memory(ledger: SqlLedger, acme: str) -> None:
    first = await append(ledger, acme, "I work as a nurse in Oslo.", "I work as a nurse in Oslo.")
    await learning(ledger).run(await lease(ledger))
    second = await append(ledger, acme, "i work as a nurse in oslo")
    await learning(ledger).run(await lease(ledger))

    (memory,) = await memories(ledger, acme)
    assert len(memory.sources) == 3
    for accepted in (first, second):
        operation = await operation_of(ledger, acme, accepted)
        assert set(outcomes(operation)) == {Outcome.STORED}
        assert {tuple(one.memory_ids) for one in operation.outcomes} == {(memory.id,)}


async def test_only_a_fallback_is_a_reason_for_what_was_stored(
    ledger: SqlLedger, acme: str
) -> None:
    by_rules = await append(ledger, acme, "I work as a nurse in Oslo.", "Thanks!")
    await learning(ledger).run(await lease(ledger))
    fell_back = await append(ledger, acme, "My sister Clara paints tall houses.")
    writer = ExtractStatements(ScriptedLanguageModel("no JSON at all"))
    await learning(ledger, writer).run(await lease(ledger))

    reasons = [
        [one.reason for one in (await operation_of(ledger, acme, accepted)).outcomes]
        for accepted in (by_rules, fell_back)
    ]

    assert reasons == [[None, None], ["model answered outside the schema"]]


async def test_running_a_job_again_changes_nothing(ledger: SqlLedger, acme: str) -> None:
    await append(ledger, acme, "I work as a nurse in Oslo.", "My sister Clara is a dentist.")
    job = await lease(ledger)
    await learning(ledger).run(job)
    before = await memories(ledger, acme)

    assert await learning(ledger).run(job) is JobEnd.DONE

    assert await memories(ledger, acme) == before


async def test_a_writer_that_goes_away_half_way_loses_and_doubles_nothing(
    ledger: SqlLedger, acme: str
) -> None:
    facts = [f"I own {number} boats in harbour {number}." for number in range(2, 12)]
    accepted = await append(ledger, acme, *facts)
    writer = FlakyWriter(calls=3)
    learn = learning(ledger, writer, segment_tokens=14)
    job = await lease(ledger)

    with pytest.raises(WriterUnavailable):
        await learn.run(job)
    half = await memories(ledger, acme)
    writer.is_up = True
    await learn.run(job)

    assert 0 < len(half) < len(facts)
    assert len(await memories(ledger, acme)) == len(facts)
    operation = await operation_of(ledger, acme, accepted)
    assert outcomes(operation) == [Outcome.STORED] * len(facts)


async def test_poison_is_isolated_and_quarantined_and_the_rest_is_learnt(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    facts = [f"I own {number} boats in harbour {number}." for number in range(2, 9)]
    accepted = await append(ledger, acme, *facts, "I own the ZYX boat.")
    writer = PoisonedWriter("ZYX")
    learn = learning(ledger, writer, job_attempts=3)

    for attempt in range(1, 4):
        job = await lease(ledger)
        assert await learn.run(job) is (JobEnd.DONE if attempt == 3 else JobEnd.LEFT)
        await ledger.defer_job(job.id, delay_s=0, reason="test")

    operation = await operation_of(ledger, acme, accepted)
    assert outcomes(operation) == [*[Outcome.STORED] * 7, Outcome.QUARANTINED]
    assert operation.outcomes[-1].reason == "extraction failed 3 times: ValueError"
    assert operation.finished_at is not None
    assert len(await memories(ledger, acme)) == 7
    assert writer.sizes[0] == 8


async def test_a_turn_that_never_fits_what_is_known_is_quarantined_and_the_rest_is_learnt(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted = await append(ledger, acme, "I own 2 boats in harbour 3.", "I own the ZYX boat.")
    commit_writing = ledger.commit_writing

    async def conflicting(*args: Any, changes: Sequence[MemoryChange], **options: Any) -> Any:
        if any("ZYX" in str(change) for change in changes):
            raise VersionConflict("memory 'm' changed")
        return await commit_writing(*args, changes=changes, **options)

    monkeypatch.setattr(ledger, "commit_writing", conflicting)
    learn = learning(ledger, job_attempts=3)

    for attempt in range(1, 4):
        job = await lease(ledger)
        assert await learn.run(job) is (JobEnd.DONE if attempt == 3 else JobEnd.LEFT)
        await ledger.defer_job(job.id, delay_s=0, reason="test")

    operation = await operation_of(ledger, acme, accepted)
    assert outcomes(operation) == [Outcome.STORED, Outcome.QUARANTINED]
    assert operation.finished_at is not None


async def test_a_turn_that_kills_the_worker_is_found_by_halving_and_quarantined(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    facts = [f"I own {number} boats in harbour {number}." for number in range(2, 9)]
    accepted = await append(ledger, acme, *facts[:4], "I own the ZYX boat.", *facts[4:])
    writer = LethalWriter("ZYX")
    learn = learning(ledger, writer, job_attempts=3)

    tries = await until_it_ends(ledger, ledger_clock, learn)

    operation = await operation_of(ledger, acme, accepted)
    assert outcomes(operation).count(Outcome.STORED) == 7
    assert operation.outcomes[4].outcome is Outcome.QUARANTINED
    assert operation.outcomes[4].reason == f"none of {tries - 1} tries came to an end"
    assert [one.reason for one in operation.outcomes].count(None) == 7
    assert len(await memories(ledger, acme)) == 7
    assert writer.sizes[:4] == [8, 8, 8, 4]
    assert tries <= 8


async def test_of_two_turns_that_kill_the_worker_both_are_found(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    facts = [f"I own {number} boats in harbour {number}." for number in range(2, 6)]
    accepted = await append(ledger, acme, "I own the ZYX boat.", *facts, "I own the QXZ boat.")

    await until_it_ends(ledger, ledger_clock, learning(ledger, LethalWriter("ZYX", "QXZ")))

    operation = await operation_of(ledger, acme, accepted)
    assert outcomes(operation) == [
        Outcome.QUARANTINED,
        *[Outcome.STORED] * 4,
        Outcome.QUARANTINED,
    ]


async def test_a_long_outage_uses_up_no_tries(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    accepted = await append(ledger, acme, "I own two boats.", "My sister Clara is a dentist.")
    writer = FlakyWriter(calls=0)
    learn = learning(ledger, writer, job_attempts=3)
    runner = JobRunner(
        ledger=ledger, indexing=RecordingIndexing(), index=RecordingPoints(), learn=learn
    )

    for _ in range(20):
        await runner.attend(await lease(ledger), lease_s=LEASE_S)
        ledger_clock.advance(3600)
    last = await lease(ledger)
    writer.is_up = True
    await learn.run(last)

    assert last.attempts == 1
    assert set(outcomes(await operation_of(ledger, acme, accepted))) == {Outcome.STORED}


async def until_it_ends(ledger: SqlLedger, clock: FixedClock, learn: LearnTurns) -> int:
    """Run the job as workers would that are killed over it; how many tries it took."""
    for number in range(1, 20):
        job = await lease(ledger)
        with suppress(WorkerKilled):
            await learn.run(job)
            return number
        clock.advance(LEASE_S)
    raise AssertionError("the job never ends")


async def test_the_quarantined_are_learnt_when_tried_again(ledger: SqlLedger, acme: str) -> None:
    accepted = await append(ledger, acme, "I own the ZYX boat.")
    writer = PoisonedWriter("ZYX")
    learn = learning(ledger, writer, job_attempts=1)
    await learn.run(await lease(ledger))

    writer.is_poisoned = False
    await ledger.retry_operation(acme, accepted.operation.id, user_id=None, actor="test")
    await learn.run(await lease(ledger))

    operation = await operation_of(ledger, acme, accepted)
    assert outcomes(operation) == [Outcome.STORED]
    assert len(await memories(ledger, acme)) == 1


async def test_a_model_that_is_down_loses_no_turn(ledger: SqlLedger, acme: str) -> None:
    accepted = await append(ledger, acme, "My sister Clara paints tall houses.")
    writer = ExtractStatements(ScriptedLanguageModel(is_unavailable()))

    await learning(ledger, writer).run(await lease(ledger))

    operation = await operation_of(ledger, acme, accepted)
    assert outcomes(operation) == [Outcome.STORED]
    assert operation.outcomes[0].reason == "model unavailable"
    assert operation.model_calls == 1


async def test_the_cost_of_all_segments_adds_up(ledger: SqlLedger, acme: str) -> None:
    accepted = await append(
        ledger, acme, "I own two red boats.", "My sister Clara paints tall houses."
    )
    model = ScriptedLanguageModel('{"statements": []}')

    await learning(ledger, ExtractStatements(model), segment_tokens=6).run(await lease(ledger))

    operation = await operation_of(ledger, acme, accepted)
    assert operation.model_calls == len(model.asked) == 2
    assert operation.prompt_tokens > 0


async def test_a_turn_deleted_meanwhile_is_not_learnt(ledger: SqlLedger, acme: str) -> None:
    accepted = await append(ledger, acme, "I own two boats.", "My sister Clara is a dentist.")
    job = await lease(ledger)
    await ledger.delete_turn(acme, accepted.turn_ids[0], user_id=None, actor="test")

    await learning(ledger).run(job)

    assert [memory.text for memory in await memories(ledger, acme)] == [
        "My sister Clara is a dentist."
    ]


async def test_a_job_of_another_tenant_finds_nothing(ledger: SqlLedger, acme: str) -> None:
    await append(ledger, acme, "I own two boats.")
    other = await ledger.create_tenant("other", k_anonymity=3, actor="test")
    job = replace(await lease(ledger), tenant_id=other.id)

    with pytest.raises(NotFound):
        await learning(ledger).run(job)

    assert not await memories(ledger, acme)


class Remembering:
    """Remembers these texts, and finds them like anything."""

    def __init__(self, *texts: str) -> None:
        self._texts = texts

    async def like(self, tenant_id: str, user_id: str, text: str) -> Sequence[str]:
        return self._texts


async def test_an_assistant_that_repeats_memories_adds_none(ledger: SqlLedger, acme: str) -> None:
    accepted = await append(
        ledger,
        acme,
        "My sister Clara paints tall houses.",
        NewTurn(Role.ASSISTANT, "So your sister Clara paints tall houses.", NOON),
        NewTurn(Role.ASSISTANT, "As you told me, you own two red boats in Oslo.", NOON),
    )
    known = Remembering("I own two red boats in Oslo.")

    await learning(ledger, known=known).run(await lease(ledger))

    operation = await operation_of(ledger, acme, accepted)
    assert outcomes(operation) == [Outcome.STORED, Outcome.NO_FACTS, Outcome.NO_FACTS]
    assert [memory.text for memory in await memories(ledger, acme)] == [
        "My sister Clara paints tall houses."
    ]
