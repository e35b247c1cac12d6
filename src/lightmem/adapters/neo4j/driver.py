"""Bolt: short timeouts, no retries with pauses; a stale connection is tried again at once.

A connection that the server has dropped meanwhile fails at once and the work is done a second
time on a fresh one: all of it is idempotent.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from neo4j import AsyncDriver, AsyncGraphDatabase, AsyncTransaction
from neo4j.exceptions import (
    AuthError,
    ClientError,
    DatabaseError,
    DriverError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from lightmem.errors import GraphUnavailable

T = TypeVar("T")
Row = dict[str, Any]
Work = Callable[[AsyncTransaction], Awaitable[T]]

CONNECT_TIMEOUT_S = 1.0


@contextmanager
def neo4j_errors() -> Iterator[None]:
    """The driver's errors as ours; a query that is wrong in itself stays what it is."""
    try:
        yield
    except (DriverError, TransientError, DatabaseError, AuthError, OSError, TimeoutError) as exc:
        raise GraphUnavailable("Neo4j did not answer") from exc


class Bolt:
    """Runs statements, each alone or several in one transaction."""

    def __init__(
        self, url: str, *, user: str | None, password: str | None, timeout_s: float
    ) -> None:
        self.driver: AsyncDriver = AsyncGraphDatabase.driver(
            url,
            auth=(user, password or "") if user else None,
            connection_timeout=CONNECT_TIMEOUT_S,
            connection_acquisition_timeout=timeout_s,
            keep_alive=True,
            notifications_min_severity="OFF",
            user_agent="lightmem",
        )
        self._timeout_s = timeout_s

    async def run(
        self, query: str, parameters: Mapping[str, Any], *, timeout_s: float | None = None
    ) -> list[Row]:
        """The rows of one idempotent statement."""
        with neo4j_errors():
            async with asyncio.timeout(timeout_s or self._timeout_s):
                return await self._fresh(lambda: self._once(query, parameters))

    async def define(self, statement: str, *, made_meanwhile: set[str]) -> None:
        """Run a statement of the schema. IF NOT EXISTS does not hold against another process."""
        try:
            await self.run(statement, {}, timeout_s=30.0)
        except ClientError as exc:
            if exc.code not in made_meanwhile:
                raise

    async def transact(self, work: Work[T]) -> T:
        """What `work` returned, all of it in one transaction; nothing changed if it raised."""
        with neo4j_errors():
            async with asyncio.timeout(self._timeout_s):
                return await self._fresh(lambda: self._transaction(work))

    async def close(self) -> None:
        """Close every connection."""
        await self.driver.close()

    async def _fresh(self, action: Callable[[], Awaitable[T]]) -> T:
        try:
            return await action()
        except (ServiceUnavailable, SessionExpired):
            return await action()

    async def _once(self, query: str, parameters: Mapping[str, Any]) -> list[Row]:
        async with self.driver.session() as session:
            result = await session.run(query, dict(parameters))
            return [record.data() async for record in result]

    async def _transaction(self, work: Work[T]) -> T:
        async with self.driver.session() as session, await session.begin_transaction() as tx:
            done = await work(tx)
            await tx.commit()
            return done


async def rows(tx: AsyncTransaction, query: str, **parameters: Any) -> list[Row]:
    """The rows of one statement of a transaction."""
    result = await tx.run(query, parameters)
    return [record.data() async for record in result]
