"""Finding the dates in a text: each language's rules, the longest match first, then the words
around a match ("before", "since", "between … and …", "two weeks before …", "every …").
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from lightmem.domain.language import detect_language
from lightmem.domain.time.calendar import Calendar
from lightmem.domain.time.chinese import CHINESE
from lightmem.domain.time.english import ENGLISH
from lightmem.domain.time.language import Context, Language, Reading, Relation, Resolver
from lightmem.domain.time.resolve import (
    around,
    month_in_pair,
    next_weekday,
    offset_day,
    previous_weekday,
)
from lightmem.domain.time.spanish import SPANISH
from lightmem.model import TimeRange

LANGUAGES: Sequence[Language] = (ENGLISH, SPANISH, CHINESE)
#: Languages that write the day before the month: 5/8 is in August.
_DAY_FIRST = {"es", "fr", "it", "pt", "de", "nl"}

#: How far around a date words that open its range are looked for.
_NEAR = 40
#: The thirty-first of April: kept so that no shorter match ("April") is read out of it.
_NO_DATE = TimeRange(None, None)
_SENTENCE_END = re.compile(r"[.!?\n。！？](?=\s|$)|[。！？\n]")


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date said in a text.

    `range` is what the phrase says as a whole: "before May 2023" is open at its start. `text` is
    the phrase and `span` where it stands, the word of relation included.
    """

    text: str
    span: tuple[int, int]
    range: TimeRange
    relation: Relation


@dataclass(frozen=True, slots=True)
class _Hit:
    start: int
    end: int
    found: TimeRange
    resolve: Resolver
    read: Reading
    at: Context
    language: Language
    relation: Relation = "during"

    @property
    def is_floating(self) -> bool:
        """Whether its year was not said, so that a date beside it can lend one."""
        places = self.read.match.groupdict()
        recurs = any(places.get(name) for name in ("month", "season", "feast"))
        return recurs and not places.get("year") and not places.get("step")


def find_dates(
    text: str, *, anchor: datetime, utc_offset_minutes: int, language: str | None = None
) -> list[DateMention]:
    """Every date said in a text, in order, without overlaps.

    What cannot be told (a bare "5/8/2023" in English, "the other day") is not there.

    Args:
        anchor: When the text was said, aware; "yesterday" is the day before it.
        utc_offset_minutes: The speaker's offset from UTC: his midnight begins a day.
        language: BCP 47 tag to read by that language's rules alone; None reads by all.

    Returns:
        Mentions whose ranges are half-open and in UTC.
    """
    folded = _fold(text)
    code = language.split("-")[0].lower() if language else None
    chosen = [known for known in LANGUAGES if code is None or known.code == code]
    calendar = Calendar.at(anchor, utc_offset_minutes)
    hits: list[_Hit] = []
    for known in chosen or LANGUAGES:
        if known.gate.search(folded):
            day_first = (code or detect_language(text)) in _DAY_FIRST
            hits.extend(_matches(folded, known, Context(calendar, day_first=day_first or None)))
    related = [_relate(folded, hit) for hit in _without_overlaps(hits)]
    return [
        DateMention(text[hit.start : hit.end], (hit.start, hit.end), hit.found, hit.relation)
        for hit in _join(folded, _without_overlaps(related))
        if not (hit.found is _NO_DATE or _is_half_a_pair(hit))
    ]


def _fold(text: str) -> str:
    """The text without accents, of the same length so that places stay the same."""
    if text.isascii():
        return text
    return "".join(
        character if character.isascii() else unicodedata.normalize("NFD", character)[0]
        for character in text.replace("’", "'")
    )


def _matches(text: str, language: Language, at: Context) -> Iterator[_Hit]:
    sentences = _Sentences(text, language)
    for pattern, resolve in language.rules:
        for match in pattern.finditer(text):
            if language.habit.search(text[max(0, match.start() - _NEAR) : match.start()]):
                continue
            here = replace(at, looks_ahead=sentences.looks_ahead(match.start()))
            read = Reading(language.words, match)
            found = _resolved(resolve, read, here)
            if found is not None:
                yield _Hit(match.start(), match.end(), found, resolve, read, here, language)


class _Sentences:
    """The sentences of a text, each asked at most once whether it speaks of what is to come."""

    def __init__(self, text: str, language: Language) -> None:
        self._text = text
        self._language = language
        self._ends = [end.end() for end in _SENTENCE_END.finditer(text)]
        self._known: dict[int, bool] = {}

    def looks_ahead(self, place: int) -> bool:
        """Whether the sentence around a place does."""
        number = bisect_right(self._ends, place)
        if number not in self._known:
            start = self._ends[number - 1] if number else 0
            end = self._ends[number] if number < len(self._ends) else len(self._text)
            sentence = self._text[start:end]
            self._known[number] = self._language.ahead.search(sentence) is not None
        return self._known[number]


def _resolved(resolve: Resolver, read: Reading, at: Context) -> TimeRange | None:
    """What a rule makes of a match, None where it is no date after all."""
    try:
        return resolve(read, at)
    except (ValueError, OverflowError):
        return _NO_DATE


def _without_overlaps(hits: Sequence[_Hit]) -> list[_Hit]:
    """The longest of those that overlap, in the order of the text."""
    kept: list[_Hit] = []
    taken = bytearray(max((hit.end for hit in hits), default=0))
    for hit in sorted(hits, key=lambda hit: (hit.start - hit.end, hit.start)):
        if not any(taken[hit.start : hit.end]):
            taken[hit.start : hit.end] = b"\1" * (hit.end - hit.start)
            kept.append(hit)
    return sorted(kept, key=lambda hit: hit.start)


def _is_half_a_pair(hit: _Hit) -> bool:
    return hit.resolve is month_in_pair and hit.relation == "during"


# --- the words around a date ------------------------------------------------------------------


def _relate(text: str, hit: _Hit) -> _Hit:
    """The date with what stands right before or behind it taken in."""
    if hit.found is _NO_DATE:
        return hit
    before = text[max(0, hit.start - _NEAR) : hit.start]
    if (distance := hit.language.distance.search(before)) and (moved := _moved(hit, distance)):
        return moved
    for pattern, relation in hit.language.before:
        if word := pattern.search(before):
            start = hit.start - len(before) + word.start()
            return replace(hit, start=start, found=_opened(hit.found, relation), relation=relation)
    behind = text[hit.end : hit.end + _NEAR]
    for pattern, relation in hit.language.behind:
        if word := pattern.search(behind):
            found = _opened(hit.found, relation)
            return replace(hit, end=hit.end + word.end(), found=found, relation=relation)
    return hit


def _opened(found: TimeRange, relation: Relation) -> TimeRange:
    match relation:
        case "before":
            return replace(found, start=None, end=found.start)
        case "after":
            return replace(found, start=found.end, end=None)
        case "since":
            return replace(found, end=None)
        case "until":
            return replace(found, start=None)
        case _:
            return found


def _moved(hit: _Hit, distance: re.Match[str]) -> _Hit | None:
    """Two weeks before a date; the Friday after it."""
    if hit.found.start is None or hit.found.end is None:
        return None
    read, calendar = Reading(hit.language.words, distance), hit.at.calendar
    earlier, zone = read.has("earlier"), calendar.now.tzinfo
    edge = hit.found.start if earlier else hit.found.end - timedelta(seconds=1)
    base = edge.astimezone(zone).date()
    if read.has("weekday"):
        wanted = read.words.weekdays[read.text("weekday") or ""]
        day = previous_weekday(base, wanted) if earlier else next_weekday(base, wanted)
        found = calendar.day(day)
    else:
        unit, count = read.words.units[read.text("unit") or ""], read.number("count") or 1
        try:
            found = around(calendar, unit, offset_day(base, unit, -count if earlier else count))
        except (ValueError, OverflowError):
            return None
    return replace(hit, start=hit.start - len(distance[0]), found=found)


def _join(text: str, hits: Sequence[_Hit]) -> list[_Hit]:
    """Pairs such as "between May and July 2023" as one."""
    joined: list[_Hit] = []
    for hit in hits:
        pair = _pair(text, joined[-1], hit) if joined else None
        if pair is None:
            joined.append(hit)
        else:
            joined[-1] = pair
    return joined


def _pair(text: str, first: _Hit, last: _Hit) -> _Hit | None:
    joint = first.language.joint.match(text[first.end : last.start])
    before = text[max(0, first.start - _NEAR) : first.start]
    opening = first.language.opening.search(before)
    if joint is None or not (opening or joint["alone"]) or first.relation != "during":
        return None
    first, last = _lent_years(first, last)
    start, end = first.found.start, last.found.end
    if start is None or end is None or start >= end:
        return None
    found = TimeRange(start, end, max(first.found.precision, last.found.precision, key=_coarse))
    begin = first.start - len(opening[0]) if opening else first.start
    return replace(last, start=begin, found=found, relation="between")


def _coarse(precision: str) -> int:
    return ("instant", "day", "week", "month", "season", "year").index(precision)


def _lent_years(first: _Hit, last: _Hit) -> tuple[_Hit, _Hit]:
    """Both dates, the one without a year in the year of the other."""
    if first.is_floating and last.found.end is not None:
        first = _seen_from(first, last.found.end - timedelta(seconds=1), looks_ahead=False)
    elif last.is_floating and first.found.start is not None:
        last = _seen_from(last, first.found.start, looks_ahead=True)
    return first, last


def _seen_from(hit: _Hit, anchor: datetime, *, looks_ahead: bool) -> _Hit:
    calendar = Calendar(anchor.astimezone(hit.at.calendar.now.tzinfo))
    at = replace(hit.at, calendar=calendar, looks_ahead=looks_ahead)
    found = _resolved(hit.resolve, hit.read, at)
    return replace(hit, found=found) if found and found is not _NO_DATE else hit
