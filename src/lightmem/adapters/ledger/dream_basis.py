"""What a dream begins with: which memories it reads, and which may leave.

What earlier dreams have read is not read again unless it was recalled since; so a dream reads what
is new however much there is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, func, or_, select

from lightmem.adapters.ledger.database import slices
from lightmem.adapters.ledger.dream_deciding import LEFT_OUT
from lightmem.adapters.ledger.remembering import memories_of, with_sources
from lightmem.adapters.ledger.tables import dream_memories, dream_steps, dreams, memories
from lightmem.model import (
    DreamAction,
    DreamBasis,
    DreamStatus,
    DreamTrigger,
    MemoryKind,
    MemoryStatus,
)

_ACTIVE = memories.c.status == MemoryStatus.ACTIVE.value
#: Of the memories new to a dream, how many used ones are read again.
_USED_SHARE = 2
#: Characters of a memory that may be a passing remark.
_SHORT = 120
_PASSING = (MemoryKind.FACT.value, MemoryKind.OTHER.value)
_KEPT = (MemoryKind.PLAN.value, MemoryKind.RELATION.value)
#: Dreams whose plan a person has not decided on, or decided against.
_NOT_ALLOWED = (DreamStatus.REVIEW.value, DreamStatus.REJECTED.value, DreamStatus.UNDONE.value)


@dataclass(frozen=True, slots=True)
class _Before:
    """How far earlier dreams have come, and when the last of them was planned."""

    read_up_to: str | None
    unused_up_to: str | None
    planned_at: datetime | None


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
    before = _before(connection, row)
    fresh = select(memories).where(theirs)
    if before.read_up_to is not None:
        fresh = fresh.where(memories.c.id > before.read_up_to)
    new = connection.execute(fresh.order_by(memories.c.id).limit(limit)).all()
    used = _used_since(connection, theirs, before, limit=limit // _USED_SHARE)
    active = connection.execute(select(func.count()).where(theirs)).scalar_one()
    pressed = _pressed(connection, theirs, limit) if active >= pressed_from else []
    unused = _unused(connection, row, theirs, before, recorded_until=unused_before, limit=limit)
    read = {each.id: each for each in (*new, *used)}
    return DreamBasis(
        memories=with_sources(connection, row.tenant_id, list(read.values())),
        pressed=with_sources(connection, row.tenant_id, pressed),
        active=active,
        read_up_to=new[-1].id if new else before.read_up_to,
        unused=with_sources(connection, row.tenant_id, unused),
    )


def promoted_among(
    connection: Connection, tenant_id: str, user_id: str, memory_ids: Sequence[str]
) -> frozenset[str]:
    """Those that a step rests on which promoted something that was not taken back."""
    found: set[str] = set()
    for ids in slices(memory_ids):
        query = (
            select(dream_memories.c.memory_id)
            .join(dream_steps, dream_steps.c.id == dream_memories.c.step_id)
            .where(
                dream_memories.c.tenant_id == tenant_id,
                dream_memories.c.user_id == user_id,
                dream_memories.c.memory_id.in_(ids),
                dream_steps.c.action == DreamAction.PROMOTE.value,
                dream_steps.c.is_applied,
            )
        )
        found.update(connection.execute(query).scalars())
    return frozenset(found)


def _before(connection: Connection, row: Row[Any]) -> _Before:
    """How far the user's dreams have come.

    What a person put aside or took back is read again when he asks for a dream by hand.
    """
    ended = [DreamStatus.APPLIED]
    if row.trigger != DreamTrigger.HAND.value:
        ended += [DreamStatus.REVIEW, DreamStatus.REJECTED, DreamStatus.UNDONE]
    at = func.max(dreams.c.planned_at, type_=dreams.c.planned_at.type)
    query = select(func.max(dreams.c.read_up_to), func.max(dreams.c.unused_up_to), at).where(
        dreams.c.tenant_id == row.tenant_id,
        dreams.c.user_id == row.user_id,
        dreams.c.status.in_([status.value for status in ended]),
    )
    read_up_to, unused_up_to, planned_at = connection.execute(query).one()
    return _Before(read_up_to, unused_up_to, planned_at)


def _used_since(
    connection: Connection, theirs: ColumnElement[bool], before: _Before, *, limit: int
) -> list[Row[Any]]:
    """Memories read before that were recalled since, the latest first."""
    if before.read_up_to is None or before.planned_at is None:
        return []
    again = and_(
        memories.c.id <= before.read_up_to, memories.c.last_accessed_at > before.planned_at
    )
    query = select(memories).where(theirs, again)
    return list(
        connection.execute(query.order_by(memories.c.last_accessed_at.desc()).limit(limit)).all()
    )


def _pressed(connection: Connection, theirs: ColumnElement[bool], limit: int) -> list[Row[Any]]:
    """The least useful memories: of little worth, never recalled, and of no kind that is kept."""
    query = select(memories).where(
        theirs, memories.c.access_count == 0, memories.c.kind.not_in(_KEPT)
    )
    return list(
        connection.execute(query.order_by(memories.c.utility, memories.c.id).limit(limit)).all()
    )


def _unused(
    connection: Connection,
    row: Row[Any],
    theirs: ColumnElement[bool],
    before: _Before,
    *,
    recorded_until: datetime,
    limit: int,
) -> list[Row[Any]]:
    """Short facts of no time that nobody recalled, but for those that a person kept.

    Each is looked at once, when its time has come: the next dream goes on behind it.
    """
    kept = (
        select(dream_memories.c.memory_id)
        .join(dream_steps, dream_steps.c.id == dream_memories.c.step_id)
        .join(dreams, dreams.c.id == dream_steps.c.dream_id)
        .where(
            dream_memories.c.tenant_id == row.tenant_id,
            dream_memories.c.user_id == row.user_id,
            dream_memories.c.memory_id == memories.c.id,
            dream_steps.c.action == DreamAction.FORGET.value,
            or_(dreams.c.status.in_(_NOT_ALLOWED), dream_steps.c.reason == LEFT_OUT),
        )
    )
    query = select(memories).where(
        theirs,
        memories.c.access_count == 0,
        memories.c.recorded_at <= recorded_until,
        memories.c.kind.in_(_PASSING),
        memories.c.valid_from.is_(None),
        memories.c.valid_to.is_(None),
        func.length(memories.c.text) <= _SHORT,
        ~kept.exists(),
    )
    if before.unused_up_to is not None:
        query = query.where(memories.c.id > before.unused_up_to)
    return list(connection.execute(query.order_by(memories.c.id).limit(limit)).all())
