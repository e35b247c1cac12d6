"""What to look for in a language, and how the patterns are written down."""

import re
from dataclasses import dataclass

from lightmem.model import MemoryKind


@dataclass(frozen=True, slots=True)
class Cues:
    """Cues of one language; patterns disregard case."""

    #: Greetings, thanks, interjections and fillers: a sentence of nothing else says nothing.
    chatter: frozenset[str]
    #: Hesitations that may be left out of any sentence without changing what it says.
    fillers: frozenset[str] = frozenset()
    first_person: re.Pattern[str] | None = None
    #: The one spoken to. A sentence about nobody else is a reaction.
    second_person: re.Pattern[str] | None = None
    #: Others that may be spoken of. With both tables, a sentence must speak of someone.
    third_person: re.Pattern[str] | None = None
    #: How sentences begin that only react to what the other said, or ask something of them.
    reaction: re.Pattern[str] | None = None
    #: How sentences begin that only remark on something, unless they speak of the speaker too.
    remark: re.Pattern[str] | None = None
    #: What says how things are in general. It tells of nobody, unless "I" or a detail is in it.
    maxim: re.Pattern[str] | None = None
    #: What a sentence that stands by itself has: someone or something, and what it is or does.
    clause: re.Pattern[str] | None = None
    #: How a sentence begins whose subject is in the one before.
    elliptic: re.Pattern[str] | None = None
    negation: re.Pattern[str] | None = None
    kinds: tuple[tuple[MemoryKind, re.Pattern[str]], ...] = ()


def anywhere(*patterns: str) -> re.Pattern[str]:
    """One of the patterns, wherever it stands."""
    return re.compile("|".join(patterns), re.IGNORECASE)


def whole_words(*patterns: str) -> re.Pattern[str]:
    """One of the patterns as a word of its own."""
    return re.compile(rf"\b(?:{'|'.join(patterns)})\b", re.IGNORECASE)


def opening(*patterns: str) -> re.Pattern[str]:
    """One of the patterns up to the end of a word; to be matched at the start."""
    return re.compile(rf"(?:{'|'.join(patterns)})(?!\w)", re.IGNORECASE)
