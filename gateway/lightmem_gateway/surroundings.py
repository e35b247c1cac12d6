"""Finding what stands beside recalled items, in the ledger: the words as they now are.

The caller's limits hold for it as for the items. With the ledger down there is none of it, and the
items stand alone.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence

from lightmem.domain.surroundings import (
    Quote,
    Surroundings,
    is_worth_showing,
    needs_after,
    needs_before,
)
from lightmem.domain.turn_items import admits, filters_of, item_of
from lightmem.errors import Unavailable
from lightmem.model import Item, ItemKind, Layer, MemoryStatus, RecallRequest, Role, Turn
from lightmem.ports import Ledger, ShortTermBuffer

logger = logging.getLogger(__name__)

#: The latest turns of the session that asks.
LATEST = 4


class FindSurroundings:
    """Looks up what the chosen items are not understood without."""

    def __init__(self, *, ledger: Ledger, short_term: ShortTermBuffer) -> None:
        self._ledger = ledger
        self._short_term = short_term

    async def __call__(
        self,
        tenant_id: str,
        user_id: str,
        request: RecallRequest,
        items: Sequence[Item],
        *,
        with_latest: bool,
    ) -> Surroundings:
        """What is beside the items; nothing of a part that is down.

        Args:
            with_latest: Add the latest turns of the session that asks.
        """
        try:
            beside, quotes, latest = await asyncio.gather(
                self._beside(tenant_id, user_id, request, items),
                self._quotes(tenant_id, user_id, items),
                self._latest(tenant_id, user_id, request, is_wanted=with_latest),
            )
        except Unavailable:
            logger.warning("items are shown without what stands beside them", exc_info=True)
            return Surroundings()
        return Surroundings(beside, quotes, latest)

    async def _beside(
        self, tenant_id: str, user_id: str, request: RecallRequest, items: Sequence[Item]
    ) -> dict[str, list[Item]]:
        turns = [item for item in items if item.kind is ItemKind.TURN]
        if not turns:
            return {}
        ids = [item.id for item in turns]
        found = await self._ledger.get_turns_around(tenant_id, user_id, ids, places=1)
        at = {(turn.session_id, turn.seq): turn for turn in found}
        places = {turn.id: (turn.session_id, turn.seq) for turn in found}
        beside = {}
        for item in turns:
            near = _needed(item, places, at)
            beside[item.id] = [item_of(turn) for turn in near if _admits(request, turn)]
        return beside

    async def _quotes(
        self, tenant_id: str, user_id: str, items: Sequence[Item]
    ) -> dict[str, list[Quote]]:
        ids = [item.id for item in items if item.kind is ItemKind.MEMORY]
        if not ids:
            return {}
        memories = await self._ledger.get_memories(tenant_id, user_id, ids)
        sources = [source.turn_id for memory in memories for source in memory.sources]
        turns = await self._ledger.get_turns(tenant_id, user_id, list(dict.fromkeys(sources)))
        who = {turn.id: turn.speaker or turn.role.value for turn in turns}
        return {
            memory.id: [
                Quote(who[source.turn_id], source.quote)
                for source in memory.sources
                if source.turn_id in who
            ]
            for memory in memories
            if memory.status is not MemoryStatus.FORGOTTEN
        }

    async def _latest(
        self, tenant_id: str, user_id: str, request: RecallRequest, *, is_wanted: bool
    ) -> list[Item]:
        if not is_wanted or request.session_id is None or Layer.SHORT_TERM not in request.layers:
            return []
        turns = await self._short_term.recent(
            tenant_id, user_id, session_id=request.session_id, limit=LATEST
        )
        return [item_of(turn) for turn in turns if _admits(request, turn)]


def _needed(
    item: Item, places: Mapping[str, tuple[str, int]], at: Mapping[tuple[str, int], Turn]
) -> list[Turn]:
    """The turns on either side of an item that it is not understood without."""
    place = places.get(item.id)
    if place is None:
        return []
    session_id, seq = place
    before, after = at.get((session_id, seq - 1)), at.get((session_id, seq + 1))
    needed = []
    if before is not None and needs_before(item.text, before.content):
        needed.append(before)
    if after is not None and needs_after(item.text, after.content):
        needed.append(after)
    return needed


def _admits(request: RecallRequest, turn: Turn) -> bool:
    """Whether a turn may be shown: worth it, and within the caller's limits."""
    if turn.role is Role.SYSTEM or not is_worth_showing(turn.content):
        return False
    return admits(filters_of(request), turn)
