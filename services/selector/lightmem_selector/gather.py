"""Gathering the coarse pool: one encoding, beside it the short-term buffer and what users share
about what is named, then one search over all queries and views. What is down is left out and named.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter

from lightmem.model import (
    Item,
    Layer,
    Plan,
    Reached,
    RecallRequest,
    Role,
    SparseVector,
    Turn,
    View,
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
from lightmem_selector.filters import admits, filters_of
from lightmem_selector.followers import followers_of
from lightmem_selector.hop import SecondHop, is_wanted
from lightmem_selector.joined import found_as_one
from lightmem_selector.long_term import LongTerm, hinted
from lightmem_selector.near import far_off
from lightmem_selector.passages import by_passage
from lightmem_selector.pool import Pool
from lightmem_selector.recent import Recent, item_of
from lightmem_selector.signs import signs_of
from lightmem_selector.succession import Succession
from lightmem_selector.views import Hits, Queries, scores_of, view_queries
from lightmem_selector.voice import in_their_voice
from lightmem_selector.weights import Weights

INDEX_DOWN = "mid_term: index unavailable"
ENCODER_DOWN = "mid_term: encoder unavailable"
BUFFER_DOWN = "short_term: buffer unavailable"
GRAPH_DOWN = "long_term: neo4j unavailable"

#: What a query that is not searched for asks the views of words.
NO_WORDS = SparseVector((), ())
#: How long the graph may take. The search waits for what it may add, since a recall that asked
#: more or less by who was faster would not give the same items twice.
GRAPH_PATIENCE_S = 1.0


class GatherPool:
    """Asks index, buffer and graph for everything that may answer.

    Args:
        coarse_pool: Candidates asked of each view for each query.
        short_term_turns: Turns asked of the buffer.
        patience_s: How long one part may take before the recall goes on without it.
        weights: Of the linear ranking, whose best hits a second search starts from.
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
        patience_s: float,
        weights: Weights | None = None,
    ) -> None:
        self._weights = weights or Weights()
        self._hop = SecondHop(index=index, lexical=lexical)
        self._index = index
        self._encoder = encoder
        self._lexical = lexical
        self._short_term = short_term
        self._long_term = LongTerm(graph)
        self._coarse_pool = coarse_pool
        self._short_term_turns = short_term_turns
        self._patience_s = patience_s

    async def __call__(
        self, tenant_id: str, user_id: str, request: RecallRequest, plan: Plan
    ) -> Pool:
        """Gather the pool; `timings_ms` has `embed` and `gather`, which is the rest."""
        started = perf_counter()
        attempts = Attempts(patience_s=self._patience_s)
        planned = len(plan.queries)
        (encoded, embed_s), recent, reached = await asyncio.gather(
            self._embed(attempts, tenant_id, user_id, plan),
            self._recent(attempts, tenant_id, user_id, request, plan),
            self._shared(attempts, tenant_id, request, plan),
        )
        plan = hinted(plan, reached)
        question = encoded.get(0)
        unasked = far_off(encoded)
        encoded = {number: each for number, each in encoded.items() if number not in unasked}
        sparse = [
            NO_WORDS if number in unasked else self._lexical.query(query.text)
            for number, query in enumerate(plan.queries)
        ]
        found = await self._found(
            attempts, tenant_id, user_id, request, plan, encoded=encoded, sparse=sparse
        )
        if found is None:
            found, recent, question = Hits(), replace(recent, missing=recent.turns), None
        pool = await self._pool(
            attempts, tenant_id, user_id, request, plan, found=found, recent=recent, sparse=sparse
        )
        pool = replace(
            pool,
            concepts=[each.concept for each in reached[: request.top_k]],
            added=plan.queries[planned:],
        )
        if is_wanted(request, plan) and found.scores and pool.items:
            linear = signs_of(request, plan, pool, self._weights).linear
            again = self._hop(tenant_id, user_id, request, pool, linear=linear, question=question)
            pool = await attempts.ask(again, or_else=INDEX_DOWN) or pool
        rest_s = perf_counter() - started - embed_s
        return replace(
            pool,
            degraded=attempts.degraded,
            timings_ms={"embed": embed_s * 1e3, "gather": max(rest_s, 0.0) * 1e3},
        )

    async def _pool(
        self,
        attempts: Attempts,
        tenant_id: str,
        user_id: str,
        request: RecallRequest,
        plan: Plan,
        *,
        found: Hits,
        recent: Recent,
        sparse: Sequence[SparseVector],
    ) -> Pool:
        """What was found, with what took its place, each memory once, and the scores of all."""
        candidates = self._items(request, found, recent)
        followed = followers_of(self._index, tenant_id, user_id, request, candidates)
        candidates |= await attempts.ask(followed, or_else=INDEX_DOWN) or {}
        hits, candidates = found_as_one(found.scores, candidates, request.as_of)
        succession = Succession.of(candidates, request.as_of)
        asked = scores_of(
            plan.queries,
            sparse,
            hits,
            recent,
            succession.kept,
            lexical=self._lexical,
            limit=self._coarse_pool,
            kinds=request.filters.kinds,
        )
        return Pool(
            items=succession.kept,
            asked=asked,
            short_term_ids=recent.session_ids | {turn.id for turn in recent.missing},
            succession=succession,
        )

    async def _found(
        self,
        attempts: Attempts,
        tenant_id: str,
        user_id: str,
        request: RecallRequest,
        plan: Plan,
        *,
        encoded: Mapping[int, Encoded],
        sparse: Sequence[SparseVector],
    ) -> Hits | None:
        """What the index holds on it; None where the index is down."""
        is_searched = Layer.MID_TERM in plan.layers
        kinds = request.filters.kinds
        queries = (
            view_queries(encoded, sparse, limit=self._coarse_pool, kinds=kinds)
            if is_searched
            else {}
        )
        if not queries:
            return Hits()
        asked = self._search(tenant_id, user_id, request, queries)
        return await attempts.ask(asked, or_else=INDEX_DOWN)

    async def _embed(
        self, attempts: Attempts, tenant_id: str, user_id: str, plan: Plan
    ) -> tuple[Mapping[int, Encoded], float]:
        """Queries by number in one encoding, speakers' names out of them, and its seconds."""
        if Layer.MID_TERM not in plan.layers:
            return {}, 0.0
        known = self._index.speakers(tenant_id, user_id)
        speakers = await attempts.ask(known, or_else=INDEX_DOWN) or []
        started = perf_counter()
        texts = {
            number: in_their_voice(query.text, plan.entities, speakers)
            for number, query in enumerate(plan.queries)
            if not query.by_word
        }
        asked = self._encoder.encode_tokens(list(texts.values()))
        encoded = await attempts.ask(asked, or_else=ENCODER_DOWN)
        return dict(zip(texts, encoded or (), strict=False)), perf_counter() - started

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
        asked = self._index.held(tenant_id, user_id, [turn.id for turn in turns])
        held = await attempts.ask(asked, or_else=INDEX_DOWN) or set()
        return [turn for turn in turns if turn.id not in held]

    async def _shared(
        self, attempts: Attempts, tenant_id: str, request: RecallRequest, plan: Plan
    ) -> Sequence[Reached]:
        """What users share about what is named."""
        if not self._long_term.is_asked(tenant_id, request, plan):
            return ()

        async def in_time() -> Sequence[Reached]:
            async with asyncio.timeout(GRAPH_PATIENCE_S):
                return await self._long_term.ask(tenant_id, request, plan)

        return await attempts.ask(in_time(), or_else=GRAPH_DOWN) or ()

    async def _search(
        self,
        tenant_id: str,
        user_id: str,
        request: RecallRequest,
        queries: Queries,
    ) -> Hits:
        """One search for all queries and views."""
        found = await self._index.find(
            tenant_id, user_id, list(queries.values()), filters=filters_of(request)
        )
        scores: dict[tuple[int, View], dict[str, float]] = {}
        for (number, view, _), answer in zip(queries, found.scores, strict=True):
            scores.setdefault((number, view), {}).update(answer)
        return Hits(scores, found.items)

    def _items(self, request: RecallRequest, hits: Hits, recent: Recent) -> dict[str, Item]:
        """All that was found and is admitted, by id. The index has filtered its hits itself."""
        filters = filters_of(request)
        missing = {turn.id: item_of(turn) for turn in recent.missing if admits(filters, turn)}
        return by_passage(request.query, {**hits.items, **missing})
