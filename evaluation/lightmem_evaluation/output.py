"""Result files: one JSON document, and one line for each question with ids and ranks alone."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lightmem_evaluation.measuring import Measured
from lightmem_evaluation.scoring import Ranked


def write_results(out: Path, found: Mapping[str, Any]) -> None:
    """Write the measures."""
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def write_questions(out: Path, measured: Mapping[str, Measured]) -> None:
    """Write the ranks beside the measures: `X.json` has them in `X.questions.jsonl`."""
    lines = question_lines({name: found.rankings for name, found in measured.items()})
    out.with_suffix(".questions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def question_lines(rankings: Mapping[str, list[Ranked]]) -> list[str]:
    """One line of JSON for each question: ids and ranks, no words."""
    lines = []
    for results in zip(*rankings.values(), strict=True):
        question = results[0].question
        entry = {
            "id": question.id,
            "category": question.category,
            "evidence": question.evidence,
            "audited": question.audited,
            "ranks": {name: result.ranks for name, result in zip(rankings, results, strict=True)},
        }
        lines.append(json.dumps(entry, separators=(",", ":")))
    return lines
