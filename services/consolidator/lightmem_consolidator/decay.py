"""Decay: what nobody supports any more loses its weight, and is removed at last."""

from lightmem.ports import Clock, KnowledgeGraph


class Decay:
    """Weighs the graph anew as of the clock; to be called now and then, such as once a day.

    Weight never grows by it. Support that is older than `domain.concepts.LAPSE` counts no more, and
    what is left without any is removed. Doing it twice at one time changes nothing.
    """

    def __init__(self, *, graph: KnowledgeGraph, clock: Clock) -> None:
        self._graph = graph
        self._clock = clock

    async def __call__(self) -> int:
        """How many nodes and edges were removed."""
        return await self._graph.decay(now=self._clock.now())
