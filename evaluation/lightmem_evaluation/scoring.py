"""Evidence recall: which share of the turns that an answer rests on is among what was found."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lightmem_evaluation.locomo import Question
from lightmem_evaluation.systems import Found

CUTS = (5, 10, 20)
#: Category 5 asks for what was never said; its evidence is of another kind and counted apart.
ADVERSARIAL = 5
RESAMPLES = 1_000
SEED = 20_240_508

Evidence = Callable[[Question], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A question and for each of its evidence turns the rank of the first item that has it."""

    question: Question
    ranks: Mapping[str, int | None]

    def recall(self, evidence: Sequence[str], k: int) -> float:
        """Share of the evidence turns among the first `k` items."""
        hits = sum(1 for turn in evidence if (rank := self.ranks.get(turn)) and rank <= k)
        return hits / len(evidence)

    def metrics(self, evidence: Sequence[str]) -> dict[str, float]:
        """Recall and "all of it" at each cut, and the reciprocal rank of the first evidence."""
        recalls = {k: self.recall(evidence, k) for k in CUTS}
        ranks = [rank for turn in evidence if (rank := self.ranks.get(turn))]
        return {
            **{f"recall@{k}": recall for k, recall in recalls.items()},
            **{f"all_evidence@{k}": float(recall == 1.0) for k, recall in recalls.items()},
            "mrr": 1 / min(ranks) if ranks else 0.0,
        }


def ranked(question: Question, found: Found) -> Ranked:
    """Where each evidence turn was found, from rank 1; None where it was not."""
    first: dict[str, int] = {}
    for rank, turns in enumerate(found.items, start=1):
        for turn in turns:
            first.setdefault(turn, rank)
    wanted = dict.fromkeys((*question.evidence, *question.audited))
    return Ranked(question, {turn: first.get(turn) for turn in wanted})


def given(question: Question) -> Sequence[str]:
    """The evidence that the data set gives."""
    return question.evidence


def audited(question: Question) -> Sequence[str]:
    """The evidence that the audit of the data set holds for right."""
    return question.audited


def by_category(results: Sequence[Ranked], evidence_of: Evidence) -> dict[str, dict[str, Any]]:
    """The metrics of `1-4` together and of each category, with 95 % intervals."""
    return {
        name: _summary(group, evidence_of) for name, group in _groups(results, evidence_of).items()
    }


def by_kind(results: Sequence[Ranked], evidence_of: Evidence) -> dict[str, dict[str, Any]]:
    """The same for the kinds of questions of data that name them; empty for others."""
    kinds = sorted({result.question.kind for result in results if result.question.kind})
    groups = {
        kind: [r for r in results if r.question.kind == kind and evidence_of(r.question)]
        for kind in kinds
    }
    return {kind: _summary(group, evidence_of) for kind, group in groups.items() if group}


def differences(
    ours: Sequence[Ranked], theirs: Sequence[Ranked], evidence_of: Evidence
) -> dict[str, dict[str, Any]]:
    """Our metrics less theirs, question by question, by category, with 95 % intervals.

    Args:
        theirs: Rankings of the same questions in the same order.
    """
    pairs = _groups(ours, evidence_of), _groups(theirs, evidence_of)
    found: dict[str, dict[str, Any]] = {}
    for name, group in pairs[0].items():
        mine, other = _values(group, evidence_of), _values(pairs[1][name], evidence_of)
        found[name] = {"n": len(group)}
        for metric, values in mine.items():
            found[name] |= _mean(metric, np.subtract(values, other[metric]))
    return found


def interval(values: Sequence[float] | NDArray[np.float64]) -> list[float]:
    """The middle 95 % of the means of resamples with replacement."""
    data = np.asarray(values, dtype=np.float64)
    means = data[_draws(len(data))].mean(axis=1)  # (resamples, n) -> (resamples,)
    low, high = np.percentile(means, [2.5, 97.5])
    return [round(float(low), 4), round(float(high), 4)]


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """Median and 95th percentile."""
    low, high = np.percentile(np.asarray(values, dtype=np.float64), [50, 95])
    return {"p50": round(float(low), 3), "p95": round(float(high), 3)}


def _groups(results: Sequence[Ranked], evidence_of: Evidence) -> dict[str, list[Ranked]]:
    scored = [result for result in results if evidence_of(result.question)]
    groups = {"1-4": [r for r in scored if r.question.category != ADVERSARIAL]}
    for category in sorted({r.question.category for r in scored}):
        groups[str(category)] = [r for r in scored if r.question.category == category]
    return groups


def _values(group: Sequence[Ranked], evidence_of: Evidence) -> dict[str, list[float]]:
    rows = [result.metrics(evidence_of(result.question)) for result in group]
    return {metric: [row[metric] for row in rows] for metric in rows[0]} if rows else {}


def _summary(group: Sequence[Ranked], evidence_of: Evidence) -> dict[str, Any]:
    summary: dict[str, Any] = {"n": len(group)}
    for metric, values in _values(group, evidence_of).items():
        summary |= _mean(metric, values)
    return summary


def _mean(metric: str, values: Sequence[float] | NDArray[np.float64]) -> dict[str, Any]:
    mean = round(float(np.mean(values)), 4)
    return {metric: mean, f"{metric}_interval": interval(values)}


@lru_cache(maxsize=16)
def _draws(count: int) -> NDArray[np.int64]:
    """The same resamples for every system and metric, which makes them paired."""
    return np.random.default_rng(SEED).integers(0, count, size=(RESAMPLES, count))
