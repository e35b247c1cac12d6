"""Access statistics, and the archive of what is least useful."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, select

from lightmem.adapters.ledger.database import LedgerPart, slices
from lightmem.adapters.ledger.outbox import JOB_IDS, NewJob, put_jobs
from lightmem.adapters.ledger.remembering import change_memories, load_memories, memories_of
from lightmem.adapters.ledger.tables import memories, memory_sources, outbox
from lightmem.adapters.ledger.trail import record
from lightmem.adapters.ledger.whose import lock_user
from lightmem.domain.utility import utility
from lightmem.model import JobKind, MemoryStatus, Use

#: Who archives, in the audit trail.
ACTOR = "capacity"
_INDEXED = (MemoryStatus.ACTIVE.value, MemoryStatus.SUPERSEDED.value)
#: All memories are gone through to find the least useful, so a hundredth of the capacity is made
#: room for at a time rather than one place with every write.
SPARE = 100
#: Most that are archived in one transaction.
AT_ONCE = 500


class SqlUsage(LedgerPart):
    """Counts what serves and keeps the number of memories at hand within the capacity."""

    async def note_uses(self, uses: Sequence[Use]) -> None:
        now = self._clock.now()
        if uses:
            await self._database.write(lambda connection: _note(connection, uses, now))

    async def ask_for_archiving(self, tenant_id: str, user_id: str, *, capacity: int) -> bool:
        counted = _count(tenant_id, user_id)
        count = await self._database.read(lambda connection: connection.execute(counted).scalar())
        if count is None or count <= capacity:
            return False
        now = self._clock.now()
        await self._database.write(
            lambda connection: _ask(connection, tenant_id, user_id, capacity, now)
        )
        return True

    async def archive_surplus(self, tenant_id: str, user_id: str, *, capacity: int) -> list[str]:
        now = self._clock.now()
        archived: list[str] = []
        # A large surplus, as an import leaves it, would outlast one transaction.
        while some := await self._database.write(
            lambda connection: _archive(connection, tenant_id, user_id, capacity, now)
        ):
            archived += some
        return archived


def _note(connection: Connection, uses: Sequence[Use], now: datetime) -> None:
    by_user = sorted(uses, key=lambda use: (use.tenant_id, use.user_id))
    for (tenant_id, user_id), group in groupby(
        by_user, key=lambda use: (use.tenant_id, use.user_id)
    ):
        _note_of_user(connection, tenant_id, user_id, list(group), now)


def _note_of_user(
    connection: Connection, tenant_id: str, user_id: str, uses: Sequence[Use], now: datetime
) -> None:
    quoted = _quoting(connection, tenant_id, [use.item_id for use in uses])
    counts: dict[str, int] = {}
    latest: dict[str, datetime] = {}
    for use in uses:
        for memory_id in quoted.get(use.item_id, [use.item_id]):
            counts[memory_id] = counts.get(memory_id, 0) + use.count
            latest[memory_id] = max(use.at, latest.get(memory_id, use.at))
    rows = _statistics(connection, tenant_id, user_id, sorted(counts))
    values = [
        {
            "of": row.id,
            "access_count": row.access_count + counts[row.id],
            "last_accessed_at": max(latest[row.id], row.last_accessed_at or latest[row.id]),
            "utility": _utility(row, now, counts[row.id], latest[row.id]),
        }
        for row in rows
    ]
    if values:
        change = memories.update().where(
            memories.c.tenant_id == tenant_id, memories.c.id == bindparam("of")
        )
        connection.execute(change, values)


def _quoting(
    connection: Connection, tenant_id: str, item_ids: Sequence[str]
) -> dict[str, list[str]]:
    """The active memories that quote a turn, by its id."""
    quoting: dict[str, list[str]] = {}
    for ids in slices(item_ids):
        query = (
            select(memory_sources.c.turn_id, memory_sources.c.memory_id)
            .join(memories, memories.c.id == memory_sources.c.memory_id)
            .where(memory_sources.c.tenant_id == tenant_id, memory_sources.c.turn_id.in_(ids))
            .where(memories.c.status == MemoryStatus.ACTIVE.value)
            .distinct()
        )
        for row in connection.execute(query):
            quoting.setdefault(row.turn_id, []).append(row.memory_id)
    return quoting


def _statistics(
    connection: Connection, tenant_id: str, user_id: str, ids: Sequence[str] | None
) -> list[Row[Any]]:
    """What utility is made of, of these memories or of all that the index holds."""
    quotes = (
        select(func.count())
        .where(memory_sources.c.memory_id == memories.c.id)
        .scalar_subquery()
        .label("quotes")
    )
    query = select(
        memories.c.id,
        memories.c.status,
        memories.c.recorded_at,
        memories.c.access_count,
        memories.c.last_accessed_at,
        quotes,
    ).where(memories_of(tenant_id, user_id), memories.c.status.in_(_INDEXED))
    if ids is None:
        return list(connection.execute(query))
    found: list[Row[Any]] = []
    for some in slices(ids):
        chosen = query.where(memories.c.id.in_(some)).order_by(memories.c.id)
        # Two that count at once take turns, in one order.
        found += list(connection.execute(chosen.with_for_update(of=memories)))
    return found


def _utility(row: Row[Any], now: datetime, more: int = 0, used_at: datetime | None = None) -> float:
    return utility(
        now=now,
        learnt_at=row.recorded_at,
        used_at=used_at or row.last_accessed_at,
        accesses=row.access_count + more,
        quotes=row.quotes,
        is_superseded=row.status == MemoryStatus.SUPERSEDED.value,
    )


def _count(tenant_id: str, user_id: str) -> Any:
    return select(func.count()).where(
        memories_of(tenant_id, user_id), memories.c.status.in_(_INDEXED)
    )


def _ask(
    connection: Connection, tenant_id: str, user_id: str, capacity: int, now: datetime
) -> None:
    waiting = select(outbox.c.id).where(
        outbox.c.tenant_id == tenant_id,
        outbox.c.user_id == user_id,
        outbox.c.kind == JobKind.ARCHIVE.value,
    )
    if connection.execute(waiting.limit(1)).first() is None:
        job = NewJob(JobKind.ARCHIVE, {"capacity": capacity})
        put_jobs(connection, tenant_id, user_id, [job], now=now)


def _archive(
    connection: Connection, tenant_id: str, user_id: str, capacity: int, now: datetime
) -> list[str]:
    lock_user(connection, tenant_id, user_id, now=now)
    rows = _statistics(connection, tenant_id, user_id, None)
    surplus = len(rows) - capacity
    if surplus <= 0:
        return []
    worth = {row.id: _utility(row, now) for row in rows}
    least = sorted(rows, key=lambda row: (worth[row.id], row.recorded_at, row.id))
    ids = [str(row.id) for row in least[: min(surplus + capacity // SPARE, AT_ONCE)]]
    going = load_memories(connection, tenant_id, ids, user_id=user_id)
    change_memories(
        connection,
        [replace(one, status=MemoryStatus.ARCHIVED, utility=worth[one.id]) for one in going],
    )
    jobs = [NewJob(JobKind.DELETE_POINTS, {"ids": list(some)}) for some in slices(ids, JOB_IDS)]
    put_jobs(connection, tenant_id, user_id, jobs, now=now)
    for memory_id in ids:
        record(
            connection,
            tenant_id,
            at=now,
            actor=ACTOR,
            action="memory.archive",
            target=memory_id,
        )
    return ids
