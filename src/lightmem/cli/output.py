"""What the command prints: JSON for programs, tables for people."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import BaseModel
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from lightmem.client import Memory, Recall, RecalledItem, Turn

#: Columns where the terminal does not say.
PLAIN_WIDTH = 110


def console(*, stderr: bool = False) -> Console:
    """A console that also reads well in a file or a pipe."""
    made = Console(stderr=stderr, highlight=False, soft_wrap=False)
    if not made.is_terminal:
        made = Console(stderr=stderr, highlight=False, width=PLAIN_WIDTH)
    return made


def print_json(value: BaseModel | dict[str, Any] | Sequence[Any]) -> None:
    """Print a value as one JSON document on stdout."""
    if isinstance(value, BaseModel):
        print(value.model_dump_json(indent=2))
    else:
        print(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def date_of(value: datetime | None) -> str:
    """A day as people read it, or a dash."""
    return f"{value:%Y-%m-%d}" if value else "–"


def recall_table(recall: Recall, sources: dict[str, Turn] | None = None) -> Table:
    """The items of a recall, best first: what, when, who and where from."""
    table = Table(box=None, pad_edge=False, show_edge=False, header_style="bold")
    table.add_column("#", justify="right", style="dim")
    table.add_column("date", no_wrap=True)
    table.add_column("who", no_wrap=True)
    table.add_column("what", ratio=1)
    table.add_column("kind", no_wrap=True, style="dim")
    table.add_column("score", justify="right", style="dim")
    for place, item in enumerate(recall.items, start=1):
        table.add_row(
            str(place),
            date_of(item.occurred_at),
            escape(item.speaker or "–"),
            escape(item.text) + _source_line(item, sources or {}),
            item.kind,
            f"{item.score:.2f}",
        )
    return table


def recall_footer(recall: Recall) -> str:
    """One line: the size of the context, the time it took, and what could not be asked."""
    total = recall.timings_ms.get("total")
    parts = [f"{recall.context_tokens} tokens of context"]
    if total is not None:
        parts.append(f"{total:.0f} ms")
    if recall.degraded:
        parts.append("degraded: " + "; ".join(recall.degraded))
    return " · ".join(parts)


def memory_block(memory: Memory) -> Padding:
    """A memory and the words it rests on."""
    said = f"[bold]{escape(memory.text)}[/]" if memory.text else "[dim]forgotten[/]"
    lines = [f"{said}  [dim]({memory.kind})[/]"]
    lines.extend(f"[dim]  “{escape(source.quote)}”[/]" for source in memory.sources)
    return Padding("\n".join(lines), (0, 0, 0, 2))


def _source_line(item: RecalledItem, sources: dict[str, Turn]) -> str:
    found = [sources[turn_id] for turn_id in item.source_turn_ids if turn_id in sources]
    if not found:
        return ""
    named = ", ".join(_place(turn) for turn in found)
    return f"\n[dim]from {escape(named)}[/]"


def _place(turn: Turn) -> str:
    place = turn.client_id or turn.id
    return place if place.startswith(turn.session_id) else f"{turn.session_id} {place}"
