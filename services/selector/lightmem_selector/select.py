"""Selecting memories for a plan: gather the coarse pool, rank it, choose at most K."""

from collections.abc import Sequence
from time import perf_counter

from lightmem.domain.limits import check_recall
from lightmem.model import Candidate, Plan, RecallRequest, Selection, View
from lightmem.ports import (
    Encoder,
    KnowledgeGraph,
    LexicalEncoder,
    MemoryIndex,
    Ranker,
    ShortTermBuffer,
)
from lightmem_selector.choose import Decision, choose
from lightmem_selector.evidence import order
from lightmem_selector.forms import Forms
from lightmem_selector.gather import GatherPool
from lightmem_selector.newest import newest_first
from lightmem_selector.pool import Pool
from lightmem_selector.signs import view_features
from lightmem_selector.weights import Weights

#: Candidates that an explanation shows.
EXPLAINED = 100


class SelectMemories:
    """Finds candidates and chooses at most `top_k`; keeps `ports.Selector`.

    It never rewrites or adds an item. What is down is left out and named in `degraded`. The same
    stores and the same request give the same items and scores.

    Args:
        index: Turns and memories by view.
        encoder: Encodes what is asked, all in one call.
        lexical: The words of what is asked.
        short_term: Turns at hand, also those that are not indexed yet.
        graph: Concepts of the tenant.
        coarse_pool: Candidates asked of each view for each query.
        short_term_turns: Turns asked of the buffer.
        patience_s: How long one part may take before the recall goes on without it.
        weights: How much each sign counts in the linear ranking.
        ranker: Ranks over it; None leaves the linear ranking as it is.
    """

    def __init__(
        self,
        *,
        index: MemoryIndex,
        encoder: Encoder,
        lexical: LexicalEncoder,
        short_term: ShortTermBuffer,
        graph: KnowledgeGraph,
        coarse_pool: int = 100,
        short_term_turns: int = 20,
        patience_s: float = 3.0,
        weights: Weights | None = None,
        ranker: Ranker | None = None,
    ) -> None:
        self._ranker = ranker
        self._weights = weights or Weights()
        self._gather = GatherPool(
            index=index,
            encoder=encoder,
            lexical=lexical,
            short_term=short_term,
            graph=graph,
            coarse_pool=coarse_pool,
            short_term_turns=short_term_turns,
            patience_s=patience_s,
            weights=self._weights,
        )

    async def select(
        self, tenant_id: str, user_id: str, request: RecallRequest, plan: Plan
    ) -> Selection:
        """At most `request.top_k` items for the plan, best first.

        Raises:
            InvalidInput: the request is outside the limits.
        """
        check_recall(request)
        pool = await self._gather(tenant_id, user_id, request, plan)
        started = perf_counter()
        decided = decide(request, plan, pool, self._weights, self._ranker)
        items = [decision.scored.answer() for decision in decided if decision.is_chosen]
        return Selection(
            items=items,
            candidates=_explained(pool, decided) if request.explain else (),
            degraded=pool.degraded,
            timings_ms={**pool.timings_ms, "select": (perf_counter() - started) * 1e3},
            added=pool.added,
        )


def decide(
    request: RecallRequest, plan: Plan, pool: Pool, weights: Weights, ranker: Ranker | None = None
) -> list[Decision]:
    """What is chosen of a pool, in its order, and with `explain` why the rest is not."""
    ranked = order(request, plan, pool, weights, ranker)
    near = pool.asked[0].scores.get(View.TOKENS, {}) if pool.asked else {}
    ranked = newest_first(ranked, pool.succession.asked_about(near))
    forms = Forms(request, pool)
    return list(choose(ranked, top_k=request.top_k, forms=forms, to_the_end=request.explain))


def _explained(pool: Pool, decided: Sequence[Decision]) -> list[Candidate]:
    return [
        Candidate(
            item=decision.scored.answer(),
            features={
                **decision.scored.features,
                **view_features(pool.asked, decision.scored.item.id),
            },
            reason=decision.reason,
        )
        for decision in decided[:EXPLAINED]
    ]
