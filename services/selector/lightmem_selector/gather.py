"""Gathering the coarse pool: one encoding, one search over all queries and views, the short-term
buffer, and the concepts that the question names. What is down is left out and named.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter

from lightmem.model import (
    Concept,
    Item,
    Layer,
    Plan,
    RecallRequest,
    Role,
    SparseVector,
    TokenVectors,
    Turn,
    View,
    ViewQuery,
)
from lightmem.ports import (
    Encoded,
    Encoder,
    KnowledgeGraph,
    LexicalEncoder,
    MemoryIndex,
    ShortTermBuffer,
)
from lightmem_selector.attempts import Attempts
from lightmem_selector.filters import admits, asks_for_turns_alone, filters_of, was_true
from lightmem_selector.pool import Asked, Pool
from lightmem_selector.recent import Recent, by_word_alone, item_of, match_recent, stand_in
from lightmem_selector.voice import in_their_voice

INDEX_DOWN = "mid_term: index unavailable"
ENCODER_DOWN = "mid_term: encoder unavailable"
BUFFER_DOWN = "short_term: buffer unavailable"
GRAPH_DOWN = "long_term: neo4j unavailable"

Hits = dict[tuple[int, View], Sequence[Item]]


class GatherPool:
    """Asks index, buffer and graph for everything that may answer.

    Args:
        coarse_pool: Candidates asked of each view for each query.
        short_term_turns: Turns asked of the buffer.
        min_support: Users that must support a concept before it is served.
        patience_s: How long one part may take before the recall goes on without it.
    """

    def __init__(
        self,
        *,
        index: MemoryIndex,
        encoder: Encoder,
        lexical: LexicalEncoder,
        short_term: ShortTermBuffer,
        graph: KnowledgeGraph,
        coarse_pool: int,
        short_term_turns: int,
        min_support: int,
        patience_s: float,
    ) -> None:
        self._index = index
        self._encoder = encoder
        self._lexical = lexical
        self._short_term = short_term
        self._graph = graph
        self._coarse_pool = coarse_pool
        self._short_term_turns = short_term_turns
        self._min_support = min_support
        self._patience_s = patience_s

    async def __call__(
        self, tenant_id: str, user_id: str, request: RecallRequest, plan: Plan
    ) -> Pool:
        """Gather the pool; `timings_ms` has `embed` and `gather`, which is the rest."""
        started = perf_counter()
        attempts = Attempts(patience_s=self._patience_s)
        sparse = [self._lexical.query(query.text) for query in plan.queries]
        # No search waits for the graph.
        (hits, recent, embed_s), concepts = await asyncio.gather(
            self._hits(attempts, tenant_id, user_id, request, plan, sparse=sparse),
            self._concepts(attempts, tenant_id, request, plan),
        )
        items = self._items(request, hits, recent)
        rest_s = perf_counter() - started - embed_s
        return Pool(
            items=items,
            asked=self._scores(plan, sparse, hits, recent, items),
            short_term_ids=recent.session_ids | {turn.id for turn in recent.missing},
            concepts=concepts,
            degraded=attempts.degraded,
            timings_ms={"embed": embed_s * 1e3, "gather": max(rest_s, 0.0) * 1e3},
        )

    async def _hits(
        self,
        attempts: Attempts,
        tenant_id: str,
        user_id: str,
        request: RecallRequest,
        plan: Plan,
        *,
        sparse: Sequence[SparseVector],
    ) -> tuple[Hits, Recent, float]:
        """What index and buffer hold on it, and the seconds that encoding took."""
        (encoded, embed_s), recent = await asyncio.gather(
            self._embed(attempts, tenant_id, user_id, plan),
            self._recent(attempts, tenant_id, user_id, request, plan),
        )
        queries = self._view_queries(encoded, sparse) if Layer.MID_TERM in plan.layers else {}
        if not queries:
            return {}, recent, embed_s
        asked = self._search(tenant_id, user_id, request, queries)
        hits = await attempts.ask(asked, or_else=INDEX_DOWN)
        if hits is None:
            return {}, replace(recent, missing=recent.turns), embed_s
        return hits, recent, embed_s

    async def _embed(
        self, attempts: Attempts, tenant_id: str, user_id: str, plan: Plan
    ) -> tuple[Sequence[Encoded] | None, float]:
        """All queries in one encoding, speakers' names out of them, and the seconds it took."""
        if Layer.MID_TERM not in plan.layers:
            return None, 0.0
        known = self._index.speakers(tenant_id, user_id)
        speakers = await attempts.ask(known, or_else=INDEX_DOWN) or []
        started = perf_counter()
        texts = [in_their_voice(query.text, plan.entities, speakers) for query in plan.queries]
        asked = self._encoder.encode_tokens(texts)
        encoded = await attempts.ask(asked, or_else=ENCODER_DOWN)
        return encoded, perf_counter() - started

    async def _recent(
        self,
        attempts: Attempts,
        tenant_id: str,
        user_id: str,
        request: RecallRequest,
        plan: Plan,
    ) -> Recent:
        """The latest turns of the session that asks, and of all for what is not indexed yet."""
        if Layer.SHORT_TERM not in plan.layers:
            return Recent()

        async def latest(session_id: str | None) -> list[Turn]:
            asked = self._short_term.recent(
                tenant_id, user_id, session_id=session_id, limit=self._short_term_turns
            )
            turns = await attempts.ask(asked, or_else=BUFFER_DOWN) or []
            # What the system was told is no part of the conversation; the index has none of it.
            return [turn for turn in turns if turn.role is not Role.SYSTEM]

        async def latest_of_session() -> list[Turn]:
            return await latest(request.session_id) if request.session_id is not None else []

        own, of_all = await asyncio.gather(latest_of_session(), latest(None))
        session_ids = frozenset(turn.id for turn in own)
        turns = [*(turn for turn in of_all if turn.id not in session_ids), *own]
        return Recent(
            turns=turns,
            session_ids=session_ids,
            missing=await self._missing(attempts, tenant_id, user_id, plan, turns),
        )

    async def _missing(
        self,
        attempts: Attempts,
        tenant_id: str,
        user_id: str,
        plan: Plan,
        turns: Sequence[Turn],
    ) -> Sequence[Turn]:
        """Those of the buffer's turns that a search, made after this, would not find."""
        if not turns or Layer.MID_TERM not in plan.layers:
            return turns
        asked = self._index.get(tenant_id, user_id, [turn.id for turn in turns])
        held = await attempts.ask(asked, or_else=INDEX_DOWN) or []
        ids = {item.id for item in held}
        return [turn for turn in turns if turn.id not in ids]

    async def _concepts(
        self, attempts: Attempts, tenant_id: str, request: RecallRequest, plan: Plan
    ) -> Sequence[Concept]:
        if Layer.LONG_TERM not in plan.layers or not plan.entities:
            return ()
        if asks_for_turns_alone(request.filters):
            return ()
        asked = self._graph.find(
            tenant_id, plan.entities, min_support=self._min_support, limit=request.top_k
        )
        return await attempts.ask(asked, or_else=GRAPH_DOWN) or ()

    def _view_queries(
        self, encoded: Sequence[Encoded] | None, sparse: Sequence[SparseVector]
    ) -> dict[tuple[int, View], ViewQuery]:
        """Every view of every query that has something to ask it.

        The tokens are asked of all that the other views find, so their scores have no gaps.
        """
        queries: dict[tuple[int, View], ViewQuery] = {}
        for number, words in enumerate(sparse):
            if encoded is not None:
                dense = encoded[number].vector.tolist()
                for view in (View.DENSE, View.WINDOW_DENSE):
                    queries[number, view] = ViewQuery(view, dense, self._coarse_pool)
                tokens = TokenVectors(encoded[number].tokens.tolist())
                if tokens.rows:
                    whole = self._coarse_pool * len(View) * len(sparse)
                    queries[number, View.TOKENS] = ViewQuery(View.TOKENS, tokens, whole)
            if words.indices:
                for view in (View.BM25, View.WINDOW_BM25):
                    queries[number, view] = ViewQuery(view, words, self._coarse_pool)
        return queries

    async def _search(
        self,
        tenant_id: str,
        user_id: str,
        request: RecallRequest,
        queries: Mapping[tuple[int, View], ViewQuery],
    ) -> Hits:
        """One search for all queries and views."""
        answers = await self._index.search(
            tenant_id, user_id, list(queries.values()), filters=filters_of(request)
        )
        return dict(zip(queries, answers, strict=True))

    def _items(self, request: RecallRequest, hits: Hits, recent: Recent) -> dict[str, Item]:
        """All that was found and is admitted, by id. The index has filtered its hits itself."""
        found = {item.id: item for answer in hits.values() for item in answer}
        filters = filters_of(request)
        found |= {turn.id: item_of(turn) for turn in recent.missing if admits(filters, turn)}
        return {key: item for key, item in found.items() if was_true(request.as_of, item)}

    def _scores(
        self,
        plan: Plan,
        sparse: Sequence[SparseVector],
        hits: Hits,
        recent: Recent,
        items: Mapping[str, Item],
    ) -> list[Asked]:
        """Scores by query and view, those put among them that the index cannot give yet."""
        asked = []
        for number, query in enumerate(plan.queries):
            scores: dict[View, dict[str, float]] = {
                view: {item.id: item.score for item in answer if item.id in items}
                for (of, view), answer in hits.items()
                if of == number
            }
            if unencoded := by_word_alone(scores):
                for view, extra in stand_in(scores, unencoded).items():
                    scores[view] = {**scores[view], **extra}
            if recent.missing:
                matched = match_recent(sparse[number], recent, scores, items, self._lexical)
                for view, extra in matched.items():
                    scores[view] = {**scores.get(view, {}), **extra}
            asked.append(Asked(query.weight, scores, self._coarse_pool))
        return asked
