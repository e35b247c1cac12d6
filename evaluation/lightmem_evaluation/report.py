"""The results as tables for people."""

import sys
from typing import Any

from rich.console import Console
from rich.table import Table

OURS = "lightmem"
CATEGORIES = {
    "1-4": "answerable (1-4)",
    "1": "1 multi-hop",
    "2": "2 temporal",
    "3": "3 open domain",
    "4": "4 single-hop",
    "5": "5 adversarial",
}


def console() -> Console:
    """Wide enough for the tables."""
    return Console(highlight=False, width=130)


def say(text: str) -> None:
    """Tell on stderr how far a measure is."""
    print(text, file=sys.stderr, flush=True)


def print_table(found: dict[str, Any]) -> None:
    """Print evidence recall by category and system, the differences, and the cost of a recall."""
    out = console()
    out.print(_recall(found["systems"]))
    out.print(_whole(found["systems"]))
    out.print(_differences(found["differences"]))
    ours = found["systems"][OURS]
    out.print(f"Context: {ours['context_tokens']} tokens on average, K = 5, budget 1,150.")
    shown = ours.get("evidence_in_context", {}).get("1-4")
    if shown is not None:
        out.print(f"Evidence whole in it, as an item or beside one (1-4): {points(shown)}")
    stages = ", ".join(f"{stage} {pair(time)}" for stage, time in ours["latency_ms"].items())
    out.print(f"Latency, ms p50 / p95: {stages}")
    out.print(f"Evidence: {found['evidence']}")


def points(value: float) -> str:
    """A share as points of a hundred."""
    return f"{100 * value:.1f}"


def pair(times: dict[str, float]) -> str:
    """Median and 95th percentile."""
    return f"{times['p50']:.1f} / {times['p95']:.1f}"


def three(group: dict[str, Any]) -> str:
    """Recall at the three cuts."""
    return " ".join(points(group[f"recall@{k}"]) for k in (5, 10, 20))


def change(group: dict[str, Any], metric: str) -> str:
    """A difference with its interval, in points."""
    low, high = group[f"{metric}_interval"]
    return f"{100 * group[metric]:+.1f} [{100 * low:+.1f}, {100 * high:+.1f}]"


def table(title: str, *columns: str) -> Table:
    """An empty table; all columns but the first are of numbers."""
    made = Table(title=title, title_justify="left")
    made.add_column(columns[0])
    for name in columns[1:]:
        made.add_column(name, justify="right")
    return made


def _recall(systems: dict[str, Any]) -> Table:
    made = table("Evidence recall @5 / @10 / @20, points", "category", "questions", *systems)
    first = next(iter(systems.values()))
    for category, group in first["categories"].items():
        cells = [three(system["categories"][category]) for system in systems.values()]
        made.add_row(CATEGORIES.get(category, category), str(group["n"]), *cells)
    if "1-4" in first["audited"]:
        cells = [three(system["audited"]["1-4"]) for system in systems.values()]
        made.add_row("1-4, audited evidence", str(first["audited"]["1-4"]["n"]), *cells)
    return made


def _whole(systems: dict[str, Any]) -> Table:
    columns = (
        "@5, 95 % interval",
        "all evidence @5 / @10 / @20",
        "MRR",
        "recall ms",
        "build s",
        "MB",
    )
    made = table("Answerable questions (1-4)", "system", *columns)
    for name, system in systems.items():
        group = system["categories"]["1-4"]
        made.add_row(
            name,
            "{} – {}".format(*(points(edge) for edge in group["recall@5_interval"])),
            " / ".join(points(group[f"all_evidence@{k}"]) for k in (5, 10, 20)),
            points(group["mrr"]),
            pair(system["latency_ms"]["total"]),
            str(system["build_s"]),
            f"{system['size_bytes'] / 1e6:.1f}",
        )
    return made


def _differences(others: dict[str, Any]) -> Table:
    made = table(
        "LightMem less each other on the same questions (1-4), points [95 % interval]",
        "system", "recall@5", "recall@10", "recall@20", "categories where @5 is below",
    )  # fmt: skip
    for name, groups in others.items():
        below = [key for key, group in groups.items() if key != "5" and group["recall@5"] < 0]
        cells = [change(groups["1-4"], f"recall@{k}") for k in (5, 10, 20)]
        made.add_row(name, *cells, ", ".join(below) or "none")
    return made
