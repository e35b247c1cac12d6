"""Which memories are near which: candidates from the index, compared by what was said alone.

A speaker's name stands in each of his memories and would make them all alike, so vectors of the
words behind it decide. They are made here: nobody waits.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from lightmem.model import ItemKind, RecallFilters, SparseVector, Vector, View, ViewQuery
from lightmem.ports import Encoder, LexicalEncoder, MemoryIndex
from lightmem_consolidator.group import Tie
from lightmem_consolidator.known import Known

#: Nearest memories asked of each view for each memory.
NEIGHBOURS = 8


class FindNear:
    """Finds the memories near to some, and how near."""

    def __init__(self, *, index: MemoryIndex, encoder: Encoder, lexical: LexicalEncoder) -> None:
        self._index = index
        self._encoder = encoder
        self._lexical = lexical

    async def candidates(
        self, tenant_id: str, user_id: str, texts: Mapping[str, str]
    ) -> list[tuple[str, str]]:
        """Pairs of a memory and one the index finds near it, by id; `texts` are by id too.

        What is not indexed yet is not found; the next dream sees it.
        """
        vectors = await self._encoder.encode(list(texts.values()))
        filters = RecallFilters(kinds=(ItemKind.MEMORY,))
        pairs: dict[tuple[str, str], None] = {}
        for (memory_id, text), vector in zip(texts.items(), vectors, strict=True):
            queries = [_query(View.DENSE, vector.tolist())]
            sparse = self._lexical.query(text)
            if isinstance(sparse, SparseVector) and len(sparse.indices):
                queries.append(_query(View.BM25, sparse))
            found = await self._index.search(tenant_id, user_id, queries, filters=filters)
            for item in (item for some in found for item in some):
                if item.id != memory_id:
                    pairs[min(memory_id, item.id), max(memory_id, item.id)] = None
        return list(pairs)

    async def ties(self, known: Mapping[str, Known], pairs: Sequence[tuple[str, str]]) -> list[Tie]:
        """The pairs with the cosine of what both say."""
        wanted = list(dict.fromkeys(one for pair in pairs for one in pair if one in known))
        if not wanted:
            return []
        rows = await self._encoder.encode([known[one].words for one in wanted])
        place = {one: at for at, one in enumerate(wanted)}
        return [
            Tie(one, other, float(np.dot(rows[place[one]], rows[place[other]])))
            for one, other in pairs
            if one in place and other in place
        ]


def _query(view: View, vector: Vector) -> ViewQuery:
    return ViewQuery(view, vector, NEIGHBOURS + 1)
