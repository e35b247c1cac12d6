"""Turns that the index does not hold yet, or holds by word alone until they are encoded.

The first are matched by their words against the short-term buffer. Their scores are put on the
scale of the index: its own hits show what a shared word is worth.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from statistics import median

from lightmem.domain.turn_items import item_of
from lightmem.model import Item, SparseVector, Turn, View
from lightmem.ports import LexicalEncoder

__all__ = ["Recent", "by_word_alone", "item_of", "match_recent", "stand_in"]


@dataclass(frozen=True, slots=True)
class Recent:
    """The buffer's turns: which belong to the session that asks, and which the index lacks."""

    turns: Sequence[Turn] = ()
    session_ids: frozenset[str] = frozenset()
    missing: Sequence[Turn] = ()


#: Hits of the index from which its scale is read.
_SAMPLE = 3
#: The views that words stand in for, each with the view of words that is like it.
_SCALES = (
    (View.DENSE, View.BM25),
    (View.WINDOW_DENSE, View.WINDOW_BM25),
    (View.TOKENS, View.BM25),
)


def match_recent(
    query: SparseVector,
    recent: Recent,
    indexed: Mapping[View, Mapping[str, float]],
    items: Mapping[str, Item],
    lexical: LexicalEncoder,
) -> dict[View, dict[str, float]]:
    """Scores by view of the turns that the index lacks.

    Args:
        query: The sparse vector of what is asked.
        recent: The buffer's turns, oldest first; they are each other's neighbours.
        indexed: What the index found, by view and id.
        items: All that may be recalled, by id; other turns get no score.
        lexical: Makes the vectors that are compared.

    Returns:
        BM25 scores on the index's scale for the turn and its window, and in their place on the
        scale of the dense views too, which nothing was encoded for.
    """
    worth = _worth_of_a_word(query, indexed.get(View.BM25, {}), items, lexical)
    wanted = {turn.id for turn in recent.missing} & items.keys()
    turns: dict[str, float] = {}
    windows: dict[str, float] = {}
    for position, turn in enumerate(recent.turns):
        if turn.id in wanted:
            turns[turn.id] = worth * _overlap(query, lexical.document(_words(turn)))
            window = lexical.document(_window(recent.turns, position))
            windows[turn.id] = max(worth * _overlap(query, window), turns[turn.id])
    found = {View.BM25: _positive(turns), View.WINDOW_BM25: _positive(windows)}
    for dense, sparse in _SCALES:
        known = indexed.get(dense, {}), indexed.get(sparse, {})
        # Not every encoder gives tokens.
        if dense is not View.TOKENS or dense in indexed:
            found[dense] = _on_scale_of(*known, found[sparse])
    return found


def by_word_alone(scores: Mapping[View, Mapping[str, float]]) -> AbstractSet[str]:
    """The items whose words are found while they have no tokens: they are not encoded yet.

    The tokens are asked of all that was found, so what they leave out has none.
    """
    tokens = scores.get(View.TOKENS)
    if not tokens:
        return frozenset()
    return {key for _, sparse in _SCALES for key in scores.get(sparse, {})} - tokens.keys()


def stand_in(
    scores: Mapping[View, Mapping[str, float]], ids: AbstractSet[str]
) -> dict[View, dict[str, float]]:
    """Scores of these items by the views of meaning, as high as their words stand in their view."""
    found = {}
    for dense, sparse in _SCALES:
        words = scores.get(sparse, {})
        own = {key: score for key, score in words.items() if key in ids}
        if known := scores.get(dense):
            found[dense] = _on_scale_of(known, words, own)
    return found


def _positive(scores: Mapping[str, float]) -> dict[str, float]:
    return {key: score for key, score in scores.items() if score > 0.0}


def _overlap(query: SparseVector, document: SparseVector) -> float:
    """Dot product without idf."""
    weights = dict(zip(document.indices, document.values, strict=True))
    pairs = zip(query.indices, query.values, strict=True)
    return sum(value * weights.get(index, 0.0) for index, value in pairs)


def _worth_of_a_word(
    query: SparseVector,
    bm25: Mapping[str, float],
    items: Mapping[str, Item],
    lexical: LexicalEncoder,
) -> float:
    """How much the index's best hits score for each unit of overlap; 1 without any."""
    best = sorted(bm25, key=lambda key: (-bm25[key], key))[:_SAMPLE]
    ratios = []
    for key in best:
        overlap = _overlap(query, lexical.document(items[key].text))
        if overlap > 0.0:
            ratios.append(bm25[key] / overlap)
    return median(ratios) if ratios else 1.0


def _on_scale_of(
    dense: Mapping[str, float], sparse: Mapping[str, float], scores: Mapping[str, float]
) -> dict[str, float]:
    """Sparse scores as the dense scores at the same height between worst and best."""
    if not dense or not sparse:
        return dict(scores)
    low, high = min(sparse.values()), max(sparse.values())
    floor, top = min(dense.values()), max(dense.values())
    if high <= low:
        # What alone has a word of the question is as good as the best, not as the worst.
        low = 0.0
    span = (top - floor) / (high - low)
    return {key: floor + max(score - low, 0.0) * span for key, score in scores.items()}


def _window(recent: Sequence[Turn], position: int) -> str:
    """The turn with its neighbours in the same session."""
    session_id = recent[position].session_id
    near = recent[max(0, position - 1) : position + 2]
    return "\n".join(_words(turn) for turn in near if turn.session_id == session_id)


def _words(turn: Turn) -> str:
    """A turn as it is found by word: what was said, and by whom."""
    return f"{turn.speaker}: {turn.content}" if turn.speaker else turn.content
