"""The queue `write` with a real broker, a real ledger and workers that are killed."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from lightmem.adapters.celery import CeleryJobQueue
from lightmem.adapters.ledger import SqlLedger, open_ledger
from lightmem.domain.clock import SystemClock
from lightmem.jobs import OutboxRelay
from lightmem.model import Outcome
from support.backends import backend_url
from support.eventually import until
from support.ledgers import fresh_postgres_database, migrate, say
from support.redis_server import RedisServer, redis_server

pytestmark = pytest.mark.server

#: These end what hangs; a busy machine takes a minute for what takes a second.
PATIENCE_S, TIMEOUT_S = 120, 400

FACTS = [f"I own {number} boats in harbour {number}." for number in range(2, 8)]


@pytest.fixture
def database() -> Iterator[str]:
    with fresh_postgres_database(backend_url("postgres")) as url:
        yield url


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RedisServer]:
    async with redis_server(tmp_path) as running:
        yield running


@pytest.fixture
async def ledger(database: str) -> AsyncIterator[SqlLedger]:
    await asyncio.to_thread(migrate, database)
    opened = open_ledger(database, clock=SystemClock())
    yield opened
    await opened.close()


@asynccontextmanager
async def a_worker(
    queue_url: str, ledger_url: str, mark: Path
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A worker process; killed at the end if it still runs."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "support.queue_worker", queue_url, ledger_url, str(mark)),
        cwd=Path(__file__).parents[1],
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@asynccontextmanager
async def relaying(ledger: SqlLedger, queue_url: str) -> AsyncIterator[None]:
    queue = CeleryJobQueue(queue_url)
    relay = OutboxRelay(ledger=ledger, queue=queue, lease_s=10)
    running = asyncio.create_task(relay.run())
    try:
        yield
    finally:
        relay.stop()
        await running
        await queue.close()


async def is_learnt(ledger: SqlLedger, tenant_id: str, operation_id: str) -> bool:
    operation = await ledger.get_operation(tenant_id, operation_id)
    return operation.finished_at is not None


@pytest.mark.timeout(TIMEOUT_S)
async def test_a_worker_killed_in_mid_job_loses_and_doubles_nothing(
    ledger: SqlLedger, database: str, server: RedisServer, tmp_path: Path
) -> None:
    mark = tmp_path / "hung"
    tenant_id = (await ledger.create_tenant("acme", k_anonymity=3, actor="test")).id
    accepted = await say(ledger, tenant_id, *FACTS)
    operation_id = accepted.operation.id

    async with relaying(ledger, server.url):
        async with a_worker(server.url, database, mark) as first:
            await until(mark.exists, timeout_s=PATIENCE_S)
            half = await ledger.get_operation(tenant_id, operation_id)
            first.send_signal(signal.SIGKILL)
            await first.wait()
        async with a_worker(server.url, database, mark):
            await until(lambda: is_learnt(ledger, tenant_id, operation_id), timeout_s=PATIENCE_S)

    operation = await ledger.get_operation(tenant_id, operation_id)
    assert {one.outcome for one in half.outcomes} == {Outcome.STORED, Outcome.PENDING}
    assert [one.outcome for one in operation.outcomes] == [Outcome.STORED] * len(FACTS)
    page = await ledger.list_memories(
        tenant_id, "ana", status=None, kind=None, query=None, limit=200, cursor=None
    )
    assert sorted(memory.text for memory in page.items) == sorted(FACTS)


@pytest.mark.timeout(TIMEOUT_S)
async def test_a_broker_killed_in_the_middle_loses_nothing(
    ledger: SqlLedger, database: str, server: RedisServer, tmp_path: Path
) -> None:
    mark = tmp_path / "hung"
    mark.touch()
    tenant_id = (await ledger.create_tenant("acme", k_anonymity=3, actor="test")).id

    async with relaying(ledger, server.url), a_worker(server.url, database, mark):
        first = await say(ledger, tenant_id, *FACTS)
        await until(lambda: is_learnt(ledger, tenant_id, first.operation.id), timeout_s=PATIENCE_S)
        await server.kill()
        second = await say(ledger, tenant_id, "I work as a nurse in Oslo.", session_id="s2")
        await asyncio.sleep(1)
        await server.start()
        await until(lambda: is_learnt(ledger, tenant_id, second.operation.id), timeout_s=PATIENCE_S)

    operation = await ledger.get_operation(tenant_id, second.operation.id)
    assert [one.outcome for one in operation.outcomes] == [Outcome.STORED]


@pytest.mark.timeout(TIMEOUT_S)
async def test_a_broker_killed_while_a_job_is_in_hand_leaves_its_worker_at_work(
    ledger: SqlLedger, database: str, server: RedisServer, tmp_path: Path
) -> None:
    mark = tmp_path / "hung"
    tenant_id = (await ledger.create_tenant("acme", k_anonymity=3, actor="test")).id

    async with relaying(ledger, server.url), a_worker(server.url, database, mark) as worker:
        # The first job never ends, so its message is in hand all the time.
        await say(ledger, tenant_id, *FACTS)
        await until(mark.exists, timeout_s=PATIENCE_S)
        for number in range(3):
            await server.kill()
            written = await say(ledger, tenant_id, f"I own {number + 20} hats.", user_id="bo")
            await server.start()
            learnt = partial(is_learnt, ledger, tenant_id, written.operation.id)
            await until(learnt, timeout_s=PATIENCE_S)

        assert worker.returncode is None


@pytest.mark.timeout(TIMEOUT_S)
async def test_a_worker_that_is_told_to_stop_stops(
    ledger: SqlLedger, database: str, server: RedisServer, tmp_path: Path
) -> None:
    mark = tmp_path / "hung"
    mark.touch()
    tenant_id = (await ledger.create_tenant("acme", k_anonymity=3, actor="test")).id

    async with relaying(ledger, server.url), a_worker(server.url, database, mark) as worker:
        accepted = await say(ledger, tenant_id, *FACTS)
        await until(
            lambda: is_learnt(ledger, tenant_id, accepted.operation.id), timeout_s=PATIENCE_S
        )

        worker.send_signal(signal.SIGTERM)

        assert await asyncio.wait_for(worker.wait(), PATIENCE_S) == 0
