"""When a statement was true: the dates in its words, resolved from the time of the turn.

What happened or is planned lies within the time that was said: its validity ends with that time.
A state that is said of a time that is not over yet goes on until something else is said. What
began ("since May") is open at its end, what ends ("until May") at its beginning.
"""

import re
from dataclasses import dataclass
from datetime import datetime

from lightmem.domain.language import UNKNOWN
from lightmem.domain.time import DateMention, Outlook, find_dates, outlook_of
from lightmem.model import MemoryKind, Precision, TimeRange, Turn

_YEAR = re.compile(r"\d{4}")
_WITHIN = frozenset({MemoryKind.EVENT, MemoryKind.PLAN})
#: How far back in a turn words still tell what a sentence looks to, in characters.
_LEAD = 300


@dataclass(frozen=True, slots=True)
class Validity:
    """From when, until when, how exactly; all None when the words name no date.

    `leans` says that the words mean another date when they are said on another day.
    """

    start: datetime | None = None
    end: datetime | None = None
    precision: Precision | None = None
    leans: bool = False


def validity(
    words: str, turn: Turn, *, language: str, kind: MemoryKind = MemoryKind.FACT, lead: str = ""
) -> Validity:
    """The validity that the words name, from their first date that has a beginning.

    Args:
        lead: What was said right before, which tells whether a bare date is to come or over.
    """
    mentions = find_dates(
        words,
        anchor=turn.occurred_at,
        utc_offset_minutes=turn.utc_offset_minutes,
        language=None if language == UNKNOWN else language,
        outlook=_outlook(lead, language, kind),
    )
    if not mentions:
        return Validity()
    leans = any(not _YEAR.search(mention.text) for mention in mentions)
    first = next((mention for mention in mentions if mention.range.start), mentions[0])
    said = first.range
    end = None if _goes_on(first, kind, turn.occurred_at) else said.end
    return Validity(said.start, end, said.precision, leans)


def _outlook(lead: str, language: str, kind: MemoryKind) -> Outlook | None:
    if kind is MemoryKind.PLAN:
        return "ahead"
    return outlook_of(lead[-_LEAD:], language=language) if lead else None


def _goes_on(said: DateMention, kind: MemoryKind, now: datetime) -> bool:
    """Whether a state is said of a time that is not over, in no past tense."""
    is_state = kind not in _WITHIN and said.relation == "during"
    return is_state and said.outlook != "back" and _lasts(said.range, now)


def _lasts(said: TimeRange, now: datetime) -> bool:
    begun = said.start is not None and said.start <= now
    return begun and (said.end is None or now < said.end)
