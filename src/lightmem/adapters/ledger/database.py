"""Transactions in threads: the event loop never waits for the driver."""

import asyncio
import contextvars
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from sqlalchemy import Connection, Engine, Table
from sqlalchemy.dialects import postgresql, sqlite

from lightmem.adapters.ledger.engine import Engines, empty_log
from lightmem.adapters.ledger.errors import ledger_errors
from lightmem.adapters.ledger.tables import idempotency
from lightmem.errors import LedgerUnavailable
from lightmem.ports import Clock

T = TypeVar("T")
S = TypeVar("S")

#: Longest wait for one transaction; a server that hangs must not hang its callers.
TIMEOUT_S = 20.0

#: How long an answer is kept under its idempotency key.
KEPT_FOR = timedelta(days=7)
_SWEEP_EVERY = timedelta(hours=1)

#: Most values in one IN list; both databases take some 32,000.
_MOST_VALUES = 10_000


@dataclass(slots=True)
class _Call:
    """Whether somebody still waits for a transaction."""

    is_abandoned: bool = False


class Database:
    """Runs functions of a connection, each in one transaction in a thread.

    SQLite takes one writer at a time: its writes queue for one thread rather than for the file,
    which is fair and quick. Other processes are waited for up to the busy timeout.
    """

    def __init__(self, engines: Engines, *, timeout_s: float = TIMEOUT_S) -> None:
        self._engines = engines
        self._timeout_s = timeout_s
        self._readers = ThreadPoolExecutor(engines.readers, thread_name_prefix="ledger")
        self._writers = (
            ThreadPoolExecutor(engines.writers, thread_name_prefix="ledger-write")
            if engines.writers is not None
            else self._readers
        )

    async def read(
        self, work: Callable[[Connection], T], *, timeout_s: float | None = TIMEOUT_S
    ) -> T:
        """What `work` read, all of it at one moment.

        Args:
            timeout_s: None waits as long as it takes.
        """
        limit = timeout_s and min(timeout_s, self._timeout_s)
        return await self._run(self._readers, self._engines.read, work, limit)

    async def write(
        self, work: Callable[[Connection], T], *, timeout_s: float | None = TIMEOUT_S
    ) -> T:
        """What `work` returned, once its transaction is durable; nothing changed if it raised.

        Args:
            timeout_s: None waits as long as it takes.
        """
        limit = timeout_s and min(timeout_s, self._timeout_s)
        return await self._run(self._writers, self._engines.write, work, limit)

    async def empty_log(self) -> None:
        """Let no deleted words stay in a log beside the file."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._writers, empty_log, self._engines.write)

    async def close(self) -> None:
        """Let running transactions end, then close all connections."""
        for executor in {self._readers, self._writers}:
            await asyncio.to_thread(executor.shutdown, cancel_futures=True)
        self._engines.write.dispose()

    async def _run(
        self,
        executor: ThreadPoolExecutor,
        engine: Engine,
        work: Callable[[Connection], T],
        timeout_s: float | None,
    ) -> T:
        call = _Call()
        context = contextvars.copy_context()
        future = asyncio.get_running_loop().run_in_executor(
            executor, lambda: context.run(_transact, engine, work, call)
        )
        try:
            async with asyncio.timeout(timeout_s):
                return await future
        except TimeoutError as error:
            call.is_abandoned = True
            raise LedgerUnavailable("the ledger did not answer in time") from error


def _transact(engine: Engine, work: Callable[[Connection], T], call: _Call) -> T:
    with ledger_errors(), engine.begin() as connection:
        result = work(connection)
        if call.is_abandoned:
            # The caller was told that nothing changed.
            raise LedgerUnavailable("nobody waits for this transaction any more")
        return result


class LedgerPart:
    """What every part of the ledger stands on."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._swept_at: datetime | None = None

    async def _sweep_answers(self) -> None:
        """Now and then, remove answers whose time is over: housekeeping, not correctness."""
        now = self._clock.now()
        if self._swept_at is not None and now - self._swept_at < _SWEEP_EVERY:
            return
        self._swept_at = now
        old = idempotency.delete().where(idempotency.c.created_at <= now - KEPT_FOR)
        await self._database.write(lambda connection: connection.execute(old))


def insert_into(connection: Connection, table: Table) -> "postgresql.Insert | sqlite.Insert":
    """An INSERT that can say what to do on conflict, in the words of this database."""
    if connection.dialect.name == "sqlite":
        return sqlite.insert(table)
    return postgresql.insert(table)


def slices(values: Sequence[S], size: int = _MOST_VALUES) -> Iterator[Sequence[S]]:
    """The values in pieces that fit into one statement."""
    for start in range(0, len(values), size):
        yield values[start : start + size]
