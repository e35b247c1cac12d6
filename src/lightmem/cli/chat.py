"""`lightmem chat`: talk with the configured model, which is given what is remembered."""

import asyncio
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from lightmem.cli import options
from lightmem.cli.connection import Connection, connected
from lightmem.cli.failures import failures_told
from lightmem.cli.output import print_json
from lightmem.client import AsyncClient
from lightmem.client.problems import error_classes
from lightmem.errors import LightMemError


def chat(
    user: options.UserId,
    message: Annotated[
        str | None, typer.Argument(help="What to say; left out: line by line from stdin.")
    ] = None,
    *,
    session: options.SessionId = None,
    url: options.Url = None,
    key: options.Key = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """Talk with the configured model, which is given what is remembered."""
    session_id = session or f"chat-{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}"

    async def talk() -> None:
        async with connected(Connection(url, key, data_dir)) as client:
            if message is not None:
                await _say(client, user, session_id, message, as_json=as_json)
                return
            while (line := await asyncio.to_thread(_next_line)) is not None:
                await _say(client, user, session_id, line, as_json=as_json)

    with failures_told(as_json=as_json):
        asyncio.run(talk())


async def _say(
    client: AsyncClient, user: str, session_id: str, message: str, *, as_json: bool
) -> None:
    if as_json:
        print_json(await client.chat(user, session_id, message))
        return
    async for event in client.stream_chat(user, session_id, message):
        match event.event:
            case "token":
                print(_token(event.data), end="", flush=True)
            case "error":
                raise _streamed_error(event.data)
            case "done":
                print()


def _token(data: Any) -> str:
    return str(data.get("text", "")) if isinstance(data, Mapping) else str(data)


def _streamed_error(data: Any) -> LightMemError:
    problem = data if isinstance(data, Mapping) else {}
    kind = error_classes().get(str(problem.get("code", "")), LightMemError)
    return kind(str(problem.get("detail", "the answer broke off")))


def _next_line() -> str | None:
    if sys.stdin.isatty():
        print("> ", end="", flush=True)
    while line := sys.stdin.readline():
        if said := line.strip():
            return said
    return None
