"""A user's rows as lines, read at one moment, each type in an order of its own."""

from collections.abc import Iterator
from datetime import timedelta, timezone
from typing import Any, BinaryIO, TypeVar

from sqlalchemy import Column, ColumnElement, Connection, Row, Select, Table, select

from lightmem.adapters.ledger.belonging import OF_USERS
from lightmem.adapters.ledger.database import LedgerPart
from lightmem.adapters.ledger.remembering import load_sources
from lightmem.adapters.ledger.tables import (
    memories,
    memory_versions,
    sessions,
    tombstones,
    turns,
)
from lightmem.domain.portable import (
    FormField,
    Line,
    MemoryLine,
    SessionLine,
    SourceField,
    TombstoneLine,
    TurnLine,
    VersionLine,
)
from lightmem.model import Source

L = TypeVar("L", bound=Line)

#: Rows read at a time: what an export holds in memory, however long it is.
PIECE = 500

#: Columns that do not travel: whose a row is is told by the owner's mark, the rest follows from
#: what travels.
NOT_CARRIED = frozenset({"tenant_id", "user_id", "folded", "fingerprint", "utc_offset_minutes"})


class SqlExport(LedgerPart):
    """Writes users down."""

    async def export_user(self, tenant_id: str, user_id: str, into: BinaryIO, *, owner: str) -> int:
        return await self._database.read(
            lambda connection: _write(connection, tenant_id, user_id, into, owner),
            timeout_s=None,
        )


def _write(connection: Connection, tenant_id: str, user_id: str, into: BinaryIO, owner: str) -> int:
    count = 0
    for line in _lines(connection, tenant_id, user_id, owner):
        into.write(line.encoded())
        count += 1
    return count


def _lines(connection: Connection, tenant_id: str, user_id: str, owner: str) -> Iterator[Line]:
    def rows(table: Table, *order: Column[Any]) -> Iterator[list[Row[Any]]]:
        theirs = OF_USERS[table.name].rows(tenant_id, user_id)
        wanted = select(table).where(theirs).order_by(*_bytewise(connection, order))
        yield from _pieces(connection, wanted)

    for piece in rows(sessions, sessions.c.session_id):
        yield from (_filled(SessionLine, row, owner) for row in piece)
    for piece in rows(turns, turns.c.id):
        yield from (_turn(row, owner) for row in piece)
    for piece in rows(memories, memories.c.id):
        quotes = load_sources(connection, tenant_id, [row.id for row in piece])
        yield from (_memory(row, quotes[row.id], owner) for row in piece)
    for piece in rows(memory_versions, memory_versions.c.memory_id, memory_versions.c.version):
        yield from (_filled(VersionLine, row, owner) for row in piece)
    for piece in rows(tombstones, tombstones.c.id):
        yield from (_tombstone(row, owner) for row in piece)


def _turn(row: Row[Any], owner: str) -> TurnLine:
    zone = timezone(timedelta(minutes=row.utc_offset_minutes))
    return _filled(TurnLine, row, owner, occurred_at=row.occurred_at.astimezone(zone))


def _tombstone(row: Row[Any], owner: str) -> TombstoneLine:
    # Through the class, whose order of fields is always the same.
    forms = [FormField.model_construct(**form) for form in row.forms]
    return _filled(TombstoneLine, row, owner, forms=forms)


def _memory(row: Row[Any], quotes: list[Source], owner: str) -> MemoryLine:
    sources = [SourceField.model_construct(turn_id=one.turn_id, quote=one.quote) for one in quotes]
    return _filled(MemoryLine, row, owner, sources=sources)


def _filled(kind: type[L], row: Row[Any], owner: str, **others: Any) -> L:
    """A line of the columns by their names; what the ledger holds is not checked again."""
    fields = {name: row._mapping[name] for name in kind.model_fields if name in row._mapping}
    line = kind.model_construct(**{**fields, "owner": owner, **others})
    assert isinstance(line, kind)
    return line


def _pieces(connection: Connection, wanted: Select[Any]) -> Iterator[list[Row[Any]]]:
    streamed = connection.execute(wanted.execution_options(yield_per=PIECE))
    for piece in streamed.partitions():
        yield list(piece)


def _bytewise(
    connection: Connection, columns: tuple[Column[Any], ...]
) -> Iterator[ColumnElement[Any]]:
    """The columns as both databases order them alike: by bytes, whatever the locale is."""
    for column in columns:
        is_text = column.type.python_type is str
        yield column.collate("C") if is_text and connection.dialect.name != "sqlite" else column
