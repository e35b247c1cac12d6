"""Puts memories into the index as they stand: those that hold and those that held once."""

from collections.abc import Sequence

from lightmem.indexing.points import memory_point
from lightmem.model import Memory, MemoryStatus, Turn
from lightmem.ports import Encoded, Encoder, Ledger, LexicalEncoder, MemoryIndex

#: Memories that are found: those that hold, and those that held once.
INDEXED = frozenset({MemoryStatus.ACTIVE, MemoryStatus.SUPERSEDED})


class PutMemories:
    """Puts memories of the ledger, and takes out those that are found no more."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        index: MemoryIndex,
        encoder: Encoder,
        lexical: LexicalEncoder,
    ) -> None:
        self._ledger = ledger
        self._index = index
        self._encoder = encoder
        self._lexical = lexical

    async def __call__(
        self,
        tenant_id: str,
        user_id: str,
        memory_ids: Sequence[str],
        memories: Sequence[Memory],
    ) -> None:
        """Put these memories; those of the ids that are not among them leave."""
        kept = [memory for memory in memories if memory.status in INDEXED]
        sources = await self._sources(tenant_id, user_id, kept)
        held = await self._ledger.hold_from(tenant_id, user_id, [memory.id for memory in kept])
        encoded = await self._encoded(tenant_id, user_id, kept)
        points = [
            memory_point(
                memory, encoded[memory.id], sources, self._lexical, holds_from=held.get(memory.id)
            )
            for memory in kept
        ]
        await self._index.upsert(tenant_id, user_id, points)
        indexed = {memory.id for memory in kept}
        gone = [memory_id for memory_id in memory_ids if memory_id not in indexed]
        if gone:
            await self._index.delete(tenant_id, user_id, gone)

    async def _encoded(
        self, tenant_id: str, user_id: str, memories: Sequence[Memory]
    ) -> dict[str, Encoded]:
        """The vectors of memories, by id.

        What the index has of the same words is read from it: most memories that change are
        superseded, and their words stay.
        """
        texts = {memory.id: memory.text for memory in memories}
        items = await self._index.get(tenant_id, user_id, list(texts))
        same = [item.id for item in items if item.text == texts[item.id]]
        encoded = await self._index.encoded(tenant_id, user_id, same) if same else {}
        missing = [memory_id for memory_id in texts if memory_id not in encoded]
        rows = await self._encoder.encode_tokens([texts[memory_id] for memory_id in missing])
        return {**encoded, **dict(zip(missing, rows, strict=True))}

    async def _sources(
        self, tenant_id: str, user_id: str, memories: Sequence[Memory]
    ) -> dict[str, Turn]:
        """The turns that the memories quote, by id."""
        turn_ids = {source.turn_id for memory in memories for source in memory.sources}
        if not turn_ids:
            return {}
        turns = await self._ledger.get_turns(tenant_id, user_id, sorted(turn_ids))
        return {turn.id: turn for turn in turns}
