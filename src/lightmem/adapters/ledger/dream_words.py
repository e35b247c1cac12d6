"""The words that the plans of dreams keep of a memory: struck when it is forgotten."""

from sqlalchemy import Connection, or_, select

from lightmem.adapters.ledger.tables import dream_memories, dream_steps
from lightmem.model import Memory


def strike_plans(connection: Connection, memory: Memory) -> None:
    """Leave no text in a step that rests on the memory, or that made it."""
    theirs = (
        dream_steps.c.tenant_id == memory.tenant_id,
        dream_steps.c.user_id == memory.user_id,
    )
    resting = select(dream_memories.c.step_id).where(
        dream_memories.c.tenant_id == memory.tenant_id,
        dream_memories.c.user_id == memory.user_id,
        dream_memories.c.memory_id == memory.id,
    )
    steps = or_(dream_steps.c.id.in_(resting), dream_steps.c.memory_id == memory.id)
    struck = dream_steps.update().where(*theirs, steps, dream_steps.c.after.is_not(None))
    connection.execute(struck.values(after=None))
