"""Imports under way: their lines, kept where nobody reads them until all are there."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, select

from lightmem.adapters.ledger.database import LedgerPart, slices
from lightmem.adapters.ledger.operations import load_operation, store_operation
from lightmem.adapters.ledger.outbox import BULK, NewJob, put_jobs, take_out
from lightmem.adapters.ledger.tables import import_lines, operations, outbox
from lightmem.adapters.ledger.trail import record
from lightmem.adapters.ledger.whose import lock_user
from lightmem.domain.ids import new_id
from lightmem.domain.limits import check_id
from lightmem.domain.portable import AnyLine, line_of
from lightmem.errors import FieldError, InvalidInput, WrongState
from lightmem.model import JobKind, Operation, OperationKind, OperationStatus
from lightmem.ports.portability import StagedLine

#: An import is abandoned when no line has come for so long.
PATIENCE_S = 600.0
#: When the job ends a sealed import that its caller does not.
TAKEN_UP_AFTER_S = 30.0


class SqlStaging(LedgerPart):
    """Keeps lines."""

    async def begin_import(self, tenant_id: str, user_id: str, *, actor: str) -> Operation:
        check_id("user_id", user_id)
        operation = Operation(
            id=new_id(),
            tenant_id=tenant_id,
            user_id=user_id,
            kind=OperationKind.IMPORT,
            status=OperationStatus.PENDING,
            outcomes=(),
            created_at=self._clock.now(),
        )
        await self._database.write(lambda connection: _begin(connection, operation, actor))
        return operation

    async def stage_lines(
        self, tenant_id: str, operation_id: str, lines: Sequence[StagedLine]
    ) -> None:
        now = self._clock.now()
        await self._database.write(
            lambda connection: _stage(connection, tenant_id, operation_id, lines, now=now)
        )

    async def seal_import(self, tenant_id: str, operation_id: str) -> Operation:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: _seal(connection, tenant_id, operation_id, now=now)
        )

    async def staged_lines(
        self, tenant_id: str, operation_id: str, kinds: Sequence[str], *, after: int, limit: int
    ) -> list[StagedLine]:
        return await self._database.read(
            lambda connection: read_staged(
                connection, tenant_id, operation_id, kinds, after=after, limit=limit
            )
        )

    async def restage_lines(
        self, tenant_id: str, operation_id: str, lines: Mapping[int, AnyLine]
    ) -> None:
        await self._database.write(
            lambda connection: _restage(connection, tenant_id, operation_id, lines)
        )

    async def abandon_import(self, tenant_id: str, operation_id: str, *, reason: str) -> None:
        now = self._clock.now()
        await self._database.write(
            lambda connection: _abandon(connection, tenant_id, operation_id, reason, now=now)
        )
        await self._database.empty_log()


def read_staged(
    connection: Connection,
    tenant_id: str,
    operation_id: str,
    kinds: Sequence[str],
    *,
    after: int,
    limit: int,
) -> list[StagedLine]:
    """Lines of some types by number, those after a number."""
    wanted = (
        select(import_lines.c.line, import_lines.c.content)
        .where(staged_of(tenant_id, operation_id), import_lines.c.kind.in_(kinds))
        .where(import_lines.c.line > after)
        .order_by(import_lines.c.line)
        .limit(limit)
    )
    return [_staged(row.line, row.content) for row in connection.execute(wanted)]


def staged_of(tenant_id: str, operation_id: str) -> ColumnElement[bool]:
    """The rows of an import's lines."""
    return and_(import_lines.c.tenant_id == tenant_id, import_lines.c.operation_id == operation_id)


def finish_import(
    connection: Connection,
    operation: Operation,
    status: OperationStatus,
    result: Mapping[str, Any],
    *,
    now: datetime,
) -> Operation:
    """End an import: what was staged goes, its job too, and its result is there to be read."""
    tenant_id, operation_id = operation.tenant_id, operation.id
    connection.execute(import_lines.delete().where(staged_of(tenant_id, operation_id)))
    connection.execute(
        operations.update()
        .where(operations.c.tenant_id == tenant_id, operations.c.id == operation_id)
        .values(status=status.value, finished_at=now, result=dict(result))
    )
    _drop_jobs(connection, operation)
    return load_operation(connection, tenant_id, operation_id, user_id=None)


def load_locked(
    connection: Connection, tenant_id: str, operation_id: str, *, now: datetime
) -> Operation:
    """The import as it is, once nobody else writes for its user.

    Raises:
        NotFound: the user was erased meanwhile.
    """
    found = load_operation(connection, tenant_id, operation_id, user_id=None)
    lock_user(connection, tenant_id, found.user_id, now=now)
    return load_operation(connection, tenant_id, operation_id, user_id=None)


def _begin(connection: Connection, operation: Operation, actor: str) -> None:
    tenant_id, user_id, now = operation.tenant_id, operation.user_id, operation.created_at
    lock_user(connection, tenant_id, user_id, now=now)
    store_operation(connection, operation)
    job = NewJob(JobKind.IMPORT, {"operation_id": operation.id}, delay_s=PATIENCE_S, priority=BULK)
    put_jobs(connection, tenant_id, user_id, [job], now=now)
    record(connection, tenant_id, at=now, actor=actor, action="user.import", target=operation.id)


def _stage(
    connection: Connection,
    tenant_id: str,
    operation_id: str,
    lines: Sequence[StagedLine],
    *,
    now: datetime,
) -> None:
    operation = load_locked(connection, tenant_id, operation_id, now=now)
    if operation.status is not OperationStatus.PENDING:
        raise WrongState("the import takes no more lines", operation_id=operation_id)
    _refuse_twice(connection, operation, lines)
    rows = [
        {
            "operation_id": operation_id,
            "kind": staged.line.type,
            "name": staged.line.name,
            "tenant_id": tenant_id,
            "user_id": operation.user_id,
            "line": staged.number,
            "content": staged.line.model_dump(mode="json", exclude_unset=True),
        }
        for staged in lines
    ]
    if rows:
        connection.execute(import_lines.insert(), rows)
    _put_off(connection, operation, PATIENCE_S, now=now)


def _refuse_twice(
    connection: Connection, operation: Operation, lines: Sequence[StagedLine]
) -> None:
    """Raise `InvalidInput` for lines that tell of what another line told of."""
    seen: dict[tuple[str, str], int] = {}
    for kind in dict.fromkeys(staged.line.type for staged in lines):
        names = [staged.line.name for staged in lines if staged.line.type == kind]
        for some in slices(names):
            rows = connection.execute(
                select(import_lines.c.name, import_lines.c.line)
                .where(staged_of(operation.tenant_id, operation.id))
                .where(import_lines.c.kind == kind, import_lines.c.name.in_(some))
            )
            seen.update(((kind, row.name), row.line) for row in rows)
    errors = []
    for staged in lines:
        key = (staged.line.type, staged.line.name)
        if key in seen:
            message = f"line {seen[key]} has this {staged.line.type} already"
            errors.append(FieldError(f"lines.{staged.number}", message))
        seen.setdefault(key, staged.number)
    if errors:
        raise InvalidInput(f"{errors[0].field}: {errors[0].message}", errors=errors)


def _seal(connection: Connection, tenant_id: str, operation_id: str, *, now: datetime) -> Operation:
    operation = load_locked(connection, tenant_id, operation_id, now=now)
    if operation.status is OperationStatus.PENDING:
        connection.execute(
            operations.update()
            .where(operations.c.tenant_id == tenant_id, operations.c.id == operation_id)
            .values(status=OperationStatus.RUNNING.value)
        )
        _put_off(connection, operation, TAKEN_UP_AFTER_S, now=now)
    return load_operation(connection, tenant_id, operation_id, user_id=None)


def _restage(
    connection: Connection, tenant_id: str, operation_id: str, lines: Mapping[int, AnyLine]
) -> None:
    for number, line in lines.items():
        connection.execute(
            import_lines.update()
            .where(staged_of(tenant_id, operation_id), import_lines.c.line == number)
            .where(import_lines.c.kind == line.type)
            .values(content=line.model_dump(mode="json", exclude_unset=True))
        )


def _abandon(
    connection: Connection, tenant_id: str, operation_id: str, reason: str, *, now: datetime
) -> None:
    operation = load_locked(connection, tenant_id, operation_id, now=now)
    if operation.status is OperationStatus.PENDING:
        failed = {"errors": [{"field": "body", "message": reason}]}
        finish_import(connection, operation, OperationStatus.FAILED, failed, now=now)


def _put_off(
    connection: Connection, operation: Operation, delay_s: float, *, now: datetime
) -> None:
    """Let the import's job fall due later: whoever has it in hand goes on himself."""
    _drop_jobs(connection, operation)
    job = NewJob(JobKind.IMPORT, {"operation_id": operation.id}, delay_s=delay_s, priority=BULK)
    put_jobs(connection, operation.tenant_id, operation.user_id, [job], now=now)


def _drop_jobs(connection: Connection, operation: Operation) -> None:
    jobs = select(outbox.c.id, outbox.c.payload).where(
        outbox.c.tenant_id == operation.tenant_id,
        outbox.c.user_id == operation.user_id,
        outbox.c.kind == JobKind.IMPORT.value,
    )
    for row in connection.execute(jobs).all():
        if row.payload["operation_id"] == operation.id:
            take_out(connection, row.id)


def _staged(number: int, content: Any) -> StagedLine:
    line = line_of(content)
    assert not isinstance(line, list), "what was staged had been checked"
    return StagedLine(number, line)
