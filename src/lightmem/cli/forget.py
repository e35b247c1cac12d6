"""`lightmem forget` and `lightmem tombstones`: what is to go for good, and the way back."""

import asyncio
import sys
from typing import Annotated

import typer

from lightmem.cli import options
from lightmem.cli.connection import Connection, connected
from lightmem.cli.failures import UsageError, failures_told
from lightmem.cli.output import console, memory_block, print_json
from lightmem.client import AsyncClient, Forgot, Tombstone, WouldForget
from lightmem.domain.paging import every

app = typer.Typer(no_args_is_help=True, help="What was forgotten, and must not come back.")


def forget(
    user: options.UserId,
    query: Annotated[
        str | None, typer.Argument(help="What is meant, such as 'my phone number'.")
    ] = None,
    *,
    ids: Annotated[
        list[str] | None, typer.Option("--id", help="A memory to forget; may be repeated.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would go.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    url: options.Url = None,
    key: options.Key = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """Forget memories for good: shows what would go, asks, and strikes it everywhere."""
    with failures_told(as_json=as_json):
        if (query is None) == (not ids):
            raise UsageError("give either what is meant, or memories by --id")
        connection = Connection(url, key, data_dir)
        asyncio.run(
            _forget(
                connection, user, query, ids, wants_answer=not dry_run, yes=yes, as_json=as_json
            )
        )


async def _forget(
    connection: Connection,
    user: str,
    query: str | None,
    ids: list[str] | None,
    *,
    wants_answer: bool,
    yes: bool,
    as_json: bool,
) -> None:
    async with connected(connection) as client:
        would = await client.would_forget(user, query, ids=ids)
        if not as_json or not wants_answer:
            _show_would(would, as_json=as_json)
        if not wants_answer or not would.ids:
            if as_json and wants_answer:
                print_json(Forgot(forgotten=(), tombstones=(), redacted_turns=0))
            return
        if not yes and not _confirmed(len(would.ids)):
            raise UsageError("nothing was forgotten; --yes forgets without asking")
        _show_done(await client.forget(user, ids or would.ids), as_json=as_json)


def _confirmed(count: int) -> bool:
    if not sys.stdin.isatty():
        return False
    return typer.confirm(f"Forget {count} for good?", err=True)


def _show_would(would: WouldForget, *, as_json: bool) -> None:
    if as_json:
        print_json(would)
        return
    out = console()
    out.print("would be forgotten:" if would.ids else "nothing fits", markup=False)
    for memory in would.memories:
        out.print(memory_block(memory))
        out.print(f"    {memory.id}", style="dim", markup=False)


def _show_done(done: Forgot, *, as_json: bool) -> None:
    if as_json:
        print_json(done)
        return
    out = console()
    out.print(
        f"forgotten: {len(done.forgotten)}; turns that lost words: {done.redacted_turns}",
        markup=False,
    )
    for tombstone_id in done.tombstones:
        out.print(f"tombstone {tombstone_id}", markup=False)


# --- tombstones -------------------------------------------------------------------------------


@app.command("list")
def list_(
    user: options.UserId,
    *,
    url: options.Url = None,
    key: options.Key = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """List what was forgotten: when and why, never what."""

    async def show() -> None:
        async with connected(Connection(url, key, data_dir)) as client:
            found = await _all(client, user)
        if as_json:
            print_json([one.model_dump(mode="json") for one in found])
            return
        for one in found:
            line = f"{one.id}  {one.created_at:%Y-%m-%d %H:%M}  {one.reason}"
            console().print(line, markup=False)

    with failures_told(as_json=as_json):
        asyncio.run(show())


@app.command("lift")
def lift(
    user: options.UserId,
    tombstone: Annotated[str, typer.Argument(help="The tombstone, by id.")],
    *,
    url: options.Url = None,
    key: options.Key = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """Let a value be learnt again. Nothing is restored."""

    async def do() -> None:
        async with connected(Connection(url, key, data_dir)) as client:
            await client.lift_tombstone(user, tombstone)
        if as_json:
            print_json({"lifted": tombstone})
        else:
            console().print("it may be learnt again", markup=False)

    with failures_told(as_json=as_json):
        asyncio.run(do())


async def _all(client: AsyncClient, user: str) -> list[Tombstone]:
    found = every(lambda cursor: client.tombstones(user, limit=200, cursor=cursor))
    return [tombstone async for tombstone in found]
