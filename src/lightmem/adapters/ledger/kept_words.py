"""Where words of users are kept beside turns and memories: each such column, read and struck."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, and_, select

from lightmem.adapters.ledger.tables import (
    dream_steps,
    idempotency,
    import_lines,
    operations,
    outbox,
)
from lightmem.domain.forgetting import strings_in, with_strings


@dataclass(frozen=True, slots=True)
class Kept:
    """A column that may hold words, and the key of its rows."""

    column: Column[Any]
    key: tuple[Column[Any], ...]


#: Columns that may hold words of what turns and memories say; see `word_columns`.
KEPT = (
    Kept(idempotency.c.answer, (idempotency.c.tenant_id, idempotency.c.route, idempotency.c.key)),
    Kept(operations.c.result, (operations.c.id,)),
    Kept(outbox.c.payload, (outbox.c.id,)),
    Kept(dream_steps.c.after, (dream_steps.c.id,)),
    Kept(dream_steps.c.claim, (dream_steps.c.id,)),
    Kept(
        import_lines.c.content,
        (import_lines.c.operation_id, import_lines.c.kind, import_lines.c.name),
    ),
)


def kept_texts(connection: Connection, tenant_id: str, user_id: str) -> list[str]:
    """Every text in what is kept about the user, each once."""
    found: dict[str, None] = {}
    for kept in KEPT:
        for _, value in _rows(connection, kept, tenant_id, user_id):
            found.update(dict.fromkeys(strings_in(_parsed(value))))
    return list(found)


def strike_kept(
    connection: Connection, tenant_id: str, user_id: str, strike: Callable[[str], str]
) -> None:
    """Change every text in what is kept about the user; what stays the same is not written."""
    for kept in KEPT:
        for row, value in _rows(connection, kept, tenant_id, user_id):
            read = _parsed(value)
            changed = with_strings(read, strike)
            if changed != read:
                new = json.dumps(changed) if isinstance(value, str) else changed
                change = kept.column.table.update().where(row)
                connection.execute(change.values({kept.column.name: new}))


def _rows(
    connection: Connection, kept: Kept, tenant_id: str, user_id: str
) -> Iterator[tuple[ColumnElement[bool], Any]]:
    """(the row, its value) of each that is about the user."""
    table = kept.column.table
    theirs = and_(table.c.tenant_id == tenant_id, table.c.user_id == user_id)
    wanted = select(*kept.key, kept.column).where(theirs, kept.column.is_not(None))
    for *keys, value in connection.execute(wanted).all():
        yield and_(*(column == key for column, key in zip(kept.key, keys, strict=True))), value


def _parsed(value: Any) -> Any:
    """The JSON value of a column, whichever way the column keeps it."""
    return json.loads(value) if isinstance(value, str) else value
