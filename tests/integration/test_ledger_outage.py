"""While its database does not answer, the ledger says so in time; afterwards it works again."""

import asyncio
import socket
import sqlite3
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import make_url

from lightmem.adapters.ledger import SqlLedger, open_ledger
from lightmem.errors import LedgerUnavailable
from lightmem.model import Health
from support.clock import FixedClock
from support.forwarder import Forwarder, forwarder_to
from support.ledgers import say


def through(url: str, port: int) -> str:
    return make_url(url).set(host="127.0.0.1", port=port).render_as_string(hide_password=False)


# --- PostgreSQL -----------------------------------------------------------------------------


@pytest.fixture
async def wire(postgres_ledger_url: str) -> AsyncIterator[Forwarder]:
    """The wire to PostgreSQL."""
    server = make_url(postgres_ledger_url)
    async with forwarder_to(server.host or "127.0.0.1", server.port or 5432) as forwarder:
        yield forwarder


@pytest.fixture
async def remote(postgres_ledger_url: str, wire: Forwarder) -> AsyncIterator[SqlLedger]:
    """A ledger at the end of the wire."""
    ledger = open_ledger(through(postgres_ledger_url, wire.port), clock=FixedClock(), timeout_s=2.0)
    yield ledger
    await ledger.close()


@pytest.mark.server
async def test_a_cut_wire_is_told_and_mended_without_a_restart(
    remote: SqlLedger, wire: Forwarder
) -> None:
    tenant = await remote.create_tenant("acme", k_anonymity=3, actor="test")
    await asyncio.gather(*[say(remote, tenant.id, "Before.") for _ in range(8)])
    await wire.cut()

    with pytest.raises(LedgerUnavailable):
        await say(remote, tenant.id, "During.")
    with pytest.raises(LedgerUnavailable):
        await remote.get_tenant(tenant.id)
    assert await remote.check() == Health("ledger", "down", "does not answer")

    await wire.mend()
    assert await remote.check() == Health("ledger", "ok")
    await say(remote, tenant.id, "After.")
    kept = await remote.list_turns(tenant.id, "ana", session_id=None, limit=50, cursor=None)
    assert [turn.content for turn in kept.items] == ["Before."] * 8 + ["After."]


@pytest.mark.server
async def test_a_server_that_says_nothing_is_not_waited_for(postgres_ledger_url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = through(postgres_ledger_url, silent.getsockname()[1])
        ledger = open_ledger(url, clock=FixedClock(), timeout_s=0.5)
        started = time.monotonic()

        with pytest.raises(LedgerUnavailable):
            await ledger.find_key("hash")

        assert time.monotonic() - started < 2.5
        await ledger.close()


# --- SQLite ---------------------------------------------------------------------------------


@pytest.fixture
async def local(tmp_path: Path) -> AsyncIterator[SqlLedger]:
    ledger = open_ledger(
        f"sqlite:///{tmp_path / 'data' / 'ledger.db'}", clock=FixedClock(), busy_timeout_s=0.2
    )
    await ledger.migrate()
    yield ledger
    await ledger.close()


async def test_another_process_that_writes_too_long_is_told(
    local: SqlLedger, tmp_path: Path
) -> None:
    tenant = await local.create_tenant("acme", k_anonymity=3, actor="test")
    other = sqlite3.connect(tmp_path / "data" / "ledger.db")
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(LedgerUnavailable):
        await say(local, tenant.id, "During.")
    readable = await local.get_tenant(tenant.id)

    other.rollback()
    other.close()
    assert readable == tenant
    assert len((await say(local, tenant.id, "After.")).turns) == 1


async def test_a_file_that_is_no_database_is_unavailable(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    path.write_bytes(b"This is no database, and never was one. " * 100)
    ledger = open_ledger(f"sqlite:///{path}", clock=FixedClock())

    assert await ledger.check() == Health("ledger", "down", "does not answer")
    with pytest.raises(LedgerUnavailable):
        await ledger.get_meta("encoder")
    await ledger.close()


async def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    ledger = open_ledger(f"sqlite:///{tmp_path / 'file' / 'ledger.db'}", clock=FixedClock())

    with pytest.raises(LedgerUnavailable):
        await ledger.migrate()
    await ledger.close()
