"""`lightmem reindex`: fill the index anew from the ledger, as after a change of encoder."""

import asyncio

from rich.progress import Progress

from lightmem.cli import options
from lightmem.cli.connection import Connection
from lightmem.cli.failures import failures_told
from lightmem.cli.output import console, print_json
from lightmem.data_folder import held_data_folder
from lightmem.settings import Settings


def reindex(*, data_dir: options.DataDir = None, as_json: options.Json = False) -> None:
    """Embed all turns and memories again. The server must be stopped meanwhile."""
    with failures_told(as_json=as_json):
        settings = Connection(data_dir=data_dir).settings()
        done = asyncio.run(_reindex(settings, quiet=as_json))
        if as_json:
            print_json({"embedded": done})
        else:
            console().print(f"{done} turns and memories embedded again")


async def _reindex(settings: Settings, *, quiet: bool) -> int:
    from lightmem.bootstrap import open_indexing  # noqa: PLC0415  (keeps the command quick)

    done = 0
    with Progress(console=console(stderr=True), disable=quiet) as progress:
        bar = progress.add_task("embedding", total=None)

        def advance(embedded: int) -> None:
            nonlocal done
            done = embedded
            progress.update(bar, completed=embedded)

        async with held_data_folder(settings), open_indexing(settings) as indexing:
            await indexing.reembed(advance)
    return done
