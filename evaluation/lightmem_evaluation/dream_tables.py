"""What dreams do and cost, as tables for people."""

from collections.abc import Mapping
from typing import Any

from lightmem_evaluation.report import CATEGORIES, change, console, table, three


def print_tables(found: Mapping[str, Any]) -> None:
    """Print the parts that were measured."""
    for name, show in _SHOWN.items():
        if name in found:
            console().print(show(name, found[name]))


def _quality(name: str, part: Any) -> Any:
    dreams = part["dreams"]
    made = table(
        f"Quality, {dreams['active_before']} → {dreams['active_after']} active memories "
        f"({dreams['fewer']:.1%} fewer)",
        "category", "n", "without @5 @10 @20", "with", "change @5", "change @10",
    )  # fmt: skip
    for category, group in part["without"].items():
        after, changed = part["with"][category], part["difference"][category]
        cells = [change(changed, f"recall@{k}") for k in (5, 10)]
        label = CATEGORIES.get(category, category)
        made.add_row(label, str(group["n"]), three(group), three(after), *cells)
    return made


def _updates(name: str, part: Any) -> Any:
    dreams = part["dreams"]
    made = table(
        f"{name.capitalize()}, {dreams['active_before']} → {dreams['active_after']} active",
        "kind", "n", "right without", "with", "change",
    )  # fmt: skip
    for kind, changed in part["difference"].items():
        shares = [f"{100 * part[way][kind]['right']:.1f}" for way in ("without", "with")]
        made.add_row(kind, str(changed["n"]), *shares, change(changed, "is_right"))
    return made


def _gap(name: str, part: Any) -> Any:
    made = table(
        "Update gap, share of questions, %", "noise", "layers", "found", "newest first", "outdated"
    )
    for noise, rows in part.items():
        for layers, row in rows.items():
            cells = [f"{100 * row[key]:.1f}" for key in ("is_found", "is_first", "is_outdated")]
            made.add_row(noise, layers, *cells)
    return made


def _growth(name: str, part: Any) -> Any:
    made = table(
        "Growth", "memories", "seed", "after dreams", "s a dream", "@5 without", "@5 with", "change"
    )
    for step in part:
        dreams = step["dreams"]
        made.add_row(
            f"{step['memories']:,}",
            str(step["seed"]),
            f"{dreams['active_after']:,.0f} ({dreams['fewer']:.1%} fewer)",
            str(dreams["seconds_a_dream"]),
            *[f"{100 * step[way]['recall@5']:.1f}" for way in ("without", "with")],
            change(step["difference"], "recall@5"),
        )
    return made


def _cost(name: str, part: Any) -> Any:
    made = table("Cost", "way", "dreams", "calls", "tokens a call", "s", "s a call")
    for row in part:
        tokens = " + ".join(str(count) for count in row["tokens_a_call"].values())
        cells = [row["dreams"], row["model_calls"], tokens, row["seconds"], row["seconds_a_call"]]
        made.add_row(row["way"], *[str(cell) for cell in cells])
    return made


def _speed(name: str, part: Any) -> Any:
    made = table("Workers", "way", "workers", "s, each try", "speed-up")
    for way, row in part.items():
        for workers, seconds in row["seconds"].items():
            made.add_row(way, workers, str(seconds), str(row["speed_up"][workers]))
    return made


_SHOWN = {
    "quality": _quality,
    "updates": _updates,
    "unseen-updates": _updates,
    "update-gap": _gap,
    "growth": _growth,
    "cost": _cost,
    "speed-up": _speed,
}
