"""Evidence recall: which share of the turns that an answer rests on is among what was found."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lightmem_evaluation.locomo import Question
from lightmem_evaluation.systems import Found

CUTS = (5, 10, 20)
#: Category 5 asks for what was never said; its evidence is of another kind and counted apart.
ANSWERABLE = (1, 2, 3, 4)
RESAMPLES = 1_000
SEED = 20_240_508


@dataclass(frozen=True, slots=True)
class Ranked:
    """A question and for each of its evidence turns the rank of the first item that has it."""

    question: Question
    ranks: Mapping[str, int | None]

    def recall(self, evidence: Sequence[str], k: int) -> float:
        """Share of the evidence turns among the first `k` items."""
        hits = sum(1 for turn in evidence if (rank := self.ranks.get(turn)) and rank <= k)
        return hits / len(evidence)


def ranked(question: Question, found: Found) -> Ranked:
    """Where each evidence turn was found, from rank 1; None where it was not."""
    first: dict[str, int] = {}
    for rank, turns in enumerate(found.items, start=1):
        for turn in turns:
            first.setdefault(turn, rank)
    wanted = dict.fromkeys((*question.evidence, *question.audited))
    return Ranked(question, {turn: first.get(turn) for turn in wanted})


def by_category(
    results: Sequence[Ranked], evidence_of: Callable[[Question], Sequence[str]]
) -> dict[str, dict[str, Any]]:
    """Recall at each cut for `1-4` together and each category, with 95 % intervals."""
    scored = [result for result in results if evidence_of(result.question)]
    groups: dict[str, list[Ranked]] = {
        "1-4": [r for r in scored if r.question.category in ANSWERABLE]
    }
    for category in sorted({r.question.category for r in scored}):
        groups[str(category)] = [r for r in scored if r.question.category == category]
    return {name: _summary(group, evidence_of) for name, group in groups.items()}


def interval(values: Sequence[float]) -> list[float]:
    """The middle 95 % of the means of resamples with replacement."""
    data = np.asarray(values, dtype=np.float64)
    draws = np.random.default_rng(SEED).integers(0, len(data), size=(RESAMPLES, len(data)))
    means = data[draws].mean(axis=1)  # (resamples, n) -> (resamples,)
    low, high = np.percentile(means, [2.5, 97.5])
    return [round(float(low), 4), round(float(high), 4)]


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """Median and 95th percentile."""
    low, high = np.percentile(np.asarray(values, dtype=np.float64), [50, 95])
    return {"p50": round(float(low), 3), "p95": round(float(high), 3)}


def _summary(
    group: Sequence[Ranked], evidence_of: Callable[[Question], Sequence[str]]
) -> dict[str, Any]:
    summary: dict[str, Any] = {"n": len(group)}
    for k in CUTS:
        values = [result.recall(evidence_of(result.question), k) for result in group]
        if values:
            summary[f"recall@{k}"] = round(sum(values) / len(values), 4)
            summary[f"recall@{k}_interval"] = interval(values)
    return summary
