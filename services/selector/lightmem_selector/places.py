"""Where the turns of a pool stand in their sessions, and which of them are beside which."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lightmem.model import Item

#: More than any session has turns, so that no place of one session is one of another.
_SESSION = 2**40


class Places:
    """The places of some items; what has none, as a memory, is beside nothing."""

    def __init__(self, items: Sequence[Item]) -> None:
        number_of: dict[str | None, int] = {}
        #: The number of each item's session, in the order in which sessions come.
        self.sessions = np.fromiter(
            [number_of.setdefault(item.session_id, len(number_of)) for item in items], np.intp
        )
        seqs = np.fromiter([item.seq for item in items], np.int64, len(items))
        self._at = self.sessions * _SESSION + seqs
        self._has_place = seqs != 0
        self._numbers = np.flatnonzero(self._has_place)
        order = np.argsort(self._at[self._numbers], kind="stable")
        self._numbers = self._numbers[order]
        self._sorted = self._at[self._numbers]

    def beside(self, distance: int) -> NDArray[np.intp]:
        """For each item the number of the turn so many places on, or the count of items."""
        count = len(self._at)
        if not len(self._sorted):
            return np.full(count, count, np.intp)
        wanted = self._at + distance
        found = np.searchsorted(self._sorted, wanted, side="right") - 1
        is_there = self._has_place & (found >= 0) & (self._sorted[found] == wanted)
        return np.where(is_there, self._numbers[found], count).astype(np.intp)
