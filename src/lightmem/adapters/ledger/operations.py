"""Operations and the outcomes of their turns."""

from dataclasses import replace
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, select

from lightmem.adapters.ledger.database import LedgerPart
from lightmem.adapters.ledger.outbox import NewJob, put_jobs
from lightmem.adapters.ledger.rows import from_operation, from_outcome, to_operation, to_outcome
from lightmem.adapters.ledger.tables import operations, outcomes
from lightmem.adapters.ledger.trail import record
from lightmem.adapters.ledger.whose import lock_user
from lightmem.errors import NotFound, WrongState
from lightmem.model import JobKind, Operation, OperationStatus, Outcome


def load_operation(
    connection: Connection, tenant_id: str, operation_id: str, *, user_id: str | None
) -> Operation:
    """An operation with its outcomes in the order of its turns.

    Raises:
        NotFound: no such operation, or not theirs.
    """
    theirs = and_(operations.c.tenant_id == tenant_id, operations.c.id == operation_id)
    if user_id is not None:
        theirs = and_(theirs, operations.c.user_id == user_id)
    row = connection.execute(select(operations).where(theirs)).one_or_none()
    if row is None:
        raise NotFound(f"no operation {operation_id!r}", operation_id=operation_id)
    ended = select(outcomes).where(_of(tenant_id, operation_id)).order_by(outcomes.c.position)
    return to_operation(row, [to_outcome(each) for each in connection.execute(ended)])


def store_operation(connection: Connection, operation: Operation) -> None:
    """Insert an operation and its outcomes."""
    connection.execute(operations.insert(), from_operation(operation))
    rows = [
        from_outcome(
            outcome, operation_id=operation.id, position=position, tenant_id=operation.tenant_id
        )
        for position, outcome in enumerate(operation.outcomes)
    ]
    if rows:
        connection.execute(outcomes.insert(), rows)


class SqlOperations(LedgerPart):
    """What became of what was asked for."""

    async def get_operation(
        self, tenant_id: str, operation_id: str, *, user_id: str | None = None
    ) -> Operation:
        return await self._database.read(
            lambda connection: load_operation(connection, tenant_id, operation_id, user_id=user_id)
        )

    async def retry_operation(
        self, tenant_id: str, operation_id: str, *, user_id: str | None, actor: str
    ) -> Operation:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: _retry(
                connection, tenant_id, operation_id, user_id=user_id, actor=actor, now=now
            )
        )


def _retry(
    connection: Connection,
    tenant_id: str,
    operation_id: str,
    *,
    user_id: str | None,
    actor: str,
    now: datetime,
) -> Operation:
    found = load_operation(connection, tenant_id, operation_id, user_id=user_id)
    lock_user(connection, tenant_id, found.user_id, now=now)
    quarantined = and_(
        _of(tenant_id, operation_id), outcomes.c.outcome == Outcome.QUARANTINED.value
    )
    again = outcomes.update().where(quarantined)
    freed = connection.execute(again.values(outcome=Outcome.PENDING.value, reason=None))
    if not freed.rowcount:
        raise WrongState("nothing in this operation is quarantined", operation_id=operation_id)
    connection.execute(
        operations.update()
        .where(operations.c.tenant_id == tenant_id, operations.c.id == operation_id)
        .values(status=OperationStatus.PENDING.value, finished_at=None)
    )
    job = NewJob(JobKind.WRITE, {"operation_id": operation_id})
    put_jobs(connection, tenant_id, found.user_id, [job], now=now)
    record(
        connection, tenant_id, at=now, actor=actor, action="operation.retry", target=operation_id
    )
    return load_operation(connection, tenant_id, operation_id, user_id=user_id)


def as_answered_first(operation: Operation, status: str) -> Operation:
    """The operation with the status it had when its first answer was given."""
    return replace(operation, status=OperationStatus(status))


def _of(tenant_id: str, operation_id: str) -> ColumnElement[bool]:
    return and_(outcomes.c.tenant_id == tenant_id, outcomes.c.operation_id == operation_id)
