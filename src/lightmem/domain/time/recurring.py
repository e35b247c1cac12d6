"""What comes again each year, month or week: which of its times is meant."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta

from lightmem.domain.time.calendar import Calendar, shift_months
from lightmem.domain.time.language import Context, Reading
from lightmem.model import Precision, TimeRange


def previous_weekday(day: date, wanted: int) -> date:
    """The latest such weekday before `day`."""
    return day - timedelta(days=(day.weekday() - wanted - 1) % 7 + 1)


def next_weekday(day: date, wanted: int) -> date:
    """The first such weekday behind `day`."""
    return day + timedelta(days=(wanted - day.weekday() - 1) % 7 + 1)


def in_year(
    read: Reading, at: Context, of_year: Callable[[int], TimeRange | None]
) -> TimeRange | None:
    """What recurs each year, in the year that was said or meant.

    "Last" is the latest one over, "this" the one of this year, "next" the first to begin. Without
    a word it is the latest one begun where the words look back, the next one to end where they
    look ahead, and the nearest one where nothing speaks.
    """
    said, step = read.number("year"), read.step()
    if said is not None:
        return of_year(said)
    this_year = at.calendar.today.year
    if step == 0:
        return of_year(this_year)
    # From two years back to nine on: a leap day can be that far away.
    nearby = [found for year in range(-9, 10) if (found := _try(of_year, this_year + year))]
    return _stepped(nearby, at, step) if step else _nearest(nearby, at)


def _stepped(nearby: Sequence[TimeRange], at: Context, step: int) -> TimeRange:
    now = at.calendar.now.astimezone(UTC)
    if step < 0:
        return max((r for r in nearby if r.end is not None and r.end <= now), key=_start)
    return min((r for r in nearby if _start(r) > now), key=_start)


def _nearest(nearby: Sequence[TimeRange], at: Context) -> TimeRange:
    now = at.calendar.now.astimezone(UTC)
    if at.outlook == "ahead":
        return min((r for r in nearby if r.end is not None and r.end > now), key=_start)
    if at.outlook == "back":
        return max((r for r in nearby if _start(r) <= now), key=_start)
    return min(nearby, key=lambda found: _distance(found, now))


def _distance(found: TimeRange, now: datetime) -> timedelta:
    """How far away a range is; nothing while it lasts."""
    end = found.end or now
    return max(_start(found) - now, now - end, timedelta())


def _try(of_year: Callable[[int], TimeRange | None], year: int) -> TimeRange | None:
    try:
        return of_year(year)
    except ValueError:
        return None


def _start(found: TimeRange) -> datetime:
    return found.start or datetime.min.replace(tzinfo=UTC)


def nth_weekday(year: int, month: int, wanted: int, ordinal: int) -> date | None:
    """The `ordinal`-th such weekday of a month, -1 the last; None where there is none."""
    if ordinal < 0:
        return previous_weekday(date(*shift_months(year, month, 1), 1), wanted)
    first = next_weekday(date(year, month, 1) - timedelta(days=1), wanted)
    day = first + timedelta(days=7 * (ordinal - 1))
    return day if day.month == month else None


def nth_day(year: int, month: int, ordinal: int) -> date:
    if ordinal < 0:
        return date(*shift_months(year, month, 1), 1) - timedelta(days=1)
    return date(year, month, ordinal)


def week_of_month(calendar: Calendar, year: int, month: int, ordinal: int) -> TimeRange:
    """Seven days counted from the first of the month, or its last seven."""
    if ordinal < 0:
        end = date(*shift_months(year, month, 1), 1)
        return calendar.between(end - timedelta(days=7), end, Precision.WEEK)
    first = date(year, month, 1) + timedelta(days=7 * (ordinal - 1))
    end = min(first + timedelta(days=7), date(*shift_months(year, month, 1), 1))
    return calendar.between(first, end, Precision.WEEK)
