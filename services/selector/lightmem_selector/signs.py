"""What speaks for an item beside its relevance, and the linear ranking: all of it by fixed weights.

The linear ranking serves where no ranker can, and is the scale that scores are served on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import repeat
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from lightmem.domain.text import is_question
from lightmem.model import Item, ItemKind, Plan, Precision, RecallRequest, TimeRange, View
from lightmem_selector.asked_about import named_speakers
from lightmem_selector.places import Places
from lightmem_selector.pool import Asked, Pool
from lightmem_selector.weights import Weights

Column = NDArray[np.float32]

#: What is of an hour or a day is of few turns, what is of a year of many.
_TELLING: Mapping[Precision, float] = MappingProxyType(
    {
        Precision.INSTANT: 1.0,
        Precision.DAY: 1.0,
        Precision.WEEK: 0.8,
        Precision.MONTH: 0.8,
        Precision.SEASON: 0.6,
        Precision.YEAR: 0.4,
    }
)
#: Half as likely to be told with every so many days.
_TOLD_LATER_DAYS = 3.0


@dataclass(frozen=True, slots=True)
class Signs:
    """One number an item for each sign, in the order of the pool, and their weighted sum."""

    #: The columns that a ranker sees as they are.
    NAMES: ClassVar = ("relevance", "speaker", "other_speaker", "dates", "question", "answer")

    relevance: Column
    #: The question is about who said it.
    speaker: Column
    #: The question is about another speaker of the pool, and not about this one.
    other_speaker: Column
    #: Said, or true, within the time that was asked for, or told soon after it: in [0, 1], more
    #: the shorter that time is.
    dates: Column
    #: It asks.
    question: Column
    #: The relevance of the turn before it, where that asks.
    answer: Column
    recency: Column
    linear: Column

    def columns(self) -> dict[str, Column]:
        """The columns of `NAMES`."""
        return {name: getattr(self, name) for name in self.NAMES}

    def row(self, number: int) -> dict[str, float]:
        """What the linear score of an item is made of."""
        names = ("relevance", "speaker", "dates", "question", "answer", "recency")
        return {name: float(getattr(self, name)[number]) for name in names}


def signs_of(request: RecallRequest, plan: Plan, pool: Pool, weights: Weights) -> Signs:
    """The signs of every item of the pool."""
    items = list(pool.items.values())
    relevance = fuse(pool.asked, list(pool.items), weights).astype(np.float32)
    speakers = {item.speaker for item in items}
    named = named_speakers(request.query, plan.entities, speakers)
    agrees = {name: named.is_about(name) for name in speakers}
    speaker = _column([agrees[item.speaker] for item in items])
    question = _column([item.kind is ItemKind.TURN and is_question(item.text) for item in items])
    # The last one stands for what is not there.
    asking = np.append(relevance * question, np.float32(0))
    answer = asking[Places(items).beside(-1)]
    dates = np.zeros_like(relevance)
    if plan.time_range is not None:
        dates = _column([_agreement(plan.time_range, item) for item in items])
    recency = _recency(request.now, items, weights)
    return Signs(
        relevance=relevance,
        speaker=speaker,
        other_speaker=(1 - speaker) * any(agrees.values()),
        dates=dates,
        question=question,
        answer=answer,
        recency=recency,
        linear=relevance
        + np.float32(weights.speaker) * speaker
        + np.float32(weights.dates) * dates
        - np.float32(weights.question) * question
        + np.float32(weights.answer) * answer
        + np.float32(weights.recency) * recency,
    )


def fuse(asked: Sequence[Asked], keys: Sequence[str], weights: Weights) -> NDArray[np.float64]:
    """Relevance of these items: for each query, each view stretched over its pool and weighted over
    the views that answered; then added over the queries by their weight.

    The question has weight 1, so what it alone finds has its relevance in [0, 1] whatever else is
    asked; another query can only add.
    """
    fused = np.zeros(len(keys))
    for query in asked:
        views = _weights_of(query, weights)
        total = sum(views.values()) or 1.0
        relevance = np.zeros(len(keys))
        for view, weight in views.items():
            if weight:
                found = map(query.stretched(view).get, keys, repeat(0.0))
                relevance += weight * np.fromiter(found, np.float64, len(keys))
        fused += query.weight / total * relevance
    return fused


def _weights_of(query: Asked, weights: Weights) -> dict[View, float]:
    """The weights of the views that answered; without tokens the others carry more."""
    views = weights.views if View.TOKENS in query.scores else weights.views_without_tokens
    return {view: views[view] for view in query.scores}


def _agreement(asked: TimeRange, item: Item) -> float:
    """How much it says that an item was said, or a memory was true, when it was asked about.

    What happened is often told days later, so that agreement fades after the end.
    """
    said = item.occurred_at
    dated = item.valid_from is not None or item.valid_to is not None
    is_within = (said is not None and _holds(asked, said)) or (
        dated and _overlaps(asked, item.valid_from, item.valid_to)
    )
    if is_within:
        return _TELLING[asked.precision]
    if said is None or asked.end is None or said < asked.end:
        return 0.0
    late_days = (said - asked.end).total_seconds() / 86_400
    return float(_TELLING[asked.precision] * 0.5 ** (late_days / _TOLD_LATER_DAYS))


def _holds(asked: TimeRange, moment: datetime) -> bool:
    is_begun = asked.start is None or asked.start <= moment
    return is_begun and (asked.end is None or moment < asked.end)


def _overlaps(asked: TimeRange, start: datetime | None, end: datetime | None) -> bool:
    """Whether two times meet; the end of either is no part of it."""
    begins_in_time = asked.end is None or start is None or start < asked.end
    ends_in_time = asked.start is None or end is None or end > asked.start
    return begins_in_time and ends_in_time


def _recency(now: datetime, items: Sequence[Item], weights: Weights) -> Column:
    """Halves every half-life; 0 without a time, 1 for what is said at `now` or later."""
    at = now.timestamp()
    ages = np.array(
        [
            max(at - item.occurred_at.timestamp(), 0.0) if item.occurred_at else np.inf
            for item in items
        ],
        np.float64,
    )
    halved: Column = np.exp2(-ages / (86_400 * weights.recency_half_life_days)).astype(np.float32)
    return halved


def _column(values: Sequence[float]) -> Column:
    return np.fromiter(values, np.float32, len(values))


def view_features(asked: Sequence[Asked], key: str) -> Mapping[str, float]:
    """What each view said of an item: raw score, stretched score and rank, by query and view."""
    features: dict[str, float] = {}
    for number, query in enumerate(asked):
        for view, scores in query.scores.items():
            if key in scores:
                name = f"q{number}.{view.value}"
                features[f"{name}.score"] = scores[key]
                features[f"{name}.min_max"] = query.stretched(view)[key]
                features[f"{name}.rank"] = 1.0 + sum(
                    (-score, other) < (-scores[key], key) for other, score in scores.items()
                )
    return features
