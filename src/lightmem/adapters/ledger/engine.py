"""Engines for SQLite and PostgreSQL, set up to keep what they were told."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import ConnectionPoolEntry

from lightmem.errors import InvalidInput

_CONNECT_TIMEOUT_S = 3
_POOL_SIZE = 8
_READERS = 4  # threads that read SQLite while the one writer writes

#: Times in UTC; no waiting for ever behind another's lock or an abandoned transaction.
_POSTGRES_OPTIONS = "-c timezone=UTC -c lock_timeout=10s -c idle_in_transaction_session_timeout=60s"


@dataclass(frozen=True, slots=True)
class Engines:
    """Two faces of one pool, and how many threads may use each; `writers` of None: one set."""

    read: Engine
    write: Engine
    readers: int
    writers: int | None


def open_engines(url: str, *, busy_timeout_s: float) -> Engines:
    """The engines for `sqlite:///FILE` or `postgresql+psycopg://…`; connects to nothing yet."""
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise InvalidInput.of("ledger_url", "is no URL of a database") from error
    match parsed.get_backend_name():
        case "sqlite":
            return _sqlite(parsed, busy_timeout_s=busy_timeout_s)
        case "postgresql":
            return _postgres(parsed)
        case other:
            raise InvalidInput.of("ledger_url", f"no ledger is kept in {other!r}")


def _postgres(url: URL) -> Engines:
    options = " ".join(filter(None, [str(url.query.get("options", "")), _POSTGRES_OPTIONS]))
    engine = create_engine(
        url.set(drivername="postgresql+psycopg").update_query_dict({"options": options}),
        pool_size=_POOL_SIZE,
        max_overflow=0,
        pool_pre_ping=True,
        use_native_hstore=False,
        connect_args={
            "connect_timeout": _CONNECT_TIMEOUT_S,
            "application_name": "lightmem",
            "tcp_user_timeout": 10_000,
        },
    )
    # A read of several statements sees one moment.
    read = engine.execution_options(isolation_level="REPEATABLE READ")
    return Engines(read=read, write=engine, readers=_POOL_SIZE, writers=None)


def _sqlite(url: URL, *, busy_timeout_s: float) -> Engines:
    if url.database in (None, "", ":memory:"):
        raise InvalidInput.of("ledger_url", "a ledger in memory would not be durable")
    engine = create_engine(
        url.set(drivername="sqlite+pysqlite"),
        pool_size=_READERS + 1,
        max_overflow=0,
        connect_args={"isolation_level": None, "timeout": busy_timeout_s},
    )
    event.listen(engine, "do_connect", _make_private_file)
    event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "begin", _begin)
    write = engine.execution_options(begin="BEGIN IMMEDIATE")
    return Engines(read=engine, write=write, readers=_READERS, writers=1)


def _make_private_file(
    dialect: Any, record: ConnectionPoolEntry, args: list[Any], options: dict[str, Any]
) -> None:
    """Make the file, and its folder, for the owner's eyes alone before SQLite would make it."""
    path = Path(args[0])
    if path.exists():
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


def _set_pragmas(connection: DBAPIConnection, record: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    for pragma in (
        "journal_mode = WAL",
        "synchronous = FULL",  # what was committed survives a power cut
        "foreign_keys = ON",
        "secure_delete = ON",  # deleted words leave no trace in free pages
        "cache_size = -16000",  # KiB
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def empty_log(engine: Engine) -> None:
    """Move what SQLite's log holds into the file and empty it: it may keep deleted words.

    Where another process reads just now the log stays until the next time.
    """
    if engine.dialect.name != "sqlite":
        return
    connection = engine.raw_connection()
    try:
        connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()


def _begin(connection: Connection) -> None:
    """Begin ourselves: the driver would let a transaction start as a reader and fail later."""
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))
