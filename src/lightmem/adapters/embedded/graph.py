"""The long-term graph in one SQLite file: the embedded twin of Neo4j."""

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TypeVar

from lightmem.domain.concepts import concept_key
from lightmem.errors import GraphUnavailable
from lightmem.model import Concept, Health

T = TypeVar("T")

SCHEMA = """
CREATE TABLE IF NOT EXISTS concept (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    key TEXT NOT NULL,
    type TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    support INTEGER NOT NULL,
    weight REAL NOT NULL,
    PRIMARY KEY (tenant_id, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS concept_by_key ON concept (tenant_id, key);
"""

UPSERT = """
INSERT OR REPLACE INTO concept (tenant_id, id, key, type, name, description, support, weight)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""

FIND = """
SELECT id, type, name, description, support, weight FROM concept
WHERE tenant_id = ? AND support >= ? AND key IN (SELECT value FROM json_each(?))
ORDER BY weight DESC, id LIMIT ?
"""


@contextmanager
def sqlite_errors() -> Iterator[None]:
    """SQLite's errors as ours."""
    try:
        yield
    except sqlite3.Error as exc:
        raise GraphUnavailable("the graph file cannot be used") from exc


class SqliteKnowledgeGraph:
    """Concepts in a file that is opened on first use; one statement at a time, off the loop."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._lock = Lock()

    async def ensure_schema(self) -> None:
        """Make the file and its tables; a second call changes nothing."""
        await self._run(lambda connection: connection.executescript(SCHEMA))

    async def find(
        self, tenant_id: str, names: Sequence[str], *, min_support: int, limit: int
    ) -> list[Concept]:
        """See `ports.KnowledgeGraph.find`."""
        # One bound value, so that SQLite's limit on variables does not limit the names.
        keys = json.dumps(sorted({concept_key(name) for name in names}))
        rows = await self._run(
            lambda connection: connection.execute(
                FIND, (tenant_id, min_support, keys, limit)
            ).fetchall()
        )
        return [Concept(*row) for row in rows]

    async def upsert_concepts(self, tenant_id: str, concepts: Sequence[Concept]) -> None:
        """See `ports.KnowledgeGraph.upsert_concepts`."""
        rows = [_row(tenant_id, concept) for concept in concepts]
        await self._run(lambda connection: connection.executemany(UPSERT, rows))

    async def check(self) -> Health:
        """Whether the file can be read."""
        try:
            await self._run(lambda connection: connection.execute("SELECT 1 FROM concept LIMIT 1"))
        except GraphUnavailable:
            return Health("graph", "down", "the graph file cannot be used")
        return Health("graph", "ok")

    async def close(self) -> None:
        """Close the file; a later call would open it again."""
        await asyncio.to_thread(self._close)

    async def _run(self, action: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.to_thread(self._transaction, action)

    def _transaction(self, action: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock, sqlite_errors():
            if self._connection is None:
                self._connection = self._open()
            with self._connection:
                return action(self._connection)

    def _open(self) -> sqlite3.Connection:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as exc:
            raise GraphUnavailable("the graph file cannot be used") from exc
        connection = sqlite3.connect(self._path, timeout=5.0, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None


def _row(tenant_id: str, concept: Concept) -> tuple[str | int | float, ...]:
    return (
        tenant_id,
        concept.id,
        concept_key(concept.name),
        concept.type,
        concept.name,
        concept.description,
        concept.support,
        concept.weight,
    )
