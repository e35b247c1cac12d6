"""What ends in the middle of a transaction leaves nothing half done."""

import signal
import threading

import pytest
from sqlalchemy import Connection

from lightmem.adapters.ledger import SqlLedger
from lightmem.adapters.ledger.database import Database
from lightmem.adapters.ledger.engine import open_engines
from lightmem.adapters.ledger.tables import meta
from lightmem.errors import LedgerUnavailable
from lightmem.model import JobKind
from support.ledgers import in_child, say


async def test_a_process_killed_before_it_commits_leaves_nothing(
    ledger: SqlLedger, acme: str, ledger_url: str
) -> None:
    before = await ledger.list_audit(acme, limit=10, cursor=None)

    status, _ = await in_child("die", ledger_url, acme)

    assert status == -signal.SIGKILL
    assert await ledger.turn_ids(after=None, limit=10) == []
    assert (await ledger.list_sessions(acme, "ana", limit=10, cursor=None)).items == []
    assert set((await ledger.pending_jobs()).values()) == {0}
    assert await ledger.list_audit(acme, limit=10, cursor=None) == before


async def test_what_it_held_is_free_again(ledger: SqlLedger, acme: str, ledger_url: str) -> None:
    await in_child("die", ledger_url, acme)

    status, operations = await in_child("append", ledger_url, acme, "key")
    here = await say(ledger, acme, "And we go on.")

    assert status == 0
    assert len(set(operations)) == 1
    assert here.turns[0].seq == 2
    assert (await ledger.pending_jobs())[JobKind.WRITE] == 2


async def test_a_transaction_that_nobody_waits_for_any_more_changes_nothing(
    ledger: SqlLedger, ledger_url: str
) -> None:
    database = Database(open_engines(ledger_url, busy_timeout_s=1.0), timeout_s=0.2)
    is_told = threading.Event()

    def work(connection: Connection) -> None:
        connection.execute(meta.insert().values(name="late", value="too late"))
        is_told.wait(timeout=30.0)

    with pytest.raises(LedgerUnavailable):
        await database.write(work)
    is_told.set()
    await database.close()

    assert await ledger.get_meta("late") is None
