"""Jobs are never lost, never with two workers at once, and never of one tenant alone."""

import asyncio

from lightmem.adapters.ledger import SqlLedger
from lightmem.model import Job, JobKind
from support.clock import FixedClock
from support.ledgers import in_child, say

WRITE = [JobKind.WRITE]


async def lease(ledger: SqlLedger, *, limit: int = 100, lease_s: float = 60.0) -> list[Job]:
    return await ledger.lease_jobs(WRITE, limit=limit, lease_s=lease_s)


async def test_a_leased_job_is_not_leased_again_until_the_lease_ends(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    await say(ledger, acme, "One.")
    (first,) = await lease(ledger, lease_s=60.0)
    ledger_clock.advance(59.0)
    between = await lease(ledger)
    ledger_clock.advance(1.0)

    (again,) = await lease(ledger)

    assert between == []
    assert again.id == first.id
    assert (first.attempts, again.attempts) == (1, 2)


async def test_the_oldest_jobs_come_first_and_no_more_than_asked_for(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    operations = []
    for number in range(4):
        operations.append((await say(ledger, acme, f"{number}.")).operation.id)
        ledger_clock.advance(1.0)

    jobs = await lease(ledger, limit=3)

    assert [job.payload["operation_id"] for job in jobs] == operations[:3]


async def test_only_jobs_of_the_kinds_asked_for_are_leased(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    await say(ledger, acme, "One.")
    ledger_clock.advance(60.0)

    jobs = await ledger.lease_jobs(
        [JobKind.INDEX_TURNS, JobKind.DELETE_POINTS], limit=10, lease_s=60.0
    )

    assert [job.kind for job in jobs] == [JobKind.INDEX_TURNS]
    assert await ledger.lease_jobs([], limit=10, lease_s=60.0) == []


async def test_no_tenant_is_ahead_of_all_others(ledger: SqlLedger, acme: str) -> None:
    small = (await ledger.create_tenant("small", k_anonymity=3, actor="test")).id
    for number in range(20):
        await say(ledger, acme, f"{number}.")
    await say(ledger, small, "At last.")

    jobs = await lease(ledger, limit=4)

    assert sorted(job.tenant_id == small for job in jobs) == [False, False, False, True]


async def test_tenants_take_turns_when_jobs_are_leased_one_by_one(
    ledger: SqlLedger, acme: str
) -> None:
    for number in range(20):
        await say(ledger, acme, f"{number}.")
    small = (await ledger.create_tenant("small", k_anonymity=3, actor="test")).id
    for _ in range(2):
        await say(ledger, small, "At last.")
    served = []

    for _ in range(6):
        (job,) = await lease(ledger, limit=1)
        await ledger.complete_job(job.id)
        served.append(job.tenant_id)

    assert served == [acme, small, acme, small, acme, acme]


async def test_a_completed_job_is_gone_and_may_be_completed_twice(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    await say(ledger, acme, "One.")
    (job,) = await lease(ledger)

    await ledger.complete_job(job.id)
    await ledger.complete_job(job.id)

    ledger_clock.advance(1_000.0)
    assert await ledger.get_job(job.id) is None
    assert await lease(ledger) == []


async def test_a_deferred_job_is_due_again_later(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    await say(ledger, acme, "One.")
    (job,) = await lease(ledger, lease_s=600.0)

    await ledger.defer_job(job.id, delay_s=30.0, reason="MODEL_UNAVAILABLE")

    at_once = await lease(ledger)
    ledger_clock.advance(30.0)
    (again,) = await lease(ledger)
    assert at_once == []
    assert (again.id, again.attempts) == (job.id, 2)


async def test_a_try_that_something_else_ended_is_given_back(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    await say(ledger, acme, "One.")
    attempts = []

    for _ in range(3):
        (job,) = await lease(ledger)
        attempts.append(job.attempts)
        await ledger.defer_job(job.id, delay_s=0.0, reason="MODEL_UNAVAILABLE", tries=-1)

    assert attempts == [1, 1, 1]


async def test_what_is_only_handed_on_is_no_try_until_a_worker_begins(
    ledger: SqlLedger, acme: str
) -> None:
    await say(ledger, acme, "One.")

    (job,) = await ledger.lease_jobs(WRITE, limit=1, lease_s=60.0, begun=False)
    await ledger.defer_job(job.id, delay_s=60.0, reason="running", tries=1)

    begun = await ledger.get_job(job.id)
    assert begun is not None
    assert (job.attempts, begun.attempts) == (0, 1)
    await ledger.defer_job(job.id, delay_s=0.0, reason="test", tries=-5)
    (again,) = await lease(ledger)
    assert again.attempts == 1


async def test_a_job_can_be_looked_at_without_a_lease(ledger: SqlLedger, acme: str) -> None:
    await say(ledger, acme, "One.")
    (leased,) = await lease(ledger)

    assert await ledger.get_job(leased.id) == leased
    assert await ledger.get_job("nothing") is None


async def test_pending_jobs_are_counted_by_kind_leased_ones_too(
    ledger: SqlLedger, acme: str
) -> None:
    await say(ledger, acme, "One.")
    await say(ledger, acme, "Two.")
    await lease(ledger, limit=1)

    pending = await ledger.pending_jobs()

    assert set(pending) == set(JobKind)
    assert {kind: count for kind, count in pending.items() if count} == {
        JobKind.WRITE: 2,
        JobKind.INDEX_TURNS: 2,
    }


async def test_workers_at_once_never_hold_the_same_job(ledger: SqlLedger, acme: str) -> None:
    for number in range(40):
        await say(ledger, acme, f"{number}.")

    async def work() -> list[str]:
        mine = []
        while jobs := await lease(ledger, limit=3):
            mine += [job.id for job in jobs]
        return mine

    leased = [
        job_id for mine in await asyncio.gather(*[work() for _ in range(6)]) for job_id in mine
    ]

    assert len(leased) == len(set(leased)) == 40


async def test_worker_processes_at_once_never_hold_the_same_job(
    ledger: SqlLedger, acme: str, ledger_url: str
) -> None:
    for number in range(60):
        await say(ledger, acme, f"{number}.")

    children = await asyncio.gather(*[in_child("lease", ledger_url) for _ in range(2)])

    assert [status for status, _ in children] == [0, 0]
    leased = [line for _, lines in children for line in lines]
    assert len(leased) == len(set(leased)) == 120
