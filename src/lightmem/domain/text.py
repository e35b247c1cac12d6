"""Plain comparisons of texts: which words they hold, whether one repeats another, what asks."""

import re

from lightmem.domain.fingerprint import normalised
from lightmem.domain.language import FUNCTION_WORDS

#: Share of common words from which two texts are the same thing said again.
ECHO_OVERLAP = 0.9
#: Share of a memory's words that its source must hold for the memory to add nothing.
COVERED = 0.8

# Chinese and Japanese set no spaces, so each of their characters counts as a word.
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W\d_]+|\d+(?:[.,:/]\d+)*")
_POSSESSIVE = re.compile(r"(?<=\w)['’ʼ]s\b", re.IGNORECASE)
_COMMON: frozenset[str] = frozenset().union(*FUNCTION_WORDS.values())
_ASKS = re.compile(r"[?？¿]\s*[\"'”’)\]]*\s*$")


def words_of(text: str) -> frozenset[str]:
    """The distinct words of a text in normal form, possessives as the word they are of."""
    return frozenset(_TOKEN.findall(normalised(_POSSESSIVE.sub("", text))))


def content_words(text: str) -> frozenset[str]:
    """The distinct words of a text that are not function words; all of them if none is left."""
    found = words_of(text)
    return found - _COMMON or found


def is_question(text: str) -> bool:
    """Whether a text ends by asking."""
    return _ASKS.search(text.strip()[-16:]) is not None


def is_echo(text: str, other: str) -> bool:
    """Whether two texts say the same in nearly the same words. Another number is another text."""
    mine, theirs = words_of(text), words_of(other)
    if not mine or not theirs:
        return text.strip() == other.strip()
    if _numbers(mine) != _numbers(theirs):
        return False
    return len(mine & theirs) >= ECHO_OVERLAP * len(mine | theirs)


def says_no_more(text: str, source: str) -> bool:
    """Whether what a text says is already in its source, numbers included."""
    mine, theirs = content_words(text), words_of(source)
    if not _numbers(mine) <= _numbers(theirs):
        return False
    return len(mine & theirs) >= COVERED * len(mine)


def _numbers(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if word[0].isdecimal())
