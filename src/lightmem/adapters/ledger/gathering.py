"""WRITE jobs of one conversation that wait for each other and are done together.

The oldest job of a conversation gathers: it is leased before the others, and whoever runs it
learns from the turns of all of them. While nobody has leased it, each further call puts it off by
the quiet time, up to a limit, or makes it due when there is enough to learn from.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, func, select

from lightmem.adapters.ledger.database import LedgerPart, slices
from lightmem.adapters.ledger.operations import load_operation
from lightmem.adapters.ledger.outbox import BULK, LIVE, NewJob, put_jobs
from lightmem.adapters.ledger.rows import to_job, to_outcome
from lightmem.adapters.ledger.tables import outbox, outcomes
from lightmem.model import Backlog, Gathering, Job, JobKind, Outcome, TurnOutcome

#: Most jobs that are done together.
MOST_GATHERED = 64


@dataclass(frozen=True, slots=True)
class Waiting:
    """A call whose turns are to be learnt from, and how they wait for more."""

    tenant_id: str
    user_id: str
    session_id: str
    operation_id: str
    size_bytes: int
    gathering: Gathering | None
    now: datetime


def write_job(connection: Connection, call: Waiting) -> NewJob:
    """The WRITE job of a call; the job it waits with, if any, is put off or made due."""
    payload = {"operation_id": call.operation_id}
    gathering = call.gathering
    if gathering is None:
        return NewJob(JobKind.WRITE, payload)
    if gathering.is_bulk:
        return NewJob(JobKind.WRITE, payload, priority=BULK)
    jobs = _of_conversation(connection, call)
    due_at = _due_at(call, gathering, jobs)
    if jobs and jobs[0].gathers_until is not None:
        first = outbox.update().where(outbox.c.id == jobs[0].id)
        # A lease would have moved one of the two.
        first = first.where(outbox.c.due_at == outbox.c.gathers_until)
        connection.execute(first.values(due_at=due_at, gathers_until=due_at))
    return NewJob(
        JobKind.WRITE,
        payload,
        delay_s=(due_at - call.now).total_seconds(),
        session_id=call.session_id,
        size_bytes=call.size_bytes,
    )


def _of_conversation(connection: Connection, call: Waiting) -> Sequence[Row[Any]]:
    whose = _conversation(call.tenant_id, call.user_id, call.session_id)
    jobs = select(outbox).where(whose, outbox.c.priority == LIVE)
    return connection.execute(jobs.order_by(outbox.c.id).limit(MOST_GATHERED)).all()


def _due_at(call: Waiting, gathering: Gathering, jobs: Sequence[Row[Any]]) -> datetime:
    size = call.size_bytes + sum(job.size_bytes for job in jobs)
    if size >= gathering.full_bytes or len(jobs) >= MOST_GATHERED - 1:
        return call.now
    begun = jobs[0].created_at if jobs else call.now
    quiet = call.now + timedelta(seconds=gathering.quiet_s)
    return max(call.now, min(quiet, begun + timedelta(seconds=gathering.most_s)))


class SqlGathering(LedgerPart):
    """Jobs taken together, and jobs taken apart."""

    async def backlog(self, job: Job) -> Backlog:
        return await self._database.read(lambda connection: _backlog(connection, job))

    async def waiting(self, tenant_id: str, *, most: int) -> int:
        waiting = select(outbox.c.id).where(
            outbox.c.tenant_id == tenant_id, outbox.c.kind == JobKind.WRITE.value
        )
        count = select(func.count()).select_from(waiting.limit(most).subquery())
        return await self._database.read(lambda connection: connection.execute(count).scalar_one())

    async def split_job(
        self, job: Job, parts: Sequence[dict[str, Any]], *, attempts: int
    ) -> list[str]:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: _split(connection, job, parts, attempts, now)
        )


def _backlog(connection: Connection, job: Job) -> Backlog:
    # Whoever deletes the operation ends its job.
    load_operation(connection, job.tenant_id, job.payload["operation_id"], user_id=job.user_id)
    jobs = [job]
    if job.session_id is not None and job.attempts <= 1:
        whose = _conversation(job.tenant_id, job.user_id, job.session_id)
        others = select(outbox).where(whose, outbox.c.priority == LIVE, outbox.c.id > job.id)
        rows = connection.execute(others.order_by(outbox.c.id).limit(MOST_GATHERED - 1))
        jobs += [to_job(row, attempts=row.attempts) for row in rows]
    operation_ids = [each.payload["operation_id"] for each in jobs]
    return Backlog(jobs, _pending(connection, job.tenant_id, operation_ids))


def _pending(
    connection: Connection, tenant_id: str, operation_ids: Sequence[str]
) -> dict[str, list[TurnOutcome]]:
    pending: dict[str, list[TurnOutcome]] = {each: [] for each in operation_ids}
    for ids in slices(operation_ids):
        rows = connection.execute(
            select(outcomes)
            .where(outcomes.c.tenant_id == tenant_id, outcomes.c.operation_id.in_(ids))
            .where(outcomes.c.outcome == Outcome.PENDING.value)
            .order_by(outcomes.c.operation_id, outcomes.c.position)
        )
        for row in rows:
            pending[row.operation_id].append(to_outcome(row))
    return pending


def _conversation(tenant_id: str, user_id: str, session_id: str) -> ColumnElement[bool]:
    return and_(
        outbox.c.tenant_id == tenant_id,
        outbox.c.user_id == user_id,
        outbox.c.session_id == session_id,
        outbox.c.kind == JobKind.WRITE.value,
    )


def _split(
    connection: Connection,
    job: Job,
    parts: Sequence[dict[str, Any]],
    attempts: int,
    now: datetime,
) -> list[str]:
    """Put the parts in the job's place, unless it is gone already."""
    gone = connection.execute(outbox.delete().where(outbox.c.id == job.id))
    if not gone.rowcount:
        return []
    new = [NewJob(job.kind, part, priority=BULK if job.is_bulk else LIVE) for part in parts]
    ids = put_jobs(connection, job.tenant_id, job.user_id, new, now=now)
    tried = outbox.update().where(outbox.c.id.in_(ids)).values(attempts=attempts)
    connection.execute(tried)
    return ids
