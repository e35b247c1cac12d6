"""The ways in for what a user has forgotten or corrected."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from lightmem.adapters.ledger.database import LedgerPart
from lightmem.adapters.ledger.operations import load_operation, store_operation
from lightmem.adapters.ledger.outbox import NewJob, put_jobs
from lightmem.adapters.ledger.patching import patch
from lightmem.adapters.ledger.striking import Striking, strike
from lightmem.adapters.ledger.tables import operations
from lightmem.adapters.ledger.whose import lock_user
from lightmem.domain.ids import new_id
from lightmem.model import (
    Forgetting,
    Forgot,
    JobKind,
    Memory,
    MemoryPatch,
    Operation,
    OperationKind,
    OperationStatus,
)

#: When the job takes over a forgetting whose process may have ended.
TAKEN_UP_AFTER_S = 60.0


class SqlForgetting(LedgerPart):
    """Forgets and corrects."""

    async def commit_forgetting(
        self,
        tenant_id: str,
        user_id: str,
        forgetting: Forgetting,
        *,
        actor: str,
        operation_id: str | None = None,
        dry_run: bool = False,
    ) -> Forgot:
        striking = Striking(tenant_id, user_id, forgetting, actor, self._clock.now())
        if dry_run:
            return await self._try(striking)
        done = await self._database.write(
            lambda connection: _strike(connection, striking, operation_id)
        )
        await self._database.empty_log()
        return done

    async def _try(self, striking: Striking) -> Forgot:
        """What it would come to, found by doing it and going back."""
        found: list[Forgot] = []

        def tried(connection: Connection) -> None:
            with connection.begin_nested() as nested:
                found.append(strike(connection, striking))
                nested.rollback()

        await self._database.write(tried)
        return found[0]

    async def begin_forgetting(
        self, tenant_id: str, user_id: str, memory_ids: Sequence[str], *, actor: str
    ) -> str:
        operation = Operation(
            id=new_id(),
            tenant_id=tenant_id,
            user_id=user_id,
            kind=OperationKind.FORGET,
            status=OperationStatus.RUNNING,
            outcomes=(),
            created_at=self._clock.now(),
        )
        payload = {
            "operation_id": operation.id,
            "memory_ids": list(memory_ids),
            "actor": actor,
        }
        await self._database.write(lambda connection: _begin(connection, operation, payload))
        return operation.id

    async def end_forgetting(
        self,
        tenant_id: str,
        operation_id: str,
        *,
        done: Forgot | None = None,
        failed: str | None = None,
    ) -> None:
        now = self._clock.now()
        status = OperationStatus.SUCCEEDED if done is not None else OperationStatus.FAILED
        result = result_of(done) if done is not None else {"reason": failed}
        await self._database.write(
            lambda connection: _end(
                connection,
                tenant_id,
                operation_id,
                status=status,
                result=result,
                now=now,
            )
        )

    async def patch_memory(
        self,
        tenant_id: str,
        user_id: str,
        change: MemoryPatch,
        *,
        forgetting_state: str | None,
        actor: str,
    ) -> Memory:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: patch(
                connection,
                tenant_id,
                user_id,
                change,
                state=forgetting_state,
                actor=actor,
                now=now,
            )
        )


def _begin(connection: Connection, operation: Operation, payload: dict[str, Any]) -> None:
    tenant_id, user_id, now = operation.tenant_id, operation.user_id, operation.created_at
    lock_user(connection, tenant_id, user_id, now=now)
    store_operation(connection, operation)
    job = NewJob(JobKind.FORGET, payload, delay_s=TAKEN_UP_AFTER_S)
    put_jobs(connection, tenant_id, user_id, [job], now=now)


def _strike(connection: Connection, striking: Striking, operation_id: str | None) -> Forgot:
    """Strike, and end the operation with it; one that has ended already is left as it is."""
    tenant_id, user_id, now = striking.tenant_id, striking.user_id, striking.now
    if operation_id is None:
        return strike(connection, striking)
    lock_user(connection, tenant_id, user_id, now=now)
    found = load_operation(connection, tenant_id, operation_id, user_id=user_id)
    if found.status is not OperationStatus.RUNNING:
        return Forgot((), (), (), ())
    done = strike(connection, striking)
    _end(
        connection,
        tenant_id,
        operation_id,
        status=OperationStatus.SUCCEEDED,
        result=result_of(done),
        now=now,
    )
    return done


def result_of(done: Forgot) -> dict[str, Any]:
    """What a forgetting answers."""
    return {
        "forgotten": list(done.forgotten),
        "tombstones": list(done.tombstones),
        "redacted_turns": len(done.redacted_turns),
    }


def _end(
    connection: Connection,
    tenant_id: str,
    operation_id: str,
    *,
    status: OperationStatus,
    result: dict[str, Any],
    now: datetime,
) -> None:
    connection.execute(
        operations.update()
        .where(operations.c.tenant_id == tenant_id, operations.c.id == operation_id)
        .where(operations.c.status == OperationStatus.RUNNING.value)
        .values(status=status.value, result=result, finished_at=now)
    )
