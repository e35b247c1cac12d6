"""Finding the dates in a text: each language's rules, the longest match first, then the words
around a match ("before", "since", "between … and …", "two weeks before …", "every …").
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from lightmem.domain.language import detect_language
from lightmem.domain.time.calendar import Calendar
from lightmem.domain.time.chinese import CHINESE
from lightmem.domain.time.english import ENGLISH
from lightmem.domain.time.language import NEAR, Context, Language, Reading, Relation, Resolver
from lightmem.domain.time.outlook import Outlook, Outlooks
from lightmem.domain.time.recurring import next_weekday, previous_weekday
from lightmem.domain.time.resolve import around, month_in_pair, offset_day
from lightmem.domain.time.spanish import SPANISH
from lightmem.model import TimeRange

LANGUAGES: Sequence[Language] = (ENGLISH, SPANISH, CHINESE)
#: Languages that write the day before the month: 5/8 is in August.
_DAY_FIRST = {"es", "fr", "it", "pt", "de", "nl"}

#: The thirty-first of April: kept so that no shorter match ("April") is read out of it.
_NO_DATE = TimeRange(None, None)


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
    #: What the words around it look to.
    outlook: Outlook | None = None


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
    text: str,
    *,
    anchor: datetime,
    utc_offset_minutes: int,
    language: str | None = None,
    outlook: Outlook | None = None,
) -> list[DateMention]:
    """Every date said in a text, in order, without overlaps.

    What cannot be told (a bare "5/8/2023" in English, "the other day") is not there.

    Args:
        anchor: When the text was said, aware; "yesterday" is the day before it.
        utc_offset_minutes: The speaker's offset from UTC: his midnight begins a day.
        language: BCP 47 tag to read by that language's rules alone; None reads by all.
        outlook: What a date without a year looks to where the text itself does not tell; without
            it such a date is the nearest one.

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
            at = Context(calendar, outlook, day_first=day_first or None)
            hits.extend(_matches(folded, known, at, Outlooks(text, known.tenses)))
    related = [_relate(folded, hit) for hit in _without_overlaps(hits)]
    return [
        DateMention(
            text=text[hit.start : hit.end],
            span=(hit.start, hit.end),
            range=hit.found,
            relation=hit.relation,
            outlook=hit.at.outlook,
        )
        for hit in _begun(folded, _join(folded, _without_overlaps(related)))
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


def outlook_of(text: str, *, language: str | None = None) -> Outlook | None:
    """What a text looks to at its end, by the language's words; None when nothing speaks."""
    code = (language or detect_language(text)).split("-")[0].lower()
    known = next((known for known in LANGUAGES if known.code == code), None)
    return Outlooks(text, known.tenses).last() if known else None


def _matches(text: str, language: Language, at: Context, outlooks: Outlooks) -> Iterator[_Hit]:
    for pattern, resolve in language.rules:
        for match in pattern.finditer(text):
            if language.is_habit(text, match.start(), match.end()):
                continue
            outlook = outlooks.at(match.start(), match.end()) or at.outlook
            if _stands_behind(text, match.start(), language, "since"):
                outlook = "back"
            elif outlook is None and _stands_behind(text, match.start(), language, "until"):
                outlook = "ahead"
            here = replace(at, outlook=outlook)
            read = Reading(language.words, match)
            found = _resolved(resolve, read, here)
            if found is not None:
                yield _Hit(match.start(), match.end(), found, resolve, read, here, language)


def _stands_behind(text: str, start: int, language: Language, relation: Relation) -> bool:
    """Whether words of this relation stand before a date.

    What has lasted since it makes it past; what lasts until it, and is not told as past, makes it
    to come.
    """
    before = text[max(0, start - NEAR) : start]
    return any(r == relation and word.search(before) for word, r in language.before)


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
    before = text[max(0, hit.start - NEAR) : hit.start]
    if (distance := hit.language.distance.search(before)) and (moved := _moved(hit, distance)):
        return moved
    for pattern, relation in hit.language.before:
        if word := pattern.search(before):
            start = hit.start - len(before) + word.start()
            return replace(hit, start=start, found=_opened(hit.found, relation), relation=relation)
    behind = text[hit.end : hit.end + NEAR]
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
    before = text[max(0, first.start - NEAR) : first.start]
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


def _begun(text: str, hits: Sequence[_Hit]) -> Iterator[_Hit]:
    """The dates, those that something begins on open at their end: "from January"."""
    for hit in hits:
        before = text[max(0, hit.start - NEAR) : hit.start]
        word = hit.language.start.search(before)
        behind = hit.language.onwards.match(text[hit.end : hit.end + NEAR])
        start = hit.found.start
        comes = start is not None and start > hit.at.calendar.now and hit.at.outlook == "ahead"
        if hit.relation != "during" or word is None or not (comes or behind):
            yield hit
            continue
        found = _opened(hit.found, "since")
        end = hit.end + (len(behind[0]) if behind else 0)
        yield replace(hit, start=hit.start - len(word[0]), end=end, found=found, relation="since")


def _coarse(precision: str) -> int:
    return ("instant", "day", "week", "month", "season", "year").index(precision)


def _lent_years(first: _Hit, last: _Hit) -> tuple[_Hit, _Hit]:
    """Both dates, the one without a year in the year of the other."""
    if first.is_floating and last.found.end is not None:
        first = _seen_from(first, last.found.end - timedelta(seconds=1), outlook="back")
    elif last.is_floating and first.found.start is not None:
        last = _seen_from(last, first.found.start, outlook="ahead")
    return first, last


def _seen_from(hit: _Hit, anchor: datetime, *, outlook: Outlook) -> _Hit:
    calendar = Calendar(anchor.astimezone(hit.at.calendar.now.tzinfo))
    at = replace(hit.at, calendar=calendar, outlook=outlook)
    found = _resolved(hit.resolve, hit.read, at)
    return replace(hit, found=found) if found and found is not _NO_DATE else hit
