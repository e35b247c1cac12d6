"""The plain systems to be better than: BM25 over single turns, dense search over them, and both."""

import math
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import snowballstemmer
from numpy.typing import NDArray

from lightmem.adapters.shipped import DATA
from lightmem.client import SaidTurn
from lightmem.ports import Encoder
from lightmem_evaluation.locomo import Conversation, Question, dialogue_id
from lightmem_evaluation.systems import Found, with_caption, with_speaker

K1, B = 1.2, 0.75
#: Reciprocal rank fusion as published, over this many of each ranking.
RRF_K, RRF_DEPTH = 60, 100

_STOP_WORDS = (
    "a about after all also am an and any are as at be because been before being but by can could "
    "did do does doing for from had has have having he her here hers him his how i if in into is "
    "it its just me my no not of on or our ours she so some such than that the their theirs them "
    "then there these they this those to too us was we were what when where which who whom why "
    "will with would you your yours s t"
)
STOP_WORDS = frozenset(_STOP_WORDS.split())
_STEMMERS = {"en": "english", "es": "spanish", "fr": "french", "de": "german", "it": "italian"}
_WORD = re.compile(r"[^\W_]+")
#: Scripts without spaces, which plain BM25 cuts into pairs of characters.
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")


class Stems(Protocol):
    """Cuts a text into the terms that BM25 counts."""

    def __call__(self, text: str) -> list[str]: ...


def stems_in(language: str) -> Stems:
    """Stemmed words without stop words; pairs of characters where no spaces are written."""
    if language in {"zh", "ja"}:
        return _pairs
    stemmer = snowballstemmer.stemmer(_STEMMERS.get(language, "english"))
    stop_words = STOP_WORDS
    if language != "en" and (DATA / "stopwords" / f"{language}.txt").exists():
        text = (DATA / "stopwords" / f"{language}.txt").read_text(encoding="utf-8")
        stop_words = frozenset(text.split())

    def stems(text: str) -> list[str]:
        words = [word for word in _WORD.findall(text.lower()) if word not in stop_words]
        found: list[str] = stemmer.stemWords(words)
        return found

    return stems


def _pairs(text: str) -> list[str]:
    found = []
    for run in _WORD.findall(text.lower()):
        if _UNSPACED.search(run) and len(run) > 1:
            found += [run[place : place + 2] for place in range(len(run) - 1)]
        else:
            found.append(run)
    return found


@dataclass(frozen=True, slots=True)
class _LexicalStore:
    """The turns of one conversation by stem."""

    ids: Sequence[str]
    counts: Sequence[Counter[str]]
    lengths: Sequence[int]
    idf: dict[str, float]
    mean_length: float
    stems: Stems


class Bm25System:
    """BM25 as Robertson's, Lucene's idf: stemmed words without stop words, single turns.

    Args:
        text_of: What is read of a turn.
    """

    name = "bm25"

    def __init__(self, text_of: Callable[[SaidTurn], str] = with_caption) -> None:
        self._text_of = text_of
        self._stores: dict[str, _LexicalStore] = {}

    async def build(self, conversation: Conversation) -> None:
        """Count the stems of each turn."""
        stems = stems_in(conversation.language)
        turns = conversation.turns
        counts = [Counter(stems(self._text_of(turn))) for turn in turns]
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
            stems=stems,
        )

    async def search(self, conversation: Conversation, question: Question, *, k: int) -> Found:
        """The turns that share stems with the question, by BM25."""
        start = time.perf_counter()
        store = self._stores[conversation.id]
        stems = set(store.stems(question.text))
        scores = [self._score(store, place, stems) for place in range(len(store.ids))]
        best = sorted(range(len(scores)), key=lambda place: (-scores[place], place))[:k]
        items = [(store.ids[place],) for place in best if scores[place] > 0]
        return Found(items, {"total": (time.perf_counter() - start) * 1000})

    def size_bytes(self) -> int:
        """A posting of 8 bytes for each stem of each turn, as an index on disk would have."""
        return 8 * sum(len(count) for store in self._stores.values() for count in store.counts)

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
        encoded = time.perf_counter()
        similarity = vectors @ query  # (n, dim) @ (dim,) -> (n,)
        best = np.argsort(-similarity, kind="stable")[:k]
        items = [(ids[place],) for place in best]
        end = time.perf_counter()
        timings_ms = {"embed": (encoded - start) * 1000, "total": (end - start) * 1000}
        return Found(items, timings_ms)

    def size_bytes(self) -> int:
        """The vectors."""
        return sum(vectors.nbytes for _, vectors in self._stores.values())


class FusedSystem:
    """BM25 and dense search of the same run, fused by the reciprocals of their ranks.

    Source: Cormack, Clarke and Büttcher 2009, with their k of 60.
    """

    name = "rrf"

    def __init__(self, *systems: Bm25System | DenseSystem) -> None:
        self._systems = systems

    async def build(self, conversation: Conversation) -> None:
        """Nothing: the systems that are fused have it already."""

    async def search(self, conversation: Conversation, question: Question, *, k: int) -> Found:
        """The turns by the sum of 1 / (60 + rank) over the fused rankings."""
        start = time.perf_counter()
        scores: dict[str, float] = {}
        for system in self._systems:
            found = await system.search(conversation, question, k=RRF_DEPTH)
            for rank, (turn,) in enumerate(found.items, start=1):
                scores[turn] = scores.get(turn, 0.0) + 1 / (RRF_K + rank)
        best = sorted(scores, key=lambda turn: -scores[turn])[:k]
        return Found([(turn,) for turn in best], {"total": (time.perf_counter() - start) * 1000})

    def size_bytes(self) -> int:
        """What the fused systems keep."""
        return sum(system.size_bytes() for system in self._systems)
