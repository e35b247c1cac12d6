"""What a forgetting reads: how far a user has come, and every place where words of theirs are."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Row, func, select

from lightmem.adapters.ledger.database import LedgerPart
from lightmem.adapters.ledger.kept_words import kept_texts
from lightmem.adapters.ledger.remembering import memories_of
from lightmem.adapters.ledger.rows import to_turn
from lightmem.adapters.ledger.tables import (
    memories,
    memory_sources,
    memory_versions,
    outbox,
    sessions,
    turns,
)
from lightmem.adapters.ledger.tombstones import read_state
from lightmem.model import JobKind, Marks, Turn, VersionText


def read_marks(connection: Connection, tenant_id: str, user_id: str) -> Marks:
    """How far the user's turns and memories have come."""
    places = select(sessions.c.session_id, sessions.c.last_seq).where(
        sessions.c.tenant_id == tenant_id, sessions.c.user_id == user_id
    )
    versions = select(memories.c.id, memories.c.version).where(memories_of(tenant_id, user_id))
    quotes = (
        select(memory_sources.c.memory_id, func.count().label("quotes"))
        .join(memories, memories.c.id == memory_sources.c.memory_id)
        .where(memories_of(tenant_id, user_id))
        .group_by(memory_sources.c.memory_id)
    )
    counts: dict[str, int] = {row.memory_id: row.quotes for row in connection.execute(quotes)}
    return Marks(
        state=read_state(connection, tenant_id, user_id),
        sessions={row.session_id: row.last_seq for row in connection.execute(places)},
        memories={
            memory_id: (version, counts.get(memory_id, 0))
            for memory_id, version in connection.execute(versions)
        },
    )


class SqlMarking(LedgerPart):
    """Reads for a forgetting."""

    async def marks(self, tenant_id: str, user_id: str) -> Marks:
        return await self._database.read(
            lambda connection: read_marks(connection, tenant_id, user_id)
        )

    async def turns_after(
        self, tenant_id: str, user_id: str, marks: Marks, *, limit: int
    ) -> list[Turn]:
        rows = await self._database.read(
            lambda connection: _after(connection, tenant_id, user_id, marks.sessions, limit)
        )
        return [to_turn(row) for row in rows]

    async def version_texts(self, tenant_id: str, user_id: str) -> list[VersionText]:
        wanted = (
            select(memory_versions.c.memory_id, memory_versions.c.version, memory_versions.c.text)
            .join(memories, memories.c.id == memory_versions.c.memory_id)
            .where(memories_of(tenant_id, user_id), memory_versions.c.text != "")
            .order_by(memory_versions.c.memory_id, memory_versions.c.version)
        )
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        return [VersionText(row.memory_id, row.version, row.text) for row in rows]

    async def kept_texts(self, tenant_id: str, user_id: str) -> list[str]:
        return await self._database.read(
            lambda connection: kept_texts(connection, tenant_id, user_id)
        )

    async def turns_to_index(self, tenant_id: str, user_id: str) -> list[str]:
        waiting = select(outbox.c.payload).where(
            outbox.c.tenant_id == tenant_id,
            outbox.c.user_id == user_id,
            outbox.c.kind == JobKind.INDEX_TURNS.value,
        )
        payloads = await self._database.read(
            lambda connection: connection.execute(waiting).scalars().all()
        )
        return list(dict.fromkeys(one for payload in payloads for one in payload["turn_ids"]))


def _after(
    connection: Connection, tenant_id: str, user_id: str, places: Mapping[str, int], limit: int
) -> list[Row[Any]]:
    """The next turns, session by session."""
    known = select(sessions.c.session_id, sessions.c.last_seq).where(
        sessions.c.tenant_id == tenant_id, sessions.c.user_id == user_id
    )
    found: list[Row[Any]] = []
    for session_id, last in connection.execute(known.order_by(sessions.c.session_id)).all():
        place = places.get(session_id, 0)
        if last <= place or len(found) >= limit:
            continue
        wanted = select(turns).where(
            turns.c.tenant_id == tenant_id,
            turns.c.user_id == user_id,
            turns.c.session_id == session_id,
            turns.c.seq > place,
        )
        wanted = wanted.order_by(turns.c.seq).limit(limit - len(found))
        found += connection.execute(wanted)
    return found
