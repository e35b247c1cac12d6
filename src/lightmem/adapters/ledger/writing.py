"""One transaction that applies what the Writer decided about the turns of an operation."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam

from lightmem.adapters.ledger.changes import Applied, Changes
from lightmem.adapters.ledger.database import slices
from lightmem.adapters.ledger.operations import load_operation, settle_operation
from lightmem.adapters.ledger.outbox import JOB_IDS, NewJob, put_jobs
from lightmem.adapters.ledger.remembering import load_memories
from lightmem.adapters.ledger.tables import operations, outcomes
from lightmem.adapters.ledger.trail import record
from lightmem.adapters.ledger.whose import lock_user
from lightmem.model import Extraction, JobKind, Memory, MemoryChange, Outcome, TurnOutcome

#: Who writes memories, in the audit trail.
ACTOR = "writer"


@dataclass(frozen=True, slots=True)
class Writing:
    """What the Writer decided about the turns of one operation."""

    tenant_id: str
    user_id: str
    operation_id: str
    changes: Sequence[MemoryChange]
    outcomes: Sequence[TurnOutcome]
    extraction: Extraction
    now: datetime


def write(connection: Connection, writing: Writing) -> list[Memory]:
    """Apply all changes and outcomes, or none; the memories touched, in the order of changes."""
    tenant_id, user_id, now = writing.tenant_id, writing.user_id, writing.now
    lock_user(connection, tenant_id, user_id, now=now)
    load_operation(connection, tenant_id, writing.operation_id, user_id=user_id)
    applied = Changes(connection, tenant_id, user_id, now=now).apply(writing.changes)
    _end_turns(connection, writing, applied)
    _add_cost(connection, writing)
    settle_operation(connection, tenant_id, writing.operation_id, now=now)
    jobs = [
        NewJob(JobKind.INDEX_MEMORIES, {"memory_ids": list(ids)})
        for ids in slices(list(applied.memory_ids), JOB_IDS)
    ]
    put_jobs(connection, tenant_id, user_id, jobs, now=now)
    touched = load_memories(connection, tenant_id, list(applied.memory_ids), user_id=user_id)
    record(
        connection,
        tenant_id,
        at=now,
        actor=ACTOR,
        action="memories.write",
        target=writing.operation_id,
    )
    return touched


def _end_turns(connection: Connection, writing: Writing, applied: Applied) -> None:
    """Give each turn that is still pending its outcome and the memories it is quoted by."""
    rows = [
        {
            "of_turn": ended.turn_id,
            "outcome": ended.outcome.value,
            "memory_ids": list(
                dict.fromkeys([*ended.memory_ids, *applied.by_turn.get(ended.turn_id, ())])
            ),
            "reason": ended.reason,
        }
        for ended in writing.outcomes
    ]
    if not rows:
        return
    connection.execute(
        outcomes.update().where(
            outcomes.c.tenant_id == writing.tenant_id,
            outcomes.c.operation_id == writing.operation_id,
            outcomes.c.turn_id == bindparam("of_turn"),
            outcomes.c.outcome == Outcome.PENDING.value,
        ),
        rows,
    )


def _add_cost(connection: Connection, writing: Writing) -> None:
    cost = writing.extraction
    connection.execute(
        operations.update()
        .where(operations.c.tenant_id == writing.tenant_id)
        .where(operations.c.id == writing.operation_id)
        .values(
            model_calls=operations.c.model_calls + cost.model_calls,
            prompt_tokens=operations.c.prompt_tokens + cost.prompt_tokens,
            completion_tokens=operations.c.completion_tokens + cost.completion_tokens,
        )
    )
