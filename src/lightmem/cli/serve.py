"""`lightmem serve`: the whole system behind its HTTP API, in this process."""

import asyncio
import contextlib
from typing import Annotated

import typer

from lightmem.cli import options
from lightmem.cli.failures import failures_told
from lightmem.cli.output import console, print_json
from lightmem.installation import KEYS_FILE
from lightmem.settings import Settings
from lightmem.telemetry import configure_logging


def serve(
    *,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; 0 takes a free one.")] = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """Run the system: HTTP API, workers, embedded stores. Ctrl-C stops it."""
    from lightmem_gateway.serving import run  # noqa: PLC0415  (keeps the other commands quick)

    given = (("host", host), ("port", port), ("data_dir", data_dir))
    with failures_told(as_json=as_json):
        settings = options.settings_of({n: value for n, value in given if value is not None})
        configure_logging(settings.log_level)
        # Told to stop before it was open: nothing to say.
        with contextlib.suppress(asyncio.CancelledError):
            asyncio.run(run(settings, ready=lambda url: _greet(settings, url, as_json=as_json)))


def _greet(settings: Settings, url: str, *, as_json: bool) -> None:
    keys = settings.data_dir / KEYS_FILE
    if as_json:
        print_json({"url": url, "data_dir": str(settings.data_dir), "keys": str(keys)})
        return
    out = console()
    out.print(f"LightMem is at [bold]{url}[/], its API at {url}/docs", soft_wrap=True)
    out.print(
        f"Data and keys are in {settings.data_dir}; the command finds them by itself:",
        soft_wrap=True,
    )
    out.print("  lightmem remember ana 'I moved to Lisbon last Friday.'")
    out.print("  lightmem recall ana 'Where does Ana live?'")
