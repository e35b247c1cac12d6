"""Plans for tests, and what a ledger holds of a user, to compare it before and after."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import create_engine, select

from lightmem.adapters.ledger import SqlLedger
from lightmem.adapters.ledger.belonging import OF_USERS
from lightmem.model import (
    Dream,
    DreamAction,
    DreamPlan,
    DreamtMemory,
    Memory,
    MemoryRef,
    PlannedStep,
)
from lightmem.ports.dreams import DreamWish

#: What a user has: all that an export carries.
CARRIED = ("sessions", "turns", "memories", "memory_versions", "memory_sources")


def refs(*memories: Memory) -> list[MemoryRef]:
    """The memories as they were read."""
    return [MemoryRef(memory.id, memory.version) for memory in memories]


def merge(text: str, *memories: Memory) -> PlannedStep:
    """One memory of this text in the place of several."""
    first = memories[0]
    after = DreamtMemory(text, first.kind, first.language, first.entities)
    return PlannedStep(DreamAction.MERGE, refs(*memories), after)


def update(text: str, *memories: Memory) -> PlannedStep:
    """The last memory, or one of this text, in the place of the earlier ones."""
    last = memories[-1]
    after = DreamtMemory(text, last.kind, last.language, last.entities, last.valid_from)
    return PlannedStep(DreamAction.UPDATE, refs(*memories), after)


def forget(*memories: Memory) -> PlannedStep:
    """Memories that leave the index."""
    return PlannedStep(DreamAction.FORGET, refs(*memories))


async def planned(
    ledger: SqlLedger,
    tenant_id: str,
    *steps: PlannedStep,
    wish: DreamWish | None = None,
    user_id: str = "ana",
    read_up_to: str | None = None,
) -> Dream:
    """A dream with this plan."""
    dream = await ledger.request_dream(tenant_id, user_id, wish or DreamWish(), actor="test")
    assert dream is not None
    plan = DreamPlan(steps, read_up_to=read_up_to)
    return await ledger.commit_plan(tenant_id, user_id, dream.id, plan)


def rows_of_user(
    ledger_url: str, tenant_id: str, *, user_id: str = "ana", tables: Sequence[str] = CARRIED
) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of the user in these tables, in order."""
    engine = create_engine(ledger_url)
    with engine.connect() as connection:
        found = {
            name: sorted(
                (
                    tuple(row)
                    for row in connection.execute(
                        select(OF_USERS[name].table).where(OF_USERS[name].rows(tenant_id, user_id))
                    )
                ),
                key=repr,
            )
            for name in tables
        }
    engine.dispose()
    return found
