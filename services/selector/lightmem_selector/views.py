"""From planned queries to what each view is asked, and from its answers to scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lightmem.model import Item, PlannedQuery, SparseVector, TokenVectors, View, ViewQuery
from lightmem.ports import Encoded, LexicalEncoder
from lightmem_selector.pool import Asked
from lightmem_selector.recent import Recent, by_word_alone, match_recent, stand_in

#: What is asked of each view, by the number of the query.
Queries = dict[tuple[int, View], ViewQuery]


@dataclass(frozen=True, slots=True)
class Hits:
    """What was found: scores by query and view, and the items by id."""

    scores: Mapping[tuple[int, View], Mapping[str, float]] = field(default_factory=dict)
    items: Mapping[str, Item] = field(default_factory=dict)


WORDS = (View.BM25, View.WINDOW_BM25)
MEANING = (View.DENSE, View.WINDOW_DENSE)


def view_queries(
    encoded: Mapping[int, Encoded], sparse: Sequence[SparseVector], *, limit: int
) -> Queries:
    """Every view of every query that has something to ask it.

    The tokens are asked of all that the other views find, so their scores have no gaps.

    Args:
        encoded: The queries that meaning is asked for, by their number.
        sparse: The words of each query.
        limit: How many each view is asked for.
    """
    queries: Queries = {}
    for number, words in enumerate(sparse):
        if number in encoded:
            dense = encoded[number].vector.tolist()
            for view in MEANING:
                queries[number, view] = ViewQuery(view, dense, limit)
            tokens = TokenVectors(encoded[number].tokens.tolist())
            if tokens.rows:
                whole = limit * len(View) * len(sparse)
                queries[number, View.TOKENS] = ViewQuery(View.TOKENS, tokens, whole)
        if words.indices:
            for view in WORDS:
                queries[number, view] = ViewQuery(view, words, limit)
    return queries


def scores_of(
    queries: Sequence[PlannedQuery],
    sparse: Sequence[SparseVector],
    hits: Mapping[tuple[int, View], Mapping[str, float]],
    recent: Recent,
    items: Mapping[str, Item],
    *,
    lexical: LexicalEncoder,
    limit: int,
) -> list[Asked]:
    """Scores by query and view, those put among them that the index cannot give yet."""
    asked = []
    for number, query in enumerate(queries):
        scores: dict[View, dict[str, float]] = {
            view: {key: score for key, score in answer.items() if key in items}
            for (of, view), answer in hits.items()
            if of == number
        }
        if number and not (scores or sparse[number].indices):
            # It was not asked, so what is not indexed yet is not held against it either.
            asked.append(Asked(query.weight, {}, limit))
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
        asked.append(Asked(query.weight, scores, limit))
    return asked
