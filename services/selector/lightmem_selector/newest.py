"""The value that holds before those that held once: the ranking itself knows nothing of time."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lightmem.domain.text import says_no_more
from lightmem_selector.rank import Scored
from lightmem_selector.succession import Succession


def newest_first(ranked: Sequence[Scored], succession: Succession) -> list[Scored]:
    """The ranked candidates, what holds before what it replaced, on the same scale of scores.

    The memory that holds, or the turn that says so if that ranks higher, moves to where the first
    of what it replaced stood; nothing else changes places.
    """
    if not succession.current:
        return list(ranked)
    return list(_Ordered(succession, ranked))


class _Ordered:
    """Goes through a ranking and puts what holds where the first of what it replaced stood."""

    def __init__(self, succession: Succession, ranked: Sequence[Scored]) -> None:
        self._succession = succession
        self._ranked = ranked
        self._by_id = {scored.item.id: scored for scored in ranked}
        self._placed: set[str] = set()

    def __iter__(self) -> Iterator[Scored]:
        for scored in self._ranked:
            if scored.item.id in self._placed:
                continue
            holder = self._succession.current.get(scored.item.id)
            if holder is not None and not self._is_shown(holder):
                yield from self._place(self._best_of(holder), scored.score)
            told = self._succession.instead.get(scored.item.id)
            yield from self._place(self._by_id.get(told or "", scored), scored.score)
            self._placed.add(scored.item.id)

    def _place(self, scored: Scored | None, score: float) -> Iterator[Scored]:
        if scored is not None and scored.item.id not in self._placed:
            self._placed.add(scored.item.id)
            yield replace(scored, score=score)

    def _is_shown(self, holder: str) -> bool:
        best = self._best_of(holder)
        return best is None or best.item.id in self._placed

    def _best_of(self, holder: str) -> Scored | None:
        """The memory that holds or a turn that says all of it, whichever ranks higher."""
        memory = self._by_id.get(holder)
        if memory is None:
            return None
        turns = [self._by_id.get(one) for one in self._succession.fresh.get(holder, ())]
        telling = {
            turn.item.id
            for turn in turns
            if turn is not None and says_no_more(memory.item.text, turn.item.text)
        }
        return next(one for one in self._ranked if one.item.id in {holder, *telling})
