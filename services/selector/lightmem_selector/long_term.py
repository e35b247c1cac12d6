"""What a tenant's users share about what a question names: concepts, and what is around them.

A tenant that shares nothing costs nothing: that is asked once in a while, and not in between.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from lightmem.domain.text import content_words
from lightmem.knowledge import around
from lightmem.model import Layer, Plan, PlannedQuery, Reached, RecallRequest
from lightmem.ports import KnowledgeGraph
from lightmem_selector.filters import asks_for_turns_alone

#: How long a tenant that shares nothing is taken to share nothing still.
EMPTY_FOR_S = 10.0
#: Tenants that are remembered for it.
MOST_TENANTS = 10_000
MAX_NAMES = 64
MAX_WORDS = 3
DEPTH = 2
MAX_SEEDS = 8
MAX_REACHED = 12
#: Names around a concept that are searched for too, and what that search counts for: as much as
#: one thing that a model made up.
HINTED = 4
HINT_WEIGHT = 0.15

_ENDINGS = (("ies", "y"), ("es", ""), ("s", ""))


class LongTerm:
    """Asks the graph for what a question names.

    Args:
        now_s: A clock that only runs forward, in seconds.
    """

    def __init__(
        self, graph: KnowledgeGraph, *, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._graph = graph
        self._now_s = now_s
        self._empty_until: dict[tuple[str, int], float] = {}

    def is_asked(self, tenant_id: str, request: RecallRequest, plan: Plan) -> bool:
        """Whether there may be something to ask for."""
        k = request.k_anonymity
        if k is None or Layer.LONG_TERM not in plan.layers:
            return False
        if asks_for_turns_alone(request.filters):
            return False
        return self._now_s() >= self._empty_until.get((tenant_id, k), 0.0)

    async def ask(self, tenant_id: str, request: RecallRequest, plan: Plan) -> list[Reached]:
        """Concepts that say something about what is named, strongest first.

        Raises:
            GraphUnavailable: the graph does not answer.
        """
        if request.k_anonymity is None or await self._is_empty(tenant_id, request.k_anonymity):
            return []
        k = request.k_anonymity
        names = names_in(request.query, plan.entities)
        seeds = await self._graph.find(tenant_id, names, min_support=k, limit=MAX_SEEDS)
        if not seeds:
            return []
        found = await around(
            self._graph, tenant_id, seeds, depth=DEPTH, min_support=k, limit=MAX_REACHED
        )
        return [each for each in found if each.concept.edges]

    async def _is_empty(self, tenant_id: str, k: int) -> bool:
        if not await self._graph.is_empty(tenant_id, min_support=k):
            return False
        if len(self._empty_until) >= MOST_TENANTS:
            self._empty_until.clear()
        self._empty_until[tenant_id, k] = self._now_s() + EMPTY_FOR_S
        return True


def names_in(query: str, entities: Sequence[str]) -> list[str]:
    """What a question may name: its entities, and runs of its words, also in the singular."""
    words = [word.strip(".,;:!?¿¡\"'“”()").casefold() for word in query.split()]
    carrying = content_words(query)
    names = dict.fromkeys(entities)
    for length in range(MAX_WORDS, 0, -1):
        for start in range(len(words) - length + 1):
            run = words[start : start + length]
            if run[0] in carrying and run[-1] in carrying:
                names |= dict.fromkeys(_forms(run))
    return list(names)[:MAX_NAMES]


def _forms(run: Sequence[str]) -> list[str]:
    """The run as it stands, and with its last word in the singular."""
    *before, last = run
    forms = [last]
    forms += [last.removesuffix(end) + instead for end, instead in _ENDINGS if last.endswith(end)]
    return [" ".join([*before, form]) for form in forms]


def hint(found: Sequence[Reached]) -> PlannedQuery | None:
    """A search for what is around the concepts that were named, in the user's own memories.

    By their words alone, so that it is ready when the question is encoded.
    """
    around_them = [each.concept.name for each in found if each.depth][:HINTED]
    if not around_them:
        return None
    return PlannedQuery(", ".join(around_them), HINT_WEIGHT, "concepts", by_word=True)


def hinted(plan: Plan, found: Sequence[Reached]) -> Plan:
    """The plan with that search, if there is one and mid-term memory is searched."""
    extra = hint(found) if Layer.MID_TERM in plan.layers else None
    return plan if extra is None else replace(plan, queries=(*plan.queries, extra))
