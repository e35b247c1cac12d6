"""Guesses the language that a word is written in: by its script, else by its text's stop words."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from lightmem.adapters.shipped import DATA

ENGLISH = "en"
#: Written in Latin letters, so told apart by their stop words. English wins a tie.
LATIN_LANGUAGES = ("en", "es", "fr", "de", "it", "pt", "nl")
#: Letters that one of these languages alone, or nearly alone, has.
_TELLING = {"ñ": "es", "¿": "es", "¡": "es", "ß": "de", "œ": "fr", "ã": "pt", "õ": "pt", "ì": "it"}
#: So many signs are needed before a text is taken for another language than English.
_ENOUGH = 2

#: First code point after each script that has a stemmer of its own, and the language.
_SCRIPTS = (
    (0x0370, 0x03FF, "el"),
    (0x0400, 0x052F, "ru"),
    (0x0530, 0x058F, "hy"),
    (0x0600, 0x06FF, "ar"),
    (0x0900, 0x097F, "hi"),
    (0x0B80, 0x0BFF, "ta"),
)


@dataclass(frozen=True, slots=True)
class StopWords:
    """The stop words of each language, with and without their accents."""

    of: Mapping[str, frozenset[str]]
    languages_of: Mapping[str, Sequence[str]]


@cache
def stop_words() -> StopWords:
    """Read the lists that come with the package."""
    of = {}
    for path in sorted((DATA / "stopwords").glob("*.txt")):
        words = path.read_text(encoding="utf-8").split()
        of[path.stem] = frozenset([*words, *(fold(word) for word in words)])
    languages_of: dict[str, list[str]] = {}
    for language in LATIN_LANGUAGES:
        for word in of[language]:
            languages_of.setdefault(word, []).append(language)
    return StopWords(of, languages_of)


def language_of_text(text: str, words: Sequence[str]) -> str:
    """The language of a text's Latin words; English unless enough says otherwise.

    Args:
        text: As written, for the letters that tell.
        words: Its words, casefolded.
    """
    languages_of = stop_words().languages_of
    votes = dict.fromkeys(LATIN_LANGUAGES, 0)
    # An elision tells as well: l'ami, d'Ana.
    for word in {*words, *(word.split("'")[0] for word in words if "'" in word)}:
        for language in languages_of.get(word, ()):
            votes[language] += 1
    if not text.isascii():
        for letter, language in _TELLING.items():
            votes[language] += _ENOUGH * (letter in text)
    best = max(LATIN_LANGUAGES, key=votes.__getitem__)
    return best if votes[best] >= _ENOUGH else ENGLISH


def language_of_word(word: str, text_language: str) -> str:
    """The language to stem a word in: that of its script, else that of its text."""
    if word.isascii():
        return text_language
    code = ord(word[0])
    for first, last, language in _SCRIPTS:
        if first <= code <= last:
            return language
    return text_language


def fold(word: str) -> str:
    """The word without accents, in scripts where an accent makes no other word."""
    if word.isascii() or ord(word[0]) > 0x052F:
        return word
    decomposed = unicodedata.normalize("NFKD", word)
    return "".join(character for character in decomposed if not unicodedata.combining(character))
