"""The way from the command to the system: a server, or the gateway in this process.

A URL that was given is used; else the server that runs on the data folder; else the whole system
is opened here, over the same gateway. So every command does the same thing in all three.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from lightmem.cli.failures import UsageError
from lightmem.cli.options import settings_of
from lightmem.client import AsyncClient
from lightmem.client.calls import health
from lightmem.data_folder import DataFolderInUse, running_server
from lightmem.errors import LightMemError
from lightmem.installation import Installation, open_app, read_installation
from lightmem.settings import Settings

#: A model may take its time to answer or to extract.
TIMEOUT_S = 180.0


@dataclass(frozen=True, slots=True)
class Connection:
    """What was said on the command line about where the system is."""

    url: str | None = None
    key: str | None = None
    data_dir: Path | None = None
    is_admin: bool = False

    def settings(self) -> Settings:
        """The settings of the environment, with the data folder that was given."""
        return settings_of({} if self.data_dir is None else {"data_dir": self.data_dir})


@asynccontextmanager
async def connected(connection: Connection) -> AsyncIterator[AsyncClient]:
    """A client of the system that is meant.

    Raises:
        UsageError: a URL without a key that goes with it.
        DataFolderInUse: another process has the folder and serves nobody.
    """
    settings = connection.settings()
    server = await _server(settings.data_dir)
    if connection.url is not None:
        key = connection.key or _key_for(connection, server, settings.data_dir)
        async with AsyncClient(connection.url, key, timeout_s=TIMEOUT_S) as client:
            yield client
        return
    if server is None:
        try:
            async with _in_process(connection, settings) as client:
                yield client
            return
        except DataFolderInUse:
            # It may be a server that was about to listen.
            server = await _server(settings.data_dir)
            if server is None:
                raise
    key = connection.key or _kept_key(connection, settings.data_dir)
    async with AsyncClient(server, key, timeout_s=TIMEOUT_S) as client:
        yield client


@asynccontextmanager
async def _in_process(connection: Connection, settings: Settings) -> AsyncIterator[AsyncClient]:
    async with open_app(settings) as (app, keys):
        transport = httpx.ASGITransport(app)
        key = connection.key or _chosen(connection, keys)
        async with AsyncClient(
            "http://lightmem", key, transport=transport, timeout_s=TIMEOUT_S
        ) as client:
            yield client


async def _server(folder: Path) -> str | None:
    """The URL of the server on the folder, if one answers."""
    noted = running_server(folder)
    if noted is None:
        return None
    try:
        async with AsyncClient(noted.url, "", timeout_s=10.0) as client:
            await client.send(health())
    except LightMemError:
        return None
    return noted.url


def _key_for(connection: Connection, server: str | None, folder: Path) -> str:
    # A kept key opens this installation; it is not shown to any other server.
    if server is not None and connection.url is not None and connection.url.rstrip("/") == server:
        return _kept_key(connection, folder)
    raise UsageError("a key goes with a URL: give --key, or set LIGHTMEM_KEY")


def _kept_key(connection: Connection, folder: Path) -> str:
    kept = read_installation(folder)
    if kept is None:
        raise UsageError(f"no keys in {folder}: give --key, or set LIGHTMEM_KEY")
    return _chosen(connection, kept)


def _chosen(connection: Connection, keys: Installation) -> str:
    return keys.admin_key if connection.is_admin else keys.tenant_key
