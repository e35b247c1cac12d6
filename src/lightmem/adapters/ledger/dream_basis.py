"""What dreams begin with: which memories are to be read, and whose time has come."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, func, or_, select

from lightmem.adapters.ledger.dream_deciding import LEFT_OUT
from lightmem.adapters.ledger.remembering import memories_of, with_sources
from lightmem.adapters.ledger.tables import dream_memories, dream_steps, dreams, memories, turns
from lightmem.adapters.ledger.tables import users as users_table
from lightmem.model import (
    DreamAction,
    DreamBasis,
    DreamStatus,
    DreamTrigger,
    DueDream,
    Memory,
    MemoryKind,
    MemoryStatus,
)
from lightmem.ports.dreams import DreamTimes

_ACTIVE = memories.c.status == MemoryStatus.ACTIVE.value
#: Of the memories new to a dream, how many used ones are read again, and how many pressed ones.
_USED_SHARE, _PRESSED_SHARE = 2, 4
#: Characters of a memory that may be a passing remark, and most that are looked at.
_SHORT, _MOST_UNUSED = 120, 2_000
#: Dreams whose plan a person has not decided on, or decided against.
_NOT_ALLOWED = (DreamStatus.REVIEW.value, DreamStatus.REJECTED.value, DreamStatus.UNDONE.value)
#: Users looked at for one answer.
_MOST_USERS = 1_000


def read_basis(
    connection: Connection,
    row: Row[Any],
    *,
    limit: int,
    pressed_from: int,
    unused_before: datetime,
) -> DreamBasis:
    """The memories that the dream of this row reads."""
    theirs = and_(memories_of(row.tenant_id, row.user_id), _ACTIVE)
    since, at = _read_before(connection, row)
    fresh = select(memories).where(theirs)
    if since is not None:
        fresh = fresh.where(memories.c.id > since)
    new = connection.execute(fresh.order_by(memories.c.id).limit(limit)).all()
    used = _used_since(connection, theirs, since, at, limit=limit // _USED_SHARE)
    active = connection.execute(select(func.count()).where(theirs)).scalar_one()
    pressed = (
        _pressed(connection, theirs, limit // _PRESSED_SHARE) if active >= pressed_from else []
    )
    rows = {each.id: each for each in (*new, *used, *pressed)}
    return DreamBasis(
        memories=tuple(with_sources(connection, row.tenant_id, list(rows.values()))),
        pressed=frozenset(each.id for each in pressed),
        active=active,
        promoted=_promoted(connection, row.tenant_id, row.user_id),
        read_up_to=new[-1].id if new else since,
        unused=_unused(connection, row, theirs, before=unused_before),
    )


def last_turn_id(connection: Connection, tenant_id: str, user_id: str) -> str | None:
    """The turn that was stored last."""
    last = select(func.max(turns.c.id)).where(
        turns.c.tenant_id == tenant_id, turns.c.user_id == user_id
    )
    found = connection.execute(last).scalar_one()
    return None if found is None else str(found)


def due_dreams(
    connection: Connection, times: DreamTimes, *, limit: int, now: datetime
) -> list[DueDream]:
    """Users who said enough, or fell silent, since they were last dreamt over."""
    latest = (
        select(dreams.c.tenant_id, dreams.c.user_id, func.max(dreams.c.id).label("id"))
        .group_by(dreams.c.tenant_id, dreams.c.user_id)
        .subquery()
    )
    asked = (
        select(users_table.c.tenant_id, users_table.c.user_id, dreams.c.last_turn_id)
        .outerjoin(
            latest,
            and_(
                latest.c.tenant_id == users_table.c.tenant_id,
                latest.c.user_id == users_table.c.user_id,
            ),
        )
        .outerjoin(dreams, dreams.c.id == latest.c.id)
        .where(or_(dreams.c.id.is_(None), users_table.c.last_active_at > dreams.c.created_at))
        # Whoever said nothing since takes nobody's place: a dream itself counts as activity.
        .where(_said_since())
        .order_by(users_table.c.last_active_at)
        .limit(_MOST_USERS)
    )
    due: list[DueDream] = []
    for user in connection.execute(asked).all():
        trigger = _trigger(connection, user, times, now=now)
        if trigger is not None:
            due.append(DueDream(user.tenant_id, user.user_id, trigger))
        if len(due) >= limit:
            break
    return due


def _said_since() -> ColumnElement[bool]:
    """Whether the user of the row said anything since the latest dream over him."""
    said = select(turns.c.id).where(
        turns.c.tenant_id == users_table.c.tenant_id,
        turns.c.user_id == users_table.c.user_id,
        or_(dreams.c.last_turn_id.is_(None), turns.c.id > dreams.c.last_turn_id),
    )
    return said.exists()


def _trigger(
    connection: Connection, user: Any, times: DreamTimes, *, now: datetime
) -> DreamTrigger | None:
    """Why this user is to be dreamt over now, if he is; without a new turn he is not."""
    theirs = and_(turns.c.tenant_id == user.tenant_id, turns.c.user_id == user.user_id)
    if user.last_turn_id is not None:
        theirs = and_(theirs, turns.c.id > user.last_turn_id)
    latest = select(turns.c.recorded_at).where(theirs).order_by(turns.c.id.desc())
    said = connection.execute(latest.limit(times.every_turns)).scalars().all()
    if not said:
        return None
    if len(said) >= times.every_turns:
        return DreamTrigger.TURNS
    if said[0] <= now - timedelta(seconds=times.idle_s):
        return DreamTrigger.IDLE
    kept = and_(memories_of(user.tenant_id, user.user_id), _ACTIVE)
    active = connection.execute(select(func.count()).where(kept)).scalar_one()
    return DreamTrigger.CAPACITY if active >= times.pressed_from else None


def _read_before(connection: Connection, row: Row[Any]) -> tuple[str | None, datetime | None]:
    """Up to which memory earlier dreams have read, and when the last of them was planned.

    What a person put aside or took back is read again when he asks for a dream by hand.
    """
    ended = [DreamStatus.APPLIED]
    if row.trigger != DreamTrigger.HAND.value:
        ended += [DreamStatus.REVIEW, DreamStatus.REJECTED, DreamStatus.UNDONE]
    at = func.max(dreams.c.planned_at, type_=dreams.c.planned_at.type)
    query = select(func.max(dreams.c.read_up_to), at).where(
        dreams.c.tenant_id == row.tenant_id,
        dreams.c.user_id == row.user_id,
        dreams.c.status.in_([status.value for status in ended]),
    )
    since, planned_at = connection.execute(query).one()
    return since, planned_at


def _used_since(
    connection: Connection,
    theirs: ColumnElement[bool],
    since: str | None,
    at: datetime | None,
    *,
    limit: int,
) -> list[Row[Any]]:
    """Memories read before that were recalled since, the latest first."""
    if since is None or at is None:
        return []
    again = and_(memories.c.id <= since, memories.c.last_accessed_at > at)
    query = select(memories).where(theirs, again)
    return list(
        connection.execute(query.order_by(memories.c.last_accessed_at.desc()).limit(limit)).all()
    )


def _pressed(connection: Connection, theirs: ColumnElement[bool], limit: int) -> list[Row[Any]]:
    """The least useful memories: never recalled or long ago, and of little worth."""
    query = select(memories).where(theirs)
    worst = (memories.c.utility, memories.c.access_count, memories.c.id)
    return list(connection.execute(query.order_by(*worst).limit(limit)).all())


def _unused(
    connection: Connection, row: Row[Any], theirs: ColumnElement[bool], *, before: datetime
) -> list[Memory]:
    """Short facts of no time that nobody recalled, but for those that a person kept."""
    kept = (
        select(dream_memories.c.memory_id)
        .join(dream_steps, dream_steps.c.id == dream_memories.c.step_id)
        .join(dreams, dreams.c.id == dream_steps.c.dream_id)
        .where(
            dream_memories.c.tenant_id == row.tenant_id,
            dream_memories.c.user_id == row.user_id,
            dream_steps.c.action == DreamAction.FORGET.value,
            or_(dreams.c.status.in_(_NOT_ALLOWED), dream_steps.c.reason == LEFT_OUT),
        )
    )
    query = select(memories).where(
        theirs,
        memories.c.access_count == 0,
        memories.c.recorded_at <= before,
        memories.c.kind.in_([MemoryKind.FACT.value, MemoryKind.OTHER.value]),
        memories.c.valid_from.is_(None),
        memories.c.valid_to.is_(None),
        func.length(memories.c.text) <= _SHORT,
        memories.c.id.not_in(kept),
    )
    found = connection.execute(
        query.order_by(memories.c.utility, memories.c.id).limit(_MOST_UNUSED)
    )
    return with_sources(connection, row.tenant_id, list(found.all()))


def _promoted(connection: Connection, tenant_id: str, user_id: str) -> frozenset[str]:
    """Memories that a step rests on which promoted something that was not taken back."""
    query = (
        select(dream_memories.c.memory_id)
        .join(dream_steps, dream_steps.c.id == dream_memories.c.step_id)
        .where(
            dream_memories.c.tenant_id == tenant_id,
            dream_memories.c.user_id == user_id,
            dream_steps.c.action == DreamAction.PROMOTE.value,
            dream_steps.c.is_applied,
        )
    )
    return frozenset(connection.execute(query).scalars())
