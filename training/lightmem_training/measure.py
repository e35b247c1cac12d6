"""Evidence recall of a ranking over gathered pools, counted as the harness counts it."""

from collections.abc import Callable, Sequence

import numpy as np

from lightmem.ports import Ranker
from lightmem_selector.select import decide
from lightmem_selector.weights import Weights
from lightmem_training.pools import TOP_K, Question

CUTS = (5, 10, 20)
#: The ranker that a question is ranked by; None is the linear ranking.
RankerOf = Callable[[Question], Ranker | None]


def evidence_recall(
    questions: Sequence[Question], ranker_of: RankerOf, weights: Weights
) -> dict[str, list[float]]:
    """Mean recall at each of `CUTS`, by category and over all, in per cent."""
    found: dict[str, list[list[float]]] = {}
    for question in questions:
        decided = decide(
            question.request, question.plan, question.pool, weights, ranker_of(question)
        )
        recalls = _recalls(question, [
            decision.scored.item.source_turn_ids for decision in decided if decision.is_chosen
        ])  # fmt: skip
        for name in ("1-4", str(question.category)):
            found.setdefault(name, []).append(recalls)
    return {
        name: [round(100 * float(value), 1) for value in np.mean(found[name], axis=0)]
        for name in sorted(found)
    }


def _recalls(question: Question, chosen: Sequence[Sequence[str]]) -> list[float]:
    first: dict[str, int] = {}
    for place, turns in enumerate(chosen):
        for turn in turns:
            first.setdefault(turn, place)
    hits = [first.get(turn, TOP_K) for turn in question.evidence]
    return [sum(place < cut for place in hits) / len(hits) for cut in CUTS]
