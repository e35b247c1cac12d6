"""Options that several commands share, and how their text is read."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from lightmem.cli.failures import UsageError
from lightmem.settings import Settings

Url = Annotated[
    str | None,
    typer.Option(
        "--url",
        envvar="LIGHTMEM_URL",
        help="Where the server is; left out: the one on the data folder, or none at all.",
    ),
]
Key = Annotated[
    str | None,
    typer.Option(
        "--key",
        envvar="LIGHTMEM_KEY",
        help="API key; left out: the one in the data folder.",
        show_envvar=True,
    ),
]
DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir", envvar="LIGHTMEM_DATA_DIR", help="Where the system keeps its files."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON alone on stdout.")]
UserId = Annotated[str, typer.Argument(metavar="USER", help="Whose memory.")]
SessionId = Annotated[str | None, typer.Option("--session", help="The conversation.")]


def moment(option: str, text: str | None) -> datetime | None:
    """A time that was given on the command line.

    Raises:
        UsageError: it is no RFC 3339 time with an offset.
    """
    if text is None:
        return None
    try:
        value = datetime.fromisoformat(text)
    except ValueError:
        value = None
    if value is None or value.tzinfo is None:
        raise UsageError(f"{option}: not a time with an offset, such as 2024-05-08T10:15:00Z")
    return value


def settings_of(given: Mapping[str, Any]) -> Settings:
    """The settings of the environment, with what was given in their place.

    Raises:
        UsageError: one of them cannot be; the message names it.
    """
    try:
        return Settings(**given)
    except ValidationError as exc:
        named = "; ".join(
            f"LIGHTMEM_{'.'.join(map(str, error['loc'])).upper()}: {error['msg']}"
            for error in exc.errors()
        )
        raise UsageError(named) from exc
