"""Memories by what they say: looked up before a statement is stored, and to date a successor."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, func, select

from lightmem.adapters.ledger.database import LedgerPart, slices
from lightmem.adapters.ledger.remembering import memories_of, with_sources
from lightmem.adapters.ledger.tables import memories, memory_sources
from lightmem.model import Memory, MemoryStatus

_ACTIVE = MemoryStatus.ACTIVE.value
_KNOWN = (_ACTIVE, MemoryStatus.SUPERSEDED.value)


class SqlReconciling(LedgerPart):
    """Looks memories up by attribute and by what they quote."""

    async def memories_of_attributes(
        self, tenant_id: str, user_id: str, attribute_keys: Sequence[str]
    ) -> dict[str, list[Memory]]:
        return await self._database.read(
            lambda connection: _of_attributes(connection, tenant_id, user_id, attribute_keys)
        )

    async def memories_quoting(
        self, tenant_id: str, user_id: str, turn_ids: Sequence[str]
    ) -> list[Memory]:
        return await self._database.read(
            lambda connection: _quoting(connection, tenant_id, user_id, turn_ids)
        )

    async def hold_from(
        self, tenant_id: str, user_id: str, memory_ids: Sequence[str]
    ) -> dict[str, datetime]:
        return await self._database.read(
            lambda connection: _hold_from(connection, tenant_id, user_id, memory_ids)
        )


def _of_attributes(
    connection: Connection, tenant_id: str, user_id: str, keys: Sequence[str]
) -> dict[str, list[Memory]]:
    found: dict[str, list[Memory]] = {}
    for some in slices(sorted(set(keys))):
        query = select(memories).where(
            memories_of(tenant_id, user_id),
            memories.c.attribute_key.in_(some),
            memories.c.status.in_(_KNOWN),
        )
        rows = connection.execute(query.order_by(memories.c.recorded_at, memories.c.id)).all()
        known = with_sources(connection, tenant_id, rows)
        for row, memory in zip(rows, known, strict=True):
            found.setdefault(row.attribute_key, []).append(memory)
    return found


def _quoting(
    connection: Connection, tenant_id: str, user_id: str, turn_ids: Sequence[str]
) -> list[Memory]:
    quoted = select(memory_sources.c.memory_id).where(
        memory_sources.c.tenant_id == tenant_id, memory_sources.c.turn_id.in_(turn_ids)
    )
    query = select(memories).where(
        memories_of(tenant_id, user_id),
        memories.c.id.in_(quoted),
        memories.c.status == _ACTIVE,
    )
    rows = connection.execute(query.order_by(memories.c.recorded_at, memories.c.id)).all()
    return with_sources(connection, tenant_id, rows)


def _hold_from(
    connection: Connection, tenant_id: str, user_id: str, memory_ids: Sequence[str]
) -> dict[str, datetime]:
    """The latest end of what each took the place of."""
    held: dict[str, datetime] = {}
    for ids in slices(memory_ids):
        ended = func.max(memories.c.valid_to, type_=memories.c.valid_to.type).label("ended")
        query = (
            select(memories.c.superseded_by, ended)
            .where(memories_of(tenant_id, user_id), memories.c.superseded_by.in_(ids))
            .where(memories.c.valid_to.is_not(None))
            .where(memories.c.status == MemoryStatus.SUPERSEDED.value)
            .group_by(memories.c.superseded_by)
        )
        held |= {row.superseded_by: row.ended for row in connection.execute(query)}
    return held
