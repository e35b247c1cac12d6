"""Plain comparisons of texts: which words they hold, whether one repeats another, what asks."""

import re

from lightmem.domain.fingerprint import normalised
from lightmem.domain.language import FUNCTION_WORDS

#: Share of common words from which two texts are the same thing said again.
ECHO_OVERLAP = 0.9
#: Share of a memory's words that its source must hold for the memory to add nothing.
COVERED = 0.8
#: Share of a text's telling words from which another tells most of it.
MOST = 0.5

# Chinese and Japanese set no spaces, so each of their characters counts as a word.
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W\d_]+|\d+(?:[.,:/]\d+)*")
_POSSESSIVE = re.compile(r"(?<=\w)['’ʼ]s\b", re.IGNORECASE)
_MARKS = frozenset("'’ʼ")
_COMMON: frozenset[str] = frozenset().union(*FUNCTION_WORDS.values())
_ASKING = ("?", "？", "؟")
_CLOSING = " \t\n\r\"'”’»」』)]*_"


def words_of(text: str) -> frozenset[str]:
    """The distinct words of a text in normal form, possessives as the word they are of."""
    plain = text if _MARKS.isdisjoint(text) else _POSSESSIVE.sub("", text)
    # For ASCII the normal form is plain to see, and most texts are.
    plain = plain.casefold().replace("'", "") if text.isascii() else normalised(plain)
    return frozenset(_TOKEN.findall(plain))


def content_words(text: str) -> frozenset[str]:
    """The distinct words of a text that are not function words; all of them if none is left."""
    found = words_of(text)
    return found - _COMMON or found


def is_question(text: str) -> bool:
    """Whether a text ends by asking."""
    return text[-16:].rstrip(_CLOSING)[-1:] in _ASKING


def are_echoes(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether texts of these words say nearly the same. Another number is another text."""
    if len(mine & theirs) < ECHO_OVERLAP * max(len(mine), len(theirs)):
        return False
    return len(mine & theirs) >= ECHO_OVERLAP * len(mine | theirs) and (
        _numbers(mine) == _numbers(theirs)
    )


def says_no_more(text: str, source: str) -> bool:
    """Whether what a text says is already in its source, numbers included."""
    mine, theirs = content_words(text), words_of(source)
    if not _numbers(mine) <= _numbers(theirs):
        return False
    return len(mine & theirs) >= COVERED * len(mine)


def tells_most_of(text: str, whole: str) -> bool:
    """Whether a text has at least half of what another tells."""
    told = content_words(whole)
    return len(told & words_of(text)) >= MOST * len(told)


def _numbers(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if word[0].isdecimal())
