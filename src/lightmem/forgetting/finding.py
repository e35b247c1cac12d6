"""Which memories a person means who asks for something to be forgotten."""

from collections.abc import Sequence

from lightmem.domain.forgetting import content_keys, tokens_of
from lightmem.domain.paging import every
from lightmem.model import ItemKind, Memory, MemoryStatus, RecallFilters, View, ViewQuery
from lightmem.ports import Encoder, Ledger, MemoryIndex

#: Most memories that one question finds.
MOST_FOUND = 50
#: Nearest memories looked at, and the cosine from which one is meant; it must also be this near to
#: the nearest.
NEAREST, MEANT, OF_THE_NEAREST = 20, 0.5, 0.15
_PAGE = 200


class FindMemories:
    """Finds memories by the words of a question, and by its meaning."""

    def __init__(self, *, ledger: Ledger, index: MemoryIndex, encoder: Encoder) -> None:
        self._ledger = ledger
        self._index = index
        self._encoder = encoder

    async def __call__(self, tenant_id: str, user_id: str, query: str) -> list[Memory]:
        """What a question means: memories with all of its words, then those near to it.

        Whatever their status: what was superseded or archived can be forgotten too.
        """
        by_word = await self._by_word(tenant_id, user_id, query)
        near = await self._near(tenant_id, user_id, query)
        wanted = list(dict.fromkeys([*(memory.id for memory in by_word), *near]))[:MOST_FOUND]
        found = await self._ledger.get_memories(tenant_id, user_id, wanted)
        return [memory for memory in found if memory.status is not MemoryStatus.FORGOTTEN]

    async def _by_word(self, tenant_id: str, user_id: str, query: str) -> list[Memory]:
        """Memories that say, or quote, every content word of the question."""
        words = content_keys(tokens_of(query))
        if not words:
            return []
        found: list[Memory] = []
        memories = every(
            lambda cursor: self._ledger.list_memories(
                tenant_id, user_id, status=None, kind=None, query=None, limit=_PAGE, cursor=cursor
            )
        )
        async for memory in memories:
            if words <= _words_of(memory):
                found.append(memory)
            if len(found) >= MOST_FOUND:
                break
        return found

    async def _near(self, tenant_id: str, user_id: str, query: str) -> list[str]:
        """Ids of memories near in meaning, nearest first."""
        vector = (await self._encoder.encode([query]))[0].tolist()
        asked = [ViewQuery(View.DENSE, vector, NEAREST)]
        filters = RecallFilters(kinds=(ItemKind.MEMORY,))
        [items] = await self._index.search(tenant_id, user_id, asked, filters=filters)
        least = max(MEANT, items[0].score - OF_THE_NEAREST) if items else MEANT
        return [item.id for item in items if item.score >= least]


def _words_of(memory: Memory) -> set[str]:
    texts: Sequence[str] = (memory.text, *(source.quote for source in memory.sources))
    return set().union(*(content_keys(tokens_of(text)) for text in texts))
