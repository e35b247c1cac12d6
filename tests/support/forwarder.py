"""A TCP forwarder in front of a real server, so that a test can cut the wire and mend it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class Forwarder:
    """Listens on `port` of the loopback and passes bytes to and from a server, until cut."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self.port = 0

    async def mend(self) -> None:
        """Listen, on the same port as before if there was one."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        """Refuse new connections and drop those that are open."""
        assert self._server is not None
        self._server.close()
        for writer in list(self._writers):
            writer.transport.abort()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream_reader, upstream_writer = await asyncio.open_connection(*self._target)
        pair = {writer, upstream_writer}
        self._writers |= pair
        try:
            await asyncio.wait(
                [
                    asyncio.ensure_future(self._pass(reader, upstream_writer)),
                    asyncio.ensure_future(self._pass(upstream_reader, writer)),
                ]
            )
        finally:
            self._writers -= pair
            for each in pair:
                each.transport.abort()

    @staticmethod
    async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.transport.abort()


@asynccontextmanager
async def forwarder_to(host: str, port: int) -> AsyncIterator[Forwarder]:
    """A forwarder that is mended at first and cut at the end."""
    forwarder = Forwarder(host, port)
    await forwarder.mend()
    try:
        yield forwarder
    finally:
        await forwarder.cut()
