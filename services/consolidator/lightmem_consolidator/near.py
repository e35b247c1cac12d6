"""Which memories are near which: compared by what was said alone.

A speaker's name stands in each of his memories and would make them all alike, so the words behind
it decide. Those that a dream reads are compared with each other here, and with older ones as the
index finds them: what was learnt just now need not be in it yet. Of the older ones only the few
nearest are looked at, so that a dream costs what is new and not what there is.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lightmem.model import Item, ItemKind, RecallFilters, View, ViewQuery
from lightmem.ports import Encoder, MemoryIndex
from lightmem_consolidator.group import ALIKE_WITH_NAME, Tie
from lightmem_consolidator.known import Known

#: Nearest memories looked at for each memory, among those read and in the index.
NEIGHBOURS, INDEXED = 8, 16
#: Older ones that a memory is compared with: with it nearly a group.
MOST_OLDER = 4
#: The index has an older memory with its speaker's name, which takes some of its likeness: of
#: those alike by their words (`ALIKE`) one in thirty is further than this.
NEAR_WITH_NAME = 0.35
#: Memories that the index is asked about in one search.
A_SEARCH = 50

Vectors = dict[str, NDArray[np.float32]]
Pair = tuple[str, str]


class FindNear:
    """Finds the memories near to some, and how near."""

    def __init__(self, *, index: MemoryIndex, encoder: Encoder) -> None:
        self._index = index
        self._encoder = encoder

    async def vectors(self, known: Mapping[str, Known]) -> Vectors:
        """The unit vectors of what memories say, by id."""
        rows = await self._encoder.encode([one.words for one in known.values()])
        return dict(zip(known, rows, strict=True))

    def pairs(self, read: Mapping[str, Known], vectors: Vectors) -> list[Pair]:
        """Pairs of the memories read that may be about the same."""
        return list(dict.fromkeys(_nearest(list(read), vectors)))

    async def older(
        self,
        tenant_id: str,
        user_id: str,
        read: Mapping[str, Known],
        vectors: Vectors,
        *,
        is_older: Callable[[str], bool],
    ) -> list[Pair]:
        """Pairs of a memory read with an older one of the same speaker that may be about the same.

        Args:
            is_older: Whether a memory, by its id, was read by an earlier dream: what is to be read
                by a later one is left to that.
        """
        pairs: dict[Pair, None] = {}
        for some in _searches(list(read.values())):
            speakers = [one.speaker for one in some[:1] if one.speaker]
            filters = RecallFilters(kinds=(ItemKind.MEMORY,), speakers=speakers)
            queries = [ViewQuery(View.DENSE, vectors[one.id].tolist(), INDEXED) for one in some]
            found = await self._index.search(tenant_id, user_id, queries, filters=filters)
            for one, items in zip(some, found, strict=True):
                near = _standing(items)
                few = [each for each in near if each not in read and is_older(each)][:MOST_OLDER]
                pairs |= dict.fromkeys(_pair(one.id, each) for each in few)
        return list(pairs)


def ties_of(pairs: Sequence[Pair], vectors: Vectors) -> list[Tie]:
    """The pairs whose vectors are known, with their cosine."""
    return [
        Tie(one, other, float(np.dot(vectors[one], vectors[other])))
        for one, other in pairs
        if one in vectors and other in vectors
    ]


def _searches(read: Sequence[Known]) -> Iterator[list[Known]]:
    """The memories of one speaker after the other, as many as one search takes."""
    for speaker in dict.fromkeys(one.speaker for one in read):
        theirs = [one for one in read if one.speaker == speaker]
        for start in range(0, len(theirs), A_SEARCH):
            yield theirs[start : start + A_SEARCH]


def _standing(items: Sequence[Item]) -> list[str]:
    """What is near, the nearest first; what was joined or replaced by what took its place."""
    near = [item for item in items if item.score >= NEAR_WITH_NAME]
    return list(dict.fromkeys(item.superseded_by or item.id for item in near))


def _nearest(ids: list[str], vectors: Vectors) -> list[Pair]:
    """Each memory with the nearest of the others that are near at all."""
    if len(ids) < 2:
        return []
    rows = np.stack([vectors[one] for one in ids])  # (n, dim)
    cosines = rows @ rows.T  # (n, n)
    np.fill_diagonal(cosines, -1.0)
    found = []
    for at, row in enumerate(cosines):
        for other in np.argsort(-row)[:NEIGHBOURS]:
            if row[other] >= ALIKE_WITH_NAME:
                found.append(_pair(ids[at], ids[int(other)]))
    return found


def _pair(one: str, other: str) -> Pair:
    return min(one, other), max(one, other)
