"""`lightmem demo`: a conversation of ten months is remembered, asked about, and dreamt over.

It is the real system in this process, in a folder that is thrown away, with the deterministic
rules in place of a model unless one is asked for.
"""

import asyncio
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from lightmem.cli import options
from lightmem.cli.dream import dream_over
from lightmem.cli.dream_diff import dream_diff
from lightmem.cli.failures import failures_told
from lightmem.cli.ingest import Tally, await_writing, send_sessions
from lightmem.cli.output import console, memory_block, print_json, recall_footer, recall_table
from lightmem.cli.recall import sources_of
from lightmem.client import AsyncClient, Dream, Memory, Recall, Turn
from lightmem.ingest import Format, Parsed, parse
from lightmem.model import DreamPolicy
from lightmem.settings import Settings

USER = "lucia-and-emil"
QUESTIONS = (
    "What is Emil allergic to?",
    "When and where did Maren get married?",
    "Where does Lucía work now?",
    "¿Cuándo vuela Lucía a las Azores?",
    "What will Emil do from January on?",
)
ROLES = ("controller", "selector", "writer")
NEXT = (
    ("serve", "the same behind an HTTP API"),
    ("ingest FILE --format openai --user ana", "your own conversations"),
    ("recall ana 'What did we decide about …?'", "ask"),
    ("dream --user ana", "see what a dream would do; --auto does it"),
)
MEMORIES_SHOWN = 4
ITEMS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Shown:
    """A question, what was recalled, and the turns it came from."""

    question: str
    recall: Recall
    sources: dict[str, Turn]


@dataclass(frozen=True, slots=True)
class Demonstration:
    """All that a run of the demo found out."""

    tally: Tally
    stored_s: float
    learnt_s: float
    memories: tuple[Memory, ...]
    answers: tuple[Shown, ...]
    dream: Dream


def conversation() -> Parsed:
    """Ten months of letters between two friends, written for this demo."""
    text = files("lightmem").joinpath("data/demo/conversation.jsonl").read_text(encoding="utf-8")
    return parse(text, Format.JSONL, name="demo")


def demo(
    *,
    data_dir: Annotated[
        Path | None, typer.Option(help="Keep the data here; left out: thrown away.")
    ] = None,
    with_model: Annotated[
        bool, typer.Option(help="Extract by the model at LIGHTMEM_MODEL_URL, not by rules.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Remember a conversation of ten months, recall from it and dream over it, in this process."""
    with failures_told(as_json=as_json), _folder(data_dir) as folder:
        settings = _settings(folder, with_model=with_model)
        shown = asyncio.run(_run(settings, quiet=as_json))
        if as_json:
            _print_json(shown)
        else:
            _print(shown, console())


async def _run(settings: Settings, *, quiet: bool) -> Demonstration:
    parsed = conversation()
    err = console(stderr=True)
    with Progress(console=err, disable=quiet or not err.is_terminal, transient=True) as progress:
        async with AsyncClient.embedded(settings) as client:
            start = time.perf_counter()
            tally = await send_sessions(
                client, parsed.sessions, user=USER, wait="indexed", progress=progress
            )
            stored = time.perf_counter()
            await await_writing(client, tally, progress=progress)
            learnt = time.perf_counter()
            memories = await client.memories(USER, limit=200)
            answers = [await _ask(client, question) for question in QUESTIONS]
            dream = await dream_over(client, USER, policy=DreamPolicy.AUTO)
    return Demonstration(
        tally=tally,
        stored_s=stored - start,
        learnt_s=learnt - stored,
        memories=memories.items,
        answers=tuple(answers),
        dream=dream,
    )


async def _ask(client: AsyncClient, question: str) -> Shown:
    recall = await client.recall(USER, question)
    return Shown(question, recall, await sources_of(client, recall))


def _settings(folder: Path, *, with_model: bool) -> Settings:
    """The embedded system in the folder, whatever servers the environment names."""
    elsewhere = {f"{part}_url": "" for part in ("ledger", "index", "graph", *ROLES)}
    model = {} if with_model else {"model_url": "", "responder_url": ""}
    here = {"data_dir": folder, "short_term_url": "memory://", "queue_url": "threads://"}
    return options.settings_of({**here, **elsewhere, **model})


@contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    if given is not None:
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="lightmem-demo-") as made:
        yield Path(made)


def _print(shown: Demonstration, out: Console) -> None:
    tally = shown.tally
    out.rule("[bold]LightMem[/]: ten months of letters between Lucía and Emil")
    out.print(
        f"[bold]{tally.turns} turns[/] of {len(conversation().sessions)} sessions stored, word for "
        f"word and findable, in {shown.stored_s:.1f} s"
    )
    out.print(
        f"[bold]{len(shown.memories)} memories[/] written from them meanwhile, the last of them "
        f"{shown.learnt_s:.1f} s later, each with the words it rests on. Some:"
    )
    for memory in _some(shown.memories):
        out.print(memory_block(memory))
    for answer in shown.answers:
        footer = escape(recall_footer(answer.recall))
        out.print(f"\n[bold]? {escape(answer.question)}[/]  [dim]{footer}[/]")
        out.print(recall_table(_best(answer.recall), answer.sources))
    out.print()
    out.rule("while nobody waited, it dreamt")
    out.print(dream_diff(shown.dream), markup=False)
    out.print()
    out.rule("next")
    for arguments, what in NEXT:
        out.print(f"{_command()} {arguments:<44} {what}", soft_wrap=True)


def _command() -> str:
    """The command as it is reached from here."""
    return "lightmem" if shutil.which("lightmem") else ".venv/bin/lightmem"


def _print_json(shown: Demonstration) -> None:
    print_json(
        {
            "turns": shown.tally.turns,
            "memories": len(shown.memories),
            "stored_s": round(shown.stored_s, 3),
            "learnt_s": round(shown.learnt_s, 3),
            "questions": [
                {"question": answer.question, "recall": answer.recall.model_dump(mode="json")}
                for answer in shown.answers
            ],
            "dream": shown.dream.model_dump(mode="json"),
        }
    )


def _best(recall: Recall) -> Recall:
    return recall.model_copy(update={"items": recall.items[:ITEMS_SHOWN]})


def _some(memories: tuple[Memory, ...]) -> tuple[Memory, ...]:
    """A few from all over the conversation."""
    step = max(1, len(memories) // MEMORIES_SHOWN)
    return memories[::step][:MEMORIES_SHOWN]
