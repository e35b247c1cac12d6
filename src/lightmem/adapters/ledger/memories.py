"""Memories as they are read, and the way in for what the Writer decided."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, or_, select

from lightmem.adapters.ledger.cursors import decode_cursor, encode_cursor
from lightmem.adapters.ledger.database import LedgerPart
from lightmem.adapters.ledger.remembering import (
    load_memories,
    load_sources,
    memories_of,
    with_sources,
)
from lightmem.adapters.ledger.rows import folded, to_version
from lightmem.adapters.ledger.tables import memories, memory_versions
from lightmem.adapters.ledger.writing import Writing, write
from lightmem.errors import NotFound
from lightmem.model import (
    Extraction,
    Memory,
    MemoryChange,
    MemoryKind,
    MemoryStatus,
    Page,
    TurnOutcome,
)


class SqlMemories(LedgerPart):
    """What was learnt."""

    async def commit_writing(
        self,
        tenant_id: str,
        user_id: str,
        operation_id: str,
        *,
        changes: Sequence[MemoryChange],
        outcomes: Sequence[TurnOutcome],
        extraction: Extraction,
        forgetting_state: str | None = None,
    ) -> list[Memory]:
        writing = Writing(
            tenant_id,
            user_id,
            operation_id,
            changes,
            outcomes,
            extraction,
            self._clock.now(),
            forgetting_state,
        )
        return await self._database.write(lambda connection: write(connection, writing))

    async def get_memory(
        self, tenant_id: str, memory_id: str, *, user_id: str | None = None
    ) -> Memory:
        found = await self._database.read(
            lambda connection: load_memories(connection, tenant_id, [memory_id], user_id=user_id)
        )
        if not found:
            raise _no_memory(memory_id)
        return found[0]

    async def get_memories(
        self, tenant_id: str, user_id: str, memory_ids: Sequence[str]
    ) -> list[Memory]:
        return await self._database.read(
            lambda connection: load_memories(connection, tenant_id, memory_ids, user_id=user_id)
        )

    async def list_memories(
        self,
        tenant_id: str,
        user_id: str,
        *,
        status: MemoryStatus | None,
        kind: MemoryKind | None,
        query: str | None,
        limit: int,
        cursor: str | None,
    ) -> Page[Memory]:
        wanted = [memories_of(tenant_id, user_id)]
        if status is not None:
            wanted.append(memories.c.status == status.value)
        if kind is not None:
            wanted.append(memories.c.kind == kind.value)
        if query:
            wanted.append(memories.c.folded.contains(folded(query), autoescape=True))
        if cursor is not None:
            wanted.append(_before(cursor))
        return await self._database.read(
            lambda connection: _page(connection, tenant_id, and_(*wanted), limit)
        )

    async def memory_history(
        self, tenant_id: str, memory_id: str, *, user_id: str | None = None
    ) -> list[Memory]:
        return await self._database.read(
            lambda connection: _history(connection, tenant_id, memory_id, user_id=user_id)
        )


def _page(
    connection: Connection, tenant_id: str, wanted: ColumnElement[bool], limit: int
) -> Page[Memory]:
    latest = (memories.c.recorded_at.desc(), memories.c.id.desc())
    query = select(memories).where(wanted).order_by(*latest).limit(limit + 1)
    rows = connection.execute(query).all()
    items = with_sources(connection, tenant_id, rows[:limit])
    if len(rows) <= limit or not items:
        return Page(items, None)
    return Page(items, encode_cursor("memories", items[-1].recorded_at, items[-1].id))


def _before(cursor: str) -> ColumnElement[bool]:
    recorded_at, memory_id = decode_cursor("memories", cursor, datetime, str)
    return or_(
        memories.c.recorded_at < recorded_at,
        and_(memories.c.recorded_at == recorded_at, memories.c.id < memory_id),
    )


def _history(
    connection: Connection, tenant_id: str, memory_id: str, *, user_id: str | None
) -> list[Memory]:
    theirs = and_(memories_of(tenant_id, user_id), memories.c.id == memory_id)
    memory = connection.execute(select(memories).where(theirs)).one_or_none()
    if memory is None:
        raise _no_memory(memory_id)
    sources = load_sources(connection, tenant_id, [memory_id])[memory_id]
    versions = (
        select(memory_versions)
        .where(memory_versions.c.tenant_id == tenant_id)
        .where(memory_versions.c.memory_id == memory_id)
        .order_by(memory_versions.c.version.desc())
    )
    return [to_version(row, memory, sources) for row in connection.execute(versions)]


def _no_memory(memory_id: str) -> NotFound:
    return NotFound(f"no memory {memory_id!r}", memory_id=memory_id)
