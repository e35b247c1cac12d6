"""What Qdrant answers to the queries of a search, on the server and on the edge alike.

Both engines answer a little more than was asked for, so that equal scores are cut here, by id,
and the same search gives the same items whichever answered it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from math import inf
from operator import itemgetter
from typing import TypeVar

from lightmem.domain.passages import is_long
from lightmem.model import Found, Item, SparseVector, TokenVectors, View, ViewQuery

#: Asked for beyond the limit, so that equal scores at its edge are cut by id; of more equals than
#: these the engine itself chooses.
SPARE = 16
#: Relative difference of two scores that comes of summing 32-bit floats in another order.
NOISE = 2e-6

#: A point's id, of the engine's own kind, and its score.
K = TypeVar("K")
Hit = tuple[K, float]


def is_empty(query: ViewQuery) -> bool:
    """Whether a query asks for nothing: no term is left of stop words alone, or no token."""
    vector = query.vector
    if isinstance(vector, SparseVector):
        return not vector.indices
    return isinstance(vector, TokenVectors) and not vector.rows


def split(queries: Sequence[ViewQuery]) -> tuple[list[ViewQuery], list[ViewQuery]]:
    """The queries that find, and those of tokens, which score what was found."""
    asked = [query for query in queries if not is_empty(query)]
    finding = [query for query in asked if query.view is not View.TOKENS]
    return finding, [query for query in asked if query.view is View.TOKENS] if finding else []


def pool_of(finding: Sequence[ViewQuery], found: Iterable[Sequence[Hit[K]]]) -> set[K]:
    """The hits that token vectors score: each query's best, all that tie with the last included.

    What was found beyond them is left out, since where its ties are cut is the engine's choice,
    and each engine's another.
    """
    pool: set[K] = set()
    for query, hits in zip(finding, found, strict=True):
        if len(hits) > query.limit:
            last = sorted((score for _, score in hits), reverse=True)[query.limit - 1]
            pool.update(key for key, score in hits if score >= last - NOISE * max(1.0, abs(last)))
        else:
            pool.update(key for key, _ in hits)
    return pool


def found_of(
    queries: Sequence[ViewQuery],
    found: Iterable[Sequence[Hit[K]]],
    scored: Iterable[Sequence[Hit[K]]],
    items: Mapping[K, Item],
) -> Found:
    """The answer to each query, from those of both kinds; one that was not asked has none.

    A long turn is one item: that passage of it which is nearest to what is asked, with its scores.
    """
    found, scored = list(found), list(scored)
    left_out = _other_passages(items, [*scored, *found])
    remaining = {False: iter(found), True: iter(scored)}
    ids = {key: item.id for key, item in items.items() if key not in left_out}
    scores = [
        _best(
            [hit for hit in next(remaining[query.view is View.TOKENS], ()) if hit[0] in ids],
            ids,
            query.limit,
        )
        if not is_empty(query)
        else {}
        for query in queries
    ]
    by_id = {items[key].id: items[key] for key in ids}
    return Found(scores, {item_id: by_id[item_id] for answer in scores for item_id in answer})


def _other_passages(items: Mapping[K, Item], answers: Sequence[Sequence[Hit[K]]]) -> set[K]:
    """All points but one of each turn that has several: that passage stays which stands highest in
    the first answer that has any of them.
    """
    if len({item.id for item in items.values()}) == len(items):
        return set()
    keys: dict[str, list[K]] = defaultdict(list)
    for key, item in items.items():
        keys[item.id].append(key)
    scores = [dict(answer) for answer in answers]
    left_out: set[K] = set()
    for own in keys.values():
        passages = [key for key in own if not is_long(items[key].text)]
        heights = ({key: one[key] for key in passages if key in one} for one in scores)
        if height := next(filter(None, heights), None):
            best = min(height, key=lambda key: (-height[key], items[key].text))
            left_out.update(key for key in own if key != best)
    return left_out


def _best(hits: Sequence[Hit[K]], ids: Mapping[K, str], limit: int) -> dict[str, float]:
    """At most `limit` scores, best first; scores that noise alone tells apart are one score."""
    best: dict[str, float] = {}
    ties: list[str] = []
    head = last = inf
    for key, score in sorted(hits, key=itemgetter(1), reverse=True):
        if last - score > (NOISE if -1.0 < score < 1.0 else NOISE * abs(score)):
            _add(best, ties, head)
            if len(best) >= limit:
                ties = []
                break
            head, ties = score, []
        last = score
        ties.append(ids[key])
    _add(best, ties, head)
    return best if len(best) <= limit else dict(islice(best.items(), limit))


def _add(best: dict[str, float], ties: list[str], score: float) -> None:
    if len(ties) > 1:
        ties.sort()
    for item_id in ties:
        best[item_id] = score
