"""Taking words out again: one turn with all that derives from it, or a whole tenant."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, and_, exists, func, select, union_all

from lightmem.adapters.ledger.database import slices
from lightmem.adapters.ledger.dream_striking import reach_dreams
from lightmem.adapters.ledger.kept_words import strike_kept
from lightmem.adapters.ledger.outbox import JOB_IDS, NewJob, put_jobs
from lightmem.adapters.ledger.progress import settle_writing
from lightmem.adapters.ledger.promoting import promoters
from lightmem.adapters.ledger.remembering import load_memories, strike_memory
from lightmem.adapters.ledger.tables import (
    memories,
    memory_sources,
    memory_versions,
    metadata,
    outcomes,
    sessions,
    tenants,
    turns,
    users,
)
from lightmem.adapters.ledger.trail import record
from lightmem.adapters.ledger.whose import lock_user, require_tenant
from lightmem.domain.audit import INSTALLATION
from lightmem.domain.forgetting import without
from lightmem.errors import NotFound
from lightmem.model import JobKind, MemoryStatus, Outcome

#: Why a turn that was deleted before it was learnt from is `rejected`.
DELETED = "DELETED"


def delete_one_turn(
    connection: Connection,
    tenant_id: str,
    turn_id: str,
    *,
    user_id: str | None,
    actor: str,
    now: datetime,
) -> None:
    """Delete a turn, its quotes, and the memories that nothing else says.

    Raises:
        NotFound: no such turn, or not theirs.
    """
    owner = _find(connection, tenant_id, turn_id, user_id=user_id).user_id
    lock_user(connection, tenant_id, owner, now=now)
    turn = _find(connection, tenant_id, turn_id, user_id=owner)
    words = [turn.content, *_words_of_those_that_go(connection, turn)]
    forgotten, changed = _strike_quotes(connection, turn, now=now)
    made = reach_dreams(connection, tenant_id, owner, forgotten, now=now)
    words += [said for one in made.forgotten for said in (one.text, *one.entities)]
    gone = [*forgotten, *(one.id for one in made.forgotten)]
    changed = [one for one in dict.fromkeys([*changed, *made.restored]) if one not in gone]
    strike_kept(connection, tenant_id, owner, lambda text: without(text, words))
    neighbours = _neighbours(connection, turn)
    connection.execute(turns.delete().where(turns.c.tenant_id == tenant_id, turns.c.id == turn_id))
    _recount_session(connection, turn)
    _end_pending(connection, turn, now=now)
    jobs = [NewJob(JobKind.DELETE_POINTS, {"ids": [turn_id, *gone]})]
    if neighbours:
        jobs.append(NewJob(JobKind.INDEX_TURNS, {"turn_ids": neighbours}))
    if changed:
        jobs.append(NewJob(JobKind.INDEX_MEMORIES, {"memory_ids": changed}))
    put_jobs(connection, tenant_id, owner, jobs, now=now)
    record(connection, tenant_id, at=now, actor=actor, action="turn.delete", target=turn_id)


def delete_all_of_tenant(
    connection: Connection, tenant_id: str, *, actor: str, now: datetime
) -> None:
    """Remove every row of the tenant; what the index holds of it is put in the outbox.

    Raises:
        NotFound: no such tenant.
    """
    require_tenant(connection, tenant_id, exclusive=True)
    # Whoever writes for a user of the tenant ends first; new ones find the tenant locked.
    locked = select(users.c.user_id).where(users.c.tenant_id == tenant_id).with_for_update()
    connection.execute(locked.order_by(users.c.user_id)).all()
    points = list(_points(connection, tenant_id))
    gave = promoters(connection, tenant_id)
    for table in reversed(metadata.sorted_tables):
        if table is not tenants and "tenant_id" in table.c:
            connection.execute(table.delete().where(table.c.tenant_id == tenant_id))
    connection.execute(tenants.delete().where(tenants.c.id == tenant_id))
    for user_id, ids in points:
        job = NewJob(JobKind.DELETE_POINTS, {"ids": ids})
        put_jobs(connection, tenant_id, user_id, [job], now=now)
    for user_id in gave:
        put_jobs(connection, tenant_id, user_id, [NewJob(JobKind.PROMOTE, {})], now=now)
    record(connection, INSTALLATION, at=now, actor=actor, action="tenant.delete", target=tenant_id)


def _find(connection: Connection, tenant_id: str, turn_id: str, *, user_id: str | None) -> Row[Any]:
    theirs = and_(turns.c.tenant_id == tenant_id, turns.c.id == turn_id)
    if user_id is not None:
        theirs = and_(theirs, turns.c.user_id == user_id)
    row = connection.execute(select(turns).where(theirs)).one_or_none()
    if row is None:
        raise NotFound(f"no turn {turn_id!r}", turn_id=turn_id)
    return row


def _words_of_those_that_go(connection: Connection, turn: Row[Any]) -> list[str]:
    """What the memories say, and name, that quote no other turn, in every version."""
    of_turn = and_(
        memory_sources.c.tenant_id == turn.tenant_id, memory_sources.c.turn_id == turn.id
    )
    others = memory_sources.alias()
    stays = exists().where(
        others.c.memory_id == memory_versions.c.memory_id, others.c.turn_id != turn.id
    )
    quoting = select(memory_sources.c.memory_id).where(of_turn)
    wanted = select(memory_versions.c.text, memory_versions.c.entities).where(
        memory_versions.c.tenant_id == turn.tenant_id, memory_versions.c.memory_id.in_(quoting)
    )
    rows = connection.execute(wanted.where(~stays))
    return [words for row in rows for words in (row.text, *row.entities)]


def _strike_quotes(
    connection: Connection, turn: Row[Any], *, now: datetime
) -> tuple[list[str], list[str]]:
    """The ids of the memories forgotten with the turn, and of those that live on without it."""
    quotes = and_(memory_sources.c.tenant_id == turn.tenant_id, memory_sources.c.turn_id == turn.id)
    quoting = connection.execute(select(memory_sources.c.memory_id).where(quotes).distinct())
    ids = [str(each) for each in quoting.scalars()]
    connection.execute(memory_sources.delete().where(quotes))
    forgotten, changed = [], []
    for memory in load_memories(connection, turn.tenant_id, ids, user_id=turn.user_id):
        if memory.sources:
            changed.append(memory.id)
        else:
            strike_memory(connection, memory, now=now)
            forgotten.append(memory.id)
    return forgotten, changed


def _neighbours(connection: Connection, turn: Row[Any]) -> list[str]:
    """The turns before and after: what they mean together with this one has changed."""
    session = and_(
        turns.c.tenant_id == turn.tenant_id,
        turns.c.user_id == turn.user_id,
        turns.c.session_id == turn.session_id,
    )
    before = select(turns.c.id).where(session, turns.c.seq < turn.seq)
    after = select(turns.c.id).where(session, turns.c.seq > turn.seq)
    found = [
        connection.execute(before.order_by(turns.c.seq.desc()).limit(1)).scalar_one_or_none(),
        connection.execute(after.order_by(turns.c.seq).limit(1)).scalar_one_or_none(),
    ]
    return [str(each) for each in found if each is not None]


def _recount_session(connection: Connection, turn: Row[Any]) -> None:
    """Let the session show what is left of it; without turns it is gone."""
    whose = {
        "tenant_id": turn.tenant_id,
        "user_id": turn.user_id,
        "session_id": turn.session_id,
    }
    span = select(
        func.min(turns.c.occurred_at), func.max(turns.c.occurred_at), func.count(turns.c.id)
    )
    first, last, count = connection.execute(span.filter_by(**whose)).one()
    if count:
        left = {"first_at": first, "last_at": last, "turns": count}
        connection.execute(sessions.update().filter_by(**whose).values(left))
    else:
        connection.execute(sessions.delete().filter_by(**whose))


def _end_pending(connection: Connection, turn: Row[Any], *, now: datetime) -> None:
    """A turn that is gone is not waited for."""
    pending = and_(
        outcomes.c.tenant_id == turn.tenant_id,
        outcomes.c.turn_id == turn.id,
        outcomes.c.outcome.in_([Outcome.PENDING.value, Outcome.QUARANTINED.value]),
    )
    of = connection.execute(select(outcomes.c.operation_id).where(pending).distinct())
    operation_ids = [str(each) for each in of.scalars()]
    rejected = {"outcome": Outcome.REJECTED.value, "reason": DELETED}
    connection.execute(outcomes.update().where(pending).values(rejected))
    for operation_id in operation_ids:
        settle_writing(connection, turn.tenant_id, operation_id, cost=None, now=now)


def _points(connection: Connection, tenant_id: str) -> Iterator[tuple[str, list[str]]]:
    """(user, ids) of what the index may hold of the tenant, in pieces of one job."""
    said = select(turns.c.user_id, turns.c.id).where(turns.c.tenant_id == tenant_id)
    learnt = select(memories.c.user_id, memories.c.id).where(
        memories.c.tenant_id == tenant_id, memories.c.status != MemoryStatus.FORGOTTEN.value
    )
    by_user: dict[str, list[str]] = {}
    for user_id, point_id in connection.execute(union_all(said, learnt)):
        by_user.setdefault(user_id, []).append(point_id)
    for user_id, ids in by_user.items():
        for some in slices(ids, JOB_IDS):
            yield user_id, list(some)
