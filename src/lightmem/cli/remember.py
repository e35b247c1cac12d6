"""`lightmem remember`: something that was said, from the command line."""

import asyncio
from datetime import UTC, datetime
from typing import Annotated

import typer

from lightmem.cli import options
from lightmem.cli.connection import Connection, connected
from lightmem.cli.failures import ExitCode, failures_told
from lightmem.cli.output import console, print_json
from lightmem.client import Remembered, SaidTurn
from lightmem.model import Outcome, Role


def remember(
    user: options.UserId,
    text: Annotated[str, typer.Argument(help="What was said.")],
    *,
    session: options.SessionId = None,
    speaker: Annotated[str | None, typer.Option(help="Who said it, by name.")] = None,
    role: Annotated[Role, typer.Option(help="What they are.")] = Role.USER,
    at: Annotated[str | None, typer.Option(help="When, with an offset; else now.")] = None,
    client_id: Annotated[str | None, typer.Option(help="Your own id of it.")] = None,
    wait: Annotated[bool, typer.Option(help="Wait for the memories drawn from it.")] = True,
    url: options.Url = None,
    key: options.Key = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """Remember something that was said."""
    with failures_told(as_json=as_json):
        turn = SaidTurn(
            text,
            role=role,
            speaker=speaker,
            occurred_at=options.moment("--at", at),
            client_id=client_id,
        )
        answer = asyncio.run(
            _store(Connection(url, key, data_dir), user, session or _today(), turn, wait=wait)
        )
        _show(answer, as_json=as_json)
    if any(outcome.outcome is Outcome.REJECTED for outcome in answer.outcomes):
        raise typer.Exit(ExitCode.INVALID_INPUT)


async def _store(
    connection: Connection, user: str, session: str, turn: SaidTurn, *, wait: bool
) -> Remembered:
    async with connected(connection) as client:
        return await client.remember(user, session, [turn], wait="written" if wait else "none")


def _show(answer: Remembered, *, as_json: bool) -> None:
    if as_json:
        print_json(answer)
        return
    out = console()
    out.print(f"stored as {answer.turn_ids[0]}")
    for outcome in answer.outcomes:
        reason = f" ({outcome.reason})" if outcome.reason else ""
        out.print(f"{outcome.outcome}{reason}; memories: {len(outcome.memory_ids)}", markup=False)


def _today() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d}"
