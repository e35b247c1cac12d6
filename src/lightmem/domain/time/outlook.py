"""Whether words around a date look ahead or back: what decides the year that was left out.

The nearest cue governs: in the date's own clause, else in its sentence, else, where the whole
sentence is silent ("The fifteenth of June!"), in the two sentences before it.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Outlook = Literal["ahead", "back"]

SENTENCE_END = re.compile(r"[.!?\n。！？](?=\s|$)|[。！？\n]")
#: Sentences before a silent one that still speak for it.
_CARRIES = 2


@dataclass(frozen=True, slots=True)
class Tenses:
    """The cues of one language; they see the text as it was written, disregarding case."""

    ahead: re.Pattern[str]
    back: re.Pattern[str]
    #: What is said as present of a dated thing is to come: "they operate on the third of May".
    present: re.Pattern[str]
    clause_end: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class _Cue:
    start: int
    end: int
    outlook: Outlook
    is_present: bool


class Outlooks:
    """A text, asked for the outlook at places in it; the cues are looked for once, when needed."""

    def __init__(self, text: str, tenses: Tenses) -> None:
        self._text = text
        self._tenses = tenses

    @cached_property
    def _cues(self) -> list[_Cue]:
        found: list[_Cue] = []
        listed: Sequence[tuple[re.Pattern[str], Outlook, bool]] = (
            (self._tenses.back, "back", False),
            (self._tenses.ahead, "ahead", False),
            (self._tenses.present, "ahead", True),
        )
        for pattern, outlook, is_present in listed:
            for match in pattern.finditer(self._text):
                found.append(_Cue(match.start(), match.end(), outlook, is_present))
        return _without_overlaps(found)

    @cached_property
    def _starts(self) -> list[int]:
        return [cue.start for cue in self._cues]

    @cached_property
    def _sentence_ends(self) -> list[int]:
        return [end.end() for end in SENTENCE_END.finditer(self._text)]

    @cached_property
    def _clause_ends(self) -> list[int]:
        ends = [end.end() for end in self._tenses.clause_end.finditer(self._text)]
        return sorted({*ends, *self._sentence_ends})

    def at(self, start: int, end: int) -> Outlook | None:
        """What the words around `[start, end)` look to; None when nothing speaks."""
        sentence = self._around(self._sentence_ends, start)
        for span in (self._around(self._clause_ends, start), sentence):
            found = self._nearest(span, start, end)
            if found is not None:
                return found
        number = bisect_right(self._sentence_ends, start)
        first = self._sentence_ends[number - 1 - _CARRIES] if number > _CARRIES else 0
        return self._nearest((first, sentence[0]), start, end)

    def last(self) -> Outlook | None:
        """What the text looks to at its end."""
        return self._cues[-1].outlook if self._cues else None

    def _around(self, ends: Sequence[int], place: int) -> tuple[int, int]:
        number = bisect_right(ends, place)
        return (
            ends[number - 1] if number else 0,
            ends[number] if number < len(ends) else len(self._text),
        )

    def _nearest(self, span: tuple[int, int], start: int, end: int) -> Outlook | None:
        """The last cue before a date within a span, else the first one behind it."""
        first, last = bisect_left(self._starts, span[0]), bisect_left(self._starts, span[1])
        here = self._cues[first:last]
        before = [cue for cue in here if cue.start < start]
        behind = [cue for cue in here if cue.start >= end]
        if before:
            return before[-1].outlook
        return behind[0].outlook if behind else None


def _without_overlaps(cues: Sequence[_Cue]) -> list[_Cue]:
    """The longest of those that overlap; of equals the one that is no mere present."""
    kept: list[_Cue] = []
    taken = bytearray(max((cue.end for cue in cues), default=0))
    for cue in sorted(cues, key=lambda cue: (cue.start - cue.end, cue.is_present, cue.start)):
        if not any(taken[cue.start : cue.end]):
            taken[cue.start : cue.end] = b"\1" * (cue.end - cue.start)
            kept.append(cue)
    return sorted(kept, key=lambda cue: cue.start)
