"""From a coarse pool to scored candidates: the views fused, then what else speaks for an item.

Every candidate carries its features, so that a choice can be explained and a ranker be trained.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from lightmem.domain.fusion import ranks, weighted_sum
from lightmem.domain.names import is_named, named_words
from lightmem.domain.text import is_question
from lightmem.model import Concept, Item, ItemKind, Layer, Plan, RecallRequest, TimeRange
from lightmem_selector.pool import Asked, Pool
from lightmem_selector.weights import Weights


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate, its final score, and what the score was made of.

    `item` is as its store gave it; `answer` is what is served.
    """

    item: Item
    score: float
    layer: Layer
    features: Mapping[str, float]

    def answer(self) -> Item:
        """The item with its layer and score."""
        return replace(self.item, layer=self.layer, score=self.score)


def rank(request: RecallRequest, plan: Plan, pool: Pool, weights: Weights) -> list[Scored]:
    """Every item of the pool and every concept, best first.

    Equal scores are ordered by time, newest first, then by id: the same pool in whatever order
    gives the same list.
    """
    relevance = fuse(pool.asked, weights)
    named = named_words(request.query, plan.entities)
    speakers = {item.speaker for item in pool.items.values()}
    agrees = {speaker: float(is_named(speaker, named)) for speaker in speakers}
    asking = {
        key
        for key, item in pool.items.items()
        if item.kind is ItemKind.TURN and is_question(item.text)
    }
    asked_before = {
        (item.session_id, item.seq): relevance.get(key, 0.0)
        for key in asking
        if (item := pool.items[key]).seq > 0
    }
    scored = []
    for key, item in pool.items.items():
        features = {
            "relevance": relevance.get(key, 0.0),
            "speaker": agrees[item.speaker],
            "dates": float(_agrees(plan.time_range, item)),
            "question": float(key in asking),
            "answer": asked_before.get((item.session_id, item.seq - 1), 0.0),
            "recency": _recency(request.now, item.occurred_at, weights),
        }
        layer = Layer.SHORT_TERM if key in pool.short_term_ids else item.layer
        scored.append(Scored(item, _total(features, weights), layer, features))
    scored += _concepts(pool.concepts, weights)
    return sorted(scored, key=_order)


def fuse(asked: Sequence[Asked], weights: Weights) -> dict[str, float]:
    """Relevance in [0, 1] by item id: each view stretched over its pool, weighted over views,
    then averaged over the planned queries by their weight.
    """
    total = sum(query.weight for query in asked) or 1.0
    return weighted_sum(
        (
            query.weight / total,
            weighted_sum((weights.views[view], query.stretched(view)) for view in query.scores),
        )
        for query in asked
    )


def view_features(asked: Sequence[Asked], key: str) -> dict[str, float]:
    """What each view said of an item: raw score, stretched score and rank, by query and view."""
    features: dict[str, float] = {}
    for number, query in enumerate(asked):
        for view, scores in query.scores.items():
            if key in scores:
                name = f"q{number}.{view.value}"
                features[f"{name}.score"] = scores[key]
                features[f"{name}.min_max"] = query.stretched(view)[key]
                features[f"{name}.rank"] = float(ranks(scores)[key])
    return features


def _total(features: Mapping[str, float], weights: Weights) -> float:
    return (
        features["relevance"]
        + weights.speaker * features["speaker"]
        + weights.dates * features["dates"]
        - weights.question * features["question"]
        + weights.answer * features["answer"]
        + weights.recency * features["recency"]
    )


def _order(scored: Scored) -> tuple[float, float, str]:
    said = scored.item.occurred_at
    return (-scored.score, -said.timestamp() if said is not None else 0.0, scored.item.id)


def _agrees(asked: TimeRange | None, item: Item) -> bool:
    """Whether an item was said, or a memory was true, within the time that was asked for."""
    if asked is None:
        return False
    said = item.occurred_at
    if said is not None and _overlaps(asked, said, said):
        return True
    dated = item.valid_from is not None or item.valid_to is not None
    return dated and _overlaps(asked, item.valid_from, item.valid_to)


def _overlaps(asked: TimeRange, start: datetime | None, end: datetime | None) -> bool:
    begins_in_time = asked.end is None or start is None or start < asked.end
    ends_in_time = asked.start is None or end is None or end >= asked.start
    return begins_in_time and ends_in_time


def _recency(now: datetime, said: datetime | None, weights: Weights) -> float:
    """Halves every half-life; 0 without a time, 1 for what is said at `now` or later."""
    if said is None:
        return 0.0
    age_days = max((now - said).total_seconds(), 0.0) / 86_400
    return float(2.0 ** (-age_days / weights.recency_half_life_days))


def _concepts(concepts: Sequence[Concept], weights: Weights) -> list[Scored]:
    """The graph's concepts in its own order, the strongest with the whole weight."""
    scored = []
    for place, concept in enumerate(concepts):
        text = f"{concept.name}: {concept.description}" if concept.description else concept.name
        item = Item(
            id=concept.id, layer=Layer.LONG_TERM, kind=ItemKind.CONCEPT, text=text, score=0.0
        )
        signs = {"support": float(concept.support), "weight": concept.weight}
        scored.append(Scored(item, weights.concept / (place + 1), Layer.LONG_TERM, signs))
    return scored
