"""A dream that is asked for: stored with its operation and its job."""

from datetime import datetime

from sqlalchemy import Connection, func, select

from lightmem.adapters.ledger.dream_rows import from_dream
from lightmem.adapters.ledger.operations import store_operation
from lightmem.adapters.ledger.outbox import NewJob, put_jobs
from lightmem.adapters.ledger.tables import dreams, turns
from lightmem.adapters.ledger.trail import record
from lightmem.adapters.ledger.whose import lock_user
from lightmem.domain.ids import new_id
from lightmem.model import (
    Dream,
    DreamStatus,
    JobKind,
    Operation,
    OperationKind,
    OperationStatus,
)
from lightmem.ports.dreams import DreamWish


def request(
    connection: Connection,
    tenant_id: str,
    user_id: str,
    wish: DreamWish,
    *,
    actor: str,
    now: datetime,
) -> Dream | None:
    """Store the dream; None when one of the user is waiting and the wish gives way to it."""
    lock_user(connection, tenant_id, user_id, now=now)
    if wish.unless_waiting and _is_waiting(connection, tenant_id, user_id):
        return None
    dream = Dream(
        id=new_id(),
        tenant_id=tenant_id,
        user_id=user_id,
        operation_id=new_id(),
        policy=wish.policy,
        trigger=wish.trigger,
        max_removed_fraction=wish.max_removed_fraction,
        status=DreamStatus.PLANNING,
        created_at=now,
    )
    store_operation(connection, _operation(dream))
    last = _last_turn_id(connection, tenant_id, user_id)
    connection.execute(dreams.insert().values(from_dream(dream, last_turn_id=last)))
    job = NewJob(JobKind.DREAM, {"dream_id": dream.id})
    put_jobs(connection, tenant_id, user_id, [job], now=now)
    record(connection, tenant_id, at=now, actor=actor, action="dream.request", target=dream.id)
    return dream


def _last_turn_id(connection: Connection, tenant_id: str, user_id: str) -> str | None:
    """The turn that was stored last."""
    last = select(func.max(turns.c.id)).where(
        turns.c.tenant_id == tenant_id, turns.c.user_id == user_id
    )
    found = connection.execute(last).scalar_one()
    return None if found is None else str(found)


def _operation(dream: Dream) -> Operation:
    return Operation(
        id=dream.operation_id,
        tenant_id=dream.tenant_id,
        user_id=dream.user_id,
        kind=OperationKind.DREAM,
        status=OperationStatus.PENDING,
        outcomes=(),
        created_at=dream.created_at,
        result={"dream_id": dream.id},
    )


def _is_waiting(connection: Connection, tenant_id: str, user_id: str) -> bool:
    query = select(dreams.c.id).where(
        dreams.c.tenant_id == tenant_id,
        dreams.c.user_id == user_id,
        dreams.c.status == DreamStatus.PLANNING.value,
    )
    return connection.execute(query.limit(1)).first() is not None
