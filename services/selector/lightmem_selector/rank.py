"""From a coarse pool to scored candidates: the linear ranking, and the trained one over it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from lightmem.model import Concept, Item, ItemKind, Layer, Plan, RecallRequest, View
from lightmem.ports import Ranker
from lightmem_selector.features import features_of
from lightmem_selector.personal import is_personal
from lightmem_selector.pool import Pool
from lightmem_selector.signs import Signs, signs_of
from lightmem_selector.weights import Weights

Scores = NDArray[np.float32]
_NOTHING: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate, its final score, and what the score was made of.

    `item` is as its store gave it; `answer` is what is served. `features` is empty unless an
    explanation was asked for. `behind` is the turn that says what a memory says.
    """

    item: Item
    score: float
    layer: Layer
    features: Mapping[str, float]
    behind: str | None = None

    def answer(self) -> Item:
        """The item with its layer and score."""
        return replace(self.item, layer=self.layer, score=self.score)


def rank(
    request: RecallRequest, plan: Plan, pool: Pool, weights: Weights, ranker: Ranker | None = None
) -> list[Scored]:
    """Every item of the pool and every concept, best first.

    The ranker decides the order of the best items and the linear ranking the scale: the best item
    has the best linear score and so on, so that items and concepts stay comparable. Without
    tokens' scores, which the ranker was trained with, the linear ranking decides alone.

    Equal scores are ordered by time, newest first, then by id: the same pool in whatever order
    gives the same list.
    """
    signs = signs_of(request, plan, pool, weights)
    trained = _trained(request, plan, pool, signs, ranker)
    scores = signs.linear if trained is None else _on_scale_of(signs.linear, *trained)
    keyed = sorted(
        (*_order(item, score), number)
        for number, (item, score) in enumerate(
            zip(pool.items.values(), scores.tolist(), strict=True)
        )
    )
    items = list(pool.items.values())
    own = []
    for negative, _, item_id, number in keyed:
        layer = Layer.SHORT_TERM if item_id in pool.short_term_ids else items[number].layer
        own.append(Scored(items[number], -negative, layer, explained(request, signs, number)))
    return with_concepts(request, plan, pool.concepts, own, weights)


def with_concepts(
    request: RecallRequest,
    plan: Plan,
    concepts: Sequence[Concept],
    own: list[Scored],
    weights: Weights,
) -> list[Scored]:
    """What is a user's own, best first, with what users share where it belongs."""
    shared = _concepts(request, plan, concepts, own, weights)
    return sorted([*own, *shared], key=in_order) if shared else own


def in_order(scored: Scored) -> tuple[float, float, str]:
    """A key that sorts the best first, equals by time, newest first, then by id."""
    return _order(scored.item, scored.score)


def _trained(
    request: RecallRequest, plan: Plan, pool: Pool, signs: Signs, ranker: Ranker | None
) -> tuple[NDArray[np.intp], Scores] | None:
    """The numbers of the best items and the ranker's scores; None where it does not decide."""
    if ranker is None or not pool.items or not pool.asked:
        return None
    if not pool.asked[0].scores.get(View.TOKENS):
        return None
    features = features_of(request, plan, pool, signs)
    return features.numbers, ranker.score(features.values)


def _on_scale_of(linear: Scores, numbers: NDArray[np.intp], trained: Scores) -> Scores:
    """The linear scores, those of `numbers` handed out again in the order of the trained ones.

    Equals share the mean of theirs.
    """
    heights = np.sort(linear[numbers]).astype(np.float64)
    _, group = np.unique(trained, return_inverse=True)
    counts = np.bincount(group)
    sums = np.add.reduceat(heights, np.cumsum(counts) - counts)
    scores = linear.copy()
    scores[numbers] = (sums / counts)[group]
    return scores


def explained(request: RecallRequest, signs: Signs, number: int) -> Mapping[str, float]:
    """What a score was made of, where an explanation is asked for."""
    if not request.explain:
        return _NOTHING
    return {"linear": float(signs.linear[number]), **signs.row(number)}


def _order(item: Item, score: float) -> tuple[float, float, str]:
    said = item.occurred_at
    return (-score, -said.timestamp() if said is not None else 0.0, item.id)


def _concepts(
    request: RecallRequest,
    plan: Plan,
    concepts: Sequence[Concept],
    own: Sequence[Scored],
    weights: Weights,
) -> list[Scored]:
    """The concepts in the graph's order, the strongest with the whole weight.

    Where the question is about a person they come after all that is his, and not without it: what
    users share takes no place from what one of them said, and answers nothing about him alone.
    """
    ceiling = math.inf
    if is_personal(request.query, plan.entities, concepts):
        if not own:
            return []
        ceiling = math.nextafter(min(each.score for each in own), -math.inf)
    scored = []
    for place, concept in enumerate(concepts):
        text = f"{concept.name}: {concept.description}" if concept.description else concept.name
        item = Item(
            id=concept.id, layer=Layer.LONG_TERM, kind=ItemKind.CONCEPT, text=text, score=0.0
        )
        signs = {"support": float(concept.support), "weight": concept.weight}
        score = min(weights.concept / (place + 1), ceiling)
        scored.append(Scored(item, score, Layer.LONG_TERM, signs))
    return scored
