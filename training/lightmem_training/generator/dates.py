"""Dates as people say them, relative to the day of the talk, and the days that they mean."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six")


@dataclass(frozen=True, slots=True)
class When:
    """An expression with the first and last day that it may mean, and the answer it gives."""

    said: str
    first: date
    last: date
    answer: str


_Kind = Callable[[date, Random], When]


def past(day: date, rng: Random) -> When:
    """A time before, or on, the day of the talk."""
    return _draw(
        day, rng, [_today, _yesterday, _yesterday, _days_ago, _last_weekday, _last_weekday,
                   _weekend, _last_week, _last_week, _weeks_ago, _last_month, _in_month, _on_day,
                   _years_ago],
    )  # fmt: skip


def future(day: date, rng: Random) -> When:
    """A time after the day of the talk."""
    return _draw(
        day, rng, [_tomorrow, _next_weekday, _this_weekend, _next_week, _next_month, _next_month,
                   _coming_month, _in_weeks],
    )  # fmt: skip


def day_text(day: date) -> str:
    """A day as answers write it: `8 May 2023`."""
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def month_text(day: date) -> str:
    """A month as answers write it: `May 2023`."""
    return f"{_MONTHS[day.month - 1]} {day.year}"


def month_start(day: date, months: int) -> date:
    """The first day of the month so many months on."""
    count = day.year * 12 + day.month - 1 + months
    return date(count // 12, count % 12 + 1, 1)


def month_end(start: date) -> date:
    """The last day of the month that starts."""
    return month_start(start, 1) - timedelta(days=1)


def _draw(day: date, rng: Random, kinds: list[_Kind]) -> When:
    return kinds[int(rng.random() * len(kinds))](day, rng)


def _one(said: str, day: date) -> When:
    return When(said, day, day, day_text(day))


def _today(day: date, rng: Random) -> When:
    return _one(rng.choice(["today", "this morning", "earlier today", "just now"]), day)


def _yesterday(day: date, rng: Random) -> When:
    said = ["yesterday", "yesterday", "last night", "yesterday afternoon", "yesterday evening"]
    return _one(rng.choice(said), day - timedelta(days=1))


def _days_ago(day: date, rng: Random) -> When:
    count = rng.randint(2, 6)
    said = "the other day, two days ago" if count == 2 and rng.random() < 0.2 else None
    return _one(said or f"{_NUMBERS[count]} days ago", day - timedelta(days=count))


def _last_weekday(day: date, rng: Random) -> When:
    meant = day - timedelta(days=rng.randint(1, 7))
    name = _DAYS[meant.weekday()]
    said = rng.choice([f"last {name}", f"on {name}", f"this past {name}"])
    return When(said, meant, meant, f"the {name} before {day_text(day)}")


def _weekend(day: date, rng: Random) -> When:
    sunday = day - timedelta(days=day.weekday() + 1)
    said = rng.choice(["last weekend", "over the weekend", "at the weekend", "this past weekend"])
    first = sunday - timedelta(days=1)
    return When(said, first, sunday, f"the weekend before {day_text(day)}")


def _last_week(day: date, rng: Random) -> When:
    said = rng.choice(["last week", "last week", "earlier last week", "about a week ago"])
    first = day - timedelta(days=7 + day.weekday())
    return When(said, first, day - timedelta(days=1), f"the week before {day_text(day)}")


def _weeks_ago(day: date, rng: Random) -> When:
    count = rng.randint(2, 4)
    near = day - timedelta(weeks=count)
    said = "a couple of weeks ago" if count == 2 else f"{_NUMBERS[count]} weeks ago"
    answer = f"{_NUMBERS[count]} weeks before {day_text(day)}"
    return When(said, near - timedelta(days=4), near + timedelta(days=4), answer)


def _last_month(day: date, rng: Random) -> When:
    first = month_start(day, -1)
    return When(
        rng.choice(["last month", "back last month"]), first, month_end(first), month_text(first)
    )


def _in_month(day: date, rng: Random) -> When:
    first = month_start(day, -rng.randint(1, 5))
    name = _MONTHS[first.month - 1]
    said = rng.choice(
        [f"in {name}", f"back in {name}", f"at the end of {name}", f"early in {name}"]
    )
    return When(said, first, month_end(first), month_text(first))


def _on_day(day: date, rng: Random) -> When:
    meant = day - timedelta(days=rng.randint(1, 25))
    ending = {1: "st", 2: "nd", 3: "rd"}.get(meant.day % 10 if not 10 < meant.day < 14 else 0, "th")
    name = _MONTHS[meant.month - 1]
    said = rng.choice([f"on the {meant.day}{ending}", f"on {name} {meant.day}"])
    return _one(said if meant.month == day.month else f"on {name} {meant.day}", meant)


def _years_ago(day: date, rng: Random) -> When:
    count = rng.choice([1, 1, 2, 3])
    year = day.year - count
    said = (
        rng.choice(["last year", "sometime last year"])
        if count == 1
        else f"{_NUMBERS[count]} years ago"
    )
    return When(said, date(year, 1, 1), date(year, 12, 31), str(year))


def _tomorrow(day: date, rng: Random) -> When:
    return _one(rng.choice(["tomorrow", "tomorrow morning"]), day + timedelta(days=1))


def _next_weekday(day: date, rng: Random) -> When:
    meant = day + timedelta(days=rng.randint(2, 7))
    name = _DAYS[meant.weekday()]
    said = rng.choice([f"on {name}", f"this {name}", f"this coming {name}"])
    return When(said, meant, meant, f"the {name} after {day_text(day)}")


def _this_weekend(day: date, rng: Random) -> When:
    saturday = day + timedelta(days=(5 - day.weekday()) % 7 or 7)
    said = rng.choice(["this weekend", "this coming weekend"])
    return When(said, saturday, saturday + timedelta(days=1), f"the weekend after {day_text(day)}")


def _next_week(day: date, rng: Random) -> When:
    first = day + timedelta(days=7 - day.weekday())
    said = rng.choice(["next week", "sometime next week"])
    return When(said, first, first + timedelta(days=6), f"the week after {day_text(day)}")


def _next_month(day: date, rng: Random) -> When:
    first = month_start(day, 1)
    return When(
        rng.choice(["next month", "early next month"]), first, month_end(first), month_text(first)
    )


def _coming_month(day: date, rng: Random) -> When:
    first = month_start(day, rng.randint(1, 6))
    name = _MONTHS[first.month - 1]
    return When(
        rng.choice([f"in {name}", f"come {name}"]), first, month_end(first), month_text(first)
    )


def _in_weeks(day: date, rng: Random) -> When:
    count = rng.randint(2, 4)
    near = day + timedelta(weeks=count)
    answer = f"{_NUMBERS[count]} weeks after {day_text(day)}"
    return When(
        f"in {_NUMBERS[count]} weeks", near - timedelta(days=4), near + timedelta(days=4), answer
    )
