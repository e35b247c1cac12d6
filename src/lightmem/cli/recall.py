"""`lightmem recall` and `lightmem memories`: what is relevant, and what was learnt."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

import typer
from rich.markup import escape

from lightmem.cli import options
from lightmem.cli.connection import Connection, connected
from lightmem.cli.failures import failures_told
from lightmem.cli.output import (
    console,
    memory_block,
    print_json,
    recall_footer,
    recall_table,
)
from lightmem.client import AsyncClient, Limits, Memory, Page, Recall, Turn
from lightmem.errors import NotFound
from lightmem.model import ItemKind, MemoryStatus, RecallMode


@dataclass(frozen=True, slots=True)
class Question:
    """A recall as it was asked for on the command line."""

    user: str
    query: str
    session: str | None
    top_k: int
    budget: int
    limits: Limits
    now: datetime | None
    mode: RecallMode
    explain: bool


def recall(
    user: options.UserId,
    query: Annotated[str, typer.Argument(help="The question.")],
    *,
    top_k: Annotated[int, typer.Option(help="At most so many items.")] = 5,
    budget: Annotated[int, typer.Option(help="Most tokens of context.")] = 1150,
    session: options.SessionId = None,
    speaker: Annotated[list[str] | None, typer.Option(help="Said by; may be repeated.")] = None,
    kind: Annotated[list[ItemKind] | None, typer.Option(help="Of this kind alone.")] = None,
    start: Annotated[str | None, typer.Option("--from", help="Said then or later.")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Said before then.")] = None,
    now: Annotated[str | None, typer.Option(help="The moment of the question.")] = None,
    deep: Annotated[bool, typer.Option("--deep", help="Let the small model plan too.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show how it was chosen.")] = False,
    context: Annotated[bool, typer.Option("--context", help="Print the context alone.")] = False,
    url: options.Url = None,
    key: options.Key = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """Ask what is relevant to a question."""
    with failures_told(as_json=as_json):
        limits = _limits(speaker, kind, start, end)
        moment = options.moment("--now", now)
        mode = RecallMode.DEEP if deep else RecallMode.FAST
        question = Question(user, query, session, top_k, budget, limits, moment, mode, explain)
        answer, sources = asyncio.run(_recall(Connection(url, key, data_dir), question))
        if as_json:
            print_json(answer)
        elif context:
            print(answer.context)
        else:
            _show(answer, sources, explain=explain)


def memories(
    user: options.UserId,
    *,
    status: Annotated[MemoryStatus | None, typer.Option(help="Of this status alone.")] = None,
    query: Annotated[str | None, typer.Option(help="With these letters in it.")] = None,
    limit: Annotated[int, typer.Option(help="At most so many.", min=1, max=200)] = 50,
    url: options.Url = None,
    key: options.Key = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """List what was learnt, latest first, with the words it rests on."""

    async def listed() -> Page[Memory]:
        async with connected(Connection(url, key, data_dir)) as client:
            return await client.memories(user, status=status, query=query, limit=limit)

    with failures_told(as_json=as_json):
        page = asyncio.run(listed())
        if as_json:
            print_json(page)
        else:
            _show_memories(page.items)


async def sources_of(client: AsyncClient, recall: Recall) -> dict[str, Turn]:
    """The turns that the items come from, by id; those deleted meanwhile are left out."""
    wanted = {turn_id for item in recall.items for turn_id in item.source_turn_ids}
    found = {}
    for turn_id in wanted:
        try:
            found[turn_id] = await client.turn(turn_id)
        except NotFound:
            continue
    return found


def _limits(
    speaker: list[str] | None, kind: list[ItemKind] | None, start: str | None, end: str | None
) -> Limits:
    return Limits(
        start=options.moment("--from", start),
        end=options.moment("--to", end),
        speakers=speaker or (),
        kinds=kind or (),
    )


async def _recall(connection: Connection, question: Question) -> tuple[Recall, dict[str, Turn]]:
    async with connected(connection) as client:
        answer = await client.recall(
            question.user,
            question.query,
            session_id=question.session,
            top_k=question.top_k,
            budget_tokens=question.budget,
            mode=question.mode,
            limits=question.limits,
            now=question.now,
            explain=question.explain,
        )
        return answer, await sources_of(client, answer)


def _show(answer: Recall, sources: dict[str, Turn], *, explain: bool) -> None:
    out = console()
    if explain:
        for name, value in answer.plan.items():
            out.print(f"[dim]{name}:[/] {escape(str(value))}")
    if answer.items:
        out.print(recall_table(answer, sources))
    else:
        out.print("nothing was found")
    out.print(f"[dim]{escape(recall_footer(answer))}[/]")
    for candidate in answer.candidates:
        out.print(f"[dim]{escape(str(dict(candidate)))}[/]")


def _show_memories(found: Sequence[Memory]) -> None:
    out = console()
    for memory in found:
        out.print(memory_block(memory))
    if not found:
        out.print("nothing was learnt yet")
