"""The commands by name."""

import typer

from lightmem.cli import chat, demo, ingest, keys, recall, reindex, remember, serve
from lightmem.cli.failures import EXIT_CODES_HELP

app = typer.Typer(
    name="lightmem",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Long-term memory for LLM applications, run by small language models.",
    epilog=EXIT_CODES_HELP,
)

app.command()(serve.serve)
app.command()(demo.demo)
app.command()(ingest.ingest)
app.command()(remember.remember)
app.command()(recall.recall)
app.command()(chat.chat)
app.command()(recall.memories)
app.command()(reindex.reindex)
app.add_typer(keys.app, name="keys")


def main() -> None:
    """Run the command that the arguments name."""
    app()
