"""The outbox: jobs written with the change they follow, leased to workers, taken out when done."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, func, or_, select

from lightmem.adapters.ledger.database import LedgerPart
from lightmem.adapters.ledger.rows import Values, to_job
from lightmem.adapters.ledger.tables import outbox
from lightmem.domain.ids import new_id
from lightmem.model import Job, JobKind

#: Most ids in one job, so that no job is endless.
JOB_IDS = 1_000


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to be put in the outbox; due at once unless delayed."""

    kind: JobKind
    payload: Mapping[str, Any]
    delay_s: float = 0.0


def put_jobs(
    connection: Connection, tenant_id: str, user_id: str, jobs: Iterable[NewJob], *, now: datetime
) -> list[str]:
    """Put jobs in the outbox and return their ids."""
    rows: list[Values] = [
        {
            "id": new_id(),
            "tenant_id": tenant_id,
            "user_id": user_id,
            "kind": job.kind.value,
            "payload": dict(job.payload),
            "created_at": now,
            "due_at": now + timedelta(seconds=job.delay_s),
            "attempts": 0,
        }
        for job in jobs
    ]
    if rows:
        connection.execute(outbox.insert(), rows)
    return [row["id"] for row in rows]


def take_out(connection: Connection, job_id: str) -> None:
    """Remove a job that is done; it may be gone already."""
    connection.execute(outbox.delete().where(outbox.c.id == job_id))


class SqlOutbox(LedgerPart):
    """Leases jobs: of two workers each gets other ones."""

    async def lease_jobs(
        self, kinds: Sequence[JobKind], *, limit: int, lease_s: float
    ) -> list[Job]:
        now = self._clock.now()
        free = and_(
            outbox.c.kind.in_([kind.value for kind in kinds]),
            outbox.c.due_at <= now,
            or_(outbox.c.lease_until.is_(None), outbox.c.lease_until <= now),
        )
        until = now + timedelta(seconds=lease_s)
        rows = await self._database.write(lambda connection: _lease(connection, free, limit, until))
        return [to_job(row, attempts=row.attempts + 1) for row in rows]

    async def get_job(self, job_id: str) -> Job | None:
        wanted = select(outbox).where(outbox.c.id == job_id)
        row = await self._database.read(lambda connection: connection.execute(wanted).first())
        return to_job(row, attempts=row.attempts) if row is not None else None

    async def complete_job(self, job_id: str) -> None:
        await self._database.write(lambda connection: take_out(connection, job_id))

    async def defer_job(self, job_id: str, *, delay_s: float, reason: str) -> None:
        due_at = self._clock.now() + timedelta(seconds=delay_s)
        change = (
            outbox.update()
            .where(outbox.c.id == job_id)
            .values(due_at=due_at, lease_until=None, last_reason=reason)
        )
        await self._database.write(lambda connection: connection.execute(change))

    async def pending_jobs(self) -> Mapping[JobKind, int]:
        counts = select(outbox.c.kind, func.count()).group_by(outbox.c.kind)
        rows = await self._database.read(lambda connection: connection.execute(counts).all())
        found = {JobKind(kind): count for kind, count in rows}
        return {kind: found.get(kind, 0) for kind in JobKind}


def _lease(
    connection: Connection, free: ColumnElement[bool], limit: int, until: datetime
) -> Sequence[Row[Any]]:
    """Lease the first jobs of every tenant, then the second ones, and so on.

    Rows that another worker is leasing right now are passed over, not waited for.
    """
    place = func.row_number().over(
        partition_by=outbox.c.tenant_id, order_by=[outbox.c.due_at, outbox.c.id]
    )
    ranked = select(outbox.c.id, place.label("place")).where(free).subquery()
    rows = connection.execute(
        select(outbox)
        .join(ranked, ranked.c.id == outbox.c.id)
        # Asked again of the row itself: another worker may have leased it since.
        .where(free)
        .order_by(ranked.c.place, outbox.c.due_at, outbox.c.id)
        .limit(limit)
        .with_for_update(of=outbox, skip_locked=True)
    ).all()
    if rows:
        leased = outbox.c.id.in_([row.id for row in rows])
        connection.execute(
            outbox.update().where(leased).values(lease_until=until, attempts=outbox.c.attempts + 1)
        )
    return rows
