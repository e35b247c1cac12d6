"""`python -m lightmem_evaluation.plots`: result files as small SVGs, written by hand.

Recall by category with intervals, what each switch costs, and recall over a growing memory.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from lightmem_evaluation.report import CATEGORIES

WIDTH, BAR, GAP, LEFT, TOP = 720, 12, 6, 210, 44
COLOURS = ("#1f5f8b", "#c58f2c", "#6b8f5b", "#8d6a9f", "#999999")


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with its interval, all in points."""

    label: str
    value: float
    low: float
    high: float
    series: str = ""


def bars_svg(title: str, bars: Sequence[Bar], *, low: float = 0.0, high: float = 100.0) -> str:
    """Horizontal bars with whiskers, a colour for each series, the value beside each."""
    series = list(dict.fromkeys(bar.series for bar in bars))
    scale = (WIDTH - LEFT - 60) / (high - low)
    height = TOP + len(bars) * (BAR + GAP) + 12

    def across(value: float) -> float:
        return LEFT + (min(max(value, low), high) - low) * scale

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<text x="8" y="16" font-size="13">{escape(title)}</text>',
    ]
    for place, name in enumerate(filter(None, series)):
        x = 8 + 150 * place
        parts.append(f'<rect x="{x}" y="24" width="10" height="10" fill="{_colour(place)}"/>')
        parts.append(f'<text x="{x + 14}" y="33">{escape(name)}</text>')
    for place, bar in enumerate(bars):
        y = TOP + place * (BAR + GAP)
        start, end = sorted((across(max(low, 0.0)), across(bar.value)))
        middle = y + BAR / 2
        parts += [
            f'<text x="{LEFT - 6}" y="{y + 10}" text-anchor="end">{escape(bar.label)}</text>',
            f'<rect x="{start:.1f}" y="{y}" width="{end - start:.1f}" height="{BAR}" '
            f'fill="{_colour(series.index(bar.series))}"/>',
            f'<path d="M{across(bar.low):.1f} {middle}H{across(bar.high):.1f}" stroke="black"/>',
            f'<text x="{WIDTH - 52}" y="{y + 10}">{bar.value:.1f}</text>',
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def recall_bars(found: dict[str, Any]) -> list[Bar]:
    """Recall at 5 by category and system."""
    first = next(iter(found["systems"].values()))["categories"]
    return [
        _bar(f"{CATEGORIES.get(category, category)}", system["categories"][category], name)
        for category in first
        if category != "5"
        for name, system in found["systems"].items()
    ]


def switch_bars(found: dict[str, Any]) -> list[Bar]:
    """What each switch changes at 5, in points."""
    return [
        _bar(name, switch["difference"]["1-4"], "")
        for name, switch in found["switches"].items()
        if name != "as it is"
    ]


def growth_bars(found: dict[str, Any]) -> list[Bar]:
    """Recall at 5 by the turns of noise."""
    return [
        _bar(f"{step['noise_turns']:,} turns of others", step["categories"]["1-4"], "")
        for step in found["steps"]
    ]


def plot(file: Path) -> str:
    """The plot that a result file is for."""
    found = json.loads(file.read_text(encoding="utf-8"))
    if "switches" in found:
        title = "Difference in evidence recall at 5, points (95 % interval)"
        return bars_svg(title, switch_bars(found), low=-25.0, high=10.0)
    bars = growth_bars(found) if "steps" in found else recall_bars(found)
    return bars_svg("Evidence recall at 5, points (95 % interval)", bars)


def _bar(label: str, group: dict[str, Any], series: str) -> Bar:
    low, high = group["recall@5_interval"]
    return Bar(label, 100 * group["recall@5"], 100 * low, 100 * high, series)


def _colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def main() -> None:
    """Write `X.svg` beside each `X.json`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+", help="result files")
    for file in parser.parse_args().files:
        file.with_suffix(".svg").write_text(plot(file), encoding="utf-8")


if __name__ == "__main__":
    main()
