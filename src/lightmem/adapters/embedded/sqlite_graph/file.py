"""The file of the graph: opened on first use, one transaction at a time, off the event loop."""

import asyncio
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TypeVar

from lightmem.domain.concepts import recency
from lightmem.errors import GraphUnavailable

T = TypeVar("T")

SCHEMA = """
CREATE TABLE IF NOT EXISTS node (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    support INTEGER NOT NULL DEFAULT 0,
    weight REAL NOT NULL DEFAULT 0,
    weighed_at REAL,
    encoder_id TEXT,
    embedding BLOB,
    PRIMARY KEY (tenant_id, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS name (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    node_id TEXT NOT NULL,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    support INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS name_by_key ON name (tenant_id, key);
CREATE INDEX IF NOT EXISTS name_by_node ON name (tenant_id, node_id);
CREATE TABLE IF NOT EXISTS edge (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    source_id TEXT NOT NULL,
    relation TEXT NOT NULL,
    target_id TEXT NOT NULL,
    support INTEGER NOT NULL DEFAULT 0,
    weight REAL NOT NULL DEFAULT 0,
    weighed_at REAL,
    PRIMARY KEY (tenant_id, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS edge_by_source ON edge (tenant_id, source_id);
CREATE INDEX IF NOT EXISTS edge_by_target ON edge (tenant_id, target_id);
CREATE TABLE IF NOT EXISTS support (
    tenant_id TEXT NOT NULL,
    element_id TEXT NOT NULL,
    supporter TEXT NOT NULL,
    at REAL NOT NULL,
    is_exact INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, element_id, supporter)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS support_by_supporter ON support (tenant_id, supporter);
-- Of versions that never filled it.
DROP TABLE IF EXISTS concept;
"""


@contextmanager
def sqlite_errors() -> Iterator[None]:
    """SQLite's errors as ours."""
    try:
        yield
    except sqlite3.Error as exc:
        raise GraphUnavailable("the graph file cannot be used") from exc


class GraphFile:
    """Runs functions of a connection, each in one transaction; other processes are waited for."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._lock = Lock()

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What `work` read, all of it at one moment."""
        return await asyncio.to_thread(self._transaction, work, "BEGIN")

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What `work` returned; nothing changed if it raised."""
        return await asyncio.to_thread(self._transaction, work, "BEGIN IMMEDIATE")

    async def make_schema(self) -> None:
        """Make the file and its tables; a second call changes nothing."""
        await self.write(_make_tables)

    async def close(self) -> None:
        """Close the file; a later call would open it again."""
        await asyncio.to_thread(self._close)

    def _transaction(self, work: Callable[[sqlite3.Connection], T], begin: str) -> T:
        with self._lock, sqlite_errors():
            if self._connection is None:
                self._connection = self._open()
            self._connection.execute(begin)
            with self._connection:
                return work(self._connection)

    def _open(self) -> sqlite3.Connection:
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as exc:
            raise GraphUnavailable("the graph file cannot be used") from exc
        connection = sqlite3.connect(
            self._path, timeout=5.0, check_same_thread=False, isolation_level=None
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            # What is withdrawn leaves no trace in free pages.
            connection.execute("PRAGMA secure_delete = ON")
            connection.create_function("recency", 1, recency, deterministic=True)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None


def _make_tables(connection: sqlite3.Connection) -> None:
    for statement in SCHEMA.split(";\n"):
        if statement.strip():
            connection.execute(statement)
