"""`lightmem dream` and `lightmem dreams`: what a dream would do, done, looked at, taken back."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, TypeVar

import typer
from rich.table import Table

from lightmem.cli import options
from lightmem.cli.connection import Connection, connected
from lightmem.cli.dream_diff import dream_diff
from lightmem.cli.failures import UsageError, failures_told
from lightmem.cli.output import console, print_json
from lightmem.client import AsyncClient, Dream, Page
from lightmem.errors import DeadlineExceeded
from lightmem.model import DreamPolicy, DreamStatus

T = TypeVar("T")

#: Whose memory, where nobody is named; as for `ingest`.
DEFAULT_USER = "default"
#: How long a plan is waited for, and how often one looks.
PATIENCE_S, LOOK_S = 600.0, 0.2

app = typer.Typer(no_args_is_help=True, help="Look at dreams, apply them, take them back.")

DreamId = Annotated[str, typer.Argument(metavar="ID", help="The dream.")]
WhoseMemory = Annotated[str, typer.Option("--user", help="Whose memory.")]


def dream(
    *,
    user: WhoseMemory = DEFAULT_USER,
    auto: Annotated[
        bool, typer.Option("--auto", help="Do at once whatever passes the checks.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be done (as without --auto).")
    ] = False,
    max_removed: Annotated[
        float, typer.Option(min=0, max=1, help="Share of the memories that may go at most.")
    ] = 0.3,
    url: options.Url = None,
    key: options.Key = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """Dream over what is new, and show what it would do; nothing is done without --auto."""
    with failures_told(as_json=as_json):
        if auto and dry_run:
            raise UsageError("--auto and --dry-run are opposites")
        policy = DreamPolicy.AUTO if auto else DreamPolicy.REVIEW

        async def dreamt(client: AsyncClient) -> Dream:
            return await dream_over(client, user, policy=policy, max_removed=max_removed)

        found = _asked(Connection(url, key, data_dir), dreamt)
        _show(found, as_json=as_json)


async def dream_over(
    client: AsyncClient, user: str, *, policy: DreamPolicy, max_removed: float = 0.3
) -> Dream:
    """The dream, once it is planned and, under `auto`, applied.

    Raises:
        DeadlineExceeded: it was not planned in time; it goes on, and can be looked at later.
    """
    asked = await client.request_dream(user, policy=policy, max_removed_fraction=max_removed)
    try:
        async with asyncio.timeout(PATIENCE_S):
            await _until_planned(client, asked.operation_id)
    except TimeoutError as exc:
        message = f"the dream goes on: look later with `lightmem dreams show {asked.dream_id}`"
        raise DeadlineExceeded(message) from exc
    return await client.dream(asked.dream_id)


async def _until_planned(client: AsyncClient, operation_id: str) -> None:
    while True:
        operation = await client.operation(operation_id)
        if operation.is_finished:
            return
        await asyncio.sleep(LOOK_S)


@app.command("list")
def list_(
    *,
    user: WhoseMemory = DEFAULT_USER,
    limit: Annotated[int, typer.Option(help="At most so many.", min=1, max=200)] = 20,
    url: options.Url = None,
    key: options.Key = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """List dreams, the latest first."""

    async def listed(client: AsyncClient) -> Page[Dream]:
        return await client.dreams(user, limit=limit)

    with failures_told(as_json=as_json):
        page = _asked(Connection(url, key, data_dir), listed)
        if as_json:
            print_json(page)
        else:
            console().print(_table(page.items))


def _command(name: str, told: str, ask: Callable[[AsyncClient, str], Awaitable[Dream]]) -> None:
    """Add a command that asks one thing of one dream and shows how the dream stands then."""

    @app.command(name, help=told)
    def command(
        dream_id: DreamId,
        *,
        url: options.Url = None,
        key: options.Key = None,
        data_dir: options.DataDir = None,
        as_json: options.Json = False,
    ) -> None:
        with failures_told(as_json=as_json):
            found = _asked(Connection(url, key, data_dir), lambda client: ask(client, dream_id))
            _show(found, as_json=as_json)


_command(
    "show",
    "Show a dream as a diff: new in green, replaced in red, refused with the reason.",
    AsyncClient.dream,
)


@app.command()
def apply(
    dream_id: DreamId,
    *,
    step: Annotated[list[str] | None, typer.Option(help="Only this step; may be repeated.")] = None,
    url: options.Url = None,
    key: options.Key = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """Do the accepted steps of a plan."""
    with failures_told(as_json=as_json):
        found = _asked(
            Connection(url, key, data_dir),
            lambda client: client.apply_dream(dream_id, step or None),
        )
        _show(found, as_json=as_json)


_command(
    "undo",
    "Take an applied dream back: memories are as they were before it.",
    AsyncClient.undo_dream,
)
_command("reject", "Put a plan aside.", AsyncClient.reject_dream)


def _asked(connection: Connection, ask: Callable[[AsyncClient], Awaitable[T]]) -> T:
    async def asked() -> T:
        async with connected(connection) as client:
            return await ask(client)

    return asyncio.run(asked())


def _show(found: Dream, *, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    out = console()
    out.print(dream_diff(found), markup=False)
    for hint in _hints(found):
        out.print(hint, style="dim")


def _hints(found: Dream) -> list[str]:
    match found.status:
        case DreamStatus.REVIEW if found.counts.get("accepted"):
            return [f"\nlightmem dreams apply {found.id}   or   reject"]
        case DreamStatus.APPLIED:
            return [f"\nlightmem dreams undo {found.id}"]
        case _:
            return []


def _table(dreams: Sequence[Dream]) -> Table:
    table = Table(box=None, pad_edge=False, show_edge=False, header_style="bold")
    for name in ("id", "when", "status", "by", "steps", "fewer"):
        table.add_column(name, no_wrap=True)
    for one in dreams:
        table.add_row(
            one.id,
            f"{one.created_at:%Y-%m-%d %H:%M}",
            str(one.status),
            str(one.trigger),
            f"{one.counts.get('accepted', 0)}/{len(one.steps)}",
            str(one.counts.get("removed_memories", 0)),
        )
    return table
