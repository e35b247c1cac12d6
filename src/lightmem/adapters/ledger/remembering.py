"""Memories within a transaction: stored, changed, supported, forgotten, each with its version."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, bindparam, func, select

from lightmem.adapters.ledger.database import insert_into, slices
from lightmem.adapters.ledger.dream_words import strike_plans
from lightmem.adapters.ledger.promoting import take_back_claims
from lightmem.adapters.ledger.rows import (
    Values,
    from_memory,
    from_source,
    from_version,
    to_memory,
)
from lightmem.adapters.ledger.tables import memories, memory_sources, memory_versions
from lightmem.domain.portable import NOTHING_SAID
from lightmem.model import Memory, MemoryStatus, Source


def memories_of(tenant_id: str, user_id: str | None) -> ColumnElement[bool]:
    """The rows of a tenant's or of one user's memories."""
    theirs = memories.c.tenant_id == tenant_id
    return theirs if user_id is None else and_(theirs, memories.c.user_id == user_id)


def load_memories(
    connection: Connection, tenant_id: str, memory_ids: Sequence[str], *, user_id: str | None
) -> list[Memory]:
    """Those of the memories that exist, in the order asked for, each once."""
    wanted = list(dict.fromkeys(memory_ids))
    rows: dict[str, Row[Any]] = {}
    for ids in slices(wanted):
        query = select(memories).where(memories_of(tenant_id, user_id), memories.c.id.in_(ids))
        rows.update((row.id, row) for row in connection.execute(query))
    return with_sources(connection, tenant_id, [rows[each] for each in wanted if each in rows])


def with_sources(connection: Connection, tenant_id: str, rows: Sequence[Row[Any]]) -> list[Memory]:
    """The memories of these rows."""
    sources = load_sources(connection, tenant_id, [row.id for row in rows])
    return [to_memory(row, sources[row.id]) for row in rows]


def load_sources(
    connection: Connection, tenant_id: str, memory_ids: Sequence[str]
) -> dict[str, list[Source]]:
    """The quotes of each memory, as they were added."""
    sources: dict[str, list[Source]] = {memory_id: [] for memory_id in memory_ids}
    for ids in slices(memory_ids):
        query = (
            select(memory_sources)
            .where(memory_sources.c.tenant_id == tenant_id, memory_sources.c.memory_id.in_(ids))
            .order_by(memory_sources.c.memory_id, memory_sources.c.position)
        )
        for row in connection.execute(query):
            sources[row.memory_id].append(Source(row.turn_id, row.quote))
    return sources


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory to be stored, and what it is found by in the ledger."""

    memory: Memory
    fingerprint: str
    attribute_key: str | None = None


def store_memory(
    connection: Connection, memory: Memory, *, fingerprint: str, attribute_key: str | None = None
) -> None:
    """Insert a memory, its first version and its sources."""
    store_memories(connection, [NewMemory(memory, fingerprint, attribute_key)])


def store_memories(connection: Connection, new: Sequence[NewMemory]) -> None:
    """Insert memories, their first versions and their sources: a statement for each table."""
    if not new:
        return
    rows = [
        from_memory(one.memory, fingerprint=one.fingerprint, attribute_key=one.attribute_key)
        for one in new
    ]
    connection.execute(memories.insert(), rows)
    connection.execute(memory_versions.insert(), [from_version(one.memory) for one in new])
    quoted = [one.memory for one in new]
    _insert_sources(
        connection,
        [row for one in quoted for row in _source_rows(one.tenant_id, one.id, one.sources)],
    )


def change_memory(connection: Connection, memory: Memory) -> Memory:
    """Store what a memory became, as its next version; its keys and sources stay."""
    (changed,) = change_memories(connection, [memory])
    return changed


def change_memories(connection: Connection, became: Sequence[Memory]) -> list[Memory]:
    """Store what memories became, as their next versions: a statement for each table."""
    changed = [replace(memory, version=memory.version + 1) for memory in became]
    if not changed:
        return []
    rows = []
    for memory in changed:
        values = from_memory(memory, fingerprint=None)
        del values["fingerprint"], values["attribute_key"]
        rows.append({**values, "of": memory.id, "of_tenant": memory.tenant_id})
    change = memories.update().where(
        memories.c.tenant_id == bindparam("of_tenant"), memories.c.id == bindparam("of")
    )
    connection.execute(change, rows)
    connection.execute(memory_versions.insert(), [from_version(memory) for memory in changed])
    return changed


def add_sources(
    connection: Connection, tenant_id: str, memory_id: str, sources: Iterable[Source]
) -> None:
    """Add quotes behind those that are there; one that is there already stays once."""
    count = (
        select(func.coalesce(func.max(memory_sources.c.position), 0))
        .where(memory_sources.c.tenant_id == tenant_id)
        .where(memory_sources.c.memory_id == memory_id)
    )
    last = connection.execute(count).scalar_one()
    _insert_sources(connection, _source_rows(tenant_id, memory_id, sources, behind=last))


def _source_rows(
    tenant_id: str, memory_id: str, sources: Iterable[Source], *, behind: int = 0
) -> list[Values]:
    return [
        from_source(source, memory_id=memory_id, position=behind + place, tenant_id=tenant_id)
        for place, source in enumerate(sources, start=1)
    ]


def _insert_sources(connection: Connection, rows: Sequence[Values]) -> None:
    if rows:
        connection.execute(insert_into(connection, memory_sources).on_conflict_do_nothing(), rows)


def strike_memory(connection: Connection, memory: Memory, *, now: datetime) -> None:
    """Forget a memory: no words of it stay, in no version; that it was there stays."""
    whose = {"tenant_id": memory.tenant_id, "memory_id": memory.id}
    connection.execute(memory_versions.update().filter_by(**whose).values(NOTHING_SAID))
    connection.execute(memory_sources.delete().filter_by(**whose))
    row = memories.update().filter_by(tenant_id=memory.tenant_id, id=memory.id)
    connection.execute(row.values(fingerprint=None, attribute_key=None))
    forgotten = replace(
        memory,
        **NOTHING_SAID,
        status=MemoryStatus.FORGOTTEN,
        superseded_at=memory.superseded_at or now,
    )
    change_memory(connection, forgotten)
    strike_plans(connection, memory)
    take_back_claims(connection, memory, now=now)
