"""Dreams as they are read within a transaction, with the memories of their steps."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, select

from lightmem.adapters.ledger.database import slices
from lightmem.adapters.ledger.dream_rows import to_dream, to_step
from lightmem.adapters.ledger.remembering import load_sources
from lightmem.adapters.ledger.rows import to_version
from lightmem.adapters.ledger.tables import (
    dream_memories,
    dream_steps,
    dreams,
    memories,
    memory_versions,
    operations,
)
from lightmem.errors import NotFound
from lightmem.model import Dream, Memory


def find_dream(
    connection: Connection, tenant_id: str, dream_id: str, *, user_id: str | None
) -> Row[Any]:
    """The row of a dream.

    Raises:
        NotFound: no such dream, or not theirs.
    """
    theirs = and_(dreams.c.tenant_id == tenant_id, dreams.c.id == dream_id)
    if user_id is not None:
        theirs = and_(theirs, dreams.c.user_id == user_id)
    row = connection.execute(select(dreams).where(theirs)).one_or_none()
    if row is None:
        raise NotFound(f"no dream {dream_id!r}", dream_id=dream_id)
    return row


def load_dream(
    connection: Connection, tenant_id: str, dream_id: str, *, user_id: str | None
) -> Dream:
    """A dream with its steps, or `NotFound`."""
    (found,) = with_steps(
        connection, tenant_id, [find_dream(connection, tenant_id, dream_id, user_id=user_id)]
    )
    return found


def with_steps(connection: Connection, tenant_id: str, rows: Sequence[Row[Any]]) -> list[Dream]:
    """The dreams of these rows, each with its steps in order."""
    steps: dict[str, list[Row[Any]]] = {row.id: [] for row in rows}
    ended: dict[str, Row[Any]] = {}
    for some in slices(rows):
        query = select(dream_steps).where(
            dream_steps.c.tenant_id == tenant_id, dream_steps.c.dream_id.in_([r.id for r in some])
        )
        for step in connection.execute(query.order_by(dream_steps.c.position)):
            steps[step.dream_id].append(step)
        paid = select(operations).where(
            operations.c.tenant_id == tenant_id,
            operations.c.id.in_([row.operation_id for row in some]),
        )
        ended.update((row.id, row) for row in connection.execute(paid))
    before = memories_before(connection, tenant_id, [s.id for some in steps.values() for s in some])
    return [
        to_dream(
            row, ended[row.operation_id], [to_step(step, before[step.id]) for step in steps[row.id]]
        )
        for row in rows
    ]


def memories_before(
    connection: Connection, tenant_id: str, step_ids: Sequence[str]
) -> dict[str, list[Memory]]:
    """The memories of each step as the dream read them; those that are gone are left out.

    Their quotes are those of today: words that were struck since are not among them.
    """
    found: dict[str, list[Memory]] = {step_id: [] for step_id in step_ids}
    for ids in slices(step_ids):
        read = (
            select(dream_memories.c.step_id, dream_memories.c.memory_id, memory_versions)
            .join(memory_versions, _read_version())
            .where(dream_memories.c.tenant_id == tenant_id, dream_memories.c.step_id.in_(ids))
            .order_by(dream_memories.c.step_id, dream_memories.c.position)
        )
        rows = connection.execute(read).all()
        memory_ids = list(dict.fromkeys(row.memory_id for row in rows))
        owners = _owners(connection, tenant_id, memory_ids)
        sources = load_sources(connection, tenant_id, memory_ids)
        for row in rows:
            memory = to_version(row, owners[row.memory_id], sources[row.memory_id])
            found[row.step_id].append(memory)
    return found


def _read_version() -> ColumnElement[bool]:
    return and_(
        memory_versions.c.tenant_id == dream_memories.c.tenant_id,
        memory_versions.c.memory_id == dream_memories.c.memory_id,
        memory_versions.c.version == dream_memories.c.version,
    )


def _owners(
    connection: Connection, tenant_id: str, memory_ids: Sequence[str]
) -> dict[str, Row[Any]]:
    owners: dict[str, Row[Any]] = {}
    for ids in slices(memory_ids):
        query = select(memories).where(memories.c.tenant_id == tenant_id, memories.c.id.in_(ids))
        owners.update((row.id, row) for row in connection.execute(query))
    return owners
