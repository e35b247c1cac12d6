"""BM25 without an engine's help: stems of a text as a sparse vector, idf left to the index."""

import threading
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from typing import Protocol

import snowballstemmer

from lightmem.adapters.lexical.language import (
    ENGLISH,
    fold,
    language_of_text,
    language_of_word,
    stop_words,
)
from lightmem.adapters.lexical.words import Word, split_words
from lightmem.model import SparseVector

#: How fast repeating a word stops counting, and how much a long text is held against it.
K1, B = 0.9, 0.4
#: Terms of a usual conversation turn, and of one with its two neighbours.
TURN_TERMS, WINDOW_TERMS = 12.0, 36.0

_STEMMERS = {
    "en": "english",
    "es": "spanish",
    "fr": "french",
    "de": "german",
    "it": "italian",
    "pt": "portuguese",
    "nl": "dutch",
    "ru": "russian",
    "el": "greek",
    "hy": "armenian",
    "ar": "arabic",
    "hi": "hindi",
    "ta": "tamil",
}
_CACHED_WORDS = 65_536
#: Lines whose words are kept: a turn's are met again in the windows of its neighbours.
_CACHED_LINES = 256


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...


class SnowballLexicalEncoder:
    """Stems by the language of the text; stop words out, digits and names kept, accents folded.

    Scripts written without spaces are indexed by characters and pairs of them, and asked for by
    pairs, or by the one character of a query that has no more. Term ids are the first 32 bits of
    a BLAKE2b hash of the term, so they are the same in every process.
    """

    def __init__(self) -> None:
        # A Snowball stemmer keeps the word in itself while it works.
        self._lock = threading.Lock()
        self._stemmers: dict[str, _Stemmer] = {
            language: snowballstemmer.stemmer(name) for language, name in _STEMMERS.items()
        }
        self._terms_of_word = lru_cache(_CACHED_WORDS)(self._find_terms)
        self._words_of_line = lru_cache(_CACHED_LINES)(split_words)
        self._counts_of_line = lru_cache(_CACHED_LINES)(self._count_terms)

    def document(self, text: str, *, window: bool = False) -> SparseVector:
        """Saturated term frequencies: tf (k1 + 1) / (tf + k1 (1 - b + b length / usual length)).

        Args:
            text: What is indexed.
            window: It is a turn with its neighbours, so three times the length is usual.

        Source: BM25 of Robertson and Zaragoza 2009, without the idf, which the index multiplies.
        """
        lines = text.split("\n")
        words = [word.text for line in lines for word in self._words_of_line(line)]
        language = language_of_text(text, words)
        counts: Counter[int] = Counter()
        length = 0.0
        for line in lines:
            found, words_found = self._counts_of_line(line, language)
            counts.update(found)
            length += words_found
        usual = WINDOW_TERMS if window else TURN_TERMS
        discount = K1 * (1 - B + B * length / usual)
        weights = [count * (K1 + 1) / (count + discount) for count in counts.values()]
        return SparseVector(list(counts), weights)

    def _count_terms(self, line: str, language: str) -> tuple[Counter[int], float]:
        """How often each term is in a line of such a text, and how many words they make."""
        counts: Counter[int] = Counter()
        length = 0.0
        for word in self._words_of_line(line):
            if word.is_unspaced:
                counts.update(_characters(word.text))
                counts.update(_pairs(word.text))
                length += len(word.text) / 2
            elif terms := self._terms_of_word(word, language):
                counts.update(terms)
                length += 1
        return counts, length

    def query(self, text: str) -> SparseVector:
        """Each distinct term once, weight 1; empty for stop words alone."""
        terms: dict[int, None] = {}
        for word, found in self._words(text):
            if word.is_unspaced:
                asked = _pairs(word.text) if len(word.text) > 1 else _characters(word.text)
                terms.update(dict.fromkeys(asked))
            else:
                terms.update(dict.fromkeys(found))
        return SparseVector(list(terms), [1.0] * len(terms))

    def _words(self, text: str) -> Iterator[tuple[Word, tuple[int, ...]]]:
        """Each word with its term ids: none for a stop word or an unspaced run."""
        words = split_words(text)
        language = language_of_text(text, [word.text for word in words])
        terms_of_word = self._terms_of_word
        return ((word, terms_of_word(word, language)) for word in words)

    def _find_terms(self, word: Word, text_language: str) -> tuple[int, ...]:
        if word.is_unspaced:
            return ()
        language = language_of_word(word.text, text_language)
        stops = stop_words().of.get(language, frozenset())
        if word.text in stops and not _is_named(word, language):
            return ()
        parts = [part for part in word.text.split("'") if part and part not in stops]
        if "'" in word.text:
            # Left of an elision or a possessive: l'amico, d'Ana, Ana's.
            parts = [part for part in parts if len(part) > 1 or part.isdigit()]
        elif not parts:
            parts = [word.text]
        terms = [self._term(part, language) for part in parts]
        if word.is_name and language != ENGLISH:
            # So that a name is found from a text in English too, which stems it otherwise.
            terms += [self._term(part, ENGLISH) for part in parts]
        return tuple(dict.fromkeys(terms))

    def _term(self, word: str, language: str) -> int:
        with self._lock:
            stem = self._stemmers[language].stemWord(word)
        return _term_id(fold(stem) or word)


def _is_named(word: Word, language: str) -> bool:
    """Whether a stop word is a name here: Will, May, US. German capitalises more than names."""
    return word.is_name and len(word.text) > 1 and "'" not in word.text and language != "de"


@lru_cache(_CACHED_WORDS)
def _term_id(term: str) -> int:
    return int.from_bytes(blake2b(term.encode(), digest_size=4).digest(), "big")


def _characters(run: str) -> Iterator[int]:
    return (_term_id(character) for character in run)


def _pairs(run: str) -> Iterator[int]:
    return (_term_id(run[start : start + 2]) for start in range(len(run) - 1))
