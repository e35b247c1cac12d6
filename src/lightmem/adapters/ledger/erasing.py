"""A user's rows removed, all of them, and the receipt that says so."""

import json
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, and_, func, select

from lightmem.adapters.ledger.answers import strike_answers
from lightmem.adapters.ledger.belonging import WORK, children_first, count_rows
from lightmem.adapters.ledger.database import LedgerPart, insert_into
from lightmem.adapters.ledger.operations import load_operation, store_operation
from lightmem.adapters.ledger.outbox import NewJob, put_jobs
from lightmem.adapters.ledger.tables import operations, outbox, users
from lightmem.adapters.ledger.trail import record
from lightmem.adapters.ledger.whose import require_tenant
from lightmem.domain.ids import new_id
from lightmem.domain.limits import check_id
from lightmem.model import JobKind, Operation, OperationKind, OperationStatus
from lightmem.ports.erasure import STORES

#: When the job ends an erasure that the caller who began it did not end.
TAKEN_UP_AFTER_S = 15.0
#: When it is looked again for what a process under way may have put back as it died.
SWEPT_AFTER_S = (60.0, 900.0)


class SqlErasure(LedgerPart):
    """Erases users."""

    async def begin_erasure(self, tenant_id: str, user_id: str, *, actor: str) -> Operation:
        check_id("user_id", user_id)
        now = self._clock.now()
        begun = await self._database.write(
            lambda connection: _begin(connection, tenant_id, user_id, actor=actor, now=now),
            timeout_s=None,
        )
        await self._database.empty_log()
        return begun

    async def note_erased(self, tenant_id: str, operation_id: str, store: str, count: int) -> None:
        operation = await self._database.read(
            lambda connection: load_operation(connection, tenant_id, operation_id, user_id=None)
        )
        await self._database.write(lambda connection: _note(connection, operation, {store: count}))

    async def end_erasure(
        self, tenant_id: str, operation_id: str, *, remaining: Mapping[str, int]
    ) -> Operation:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: _end(connection, tenant_id, operation_id, remaining, now=now)
        )


# --- the beginning --------------------------------------------------------------------------


def _begin(
    connection: Connection, tenant_id: str, user_id: str, *, actor: str, now: datetime
) -> Operation:
    require_tenant(connection, tenant_id)
    operation = Operation(
        id=new_id(),
        tenant_id=tenant_id,
        user_id=user_id,
        kind=OperationKind.ERASE,
        status=OperationStatus.RUNNING,
        outcomes=(),
        created_at=now,
    )
    was_there, under_way = _hold(connection, operation)
    if under_way is not None:
        return load_operation(connection, tenant_id, under_way, user_id=user_id)
    removed = _remove_rows(connection, tenant_id, user_id)
    removed["ledger"] += was_there
    strike_answers(connection, tenant_id, user_id)
    store_operation(connection, operation)
    job = NewJob(
        JobKind.ERASE,
        {"operation_id": operation.id, "removed": removed},
        delay_s=TAKEN_UP_AFTER_S,
    )
    put_jobs(connection, tenant_id, user_id, [job], now=now)
    record(connection, tenant_id, at=now, actor=actor, action="user.erase", target=operation.id)
    return operation


def _hold(connection: Connection, operation: Operation) -> tuple[bool, str | None]:
    """Whether the user was there, and the erasure that is under way; theirs is the lock now."""
    whose = {"tenant_id": operation.tenant_id, "user_id": operation.user_id}
    was_there = connection.execute(select(users.c.user_id).filter_by(**whose)).first() is not None
    new = insert_into(connection, users).values(
        **whose,
        created_at=operation.created_at,
        last_active_at=operation.created_at,
        erasing=operation.id,
    )
    held = new.on_conflict_do_update(
        index_elements=["tenant_id", "user_id"],
        set_={"erasing": func.coalesce(users.c.erasing, new.excluded.erasing)},
    ).returning(users.c.erasing)
    erasing = str(connection.execute(held).scalar_one())
    return was_there, None if erasing == operation.id else erasing


def _remove_rows(connection: Connection, tenant_id: str, user_id: str) -> dict[str, int]:
    """Empty the tables of the user's rows, their own one aside, and count what was there."""
    removed = {"ledger": 0, "jobs": 0}
    for one in children_first():
        if one.table is users:
            continue
        count = connection.execute(one.table.delete().where(one.rows(tenant_id, user_id))).rowcount
        removed["jobs" if one.table.name in WORK else "ledger"] += count
    return removed


# --- the end --------------------------------------------------------------------------------


def _note(
    connection: Connection, operation: Operation, counts: Mapping[str, int]
) -> dict[str, int]:
    """The greatest counts of what each store held, with these; none once it has ended."""
    job = and_(
        outbox.c.tenant_id == operation.tenant_id,
        outbox.c.user_id == operation.user_id,
        outbox.c.kind == JobKind.ERASE.value,
    )
    row = connection.execute(select(outbox).where(job).with_for_update()).first()
    if row is None or row.payload["operation_id"] != operation.id:
        return {}
    removed: dict[str, int] = dict(row.payload["removed"])
    removed.update((name, max(removed.get(name, 0), count)) for name, count in counts.items())
    payload = {**row.payload, "removed": removed}
    connection.execute(outbox.update().where(outbox.c.id == row.id).values(payload=payload))
    return removed


def _end(
    connection: Connection,
    tenant_id: str,
    operation_id: str,
    remaining: Mapping[str, int],
    *,
    now: datetime,
) -> Operation:
    found = load_operation(connection, tenant_id, operation_id, user_id=None)
    theirs = and_(users.c.tenant_id == tenant_id, users.c.user_id == found.user_id)
    connection.execute(select(users.c.user_id).where(theirs).with_for_update()).one_or_none()
    found = load_operation(connection, tenant_id, operation_id, user_id=None)
    if found.status is not OperationStatus.RUNNING:
        return found
    removed = _note(connection, found, {})
    own_job = and_(outbox.c.tenant_id == tenant_id, outbox.c.user_id == found.user_id)
    connection.execute(outbox.delete().where(own_job, outbox.c.kind == JobKind.ERASE.value))
    connection.execute(users.delete().where(theirs))
    counted = {**remaining, **_left(connection, tenant_id, found.user_id)}
    receipt = _receipt(found.user_id, now, removed, counted)
    connection.execute(
        operations.update()
        .where(operations.c.tenant_id == tenant_id, operations.c.id == operation_id)
        .values(status=OperationStatus.SUCCEEDED.value, finished_at=now, result=receipt)
    )
    strike_answers(connection, tenant_id, found.user_id, until=now)
    sweeps = [NewJob(JobKind.SWEEP, {}, delay_s=delay_s) for delay_s in SWEPT_AFTER_S]
    put_jobs(connection, tenant_id, found.user_id, sweeps, now=now)
    record(
        connection,
        tenant_id,
        at=now,
        actor="erasure",
        action="user.erased",
        target=receipt["digest"],
    )
    return load_operation(connection, tenant_id, operation_id, user_id=None)


def _left(connection: Connection, tenant_id: str, user_id: str) -> dict[str, int]:
    counts = count_rows(connection, tenant_id, user_id)
    return {
        "ledger": sum(count for name, count in counts.items() if name not in WORK),
        "jobs": sum(counts[name] for name in WORK),
    }


def _receipt(
    user_id: str, at: datetime, removed: Mapping[str, int], remaining: Mapping[str, int]
) -> dict[str, Any]:
    """What was erased, with the SHA-256 of the rest as JSON with sorted names."""
    receipt: dict[str, Any] = {
        "user_id": user_id,
        "erased_at": at.isoformat(),
        "stores": [
            {
                "store": store,
                "removed": removed.get(store, 0),
                "remaining": remaining.get(store, 0),
            }
            for store in STORES
        ],
    }
    text = json.dumps(receipt, sort_keys=True, separators=(",", ":"))
    return {**receipt, "digest": sha256(text.encode()).hexdigest()}
