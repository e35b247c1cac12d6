"""What was really said: quotes found word for word, names and numbers held against a source.

A model may bend spacing, case and punctuation when it quotes; what is kept is always the exact
substring of the turn. Words are compared by their beginnings, which allows for inflection.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from lightmem.domain.language import FUNCTION_WORDS, detect_language, script_of, words

# Scripts that write no spaces count each character as a word.
_UNSPACED = frozenset({"Hani", "Jpan", "Thai"})
# Scripts of languages that inflect their names.
_INFLECTED = frozenset({"Cyrl", "Grek"})
_TOKEN = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W\d_]+|\d+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_DIGITS = re.compile(r"\d+")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;…\n\"“(]\s*)$")
#: Letters that the inflections of a word share at least, and those that a name needs in common
#: with a word in small letters to be taken for it.
_STEM, _NAME_STEM = 3, 4


@lru_cache(maxsize=8192)
def _key(word: str) -> str:
    """A word as compared: width and case folded, accents of spaced scripts taken off."""
    parts = unicodedata.normalize("NFKD", word.casefold())
    plain = "".join(part for part in parts if not "\u0300" <= part <= "\u036f")
    return unicodedata.normalize("NFC", plain)


_NUMBER_WORDS = {
    _key(word): str(value)
    for listed in (
        "zero one two three four five six seven eight nine ten eleven twelve",
        "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "zéro un deux trois quatre cinq six sept huit neuf dix onze douze",
        "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "zero um dois três quatro cinco seis sete oito nove dez onze doze",
        "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici",
        "〇 一 二 三 四 五 六 七 八 九 十",
    )
    for value, word in enumerate(listed.split())
    # These are articles and other small words first.
    if word not in {"un", "uno", "um", "one", "sei", "once", "null", "due", "一"}
}
# What apostrophes leave of English words is no name either.
_PIECES = words("don ve ll re isn didn doesn wasn weren aren couldn wouldn won hasn haven ok")
_SMALL_WORDS = {
    language: frozenset(_key(word) for word in (*listed, *_PIECES))
    for language, listed in FUNCTION_WORDS.items()
}
_ALL_SMALL_WORDS = frozenset(word for listed in _SMALL_WORDS.values() for word in listed)


@dataclass(frozen=True, slots=True)
class Word:
    """A word as compared, and where it stands in its text."""

    key: str
    start: int
    end: int


def split_words(text: str) -> list[Word]:
    """The words of a text: runs of letters or digits, single characters of unspaced scripts."""
    found = []
    for match in _TOKEN.finditer(text):
        if script_of(match.group()[0]) in _UNSPACED:
            found += [Word(_key(text[at]), at, at + 1) for at in range(match.start(), match.end())]
        else:
            found.append(Word(_key(match.group()), match.start(), match.end()))
    return found


class Said:
    """The words of some texts, to hold others against."""

    def __init__(self, texts: Iterable[str]) -> None:
        spoken = [
            (text[word.start : word.end], word.key) for text in texts for word in split_words(text)
        ]
        self._words = frozenset(key for _, key in spoken)
        self._stems = frozenset(_stem(key) for _, key in spoken)
        self._small_stems = frozenset(
            _stem(key, _NAME_STEM) for text, key in spoken if text[0].islower()
        )
        self._numbers = frozenset(number for _, key in spoken for number in _numbers(key))

    def has_word(self, word: str) -> bool:
        """Whether the word, or one that begins alike, was said."""
        key = _key(word)
        return key in self._words or _stem(key) in self._stems

    def has_name(self, name: str, *, opens: bool = False) -> bool:
        """Whether the name was said just so; its endings may differ where names are inflected.

        A capitalised word that opens a sentence may instead be like a word in small letters.
        """
        key = _key(name)
        if key in self._words or (opens and _stem(key, _NAME_STEM) in self._small_stems):
            return True
        inflected = script_of(name[0]) in _INFLECTED
        return inflected and any(_alike(key, word) for word in self._words)

    def has_numbers(self, word: str) -> bool:
        """Whether each number in the word was said, in digits or in letters."""
        return all(number in self._numbers for number in _numbers(_key(word)))


def unsaid_names(text: str, said: Said) -> list[str]:
    """Capitalised words that were never said."""
    unsaid = []
    small = _small_words(text)
    for word in split_words(text):
        opens = _SENTENCE_START.search(text[: word.start]) is not None
        name = text[word.start : word.end]
        if _is_name(name, word.key, small) and not said.has_name(name, opens=opens):
            unsaid.append(name)
    return unsaid


def unsaid_numbers(text: str, said: Said) -> list[str]:
    """Numbers, in digits or in letters, that were never said."""
    spoken = [text[word.start : word.end] for word in split_words(text)]
    return [word for word in spoken if not said.has_numbers(word)]


def unsaid_share(text: str, said: Said) -> float:
    """The share of content words that were never said, in [0, 1]."""
    telling = content_words(text)
    if not telling:
        return 0.0
    return sum(not said.has_word(word) for word in telling) / len(telling)


def content_words(text: str) -> list[str]:
    """The words that carry meaning: no function words, no single letters of spaced scripts."""
    small = _small_words(text)
    return [
        word.key
        for word in split_words(text)
        if word.key not in small
        and (len(word.key) > 1 or script_of(word.key) in _UNSPACED or word.key.isdigit())
    ]


def name_phrases(text: str, *, known: Sequence[str] = ()) -> list[str]:
    """Names in order, neighbours joined ("New York"), each once.

    A capital at the start of a sentence proves nothing: such a word counts only when it
    continues into another name or is `known`.
    """
    there = split_words(text)
    small = _small_words(text)
    known_keys = {word.key for name in known for word in split_words(name)}
    phrases: list[str] = []
    at = 0
    while at < len(there):
        end = at
        while end < len(there) and _continues(text, there, at, end, small):
            end += 1
        if end == at:
            at += 1
            continue
        opens = _SENTENCE_START.search(text[: there[at].start]) is not None
        if not opens or end - at > 1 or there[at].key in known_keys:
            phrases.append(text[there[at].start : there[end - 1].end])
        at = end
    return list(dict.fromkeys(phrases))


def _continues(text: str, there: Sequence[Word], first: int, at: int, small: Set[str]) -> bool:
    """Whether a word belongs to the phrase begun at `first`: a name, one space or mark away."""
    word = there[at]
    return _is_name(text[word.start : word.end], word.key, small) and (
        at == first or text[there[at - 1].end : word.start] in {" ", "-", "’", "'"}
    )


def _is_name(written: str, key: str, small: Set[str]) -> bool:
    return written[0].isupper() and len(written) > 1 and key not in small


def _small_words(text: str) -> Set[str]:
    """Function words of the text's own language: "Ben" is a name where it is no verb."""
    return _SMALL_WORDS.get(detect_language(text), _ALL_SMALL_WORDS)


def _alike(one: str, other: str) -> bool:
    """Whether two words differ in at most their last two letters."""
    shared = max(3, max(len(one), len(other)) - 2)
    return one[:shared] == other[:shared]


def _stem(key: str, least: int = _STEM) -> str:
    return key[: max(least, len(key) - 3)] if len(key) > least else key


def _numbers(key: str) -> list[str]:
    if key in _NUMBER_WORDS:
        return [_NUMBER_WORDS[key]]
    plain = _THOUSANDS.sub("", key)
    return [digits.lstrip("0") or "0" for digits in _DIGITS.findall(plain)]
