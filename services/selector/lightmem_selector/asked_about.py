"""Which of the speakers that a question names it is about: the one whom it names first.

"What did Ana give Ben?" is Ana's to tell; so is "What does Ana think of Ben's plan?". Those who are
named in one breath, "Ana and Ben", are asked about both.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lightmem.domain.names import named_words
from lightmem.domain.text import words_of

#: What stands between names that are said in one breath.
_JOINED = re.compile(
    r"(?:['’]s)?\s*(?:,|&|\band\b|\bor\b|\by\b|\be\b|\bo\b|和|与|跟|及|或|、)+\s*(?:de\s+)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Named:
    """The names of speakers as a question has them, in lower case, whole names first.

    `about` are the names of those it is about, `others` all others.
    """

    about: Sequence[str] = ()
    others: Sequence[str] = ()

    def is_about(self, speaker: str | None) -> bool:
        """Whether the question is about a speaker, or about another of the same name."""
        if not speaker:
            return False
        own = words_of(speaker) | {speaker.casefold()}
        return not own.isdisjoint(self.about)


def named_speakers(question: str, entities: Sequence[str], speakers: Iterable[str | None]) -> Named:
    """The speakers that a question names.

    Args:
        question: As it was asked.
        entities: What it names.
        speakers: Who speaks in the user's turns.
    """
    asked = question.casefold()
    names = _names(asked, named_words(question, entities), speakers)
    places = sorted((place, -len(name), name) for name in names for place in _places(name, asked))
    about: set[str] = set()
    end = -1
    for place, negative, name in places:
        if end < 0 or place < end or _JOINED.fullmatch(asked, end, place):
            about.add(name)
            end = max(end, place - negative)
        else:
            break
    return Named(_longest_first(about), _longest_first(names - about))


def _names(asked: str, may_name: frozenset[str], speakers: Iterable[str | None]) -> set[str]:
    """Whole names and parts of names of speakers that the question has."""
    found: set[str] = set()
    for speaker in filter(None, speakers):
        whole = speaker.casefold()
        # A Chinese name is whole or none: each of its characters is in other names too.
        parts = {part for part in words_of(speaker) & may_name if len(part) > 1 or part.isascii()}
        found |= parts
        if whole in asked and (parts or not whole.isascii()):
            found.add(whole)
    return found


def _places(name: str, asked: str) -> Iterable[int]:
    edge = r"\b" if name.isascii() else ""
    return (found.start() for found in re.finditer(edge + re.escape(name) + edge, asked))


def _longest_first(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda one: (-len(one), one))
