"""Jobs over each ledger's outbox: run, kept under lease, put off, given up, relayed."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from lightmem.adapters.ledger import SqlLedger, open_ledger
from lightmem.domain.clock import SystemClock
from lightmem.errors import IndexUnavailable, NotFound, QueueUnavailable
from lightmem.jobs import JobRunner, OutboxRelay, OutboxWorker
from lightmem.jobs.runner import Learning
from lightmem.jobs.worker import INDEX_KINDS
from lightmem.model import AcceptedTurns, Job, JobKind, Operation, OperationStatus
from lightmem_writer import ExtractStatements, LearnTurns
from support.eventually import until
from support.jobs import HeldQueue, RecordingIndexing, RecordingPoints, SlowLearning
from support.ledgers import say
from support.words import Words

LEASE_S = 30.0
ALL = list(JobKind)


@pytest.fixture
async def outbox(ledger_url: str) -> AsyncIterator[SqlLedger]:
    """A ledger whose clock goes on, since leases end by it."""
    opened = open_ledger(ledger_url, clock=SystemClock())
    yield opened
    await opened.close()


@pytest.fixture
async def tenant(outbox: SqlLedger) -> str:
    return (await outbox.create_tenant("acme", k_anonymity=3, actor="test")).id


def runner_over(
    outbox: SqlLedger,
    *,
    indexing: RecordingIndexing | None = None,
    points: RecordingPoints | None = None,
    learn: Learning | None = None,
) -> JobRunner:
    learning = LearnTurns(ledger=outbox, writer=ExtractStatements(None), tokenizer=Words())
    return JobRunner(
        ledger=outbox,
        indexing=indexing or RecordingIndexing(),
        index=points or RecordingPoints(),
        learn=learn or learning,
    )


async def lease(
    outbox: SqlLedger, kinds: Sequence[JobKind] = ALL, *, lease_s: float = LEASE_S
) -> list[Job]:
    return await outbox.lease_jobs(kinds, limit=10, lease_s=lease_s)


async def finished(outbox: SqlLedger, tenant_id: str, accepted: AcceptedTurns) -> Operation:
    """The operation once it has ended."""

    async def ended() -> bool:
        operation = await outbox.get_operation(tenant_id, accepted.operation.id)
        return operation.finished_at is not None

    await until(ended)
    return await outbox.get_operation(tenant_id, accepted.operation.id)


async def emptied(outbox: SqlLedger) -> None:
    """Return once no job is left."""

    async def is_empty() -> bool:
        return not any((await outbox.pending_jobs()).values())

    await until(is_empty)


# --- one job ----------------------------------------------------------------------------------


async def test_each_kind_of_job_does_its_work_and_leaves(outbox: SqlLedger, tenant: str) -> None:
    accepted = await say(outbox, tenant, "I own two boats.", "Thanks!")
    await outbox.delete_turn(tenant, accepted.turn_ids[1], user_id=None, actor="test")
    indexing, points = RecordingIndexing(), RecordingPoints()
    runner = runner_over(outbox, indexing=indexing, points=points)

    for _ in range(3):
        for job in await lease(outbox):
            await runner.attend(job, lease_s=LEASE_S)

    (memory,) = (await finished(outbox, tenant, accepted)).outcomes[0].memory_ids
    assert memory in indexing.indexed
    assert points.deleted == [accepted.turn_ids[1]]
    pending = await outbox.pending_jobs()
    # Indexing the turns is due a little later, since the caller does it at once.
    assert pending[JobKind.WRITE] == pending[JobKind.DELETE_POINTS] == 0


@pytest.mark.parametrize(
    "failure", [IndexUnavailable("down"), ValueError("a bug"), RuntimeError("another")], ids=repr
)
async def test_a_job_that_fails_is_put_off_and_done_later(
    outbox: SqlLedger, tenant: str, failure: Exception
) -> None:
    accepted = await say(outbox, tenant, "I own two boats.")
    indexing = RecordingIndexing(failure)
    runner = runner_over(outbox, indexing=indexing)
    assert accepted.index_job_id is not None
    job = await outbox.get_job(accepted.index_job_id)
    assert job is not None

    await runner.attend(job, lease_s=LEASE_S)

    assert await outbox.get_job(job.id) is not None
    assert indexing.indexed == []

    await runner.attend(job, lease_s=LEASE_S)

    assert await outbox.get_job(job.id) is None
    assert indexing.indexed == list(accepted.turn_ids)


async def test_a_job_about_nothing_is_taken_out(outbox: SqlLedger, tenant: str) -> None:
    accepted = await say(outbox, tenant, "I own two boats.")
    assert accepted.index_job_id is not None
    job = await outbox.get_job(accepted.index_job_id)
    assert job is not None
    runner = runner_over(outbox, indexing=RecordingIndexing(NotFound("gone")))

    await runner.attend(job, lease_s=LEASE_S)

    assert await outbox.get_job(job.id) is None


async def test_a_job_keeps_its_lease_for_as_long_as_it_runs(outbox: SqlLedger, tenant: str) -> None:
    await say(outbox, tenant, "I own two boats.")
    learn = SlowLearning()
    runner = runner_over(outbox, learn=learn)
    (job,) = await lease(outbox, [JobKind.WRITE], lease_s=0.6)

    attending = asyncio.create_task(runner.attend(job, lease_s=0.6))
    await learn.begun.wait()
    await asyncio.sleep(1.5)
    taken_by_another = await lease(outbox, [JobKind.WRITE])
    learn.let_go.set()
    await attending

    assert taken_by_another == []


async def test_a_job_that_is_given_up_is_due_at_once(outbox: SqlLedger, tenant: str) -> None:
    await say(outbox, tenant, "I own two boats.")
    learn = SlowLearning()
    (job,) = await lease(outbox, [JobKind.WRITE])
    attending = asyncio.create_task(runner_over(outbox, learn=learn).attend(job, lease_s=LEASE_S))
    await learn.begun.wait()

    attending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await attending

    assert [other.id for other in await lease(outbox, [JobKind.WRITE])] == [job.id]


async def test_a_job_that_was_done_is_not_run_again(outbox: SqlLedger, tenant: str) -> None:
    accepted = await say(outbox, tenant, "I own two boats.")
    assert accepted.index_job_id is not None
    indexing = RecordingIndexing()
    runner = runner_over(outbox, indexing=indexing)

    await runner.attend_by_id(accepted.index_job_id, lease_s=LEASE_S)
    await runner.attend_by_id(accepted.index_job_id, lease_s=LEASE_S)

    assert indexing.indexed == list(accepted.turn_ids)


async def test_a_job_that_is_brought_twice_is_run_once_at_a_time(
    outbox: SqlLedger, tenant: str
) -> None:
    await say(outbox, tenant, "I own two boats.")
    (job,) = await lease(outbox, [JobKind.WRITE])
    learn = SlowLearning()
    runner = runner_over(outbox, learn=learn)
    first = asyncio.create_task(runner.attend_by_id(job.id, lease_s=LEASE_S))
    await learn.begun.wait()

    await runner.attend_by_id(job.id, lease_s=LEASE_S)
    learn.let_go.set()
    await first

    assert learn.jobs == [job.id]


# --- workers of one process -------------------------------------------------------------------


async def test_workers_bring_every_write_to_its_end(outbox: SqlLedger, tenant: str) -> None:
    worker = OutboxWorker(ledger=outbox, runner=runner_over(outbox), lease_s=LEASE_S, concurrency=2)
    await worker.start()

    accepted = [
        await say(outbox, tenant, f"I own {number} boats.", session_id=f"s{number}")
        for number in range(2, 12)
    ]
    worker.notify()
    ended = [await finished(outbox, tenant, one) for one in accepted]
    await worker.stop()

    assert {operation.status for operation in ended} == {OperationStatus.SUCCEEDED}


async def test_a_failure_stops_no_worker(outbox: SqlLedger, tenant: str) -> None:
    indexing = RecordingIndexing(*[ValueError("a bug")] * 2)
    worker = OutboxWorker(
        ledger=outbox, runner=runner_over(outbox, indexing=indexing), lease_s=LEASE_S
    )
    accepted = await say(outbox, tenant, "I own two boats.")
    assert accepted.index_job_id is not None
    await outbox.defer_job(accepted.index_job_id, delay_s=0, reason="test")

    await worker.start()
    await finished(outbox, tenant, accepted)
    await emptied(outbox)
    await worker.stop()

    assert set(accepted.turn_ids) <= set(indexing.indexed)


async def test_a_slow_model_does_not_hold_up_indexing(outbox: SqlLedger, tenant: str) -> None:
    accepted = await say(outbox, tenant, "I own two boats.")
    learn, indexing = SlowLearning(), RecordingIndexing()
    runner = runner_over(outbox, learn=learn, indexing=indexing)
    worker = OutboxWorker(ledger=outbox, runner=runner, lease_s=LEASE_S)
    assert accepted.index_job_id is not None
    await outbox.defer_job(accepted.index_job_id, delay_s=0, reason="test")

    await worker.start()
    await learn.begun.wait()
    await until(lambda: bool(indexing.indexed))
    learn.let_go.set()
    await worker.stop()

    assert indexing.indexed == list(accepted.turn_ids)


async def test_a_stopped_worker_ends_what_it_began(outbox: SqlLedger, tenant: str) -> None:
    await say(outbox, tenant, "I own two boats.")
    learn = SlowLearning()
    worker = OutboxWorker(ledger=outbox, runner=runner_over(outbox, learn=learn), lease_s=LEASE_S)
    await worker.start()
    await learn.begun.wait()

    stopping = asyncio.create_task(worker.stop())
    await asyncio.sleep(0.05)
    was_waiting = not stopping.done()
    learn.let_go.set()
    await stopping

    assert was_waiting


async def test_a_worker_that_is_stopped_hard_leaves_its_job_due(
    outbox: SqlLedger, tenant: str
) -> None:
    await say(outbox, tenant, "I own two boats.")
    learn = SlowLearning()
    worker = OutboxWorker(ledger=outbox, runner=runner_over(outbox, learn=learn), lease_s=LEASE_S)
    await worker.start()
    await learn.begun.wait()

    await worker.stop(grace_s=0.05)

    assert len(await lease(outbox, [JobKind.WRITE])) == 1


# --- relay ------------------------------------------------------------------------------------


async def test_due_jobs_are_sent_once(outbox: SqlLedger, tenant: str) -> None:
    await say(outbox, tenant, "I own two boats.")
    queue = HeldQueue()
    relay = OutboxRelay(ledger=outbox, queue=queue, lease_s=LEASE_S)

    sent = [await relay.relay_once() for _ in range(2)]

    assert sent == [1, 0]
    assert [job.kind for job in queue.held] == [JobKind.WRITE]


async def test_what_the_queue_loses_is_sent_again(outbox: SqlLedger, tenant: str) -> None:
    await say(outbox, tenant, "I own two boats.")
    queue = HeldQueue()
    relay = OutboxRelay(ledger=outbox, queue=queue, lease_s=0.2)
    await relay.relay_once()
    lost, queue.held = queue.held, []

    async def is_sent_again() -> bool:
        return await relay.relay_once() == 1

    await until(is_sent_again)

    assert [job.id for job in queue.held] == [job.id for job in lost]


async def test_a_full_queue_gets_no_more_to_learn(outbox: SqlLedger, tenant: str) -> None:
    for number in range(5):
        await say(outbox, tenant, f"I own {number} boats.", session_id=f"s{number}")
    queue = HeldQueue()
    relay = OutboxRelay(ledger=outbox, queue=queue, lease_s=LEASE_S, most_waiting=2)

    sent = [await relay.relay_once() for _ in range(3)]
    queue.held.pop()
    sent.append(await relay.relay_once())

    assert sent == [2, 0, 0, 1]


async def test_while_the_queue_is_down_jobs_stay_due(outbox: SqlLedger, tenant: str) -> None:
    await say(outbox, tenant, "I own two boats.")
    queue = HeldQueue()
    relay = OutboxRelay(ledger=outbox, queue=queue, lease_s=LEASE_S)
    queue.is_up = False

    with pytest.raises(QueueUnavailable):
        await relay.relay_once()
    queue.is_up = True

    assert await relay.relay_once() == 1


async def test_the_relay_goes_on_until_it_is_stopped(outbox: SqlLedger, tenant: str) -> None:
    queue = HeldQueue()
    queue.is_up = False
    relay = OutboxRelay(ledger=outbox, queue=queue, lease_s=LEASE_S)
    running = asyncio.create_task(relay.run())
    await say(outbox, tenant, "I own two boats.")
    queue.is_up = True

    await until(lambda: bool(queue.held))
    relay.stop()
    await asyncio.wait_for(running, 5)

    assert not set(INDEX_KINDS) & {job.kind for job in queue.held}
