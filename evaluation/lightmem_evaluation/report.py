"""The results as a table for people."""

from typing import Any

from rich.console import Console
from rich.table import Table

CATEGORIES = {
    "1-4": "answerable (1-4)",
    "1": "1 multi-hop",
    "2": "2 temporal",
    "3": "3 open domain",
    "4": "4 single-hop",
    "5": "5 adversarial",
}


def print_table(found: dict[str, Any]) -> None:
    """Print evidence recall by category and system, then the cost of a recall."""
    out = Console(highlight=False, width=110)
    systems = found["systems"]
    table = Table(title="Evidence recall @5 / @10 / @20", title_justify="left")
    table.add_column("category")
    table.add_column("questions", justify="right")
    for name in systems:
        table.add_column(name, justify="right")
    first = next(iter(systems.values()))["categories"]
    for category, group in first.items():
        cells = [_cell(system["categories"][category]) for system in systems.values()]
        table.add_row(CATEGORIES.get(category, category), str(group["n"]), *cells)
    audited = [_cell(system["audited"]["1-4"]) for system in systems.values()]
    n = next(iter(systems.values()))["audited"]["1-4"]["n"]
    table.add_row("1-4, audited evidence", str(n), *audited)
    out.print(table)
    ours = systems["lightmem"]
    out.print(f"Context: {ours['context_tokens']} tokens on average, K = 5, budget 1,150.")
    stages = ", ".join(
        f"{stage} {time['p50']:.1f} / {time['p95']:.1f}"
        for stage, time in ours["latency_ms"].items()
    )
    out.print(f"Latency, ms p50 / p95: {stages}")
    out.print(f"Evidence: {found['evidence']}")


def _cell(group: dict[str, Any]) -> str:
    return " / ".join(f"{group[f'recall@{k}']:.3f}" for k in (5, 10, 20))
