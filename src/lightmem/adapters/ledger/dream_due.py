"""Whose time for a dream has come."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select

from lightmem.adapters.ledger.remembering import memories_of
from lightmem.adapters.ledger.tables import dreams, memories, turns
from lightmem.adapters.ledger.tables import users as users_table
from lightmem.model import DreamTrigger, DueDream, MemoryStatus
from lightmem.ports.dreams import DreamTimes

_ACTIVE = memories.c.status == MemoryStatus.ACTIVE.value
#: Users looked at for one answer.
_MOST_USERS = 1_000


def due_dreams(
    connection: Connection, times: DreamTimes, *, limit: int, now: datetime
) -> list[DueDream]:
    """Users who said enough, or fell silent, since they were last dreamt over."""
    all_of = dreams.alias("all_of_user")
    # Of each user by himself, through the index: all that anybody dreamt is not gone through.
    latest = (
        select(func.max(all_of.c.id))
        .where(all_of.c.tenant_id == users_table.c.tenant_id)
        .where(all_of.c.user_id == users_table.c.user_id)
        .correlate(users_table)
        .scalar_subquery()
    )
    asked = (
        select(users_table.c.tenant_id, users_table.c.user_id, dreams.c.last_turn_id)
        .outerjoin_from(users_table, dreams, dreams.c.id == latest)
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
