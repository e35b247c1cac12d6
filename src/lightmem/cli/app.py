"""The commands by name."""

from importlib import metadata
from typing import Annotated

import typer

from lightmem.cli import (
    chat,
    demo,
    doctor,
    dream,
    forget,
    graph,
    ingest,
    keys,
    recall,
    reindex,
    remember,
    serve,
    users,
)
from lightmem.cli.failures import EXIT_CODES_HELP

app = typer.Typer(
    name="lightmem",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    epilog=EXIT_CODES_HELP,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(metadata.version("lightmem-slm"))
        raise typer.Exit


@app.callback(epilog=EXIT_CODES_HELP)
def about(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Long-term memory for LLM applications, run by small language models."""


app.command()(serve.serve)
app.command()(demo.demo)
app.command()(ingest.ingest)
app.command()(remember.remember)
app.command()(recall.recall)
app.command()(chat.chat)
app.command()(recall.memories)
app.command()(dream.dream)
app.command()(graph.graph)
app.command()(forget.forget)
app.command()(reindex.reindex)
app.command("export")(users.export)
app.command("import")(users.import_)
app.command("erase")(users.erase)
app.command()(doctor.doctor)
app.add_typer(dream.app, name="dreams")
app.add_typer(forget.app, name="tombstones")
app.add_typer(keys.app, name="keys")


def main() -> None:
    """Run the command that the arguments name."""
    app()
