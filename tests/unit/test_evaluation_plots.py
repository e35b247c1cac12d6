"""A plot shows what its result file says."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from lightmem_evaluation.plots import Bar, bars_svg, plot

GROUP = {"recall@5": 0.756, "recall@5_interval": [0.729, 0.784]}
COST = {"recall@5": -0.02, "recall@5_interval": [-0.03, 0.01]}
FILES: list[tuple[dict[str, Any], str, str]] = [
    ({"systems": {"a <b>": {"categories": {"1-4": GROUP, "5": GROUP}}}}, "answerable", "75.6"),
    ({"switches": {"as it is": {}, "no ranker": {"difference": {"1-4": COST}}}}, "no ranker", "-2"),
    ({"steps": [{"noise_turns": 1000, "categories": {"1-4": GROUP}}]}, "1,000 turns", "75.6"),
]


@pytest.mark.parametrize(("found", "label", "value"), FILES)
def test_each_kind_of_result_file_has_its_plot(
    found: dict[str, Any], label: str, value: str, tmp_path: Path
) -> None:
    file = tmp_path / "found.json"
    file.write_text(json.dumps(found))

    drawn = ElementTree.fromstring(plot(file))

    texts = [node.text or "" for node in drawn.iter() if node.tag.endswith("text")]
    assert any(label in text for text in texts)
    assert any(text.startswith(value) for text in texts)


def test_a_bar_below_zero_grows_to_the_left() -> None:
    drawn = ElementTree.fromstring(bars_svg("x", [Bar("a", -5, -6, -4)], low=-10, high=10))

    *_, bar = [node for node in drawn.iter() if node.tag.endswith("rect")]
    assert float(bar.get("width", "0")) > 0
