"""One transaction that applies what the Writer decided about the turns of an operation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, select

from lightmem.adapters.ledger.changes import Applied, Changes, sources_of
from lightmem.adapters.ledger.database import slices
from lightmem.adapters.ledger.operations import load_operation
from lightmem.adapters.ledger.outbox import JOB_IDS, NewJob, put_jobs
from lightmem.adapters.ledger.progress import settle_writing
from lightmem.adapters.ledger.remembering import load_memories
from lightmem.adapters.ledger.tables import operations, outcomes
from lightmem.adapters.ledger.tombstones import check_state
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
    forgetting_state: str | None = None


def write(connection: Connection, writing: Writing) -> list[Memory]:
    """Apply all changes and outcomes, or none; the memories touched, in the order of changes."""
    tenant_id, user_id, now = writing.tenant_id, writing.user_id, writing.now
    lock_user(connection, tenant_id, user_id, now=now)
    if writing.changes:
        check_state(connection, tenant_id, user_id, writing.forgetting_state)
    load_operation(connection, tenant_id, writing.operation_id, user_id=user_id)
    pending = _pending(connection, writing)
    changes = [change for change in writing.changes if not _has_ended(change, writing, pending)]
    applied = Changes(connection, tenant_id, user_id, now=now).apply(changes)
    _end_turns(connection, writing, applied, pending)
    for operation_id in dict.fromkeys([writing.operation_id, *pending.values()]):
        cost = writing.extraction if operation_id == writing.operation_id else None
        settle_writing(connection, tenant_id, operation_id, cost=cost, now=now)
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


def _pending(connection: Connection, writing: Writing) -> dict[str, str]:
    """The turns that have no outcome yet, and the operation that each is of."""
    pending: dict[str, str] = {}
    for ids in slices([ended.turn_id for ended in writing.outcomes]):
        rows = connection.execute(
            select(outcomes.c.turn_id, outcomes.c.operation_id)
            .join(operations, operations.c.id == outcomes.c.operation_id)
            .where(outcomes.c.tenant_id == writing.tenant_id, outcomes.c.turn_id.in_(ids))
            .where(operations.c.user_id == writing.user_id)
            .where(outcomes.c.outcome == Outcome.PENDING.value)
        )
        pending.update((row.turn_id, row.operation_id) for row in rows)
    return pending


def _has_ended(change: MemoryChange, writing: Writing, pending: Mapping[str, str]) -> bool:
    """Whether another worker has learnt this meanwhile: every turn of it has its outcome."""
    named = {ended.turn_id for ended in writing.outcomes}
    turns = [source.turn_id for source in sources_of(change) if source.turn_id in named]
    return bool(turns) and not any(turn_id in pending for turn_id in turns)


def _end_turns(
    connection: Connection, writing: Writing, applied: Applied, pending: Mapping[str, str]
) -> None:
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
        if ended.turn_id in pending
    ]
    if not rows:
        return
    connection.execute(
        outcomes.update().where(
            outcomes.c.tenant_id == writing.tenant_id,
            outcomes.c.turn_id == bindparam("of_turn"),
            outcomes.c.outcome == Outcome.PENDING.value,
        ),
        rows,
    )
