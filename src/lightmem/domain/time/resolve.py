"""What a date expression means, whatever its language: from the places of a rule to a range.

Each function takes the read match and its context; None says that it is no date after all.
"""

from datetime import UTC, date, datetime, timedelta

from lightmem.domain.time.calendar import Calendar, shift_months
from lightmem.domain.time.language import Context, Reading, Unit
from lightmem.domain.time.recurring import (
    in_year,
    next_weekday,
    nth_day,
    nth_weekday,
    previous_weekday,
    week_of_month,
)
from lightmem.model import Precision, TimeRange

#: A weekday no further ahead than so many days is nearer than the one before.
_HALF_A_WEEK = 3

# --- by the calendar ------------------------------------------------------------------------


def day_of_month(read: Reading, at: Context) -> TimeRange | None:
    """8 May 2023; 8 May; the day is the first where the rule has no place for it."""
    month, day = read.month(), read.day() or 1
    return in_year(read, at, lambda year: at.calendar.day(date(year, month, day)))


def days_of_month(read: Reading, at: Context) -> TimeRange | None:
    """3 to 7 May 2023."""
    month, first, last = read.month(), read.number("day") or 0, read.number("day2") or 0
    if last <= first:
        return None

    def days(year: int) -> TimeRange:
        end = date(year, month, last) + timedelta(days=1)
        return at.calendar.between(date(year, month, first), end, Precision.DAY)

    return in_year(read, at, days)


def month_of_year(read: Reading, at: Context) -> TimeRange | None:
    """May 2023; last May; May."""
    month = read.month()
    return in_year(read, at, lambda year: at.calendar.month(year, month))


def month_in_pair(read: Reading, at: Context) -> TimeRange | None:
    """A month that is one only beside another date, as in "from May to July"."""
    return month_of_year(read, at)


def season_of_year(read: Reading, at: Context) -> TimeRange | None:
    """Spring 2022; last summer; in autumn."""
    first_month = read.words.seasons[read.text("season") or ""]
    return in_year(read, at, lambda year: at.calendar.season(year, first_month))


def feast_of_year(read: Reading, at: Context) -> TimeRange | None:
    """Christmas 2022; last Christmas; at Christmas."""
    month, day = read.words.feasts[read.text("feast") or ""]
    return in_year(read, at, lambda year: at.calendar.day(date(year, month, day)))


def part_of_month(read: Reading, at: Context) -> TimeRange | None:
    """First weekend of August; last Friday of May 2023; second week of June."""
    month, ordinal = read.month(), read.words.ordinals[read.text("ordinal") or ""]
    unit = Unit.DAY if read.has("weekday") else read.words.units[read.text("unit") or ""]
    if unit not in (Unit.DAY, Unit.WEEK, Unit.WEEKEND):
        return None

    def part(year: int) -> TimeRange | None:
        weekday = read.words.weekdays[read.text("weekday") or ""] if read.has("weekday") else None
        if unit is Unit.WEEK:
            return week_of_month(at.calendar, year, month, ordinal)
        if unit is Unit.DAY and weekday is None:
            return at.calendar.day(nth_day(year, month, ordinal))
        day = nth_weekday(year, month, 5 if weekday is None else weekday, ordinal)
        if day is None:
            return None
        return at.calendar.weekend(day) if weekday is None else at.calendar.day(day)

    return in_year(read, at, part)


def year_alone(read: Reading, at: Context) -> TimeRange | None:
    """In 2022; between 2019 and 2022."""
    year, last = read.number("year") or 0, read.number("year2") or read.number("year") or 0
    if last < year:
        return None
    return at.calendar.months(year, 1, 12 * (last - year + 1), Precision.YEAR)


def decade(read: Reading, at: Context) -> TimeRange | None:
    """The 1990s."""
    return at.calendar.months(read.number("decade") or 0, 1, 120, Precision.YEAR)


def numeric_day(read: Reading, at: Context) -> TimeRange | None:
    """5/8/2023: by the language's order, else only where one order alone makes a date."""
    first, second = read.number("day") or 0, read.month()
    year = read.number("year") or 0
    if at.day_first is None and first <= 12 and second <= 12 and first != second:
        return None
    day, month = (second, first) if second > 12 else (first, second)
    return at.calendar.day(date(year, month, day))


def moment(read: Reading, at: Context) -> TimeRange | None:
    """2023-05-08T10:15, with or without an offset of its own."""
    day = date(read.number("year") or 0, read.month(), read.number("day") or 0)
    hour, minute = read.number("hour") or 0, read.number("minute") or 0
    said = datetime(day.year, day.month, day.day, hour, minute, tzinfo=at.calendar.now.tzinfo)
    zone = read.text("zone")
    if zone == "z":
        said = said.replace(tzinfo=UTC)
    elif zone is not None:
        said = datetime.strptime(f"{said:%Y-%m-%dT%H:%M}{zone}", "%Y-%m-%dT%H:%M%z")
    return at.calendar.moment(said, timedelta(minutes=1))


# --- from the moment of speaking --------------------------------------------------------------


def named_day(read: Reading, at: Context) -> TimeRange | None:
    """Yesterday; the day after tomorrow; last night."""
    offset = read.words.days[read.text("named") or ""]
    return at.calendar.day(at.calendar.today + timedelta(days=offset))


def ago(read: Reading, at: Context) -> TimeRange | None:
    """Two weeks ago: the week that holds that day."""
    return _counted(read, at, -1)


def half_a_year_ago(_: Reading, at: Context) -> TimeRange | None:
    """The month that was six months ago."""
    return around(at.calendar, Unit.MONTH, offset_day(at.calendar.today, Unit.MONTH, -6))


def before_last(read: Reading, at: Context) -> TimeRange | None:
    """The week before last."""
    return _away(read, at, -2)


def after_next(read: Reading, at: Context) -> TimeRange | None:
    """The month after next."""
    return _away(read, at, 2)


def from_now(read: Reading, at: Context) -> TimeRange | None:
    """Two weeks from now."""
    return _counted(read, at, 1)


def from_now_if_ahead(read: Reading, at: Context) -> TimeRange | None:
    """In two weeks: a date where the sentence looks ahead, else how long something took."""
    return _counted(read, at, 1) if at.outlook == "ahead" else None


def trailing(read: Reading, at: Context) -> TimeRange | None:
    """Over the past three weeks: up to and with today."""
    unit, count = read.words.units[read.text("unit") or ""], read.number("count") or 1
    if unit in (Unit.MINUTE, Unit.HOUR, Unit.WEEKEND):
        return None
    today = at.calendar.today
    first = offset_day(today, unit, -count)
    return at.calendar.between(first, today + timedelta(days=1), _precision(unit))


def stepped_unit(read: Reading, at: Context) -> TimeRange | None:
    """Last week; this month; next year."""
    unit, step = read.words.units[read.text("unit") or ""], read.step() or 0
    if unit in (Unit.MINUTE, Unit.HOUR, Unit.DAY):
        return None
    if unit is Unit.WEEKEND and step < 0 and at.calendar.today.weekday() < 5:
        # On a weekday, the last weekend is the one that ended before this week began.
        return at.calendar.weekend(at.calendar.today - timedelta(days=7))
    return around(at.calendar, unit, offset_day(at.calendar.today, unit, step))


def weekday(read: Reading, at: Context) -> TimeRange | None:
    """Last Friday; this Friday; next Friday; Friday; Friday last week."""
    wanted, today = read.words.weekdays[read.text("weekday") or ""], at.calendar.today
    step = read.step()
    if read.has("unit") or step == 0:
        monday = at.calendar.monday(today) + timedelta(days=7 * (step or 0))
        return at.calendar.day(monday + timedelta(days=wanted))
    if step == 1 or (step is None and at.outlook == "ahead"):
        return at.calendar.day(next_weekday(today, wanted))
    if step is None and wanted == today.weekday():
        return at.calendar.day(today)
    coming = (wanted - today.weekday()) % 7
    if step is None and at.outlook is None and coming <= _HALF_A_WEEK:
        return at.calendar.day(next_weekday(today, wanted))
    return at.calendar.day(previous_weekday(today, wanted))


def weekday_of_week(read: Reading, at: Context) -> TimeRange | None:
    """下周二: that day of the week that is meant, which begins on Monday."""
    wanted, step = read.words.weekdays[read.text("weekday") or ""], read.step() or 0
    monday = at.calendar.monday(at.calendar.today)
    return at.calendar.day(monday + timedelta(days=7 * step + wanted))


# --- pieces ---------------------------------------------------------------------------------


def offset_day(day: date, unit: Unit, count: int) -> date:
    """The day `count` units later; a day that its month lacks becomes the month's last."""
    match unit:
        case Unit.DAY:
            return day + timedelta(days=count)
        case Unit.WEEK | Unit.WEEKEND:
            return day + timedelta(days=7 * count)
        case Unit.MONTH | Unit.YEAR:
            months = count * (12 if unit is Unit.YEAR else 1)
            year, month = shift_months(day.year, day.month, months)
            after_year, after_month = shift_months(year, month, 1)
            last = date(after_year, after_month, 1) - timedelta(days=1)
            return date(year, month, min(day.day, last.day))
        case _:
            raise ValueError(f"{unit} is no number of days")


def around(calendar: Calendar, unit: Unit, day: date) -> TimeRange:
    """The unit that holds `day`."""
    match unit:
        case Unit.WEEK:
            return calendar.week(day)
        case Unit.WEEKEND:
            return calendar.weekend(day)
        case Unit.MONTH:
            return calendar.month(day.year, day.month)
        case Unit.YEAR:
            return calendar.year(day.year)
        case _:
            return calendar.day(day)


def _away(read: Reading, at: Context, count: int) -> TimeRange | None:
    unit = read.words.units[read.text("unit") or ""]
    if unit not in (Unit.WEEK, Unit.WEEKEND, Unit.MONTH, Unit.YEAR):
        return None
    return around(at.calendar, unit, offset_day(at.calendar.today, unit, count))


def _counted(read: Reading, at: Context, sign: int) -> TimeRange | None:
    count, unit = read.number("count"), read.words.units[read.text("unit") or ""]
    if count is None:
        return None
    if unit in (Unit.MINUTE, Unit.HOUR):
        length = timedelta(hours=1) if unit is Unit.HOUR else timedelta(minutes=1)
        return at.calendar.moment(at.calendar.now + sign * count * length, length)
    return around(at.calendar, unit, offset_day(at.calendar.today, unit, sign * count))


def _precision(unit: Unit) -> Precision:
    return Precision(unit.value) if unit is not Unit.WEEKEND else Precision.WEEK
