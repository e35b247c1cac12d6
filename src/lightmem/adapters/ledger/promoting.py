"""What users gave to long-term memory: taken back when what it rests on is forgotten."""

from datetime import datetime

from sqlalchemy import Connection, select

from lightmem.adapters.ledger.outbox import NewJob, put_jobs
from lightmem.adapters.ledger.tables import dream_memories, dream_steps
from lightmem.model import DreamAction, JobKind, Memory


def take_back_claims(connection: Connection, memory: Memory, *, now: datetime) -> None:
    """Strike the claims that rest on a memory, and let the graph follow."""
    steps = (
        select(dream_steps.c.id)
        .join(dream_memories, dream_memories.c.step_id == dream_steps.c.id)
        .where(
            dream_memories.c.tenant_id == memory.tenant_id,
            dream_memories.c.user_id == memory.user_id,
            dream_memories.c.memory_id == memory.id,
            dream_steps.c.action == DreamAction.PROMOTE.value,
            dream_steps.c.claim.is_not(None),
        )
    )
    ids = [str(each) for each in connection.execute(steps).scalars()]
    if ids:
        rows = dream_steps.c.tenant_id == memory.tenant_id, dream_steps.c.id.in_(ids)
        connection.execute(dream_steps.update().where(*rows).values(claim=None))
        job = NewJob(JobKind.PROMOTE, {})
        put_jobs(connection, memory.tenant_id, memory.user_id, [job], now=now)


def promoters(connection: Connection, tenant_id: str) -> list[str]:
    """The users of a tenant who gave something to long-term memory."""
    given = select(dream_steps.c.user_id).where(
        dream_steps.c.tenant_id == tenant_id,
        dream_steps.c.action == DreamAction.PROMOTE.value,
        dream_steps.c.is_applied,
    )
    return [str(each) for each in connection.execute(given.distinct()).scalars()]
