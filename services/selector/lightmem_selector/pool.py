"""The coarse pool: every item that some view found, with the scores that it found it by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lightmem.domain.fusion import min_max
from lightmem.model import Concept, Item, PlannedQuery, View
from lightmem_selector.succession import Succession

ViewScores = Mapping[View, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Asked:
    """What one planned query found: scores by view and item id.

    `limit` is how many each view was asked for, or fewer of some; a view that gave fewer than that
    gave all it has. The view of tokens scores what the others found, so it is cut where one of
    them is.
    """

    weight: float
    scores: ViewScores
    limit: int
    fewer: Mapping[View, int] = field(default_factory=dict)

    def stretched(self, view: View) -> dict[str, float]:
        """The view's scores in [0, 1]."""
        found = self.scores if view is View.TOKENS else (view,)
        is_cut = any(len(self.scores[one]) >= self.fewer.get(one, self.limit) for one in found)
        return min_max(self.scores[view], is_cut=is_cut)

    def of(self, items: Mapping[str, Item]) -> "Asked":
        """The same for these items alone."""
        kept = {
            view: {key: score for key, score in scores.items() if key in items}
            for view, scores in self.scores.items()
        }
        return replace(self, scores=kept)


@dataclass(frozen=True, slots=True)
class Pool:
    """All that was gathered for one recall.

    `short_term_ids` are turns of the buffer that are served as short-term ones; `succession` is
    what took the place of what; `added` was searched for besides what was planned.
    """

    items: Mapping[str, Item] = field(default_factory=dict)
    asked: Sequence[Asked] = ()
    short_term_ids: frozenset[str] = frozenset()
    concepts: Sequence[Concept] = ()
    succession: Succession = field(default_factory=Succession)
    degraded: Sequence[str] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    added: Sequence[PlannedQuery] = ()

    def of(self, items: Mapping[str, Item]) -> "Pool":
        """The same for these items alone."""
        return replace(self, items=items, asked=[each.of(items) for each in self.asked])
