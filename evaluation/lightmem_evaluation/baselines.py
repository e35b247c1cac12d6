"""The plain systems to be better than: BM25 over single turns, and dense search over them."""

import math
import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import snowballstemmer
from numpy.typing import NDArray

from lightmem.ports import Encoder
from lightmem_evaluation.locomo import Conversation, Question, dialogue_id
from lightmem_evaluation.systems import Found, with_caption, with_speaker

K1, B = 1.2, 0.75

_STOP_WORDS = (
    "a about after all also am an and any are as at be because been before being but by can could "
    "did do does doing for from had has have having he her here hers him his how i if in into is "
    "it its just me my no not of on or our ours she so some such than that the their theirs them "
    "then there these they this those to too us was we were what when where which who whom why "
    "will with would you your yours s t"
)
STOP_WORDS = frozenset(_STOP_WORDS.split())
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class _LexicalStore:
    """The turns of one conversation by stem."""

    ids: Sequence[str]
    counts: Sequence[Counter[str]]
    lengths: Sequence[int]
    idf: dict[str, float]
    mean_length: float


class Bm25System:
    """BM25 as Robertson's, Lucene's idf: stemmed words without stop words, single turns."""

    name = "bm25"

    def __init__(self) -> None:
        self._stemmer = snowballstemmer.stemmer("english")
        self._stores: dict[str, _LexicalStore] = {}

    async def build(self, conversation: Conversation) -> None:
        """Count the stems of each turn."""
        turns = conversation.turns
        counts = [Counter(self._stems(with_caption(turn))) for turn in turns]
        lengths = [sum(count.values()) for count in counts]
        documents = Counter(stem for count in counts for stem in count)
        idf = {
            stem: math.log(1 + (len(turns) - n + 0.5) / (n + 0.5)) for stem, n in documents.items()
        }
        self._stores[conversation.id] = _LexicalStore(
            ids=[dialogue_id(turn) for turn in turns],
            counts=counts,
            lengths=lengths,
            idf=idf,
            mean_length=sum(lengths) / max(1, len(lengths)),
        )

    async def search(self, conversation: Conversation, question: Question, *, k: int) -> Found:
        """The turns that share stems with the question, by BM25."""
        start = time.perf_counter()
        store = self._stores[conversation.id]
        stems = set(self._stems(question.text))
        scores = [self._score(store, place, stems) for place in range(len(store.ids))]
        best = sorted(range(len(scores)), key=lambda place: (-scores[place], place))[:k]
        items = [(store.ids[place],) for place in best if scores[place] > 0]
        return Found(items, {"total": (time.perf_counter() - start) * 1000})

    def _stems(self, text: str) -> list[str]:
        words = [word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]
        stems: list[str] = self._stemmer.stemWords(words)
        return stems

    @staticmethod
    def _score(store: _LexicalStore, place: int, stems: set[str]) -> float:
        count = store.counts[place]
        norm = K1 * (1 - B + B * store.lengths[place] / store.mean_length)
        return sum(
            store.idf[stem] * count[stem] * (K1 + 1) / (count[stem] + norm)
            for stem in stems
            if count[stem]
        )


class DenseSystem:
    """Cosine similarity of the question and each single turn, by the encoder under measure."""

    name = "dense"

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._stores: dict[str, tuple[Sequence[str], NDArray[np.float32]]] = {}

    async def build(self, conversation: Conversation) -> None:
        """Encode each turn."""
        turns = conversation.turns
        vectors = await self._encoder.encode([with_speaker(turn) for turn in turns])
        self._stores[conversation.id] = ([dialogue_id(turn) for turn in turns], vectors)

    async def search(self, conversation: Conversation, question: Question, *, k: int) -> Found:
        """The turns nearest to the question."""
        start = time.perf_counter()
        ids, vectors = self._stores[conversation.id]
        [query] = await self._encoder.encode([question.text])
        similarity = vectors @ query  # (n, dim) @ (dim,) -> (n,)
        best = np.argsort(-similarity, kind="stable")[:k]
        items = [(ids[place],) for place in best]
        return Found(items, {"total": (time.perf_counter() - start) * 1000})
