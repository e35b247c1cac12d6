"""Where a date in a question is understood: from its words to the time that is asked about.

The rules that find dates in a text are shared with the Writer: `lightmem.domain.time`.
"""

import re
from collections.abc import Sequence
from datetime import datetime

from lightmem.domain.time import DateMention, find_dates
from lightmem.model import Precision, RecallRequest, TimeRange

_BY_LENGTH = list(Precision)

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
#: Seen from a moment, which a date beside it may be: "last Friday, as told on 23 January 2022".
_FROM_A_MOMENT = re.compile(
    r"\b(?:last|this|next|past|yesterday|today|tonight|tomorrow|ago|ayer|hoy|mañana|pasad[oa]s?|"
    r"este|esta|próxim[oa]s?|hace)\b|[昨今明]|上个?[周月]|下个?[周月]|去年|前",
    re.IGNORECASE,
)


def dates_in(request: RecallRequest) -> list[DateMention]:
    """The dates that the question says, seen from the asker's now and offset."""
    return find_dates(
        request.query, anchor=request.now, utc_offset_minutes=request.utc_offset_minutes
    )


def time_range(mentions: Sequence[DateMention]) -> TimeRange | None:
    """The one range that all dates of a question mean together; None without a date.

    Dates that overlap limit each other ("after May but before August"); dates apart from each
    other are all meant, with what lies between. Beside a date with its year, one that is seen from
    a moment is seen from there and not from now, so that the date stands alone.
    """
    if any(_YEAR.search(mention.text) for mention in mentions):
        mentions = [one for one in mentions if not _is_seen_from_a_moment(one)]
    if not mentions:
        return None
    joined = mentions[0].range
    for mention in mentions[1:]:
        joined = _joined(joined, mention.range)
    return None if joined.start is None and joined.end is None else joined


def _is_seen_from_a_moment(mention: DateMention) -> bool:
    return not _YEAR.search(mention.text) and bool(_FROM_A_MOMENT.search(mention.text))


def _joined(one: TimeRange, other: TimeRange) -> TimeRange:
    precision = max(one.precision, other.precision, key=_BY_LENGTH.index)
    start = _later(one.start, other.start)
    end = _earlier(one.end, other.end)
    if start is None or end is None or start < end:
        return TimeRange(start, end, precision)
    # Apart from each other: what came out as the later start begins the later of the two.
    starts = [edge for edge in (one.start, other.start) if edge is not None]
    ends = [edge for edge in (one.end, other.end) if edge is not None]
    return TimeRange(
        min(starts) if len(starts) == 2 else None, max(ends) if len(ends) == 2 else None, precision
    )


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    return max((edge for edge in (one, other) if edge is not None), default=None)


def _earlier(one: datetime | None, other: datetime | None) -> datetime | None:
    return min((edge for edge in (one, other) if edge is not None), default=None)
