"""Which memories are near which: compared by what was said alone.

A speaker's name stands in each of his memories and would make them all alike, so the words behind
it decide. Those that a dream reads are compared with each other here, and with older ones as the
index finds them: what was learnt just now need not be in it yet.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from lightmem.model import ItemKind, RecallFilters, SparseVector, Vector, View, ViewQuery
from lightmem.ports import Encoder, LexicalEncoder, MemoryIndex
from lightmem_consolidator.group import ALIKE_WITH_NAME, Tie
from lightmem_consolidator.known import Known

#: Nearest memories looked at for each memory, among those read and in each view of the index.
NEIGHBOURS = 8

Vectors = dict[str, NDArray[np.float32]]
Pair = tuple[str, str]


class FindNear:
    """Finds the memories near to some, and how near."""

    def __init__(self, *, index: MemoryIndex, encoder: Encoder, lexical: LexicalEncoder) -> None:
        self._index = index
        self._encoder = encoder
        self._lexical = lexical

    async def vectors(self, known: Mapping[str, Known]) -> Vectors:
        """The unit vectors of what memories say, by id."""
        rows = await self._encoder.encode([one.words for one in known.values()])
        return dict(zip(known, rows, strict=True))

    async def pairs(
        self, tenant_id: str, user_id: str, read: Mapping[str, Known], vectors: Vectors
    ) -> list[Pair]:
        """Pairs that may be about the same: of the memories read, and of one with an older one."""
        pairs = dict.fromkeys(_nearest(list(read), vectors))
        filters = RecallFilters(kinds=(ItemKind.MEMORY,))
        for memory_id, known in read.items():
            queries = [_query(View.DENSE, vectors[memory_id].tolist())]
            sparse = self._lexical.query(known.words)
            if isinstance(sparse, SparseVector) and len(sparse.indices):
                queries.append(_query(View.BM25, sparse))
            found = await self._index.search(tenant_id, user_id, queries, filters=filters)
            for item in (item for some in found for item in some):
                if item.id != memory_id:
                    pairs[_pair(memory_id, item.id)] = None
        return list(pairs)


def ties_of(pairs: list[Pair], vectors: Vectors) -> list[Tie]:
    """The pairs whose vectors are known, with their cosine."""
    return [
        Tie(one, other, float(np.dot(vectors[one], vectors[other])))
        for one, other in pairs
        if one in vectors and other in vectors
    ]


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


def _query(view: View, vector: Vector) -> ViewQuery:
    return ViewQuery(view, vector, NEIGHBOURS + 1)
