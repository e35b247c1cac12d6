"""From planned queries to what each view is asked, and from its answers to scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lightmem.model import (
    Item,
    ItemKind,
    PlannedQuery,
    SparseVector,
    TokenVectors,
    Vector,
    View,
    ViewQuery,
)
from lightmem.ports import Encoded, LexicalEncoder
from lightmem_selector.pool import Asked
from lightmem_selector.recent import Recent, by_word_alone, match_recent, stand_in

#: What is asked of each view, by the number of the query and the kind of items.
Queries = dict[tuple[int, View, ItemKind | None], ViewQuery]


@dataclass(frozen=True, slots=True)
class Hits:
    """What was found: scores by query and view, and the items by id."""

    scores: Mapping[tuple[int, View], Mapping[str, float]] = field(default_factory=dict)
    items: Mapping[str, Item] = field(default_factory=dict)


WORDS = (View.BM25, View.WINDOW_BM25)
MEANING = (View.DENSE, View.WINDOW_DENSE)
#: The views of an item without its neighbours, which are those that memories have, and how much of
#: what such a view is asked for are turns.
ALONE, TURNS_SHARE = (View.DENSE, View.BM25), 0.6


def view_queries(
    encoded: Mapping[int, Encoded],
    sparse: Sequence[SparseVector],
    *,
    limit: int,
    kinds: Sequence[ItemKind] = (),
) -> Queries:
    """Every view of every query that has something to ask it.

    Turns and memories are asked for apart: no memory takes a turn's place among the best of a
    view, or makes its words less rare, so that what is learnt, and what dreams make of it, changes
    nothing of how turns are found. The tokens are asked of all that the other views find, so their
    scores have no gaps.

    Args:
        encoded: The queries that meaning is asked for, by their number.
        sparse: The words of each query.
        limit: How many each view is asked for.
        kinds: Of items; all unless told.
    """
    queries: Queries = {}
    for number, words in enumerate(sparse):
        if number in encoded:
            dense = encoded[number].vector.tolist()
            for view in MEANING:
                queries |= _by_kind(number, view, dense, limit, kinds)
            tokens = TokenVectors(encoded[number].tokens.tolist())
            if tokens.rows:
                whole = limit * len(View) * len(sparse)
                queries[number, View.TOKENS, None] = ViewQuery(View.TOKENS, tokens, whole)
        if words.indices:
            for view in WORDS:
                queries |= _by_kind(number, view, words, limit, kinds)
    return queries


def turns_asked(limit: int, kinds: Sequence[ItemKind]) -> dict[View, int]:
    """How many turns each view is asked for that memories have too; none where kinds are told."""
    if kinds and not {ItemKind.TURN, ItemKind.MEMORY} <= set(kinds):
        return {}
    return dict.fromkeys(ALONE, max(1, round(limit * TURNS_SHARE)))


def _by_kind(
    number: int, view: View, vector: Vector, limit: int, kinds: Sequence[ItemKind]
) -> Queries:
    """A view's query for turns, and for memories where they have that view."""
    turns = turns_asked(limit, kinds).get(view, limit)
    shares = {ItemKind.TURN: turns}
    if view in ALONE:
        shares[ItemKind.MEMORY] = max(1, limit - turns) if turns < limit else limit
    return {
        (number, view, kind): ViewQuery(view, vector, count, kind)
        for kind, count in shares.items()
        if not kinds or kind in kinds
    }


def scores_of(
    queries: Sequence[PlannedQuery],
    sparse: Sequence[SparseVector],
    hits: Mapping[tuple[int, View], Mapping[str, float]],
    recent: Recent,
    items: Mapping[str, Item],
    *,
    lexical: LexicalEncoder,
    limit: int,
    kinds: Sequence[ItemKind] = (),
) -> list[Asked]:
    """Scores by query and view, those put among them that the index cannot give yet."""
    asked, fewer = [], turns_asked(limit, kinds)
    for number, query in enumerate(queries):
        scores: dict[View, dict[str, float]] = {
            view: {key: score for key, score in answer.items() if key in items}
            for (of, view), answer in hits.items()
            if of == number
        }
        if number and not (scores or sparse[number].indices):
            # It was not asked, so what is not indexed yet is not held against it either.
            asked.append(Asked(query.weight, {}, limit, fewer))
            continue
        if unencoded := by_word_alone(scores):
            for view, extra in stand_in(scores, unencoded).items():
                scores[view] = {**scores[view], **extra}
        if recent.missing:
            matched = match_recent(sparse[number], recent, scores, items, lexical)
            for view, extra in matched.items():
                # A list of words has no scores of meaning to be among.
                if view in WORDS or not query.by_word:
                    scores[view] = {**scores.get(view, {}), **extra}
        asked.append(Asked(query.weight, scores, limit, fewer))
    return asked
