"""The outbox: jobs written with the change they follow, leased to workers, taken out when done."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import CTE, ColumnElement, Connection, Row, case, func, select

from lightmem.adapters.ledger.database import Database, LedgerPart
from lightmem.adapters.ledger.rows import Values, to_job
from lightmem.adapters.ledger.tables import outbox
from lightmem.domain.ids import new_id
from lightmem.model import Job, JobKind
from lightmem.ports import Clock

#: Most ids in one job, so that no job is endless.
JOB_IDS = 1_000

#: What somebody says right now comes before a bulk, until the bulk has waited this long.
LIVE, BULK = 0, 1
BULK_PATIENCE_S = 300.0

#: Queues whose last turn is remembered; beyond, all start anew.
_MOST_QUEUES = 100_000


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to be put in the outbox; due at once unless delayed."""

    kind: JobKind
    payload: Mapping[str, Any]
    delay_s: float = 0.0
    priority: int = LIVE
    #: Of a job that is done together with the others of its conversation, see `gathering.py`.
    session_id: str | None = None
    size_bytes: int = 0


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
            "priority": job.priority,
            "session_id": job.session_id,
            "size_bytes": job.size_bytes,
            "gathers_until": now + timedelta(seconds=job.delay_s) if job.session_id else None,
        }
        for job in jobs
    ]
    if rows:
        connection.execute(outbox.insert(), rows)
    return [row["id"] for row in rows]


def take_out(connection: Connection, job_id: str) -> None:
    """Remove a job that is done; it may be gone already."""
    connection.execute(outbox.delete().where(outbox.c.id == job_id))


@dataclass(frozen=True, slots=True)
class _Queue:
    """The due jobs of one kind and priority of one tenant."""

    tenant_id: str
    kind: str
    priority: int


class _Rounds:
    """Whose turn it is: the queue served longest ago is the next, whatever is in the others."""

    def __init__(self) -> None:
        self._rounds = itertools.count(1)
        self._served: dict[_Queue, int] = {}

    def in_order(self, first_due: Mapping[_Queue, datetime]) -> list[_Queue]:
        """The queues, next one first; of those never served the one with the oldest job."""
        return sorted(first_due, key=lambda queue: (self._served.get(queue, 0), first_due[queue]))

    def serve(self, queue: _Queue) -> None:
        if len(self._served) >= _MOST_QUEUES:
            self._served.clear()
        self._served[queue] = next(self._rounds)


class SqlOutbox(LedgerPart):
    """Leases jobs: of two workers each gets other ones."""

    def __init__(self, database: Database, clock: Clock) -> None:
        super().__init__(database, clock)
        self._rounds = _Rounds()

    async def lease_jobs(
        self, kinds: Sequence[JobKind], *, limit: int, lease_s: float, begun: bool = True
    ) -> list[Job]:
        now, tries = self._clock.now(), int(begun)
        lease = _Lease(self._rounds, kinds, limit, now, now + timedelta(seconds=lease_s), tries)
        rows = await self._database.write(lease)
        rows.sort(key=lambda row: (row.due_at, row.id))
        return [to_job(row, attempts=row.attempts + tries) for row in rows]

    async def get_job(self, job_id: str) -> Job | None:
        wanted = select(outbox).where(outbox.c.id == job_id)
        row = await self._database.read(lambda connection: connection.execute(wanted).first())
        return to_job(row, attempts=row.attempts) if row is not None else None

    async def complete_job(self, job_id: str) -> None:
        await self._database.write(lambda connection: take_out(connection, job_id))

    async def defer_job(self, job_id: str, *, delay_s: float, reason: str, tries: int = 0) -> None:
        due_at = self._clock.now() + timedelta(seconds=delay_s)
        change = outbox.update().where(outbox.c.id == job_id)
        change = change.values(due_at=due_at, last_reason=reason)
        if tries:
            counted = outbox.c.attempts + tries
            change = change.values(attempts=case((counted < 0, 0), else_=counted))
        await self._database.write(lambda connection: connection.execute(change))

    async def pending_jobs(self) -> Mapping[JobKind, int]:
        counts = select(outbox.c.kind, func.count()).group_by(outbox.c.kind)
        rows = await self._database.read(lambda connection: connection.execute(counts).all())
        found = {JobKind(kind): count for kind, count in rows}
        return {kind: found.get(kind, 0) for kind in JobKind}


@dataclass(frozen=True, slots=True)
class _Lease:
    """The wish to lease at most `limit` jobs until a time; called within a transaction."""

    rounds: _Rounds
    kinds: Sequence[JobKind]
    limit: int
    now: datetime
    until: datetime
    #: Added to the attempts of each.
    tries: int

    def __call__(self, connection: Connection) -> list[Row[Any]]:
        """The jobs: what is said right now first, then what is left of a bulk."""
        first_due = dict(self._first_due(connection))
        patience = timedelta(seconds=BULK_PATIENCE_S)
        urgent = {
            queue: due
            for queue, due in first_due.items()
            if queue.priority == LIVE or due < self.now - patience
        }
        rest = {queue: due for queue, due in first_due.items() if queue not in urgent}
        leased = self._share(connection, self.rounds.in_order(urgent), self.limit)
        return leased + self._share(
            connection, self.rounds.in_order(rest), self.limit - len(leased)
        )

    def _share(self, connection: Connection, queues: list[_Queue], limit: int) -> list[Row[Any]]:
        """Equal shares of the queues whose turn it is, as far as they have so many."""
        leased: list[Row[Any]] = []
        while queues and len(leased) < limit:
            with_more = []
            for position, queue in enumerate(queues):
                share = -(-(limit - len(leased)) // (len(queues) - position))
                if not share:
                    break
                rows = self._take(connection, queue, share)
                leased += rows
                if len(rows) == share:
                    with_more.append(queue)
            queues = with_more
        return leased

    def _first_due(self, connection: Connection) -> Iterator[tuple[_Queue, datetime]]:
        """When the first job of each queue became due; looks at no other job."""
        waiting = _tenants_with_jobs()
        for kind, priority in itertools.product(dict.fromkeys(self.kinds), (LIVE, BULK)):
            first = (
                select(func.min(outbox.c.due_at))
                .where(outbox.c.tenant_id == waiting.c.tenant_id, outbox.c.kind == kind.value)
                .where(outbox.c.priority == priority, outbox.c.due_at <= self.now)
                .scalar_subquery()
                .label("first")
            )
            for tenant_id, first_due in connection.execute(select(waiting.c.tenant_id, first)):
                if first_due is not None:
                    yield _Queue(tenant_id, kind.value, priority), first_due

    def _take(self, connection: Connection, queue: _Queue, limit: int) -> Sequence[Row[Any]]:
        """Lease the queue's oldest due jobs, passing over those another worker is leasing."""
        self.rounds.serve(queue)
        rows = connection.execute(
            select(outbox)
            .where(outbox.c.tenant_id == queue.tenant_id, outbox.c.kind == queue.kind)
            .where(outbox.c.priority == queue.priority, outbox.c.due_at <= self.now)
            .where(~_follows())
            .order_by(outbox.c.due_at, outbox.c.id)
            .limit(limit)
            .with_for_update(skip_locked=True)
        ).all()
        if rows:
            ids = outbox.c.id.in_([row.id for row in rows])
            values = {"due_at": self.until, "attempts": outbox.c.attempts + self.tries}
            connection.execute(outbox.update().where(ids).values(values))
        return rows


def _follows() -> ColumnElement[bool]:
    """Whether a job of the same conversation is before this one and in its first try.

    It is done together with that one. Once the first try has failed, each goes by itself.
    """
    older = outbox.alias("older")
    return (
        select(older.c.id)
        .where(older.c.tenant_id == outbox.c.tenant_id, older.c.user_id == outbox.c.user_id)
        .where(older.c.session_id == outbox.c.session_id, older.c.id < outbox.c.id)
        .where(older.c.kind == outbox.c.kind, older.c.priority == outbox.c.priority)
        .where(older.c.attempts <= 1)
        .exists()
    )


def _tenants_with_jobs() -> CTE:
    """Each tenant in the outbox once, by steps through the index rather than by its length."""
    tenants = select(func.min(outbox.c.tenant_id).label("tenant_id")).cte("waiting", recursive=True)
    following = select(func.min(outbox.c.tenant_id)).where(outbox.c.tenant_id > tenants.c.tenant_id)
    return tenants.union_all(
        select(following.scalar_subquery()).where(tenants.c.tenant_id.is_not(None))
    )
