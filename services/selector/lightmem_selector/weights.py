"""How much each sign of relevance counts: few numbers, round, the same for every user."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lightmem.model import View


def _view_weights() -> dict[View, float]:
    return {
        View.TOKENS: 0.55,
        # The tokens say the same, and more.
        View.DENSE: 0.0,
        View.BM25: 0.05,
        View.WINDOW_DENSE: 0.15,
        View.WINDOW_BM25: 0.25,
    }


def _view_weights_without_tokens() -> dict[View, float]:
    return {View.DENSE: 0.2, View.BM25: 0.2, View.WINDOW_DENSE: 0.2, View.WINDOW_BM25: 0.4}


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the views, which sum to 1, and what is added to their weighted sum."""

    views: Mapping[View, float] = field(default_factory=_view_weights)
    views_without_tokens: Mapping[View, float] = field(default_factory=_view_weights_without_tokens)
    #: The question names the speaker of the turn.
    speaker: float = 0.3
    #: The turn was said, or the memory was true, within the day that was asked for; less for longer
    #: times.
    dates: float = 0.5
    #: Taken from a turn that itself asks: it is rarely the answer.
    question: float = 0.1
    #: Share of an asking turn's relevance that the turn after it gains: it often is the answer.
    answer: float = 0.2
    #: Breaks near ties in favour of the newer; halves every `recency_half_life_days`.
    recency: float = 0.005
    recency_half_life_days: float = 90.0
    #: A concept of the long-term graph: below a good turn, above a weak one.
    concept: float = 0.3
    #: Taken from a memory none of whose turns was found, which speaks against it.
    alone: float = 0.05
