"""A Redis of a test's own, to kill and to start again on the same port."""

import asyncio
import shutil
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import redis.asyncio

from support.backends import backend_url
from support.eventually import until


class RedisServer:
    """A server that keeps nothing on disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: asyncio.subprocess.Process | None = None
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self._port}/0"

    async def start(self) -> None:
        """Start and wait until it answers."""
        # Where no Redis may be had, tests skip or fail as for the shared one.
        backend_url("redis")
        program = shutil.which("redis-server")
        assert program is not None
        self._process = await asyncio.create_subprocess_exec(
            program,
            *("--port", str(self._port), "--save", "", "--appendonly", "no"),
            cwd=self._folder,
            stdout=asyncio.subprocess.DEVNULL,
        )
        await until(self._answers)

    async def kill(self) -> None:
        """SIGKILL; all that it held is gone."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
            self._process = None

    async def _answers(self) -> bool:
        client = redis.asyncio.Redis.from_url(self.url)
        try:
            return bool(await client.ping())
        except redis.exceptions.ConnectionError:
            return False
        finally:
            await client.aclose()


@asynccontextmanager
async def redis_server(folder: Path) -> AsyncIterator[RedisServer]:
    """A running server, killed at the end."""
    server = RedisServer(folder)
    await server.start()
    try:
        yield server
    finally:
        await server.kill()
