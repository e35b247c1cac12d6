"""Decay: what nobody supports any more loses its weight, and is removed at last."""

import logging
from datetime import datetime, timedelta

from lightmem.errors import Unavailable
from lightmem.ports import Clock, KnowledgeGraph

logger = logging.getLogger(__name__)

#: Days matter to weights that halve in months, hours do not.
EVERY = timedelta(days=1)


class Decay:
    """Weighs the graph anew as of the clock.

    Weight never grows by it. Support that is older than `domain.concepts.LAPSE` counts no more, and
    what is left without any is removed. Doing it twice at one time changes nothing.
    """

    def __init__(self, *, graph: KnowledgeGraph, clock: Clock) -> None:
        self._graph = graph
        self._clock = clock
        self._done_at: datetime | None = None

    async def __call__(self) -> int:
        """How many nodes and edges were removed."""
        now = self._clock.now()
        removed = await self._graph.decay(now=now)
        self._done_at = now
        return removed

    async def when_due(self) -> None:
        """Decay once a day, however often it is called; a graph that is away is left for later."""
        if self._done_at is not None and self._clock.now() - self._done_at < EVERY:
            return
        try:
            await self()
        except Unavailable as exc:
            logger.warning("nothing decays for now: %s", exc.message)
