"""Redis killed, flushed and started again: what depends on it says so in time and comes back."""

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lightmem.adapters.celery import CeleryJobQueue
from lightmem.adapters.redis import RedisShortTermBuffer
from lightmem.errors import QueueUnavailable, ShortTermUnavailable
from lightmem.model import Job, JobKind
from support.redis_server import RedisServer, redis_server
from support.turns import a_turn

pytestmark = pytest.mark.server

JOB = Job("job-1", JobKind.WRITE, "acme", "ana", {"operation_id": "o"}, 1)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RedisServer]:
    async with redis_server(tmp_path) as running:
        yield running


async def test_a_buffer_without_its_server_says_so_in_time_and_comes_back(
    server: RedisServer,
) -> None:
    buffer = RedisShortTermBuffer(server.url, capacity=3)
    await buffer.append("acme", "ana", [a_turn("before")])
    await server.kill()
    begun = time.monotonic()

    with pytest.raises(ShortTermUnavailable):
        await buffer.recent("acme", "ana", session_id="s1", limit=3)
    with pytest.raises(ShortTermUnavailable):
        await buffer.append("acme", "ana", [a_turn("during")])
    assert (await buffer.check()).status == "down"
    assert time.monotonic() - begun < 10

    await server.start()
    await buffer.append("acme", "ana", [a_turn("after", number=2)])
    found = await buffer.recent("acme", "ana", session_id="s1", limit=3)

    assert [turn.content for turn in found] == ["after"]
    assert (await buffer.check()).status == "ok"
    await buffer.close()


async def test_a_queue_without_its_server_says_so_in_time_and_comes_back(
    server: RedisServer,
) -> None:
    queue = CeleryJobQueue(server.url)
    await queue.send([JOB])
    await server.kill()
    begun = time.monotonic()

    with pytest.raises(QueueUnavailable):
        await queue.send([JOB])
    with pytest.raises(QueueUnavailable):
        await queue.waiting()
    assert (await queue.check()).status == "down"
    assert time.monotonic() - begun < 15

    await server.start()
    await queue.send([JOB, JOB])

    assert await queue.waiting() == 2
    assert (await queue.check()).status == "ok"
    await queue.close()


async def test_the_buffer_s_keys_name_nobody_and_expire(server: RedisServer) -> None:
    buffer = RedisShortTermBuffer(server.url, capacity=3)

    await buffer.append("acme", "ana", [a_turn("words", session_id="secret-session")])

    client = buffer._redis
    keys = [str(key) for key in await client.keys("*")]
    assert len(keys) == 3
    assert not any(name in key for key in keys for name in ("acme", "ana", "secret"))
    assert all([await client.ttl(key) > 0 for key in keys])
    await buffer.close()
