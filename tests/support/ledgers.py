"""Ledgers for tests: a fresh SQLite file or an emptied PostgreSQL database each, migrated once.

The fixtures are made known by `tests/conftest.py`.
"""

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import URL, create_engine, make_url, text

from lightmem.adapters.ledger import SqlLedger, open_ledger
from lightmem.adapters.ledger.tables import metadata
from lightmem.model import (
    AcceptedTurns,
    AddMemory,
    Extraction,
    Memory,
    MemoryKind,
    NewTurn,
    Outcome,
    Role,
    Source,
    Statement,
    Turn,
    TurnOutcome,
)
from support.backends import backend_url
from support.clock import FixedClock

#: When the turns of tests are said, unless they say otherwise.
NOON = datetime(2024, 5, 8, 12, 0, tzinfo=UTC)

BACKENDS = ["sqlite", pytest.param("postgres", marks=pytest.mark.server)]


# --- fixtures -------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file to copy."""
    path = tmp_path_factory.mktemp("ledger") / "template.db"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def postgres_ledger_url() -> Iterator[str]:
    """A migrated database of its own on the real server, dropped at the end."""
    with fresh_postgres_database(backend_url("postgres")) as url:
        migrate(url)
        yield url


@pytest.fixture(params=BACKENDS)
def ledger_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of a migrated, empty ledger in each database."""
    if request.param == "sqlite":
        path = tmp_path / "ledger.db"
        shutil.copy(request.getfixturevalue("sqlite_template"), path)
        return f"sqlite:///{path}"
    url: str = request.getfixturevalue("postgres_ledger_url")
    _empty(url)
    return url


@pytest.fixture
def ledger_clock() -> FixedClock:
    """The clock of `ledger`."""
    return FixedClock(NOON)


@pytest.fixture
async def ledger(ledger_url: str, ledger_clock: FixedClock) -> AsyncIterator[SqlLedger]:
    """An open ledger in each database."""
    opened = open_ledger(ledger_url, clock=ledger_clock)
    yield opened
    await opened.close()


@pytest.fixture
async def acme(ledger: SqlLedger) -> str:
    """Id of a tenant of `ledger`."""
    return (await ledger.create_tenant("acme", k_anonymity=3, actor="test")).id


# --- databases ------------------------------------------------------------------------------


@contextmanager
def fresh_postgres_database(url: str) -> Iterator[str]:
    """URL of a new database beside the one of `url`, dropped at the end."""
    server = make_url(url)
    name = f"lightmem_test_{uuid4().hex}"
    _command(server, f'CREATE DATABASE "{name}"')
    try:
        yield server.set(database=name).render_as_string(hide_password=False)
    finally:
        _command(server, f'DROP DATABASE "{name}" WITH (FORCE)')


def _command(server: URL, sql: str) -> None:
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(sql))
    engine.dispose()


def migrate(url: str) -> None:
    """Bring the ledger at `url` to the newest schema."""
    asyncio.run(_migrate(url))


async def _migrate(url: str) -> None:
    opened = open_ledger(url, clock=FixedClock())
    await opened.migrate()
    await opened.close()


def _empty(url: str) -> None:
    engine = create_engine(url)
    with engine.begin() as connection:
        for table in reversed(metadata.sorted_tables):
            connection.execute(table.delete())
    engine.dispose()


# --- other processes ------------------------------------------------------------------------


async def in_child(command: str, *arguments: str) -> tuple[int, list[str]]:
    """Run `support.ledger_child` in a process of its own: its exit status and lines of output."""
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "support.ledger_child",
        command,
        *arguments,
        cwd=Path(__file__).parents[1],
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await child.communicate()
    assert child.returncode is not None
    return child.returncode, out.decode().splitlines()


# --- values ---------------------------------------------------------------------------------


def said(
    content: str,
    *,
    client_id: str | None = None,
    role: Role = Role.USER,
    at: datetime = NOON,
) -> NewTurn:
    """A turn as a caller gives it."""
    return NewTurn(role, content, at, client_id=client_id)


def add(
    text: str, *sources: Source, fingerprint: str | None = None, kind: MemoryKind = MemoryKind.FACT
) -> AddMemory:
    """A new memory; its fingerprint is its text unless another is given."""
    statement = Statement(text, kind, "en", ["Ana"], sources)
    return AddMemory(statement, fingerprint or text)


def stored(*turns: Turn) -> list[TurnOutcome]:
    """That these turns were learnt from."""
    return [TurnOutcome(turn.id, Outcome.STORED) for turn in turns]


FREE = Extraction(())


async def say(
    ledger: SqlLedger,
    tenant_id: str,
    *contents: str,
    user_id: str = "ana",
    session_id: str = "s1",
) -> AcceptedTurns:
    """Append turns of these contents."""
    turns = [said(content) for content in contents]
    return await ledger.append_turns(tenant_id, user_id, session_id, turns, actor="test")


async def learn(ledger: SqlLedger, tenant_id: str, content: str, *, user_id: str = "ana") -> Memory:
    """Say something and learn it word for word."""
    accepted = await say(ledger, tenant_id, content, user_id=user_id)
    (turn,) = accepted.turns
    (memory,) = await ledger.commit_writing(
        tenant_id,
        user_id,
        accepted.operation.id,
        changes=[add(content, Source(turn.id, content))],
        outcomes=stored(turn),
        extraction=FREE,
    )
    return memory


def ids(values: Sequence[Turn] | Sequence[Memory]) -> list[str]:
    """Their ids, in order."""
    return [value.id for value in values]
