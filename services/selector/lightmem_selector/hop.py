"""The second hop: what the first hits say is asked for again, where one hit is not the answer.

A list is told over many sessions, each time in other words, and who is asked about may be named by
what only the first hit says ("my home country", then "my home country, Sweden"). So the question
is moved towards its best hits (Rocchio), and their telling words are searched for: as one more
query of little weight, in one more search. What it finds is also scored by the question's tokens.

In `deep` alone: over what a ranker puts in order it was not seen to find more.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from lightmem.domain.text import content_words, words_of
from lightmem.model import (
    Item,
    ItemKind,
    Plan,
    RecallMode,
    RecallRequest,
    SparseVector,
    TokenVectors,
    View,
    ViewQuery,
)
from lightmem.ports import Encoded, LexicalEncoder, MemoryIndex
from lightmem_selector.filters import filters_of
from lightmem_selector.joined import found_as_one
from lightmem_selector.passages import by_passage
from lightmem_selector.pool import Asked, Pool
from lightmem_selector.signs import Column
from lightmem_selector.succession import Succession
from lightmem_selector.views import MEANING, WORDS

#: Weight of the second query, and how far the first hits move the question towards them.
HOP_WEIGHT, TOWARDS = 0.15, 1.0
#: Turns that are looked at, words that are taken from them, and hits asked of each view.
FIRST_HITS, MOST_WORDS, LIMIT = 3, 6, 50
#: A word of the next hit counts so much less.
_FALL = 0.3


def is_wanted(request: RecallRequest, plan: Plan) -> bool:
    """Whether one turn is unlikely to hold the whole answer, and the caller has time for more."""
    return request.mode is RecallMode.DEEP and "list" in plan.wants


class SecondHop:
    """Asks the index once more, with what the first search found."""

    def __init__(self, *, index: MemoryIndex, lexical: LexicalEncoder) -> None:
        self._index = index
        self._lexical = lexical

    async def __call__(
        self,
        tenant_id: str,
        user_id: str,
        request: RecallRequest,
        pool: Pool,
        *,
        linear: Column,
        question: Encoded | None,
    ) -> Pool:
        """The pool with what a second search finds.

        Args:
            linear: What the linear ranking says of each item of the pool, in its order.
            question: The vectors of the question; without, words alone are asked for.
        """
        best = _best(pool, linear)
        queries = self._of_words(request.query, pool, best)
        if question is not None:
            vectors = await self._index.encoded(tenant_id, user_id, [item.id for item in best])
            queries |= _of_meaning(question, vectors)
        if not queries:
            return pool
        searches = list(queries.values())
        if question is not None and len(question.tokens):
            tokens = TokenVectors(question.tokens.tolist())
            searches.append(ViewQuery(View.TOKENS, tokens, LIMIT * len(searches) * 2))
        found = await self._index.find(tenant_id, user_id, searches, filters=filters_of(request))
        numbered, items = found_as_one(
            dict(enumerate(found.scores)),
            {**by_passage(request.query, found.items), **pool.items},
            request.as_of,
        )
        scores = dict(zip(queries, numbered.values(), strict=False))
        scored = numbered.get(len(queries), {})
        asked = [*_with_tokens(pool.asked, scored), Asked(HOP_WEIGHT, scores, LIMIT)]
        succession = Succession.of(items, request.as_of)
        kept = succession.kept
        asked = [each.of(kept) for each in asked]
        return replace(pool, items=kept, asked=asked, succession=succession)

    def _of_words(self, question: str, pool: Pool, best: Sequence[Item]) -> dict[View, ViewQuery]:
        words: SparseVector = self._lexical.query(" ".join(telling_words(question, pool, best)))
        return {view: ViewQuery(view, words, LIMIT) for view in WORDS if words.indices}


def telling_words(question: str, pool: Pool, best: Sequence[Item]) -> list[str]:
    """The words that tell the first hits from the rest of the pool, none of the question's."""
    held = Counter(word for item in pool.items.values() for word in content_words(item.text))
    speakers = {item.speaker for item in pool.items.values() if item.speaker}
    known = words_of(question) | words_of(" ".join(sorted(speakers)))
    weights: dict[str, float] = {}
    for place, item in enumerate(best):
        for word in content_words(item.text) - known:
            rarity = math.log1p((len(pool.items) - held[word] + 0.5) / (held[word] + 0.5))
            weights[word] = weights.get(word, 0.0) + rarity / (1 + _FALL * place)
    return sorted(weights, key=lambda word: (-weights[word], word))[:MOST_WORDS]


def _best(pool: Pool, linear: Column) -> list[Item]:
    items = list(pool.items.values())
    ranked = (items[number] for number in np.argsort(-linear, kind="stable"))
    turns = [item for item in ranked if item.kind is ItemKind.TURN]
    return turns[:FIRST_HITS]


def _of_meaning(question: Encoded, vectors: Mapping[str, Encoded]) -> dict[View, ViewQuery]:
    """The question moved towards the mean of the first hits."""
    if not vectors:
        return {}
    mean = np.mean([encoded.vector for encoded in vectors.values()], axis=0)
    moved = question.vector + np.float32(TOWARDS) * mean
    norm = float(np.linalg.norm(moved))
    if norm == 0.0:
        return {}
    vector = (moved / np.float32(norm)).tolist()
    return {view: ViewQuery(view, vector, LIMIT) for view in MEANING}


def _with_tokens(asked: Sequence[Asked], tokens: Mapping[str, float]) -> list[Asked]:
    """What was asked first, with the question's own scores of what was found since."""
    first, *others = asked
    known = first.scores.get(View.TOKENS)
    if known is None:
        return list(asked)
    scores = {**first.scores, View.TOKENS: {**tokens, **known}}
    return [replace(first, scores=scores), *others]
