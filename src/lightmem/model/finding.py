"""What the index holds, and how it is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from lightmem.model.recall import Item, ItemKind


class View(StrEnum):
    """A way of looking at an indexed text: alone or with its neighbours, by meaning or by word."""

    DENSE = "dense"
    BM25 = "bm25"
    WINDOW_DENSE = "window_dense"
    WINDOW_BM25 = "window_bm25"
    #: Late interaction: each token of the question finds its nearest token of the text.
    TOKENS = "tokens"


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Token ids and weights of equal length; ids are unique 32-bit hashes of stems."""

    indices: Sequence[int]
    values: Sequence[float]


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """One unit vector for each token of a text, in order; all of one length."""

    rows: Sequence[Sequence[float]]


Vector = Sequence[float] | SparseVector | TokenVectors


@dataclass(frozen=True, slots=True)
class IndexPoint:
    """A turn or memory as the index holds it: the item and one vector per view.

    `session_ids` and `speakers` are what filters see; empty means the item's own. A memory has
    those of the turns it quotes. `passage` counts the passages of a long turn from 1: the item is
    the turn with the passage's words, and the turn itself is 0.
    """

    item: Item
    vectors: Mapping[View, Vector]
    session_ids: Sequence[str] = ()
    speakers: Sequence[str] = ()
    passage: int = 0


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """What the index has of an item, to be held against the ledger.

    `is_encoded`: it is found by meaning too, and not by word alone.
    """

    tenant_id: str
    user_id: str
    id: str
    kind: ItemKind
    text: str
    is_encoded: bool


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: scores by item id for each query, best first, and each item once.

    `items` are those that have a score, in the order in which the queries found them.
    """

    scores: Sequence[Mapping[str, float]]
    items: Mapping[str, Item]

    def ranked(self) -> list[list[Item]]:
        """For each query its items with its own scores, best first."""
        return [
            [replace(self.items[item_id], score=score) for item_id, score in scores.items()]
            for scores in self.scores
        ]


@dataclass(frozen=True, slots=True)
class ViewQuery:
    """Ask one view for its `limit` best by its own score.

    `View.TOKENS` is asked of what the other queries of the call found, and of nothing else. With a
    `kind` no item of another kind is found, or has a part in how rare a word is.
    """

    view: View
    vector: Vector
    limit: int
    kind: ItemKind | None = None
