"""How often what is remembered serves: counted in memory, written down in batches.

A recall waits for no write. What was counted since the last batch is lost in a crash, which costs
a memory little of its utility.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress

from lightmem.errors import Unavailable
from lightmem.model import Item, ItemKind, Use
from lightmem.ports import Clock, UsageLedger

logger = logging.getLogger(__name__)

#: Seconds between batches.
FLUSH_EVERY_S = 10.0
#: Items that are counted between two batches; further ones are passed over.
MOST_ITEMS = 50_000

_Key = tuple[str, str, str]


class CountUses:
    """Counts what recalls serve and brings the counts to the ledger now and then."""

    def __init__(
        self, *, ledger: UsageLedger, clock: Clock, every_s: float = FLUSH_EVERY_S
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._every_s = every_s
        self._counted: dict[_Key, Use] = {}
        self._task: asyncio.Task[None] | None = None

    def note(self, tenant_id: str, user_id: str, items: Sequence[Item]) -> None:
        """Count that these items were served."""
        at = self._clock.now()
        for item in items:
            if item.kind is ItemKind.CONCEPT:
                continue
            key = (tenant_id, user_id, item.id)
            before = self._counted.get(key)
            if before is not None or len(self._counted) < MOST_ITEMS:
                count = before.count + 1 if before is not None else 1
                self._counted[key] = Use(tenant_id, user_id, item.id, count, at)

    async def flush(self) -> None:
        """Write down what was counted; while the ledger is down it stays counted."""
        counted, self._counted = self._counted, {}
        if not counted:
            return
        try:
            await self._ledger.note_uses(list(counted.values()))
        except Unavailable as exc:
            logger.warning("uses of memories are counted on: %s", exc.message)
            self._take_back(counted)

    async def start(self) -> None:
        """Begin to write batches; a second call changes nothing."""
        if self._task is None:
            self._task = asyncio.create_task(self._flush_now_and_then(), name="uses")

    async def stop(self) -> None:
        """Write the last batch."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        await self.flush()

    def _take_back(self, counted: dict[_Key, Use]) -> None:
        for key, use in counted.items():
            since = self._counted.get(key)
            count = use.count + (since.count if since is not None else 0)
            at = since.at if since is not None else use.at
            self._counted[key] = Use(*key, count, at)

    async def _flush_now_and_then(self) -> None:
        while True:
            await asyncio.sleep(self._every_s)
            try:
                await self.flush()
            except Exception:
                # The counts of one batch are not worth those of all that follow.
                logger.exception("uses of memories could not be written down")
