"""How much of a question's wording an item has: words weighted by how rare they are in the pool."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lightmem.domain.text import content_words, words_of
from lightmem.model import Item
from lightmem_selector.kinds import says_a_time
from lightmem_selector.places import Places

#: What is cut off a word, and how much of the rest is compared: enough to tell how much of a
#: question is covered; what is found by word is stemmed properly.
_ENDINGS, _LETTERS, _CACHED_WORDS = ("ing", "ed", "es", "s", "e"), 5, 65_536

Column = NDArray[np.float32]


class Wording:
    """Which of the question's words each item has, itself and with the turns beside it."""

    NAMES = (
        "covered",
        "covered.around",
        "covered.rarest",
        "covered.words",
        "covered.share",
        "names",
        "words",
        "says_time",
        "asks.words",
    )

    def __init__(
        self,
        question: str,
        entities: Sequence[str],
        items: Sequence[Item],
    ) -> None:
        self._asked = sorted(_roots(content_words(question)))
        self._names = sorted(_roots(words_of(" ".join(entities))))
        self._items = items

    def columns(self) -> dict[str, Column]:
        """The columns of `NAMES`."""
        words = [words_of(item.text) for item in self._items]
        roots = [_roots(own) for own in words]
        has = _matrix(roots, self._asked)  # (items, words)
        named = _matrix(roots, self._names)
        rarity = _rarity(has)
        total = float(rarity.sum()) or 1.0
        around = self._around(has)
        sizes = np.fromiter(map(len, roots), np.float32, len(roots))
        return {
            "covered": has @ rarity / np.float32(total),
            "covered.around": around @ rarity / np.float32(total),
            "covered.rarest": (has * rarity).max(axis=1, initial=0.0)
            / np.float32(rarity.max(initial=0.0) or 1.0),
            "covered.words": has.sum(axis=1),
            "covered.share": has.sum(axis=1) / np.maximum(sizes, 1),
            "names": named.sum(axis=1) / np.float32(len(self._names) or 1),
            "words": sizes,
            "says_time": np.fromiter(map(says_a_time, words), np.float32, len(words)),
            "asks.words": np.full(len(roots), len(self._asked), np.float32),
        }

    def _around(self, has: NDArray[np.float32]) -> NDArray[np.float32]:
        """What an item has together with the turns before and after it, if they are here."""
        places = Places(self._items)
        # The last row, of zeros, stands for what is not there.
        padded = np.vstack([has, np.zeros((1, has.shape[1]), np.float32)])
        around = has
        for distance in (-1, 1):
            around = np.maximum(around, padded[places.beside(distance)])
        return around


def _roots(words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(_root, words))


@lru_cache(_CACHED_WORDS)
def _root(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) > 2:
            return word[: -len(ending)][:_LETTERS]
    return word[:_LETTERS]


def _matrix(roots: Sequence[frozenset[str]], asked: Sequence[str]) -> NDArray[np.float32]:
    """1 where an item has a word: shape (items, words)."""
    found = [[word in own for word in asked] for own in roots]
    return np.array(found, np.float32).reshape(len(roots), len(asked))


def _rarity(has: NDArray[np.float32]) -> Column:
    """Idf of each word over the pool: log(1 + (n - df + 0.5) / (df + 0.5))."""
    counts = has.sum(axis=0)
    rarity: Column = np.log1p((len(has) - counts + 0.5) / (counts + 0.5)).astype(np.float32)
    return rarity
