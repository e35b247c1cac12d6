"""When a statement was true: the dates in its words, resolved from the time of the turn."""

import re
from dataclasses import dataclass
from datetime import datetime

from lightmem.domain.language import UNKNOWN
from lightmem.domain.time import find_dates
from lightmem.model import Precision, Turn

_YEAR = re.compile(r"\d{4}")


@dataclass(frozen=True, slots=True)
class Validity:
    """From when, until when, how exactly; all None when the words name no date.

    `leans` says that the words mean another date when they are said on another day.
    """

    start: datetime | None = None
    end: datetime | None = None
    precision: Precision | None = None
    leans: bool = False


def validity(words: str, turn: Turn, *, language: str) -> Validity:
    """The validity that the words name, from their first date that has a beginning."""
    mentions = find_dates(
        words,
        anchor=turn.occurred_at,
        utc_offset_minutes=turn.utc_offset_minutes,
        language=None if language == UNKNOWN else language,
    )
    if not mentions:
        return Validity()
    leans = any(not _YEAR.search(mention.text) for mention in mentions)
    first = next((mention for mention in mentions if mention.range.start), mentions[0])
    return Validity(first.range.start, None, first.range.precision, leans)
