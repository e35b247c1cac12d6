"""Days, weeks, months, seasons and years as a speaker counts them: in his offset from UTC.

Weeks begin on Monday. Seasons are the northern meteorological ones (spring from 1 March); a
winter is named by the year it begins in. The offset is fixed, as in RFC 3339: no rules of
daylight saving are guessed.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone

from lightmem.model import Precision, TimeRange

SATURDAY = 5
_DAY = timedelta(days=1)


def shift_months(year: int, month: int, months: int) -> tuple[int, int]:
    """The month `months` later, as (year, month)."""
    years, index = divmod(year * 12 + month - 1 + months, 12)
    return years, index + 1


@dataclass(frozen=True, slots=True)
class Calendar:
    """The calendar around a moment, `now` being local to the speaker.

    Methods raise ValueError or OverflowError for days that do not exist.
    """

    now: datetime

    @classmethod
    def at(cls, anchor: datetime, utc_offset_minutes: int) -> "Calendar":
        return cls(anchor.astimezone(timezone(timedelta(minutes=utc_offset_minutes))))

    @property
    def today(self) -> date:
        return self.now.date()

    def between(self, first: date, end: date, precision: Precision) -> TimeRange:
        """From the start of `first` to the start of `end`, as UTC."""
        return TimeRange(self._midnight(first), self._midnight(end), precision)

    def day(self, day: date) -> TimeRange:
        return self.between(day, day + _DAY, Precision.DAY)

    def monday(self, day: date) -> date:
        return day - timedelta(days=day.weekday())

    def week(self, day: date) -> TimeRange:
        """The week that holds `day`."""
        monday = self.monday(day)
        return self.between(monday, monday + 7 * _DAY, Precision.WEEK)

    def weekend(self, day: date) -> TimeRange:
        """Saturday and Sunday of the week that holds `day`."""
        monday = self.monday(day)
        return self.between(monday + SATURDAY * _DAY, monday + 7 * _DAY, Precision.WEEK)

    def month(self, year: int, month: int) -> TimeRange:
        return self.months(year, month, 1, Precision.MONTH)

    def season(self, year: int, first_month: int) -> TimeRange:
        return self.months(year, first_month, 3, Precision.SEASON)

    def year(self, year: int) -> TimeRange:
        return self.months(year, 1, 12, Precision.YEAR)

    def months(self, year: int, month: int, count: int, precision: Precision) -> TimeRange:
        """`count` whole months from the given one on."""
        end_year, end_month = shift_months(year, month, count)
        return self.between(date(year, month, 1), date(end_year, end_month, 1), precision)

    def moment(self, moment: datetime, length: timedelta) -> TimeRange:
        """A point in time and how long it may have lasted, as exact as it was said."""
        start = moment.astimezone(UTC)
        return TimeRange(start, start + length, Precision.INSTANT)

    def _midnight(self, day: date) -> datetime:
        return datetime.combine(day, time(), tzinfo=self.now.tzinfo).astimezone(UTC)
