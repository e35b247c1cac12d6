"""Puts turns and memories into the index: what is embedded, what is searched by word, and windows.

A turn is seen alone and in its window, which is itself with the turn before and the turn after.
So a new turn changes the windows of its neighbours, and those are put again with it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, TypeVar

from lightmem.domain.passages import passages_of
from lightmem.domain.windows import Window, dense_text, is_indexed, windows_of
from lightmem.indexing.learnt import PutMemories
from lightmem.indexing.points import Known, passage_points, turn_point, words_point
from lightmem.model import Turn
from lightmem.ports import Encoded, Encoder, Ledger, LexicalEncoder, MemoryIndex

T = TypeVar("T")

#: Turns that are encoded and put at a time, so that a large call lets others in between and what
#: is done of it shows.
PIECE = 64
#: Turns or memories of one page when all are embedded again.
PAGE = 500
#: Rounds until the ledger is found as it was before; more would mean a storm of writes, and the
#: jobs of those writes index what they changed.
ROUNDS = 3
#: The ledger's note that the index is not complete.
REEMBEDDING = "reembedding"


class Indexing:
    """Keeps the index in step with the ledger. Every call may be repeated to the same effect."""

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
        self._put_memories = PutMemories(
            ledger=ledger, index=index, encoder=encoder, lexical=lexical
        )

    async def index_turns(
        self,
        tenant_id: str,
        user_id: str,
        turn_ids: Sequence[str],
        *,
        anew: bool = False,
        encoded: Mapping[str, tuple[str, Encoded]] | None = None,
    ) -> None:
        """Make these turns findable as the ledger has them now, and put their neighbours again.

        Turns that are not in the ledger leave the index; turns of role `system` never enter it.
        The ledger is read again at the end, so a turn deleted or appended meanwhile is seen.

        Args:
            anew: Words were struck from them: nothing that the index holds of them is used, and
                it is deleted first, see `index_memories`.
            encoded: The words and vectors of turns that the caller had encoded, by id.
        """
        if anew:
            await self._index.delete(tenant_id, user_id, turn_ids)
        known: Known = dict(encoded or {})
        pieces = [turn_ids[start : start + PIECE] for start in range(0, len(turn_ids), PIECE)]
        turns: Sequence[Turn] = ()
        for piece, following in pairwise([(), *pieces, ()]):
            # One piece is encoded while the one before it is put.
            async with _begun(self._encoded(tenant_id, user_id, following, known)) as ahead:
                await self._put_piece(tenant_id, user_id, piece, turns, known)
                turns = await ahead
            for turn_id in known.keys() - {turn.id for turn in turns}:
                del known[turn_id]

    async def index_words(self, tenant_id: str, user_id: str, turn_ids: Sequence[str]) -> None:
        """Make these turns findable by word at once; `index_turns` has to follow.

        No vector is made for it, which takes a hundred times as long. A turn that is in the index
        already stays as it is, and so do the windows of the turns around.
        """
        asked = frozenset(turn_ids)
        turns = await self._ledger.get_turns_around(tenant_id, user_id, turn_ids, places=1)
        windows = [one for one in windows_of(turns, asked) if one.turn.id in asked]
        for start in range(0, len(windows), PIECE):
            piece = windows[start : start + PIECE]
            points = [words_point(window, self._lexical) for window in piece]
            await self._index.insert(tenant_id, user_id, points)
            # Making points is work of the processor alone: let whoever waits go on.
            await asyncio.sleep(0)
        await self._drop_gone(tenant_id, user_id, windows)

    async def index_memories(
        self, tenant_id: str, user_id: str, memory_ids: Sequence[str], *, anew: bool = False
    ) -> None:
        """Make these memories findable as they stand.

        What was superseded stays, dated, for questions about the past; what was forgotten or
        archived leaves the index.

        Args:
            anew: Words were struck from them: an index that deletes what it held takes them off
                its disk, one that puts other words over them may not.
        """
        if not memory_ids:
            return
        if anew:
            await self._index.delete(tenant_id, user_id, memory_ids)
        memories = await self._ledger.get_memories(tenant_id, user_id, memory_ids)
        for _ in range(ROUNDS):
            await self._put_memories(tenant_id, user_id, memory_ids, memories)
            again = await self._ledger.get_memories(tenant_id, user_id, memory_ids)
            if again == memories:
                return
            memories = again

    async def delete_points(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> None:
        """Take turns or memories out of the index."""
        await self._index.delete(tenant_id, user_id, ids)

    async def reembed(self, progress: Callable[[int], None]) -> int:
        """Empty the index and fill it from the ledger with this encoder; returns how many points.

        `progress` is told the running total. Until it has ended, `is_incomplete` says so, in
        every process and after a crash; then it is simply started again.
        """
        await self._ledger.put_meta(REEMBEDDING, self._encoder.encoder_id)
        encoder = self._encoder
        await self._index.reset(encoder.encoder_id, encoder.dim, encoder.token_dim)
        done = 0
        for list_ids, put in (
            (self._ledger.turn_ids, self.index_turns),
            (self._ledger.memory_ids, self.index_memories),
        ):
            after: str | None = None
            while page := await list_ids(after=after, limit=PAGE):
                for (tenant_id, user_id), rows in _by_owner(page):
                    await put(tenant_id, user_id, rows)
                after = page[-1][2]
                done += len(page)
                progress(done)
        await self._ledger.put_meta(REEMBEDDING, "")
        return done

    async def is_incomplete(self) -> bool:
        """Whether embedding all again was begun and has not ended."""
        return bool(await self._ledger.get_meta(REEMBEDDING))

    # --- turns --------------------------------------------------------------------------------

    async def _encoded(
        self, tenant_id: str, user_id: str, turn_ids: Sequence[str], known: Known
    ) -> list[Turn]:
        """The surroundings of these turns, the vectors of all in a window of theirs `known`."""
        if not turn_ids:
            return []
        turns = await self._surroundings(tenant_id, user_id, turn_ids)
        await self._embed(tenant_id, user_id, windows_of(turns, frozenset(turn_ids)), known)
        return turns

    async def _put_piece(
        self,
        tenant_id: str,
        user_id: str,
        turn_ids: Sequence[str],
        turns: Sequence[Turn],
        known: Known,
    ) -> None:
        """Put these turns as their surroundings are now; `turns` is how they were."""
        if not turn_ids:
            return
        for _ in range(ROUNDS):
            await self._put_passages(tenant_id, user_id, turn_ids, turns)
            await self._put_turns(tenant_id, user_id, turn_ids, turns, known)
            again = await self._encoded(tenant_id, user_id, turn_ids, known)
            if again == turns:
                return
            turns = again

    async def _drop_gone(self, tenant_id: str, user_id: str, windows: Sequence[Window]) -> None:
        """Take out again what was deleted, or had words struck, while it was put."""
        ids = [window.turn.id for window in windows]
        turns = await self._ledger.get_turns(tenant_id, user_id, ids)
        left = {turn.id: turn.content for turn in turns}
        gone = [one.turn.id for one in windows if left.get(one.turn.id) != one.turn.content]
        if gone:
            await self._index.delete(tenant_id, user_id, gone)

    async def _surroundings(
        self, tenant_id: str, user_id: str, turn_ids: Sequence[str]
    ) -> list[Turn]:
        """The turns with two neighbours either side: a neighbour's window needs the second."""
        return await self._ledger.get_turns_around(tenant_id, user_id, turn_ids, places=2)

    async def _put_passages(
        self, tenant_id: str, user_id: str, turn_ids: Sequence[str], turns: Sequence[Turn]
    ) -> None:
        """Put the passages of the long ones among these turns; they leave with their turn."""
        asked = frozenset(turn_ids)
        for turn in turns:
            passages = passages_of(turn.content) if turn.id in asked and is_indexed(turn) else []
            if passages:
                encoded = await self._encoder.encode_tokens(passages)
                points = passage_points(turn, passages, encoded, self._lexical)
                await self._index.upsert(tenant_id, user_id, points)

    async def _put_turns(
        self,
        tenant_id: str,
        user_id: str,
        turn_ids: Sequence[str],
        turns: Sequence[Turn],
        known: Known,
    ) -> None:
        windows = windows_of(turns, frozenset(turn_ids))
        points = [turn_point(window, known, self._lexical) for window in windows]
        await self._index.upsert(tenant_id, user_id, points)
        indexed = {window.turn.id for window in windows}
        gone = [turn_id for turn_id in turn_ids if turn_id not in indexed]
        if gone:
            await self._index.delete(tenant_id, user_id, gone)

    async def _embed(
        self,
        tenant_id: str,
        user_id: str,
        windows: Sequence[Window],
        known: Known,
    ) -> None:
        """Fill `known` with the vectors of every turn in a window, by id and text.

        What the index has of neighbours, or of a run that was broken off, is read from it: that
        costs a hundredth of encoding. Turns whose words changed have left it before, see `anew`.
        """
        texts = {turn.id: dense_text(turn) for window in windows for turn in window.turns}
        missing = [id for id, text in texts.items() if id not in known or known[id][0] != text]
        unknown = [turn_id for turn_id in missing if turn_id not in known]
        if unknown:
            stored = await self._index.encoded(tenant_id, user_id, unknown)
            known.update({id: (texts[id], encoded) for id, encoded in stored.items()})
            missing = [turn_id for turn_id in missing if turn_id not in stored]
        encoded = await self._encoder.encode_tokens([texts[turn_id] for turn_id in missing])
        for turn_id, one in zip(missing, encoded, strict=True):
            known[turn_id] = (texts[turn_id], one)


@asynccontextmanager
async def _begun(work: Coroutine[Any, Any, T]) -> AsyncIterator["asyncio.Task[T]"]:
    """The work as a task beside the block, which it does not outlast."""
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _by_owner(
    page: Sequence[tuple[str, str, str]],
) -> list[tuple[tuple[str, str], list[str]]]:
    """Ids of a page by tenant and user."""
    rows = sorted(page, key=itemgetter(0, 1))
    return [
        (owner, [row[2] for row in group]) for owner, group in groupby(rows, key=itemgetter(0, 1))
    ]
