"""What a language brings to be read for dates: its words, and its rules over them.

A rule is a pattern with places in angle brackets, such as `<count> <unit> ago`, and the function
that says what a match means. Another language is one more module like `english.py`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from lightmem.domain.time.calendar import Calendar
from lightmem.domain.time.outlook import Outlook, Tenses
from lightmem.model import TimeRange

Relation = Literal["during", "before", "after", "since", "until", "between"]


class Unit(StrEnum):
    """A stretch of time that can be counted."""

    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    WEEKEND = "weekend"
    MONTH = "month"
    YEAR = "year"


#: Characters beside a date in which words about it are looked for.
NEAR = 40


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language by what they mean, without accents and in lower case."""

    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    seasons: Mapping[str, int]
    units: Mapping[str, Unit]
    numbers: Mapping[str, int]
    ordinals: Mapping[str, int]
    #: "last" is -1, "this" 0, "next" 1.
    steps: Mapping[str, int]
    #: "yesterday" is -1.
    days: Mapping[str, int]
    #: Feasts on a fixed day, as (month, day).
    feasts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    #: Short names of months, read only beside a number.
    short_months: Mapping[str, int] = field(default_factory=dict)
    #: Days of the month in letters, read only beside a month.
    month_days: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Context:
    """What a match is resolved against: the speaker's calendar and what the words look to."""

    calendar: Calendar
    #: A date without a year is a coming one, a past one, or where nothing speaks the nearest.
    outlook: Outlook | None = None
    #: 5/8 is the fifth of August, as in Spanish; None where nobody can tell.
    day_first: bool | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A match of a rule, its places read as values."""

    words: Words
    match: re.Match[str]

    def text(self, place: str) -> str | None:
        """The words in a place in lower case, or None where the rule has none or it is empty."""
        found = self.match.groupdict().get(place)
        return None if found is None else " ".join(found.lower().split())

    def number(self, place: str) -> int | None:
        text = self.text(place)
        if text is None:
            return None
        return int(text) if text.isdecimal() else self.words.numbers[text]

    def day(self) -> int | None:
        """The day of the month, in digits or in letters."""
        text = self.text("day_word")
        if text is None:
            return self.number("day")
        return self.words.month_days[text.replace("-", " ")]

    def month(self) -> int:
        text = self.text("month") or ""
        return self.words.months.get(text) or self.words.short_months.get(text) or int(text)

    def has(self, place: str) -> bool:
        return self.text(place) is not None

    def step(self) -> int | None:
        text = self.text("step")
        return None if text is None else self.words.steps[text]


Resolver = Callable[[Reading, Context], TimeRange | None]
Rule = tuple[str, Resolver]


@dataclass(frozen=True, slots=True)
class Language:
    """A language ready to be searched for; `compile_language` makes one."""

    code: str
    words: Words
    #: A text without any of these words and without a digit says no date in this language.
    gate: re.Pattern[str]
    rules: Sequence[tuple[re.Pattern[str], Resolver]]
    #: Words right before a date (or right behind it) that open the range to one side.
    before: Sequence[tuple[re.Pattern[str], Relation]]
    behind: Sequence[tuple[re.Pattern[str], Relation]]
    #: What stands before the first of two dates, between them, and neither of which is one.
    opening: re.Pattern[str]
    joint: re.Pattern[str]
    #: A distance counted from a date, such as "two weeks before", right before that date.
    distance: re.Pattern[str]
    #: Words right before a date, or right behind it, that make it a habit and not a date, such as
    #: "every" and "evenings".
    habit: re.Pattern[str]
    habit_behind: re.Pattern[str]
    #: Words that tell what is to come from what is over.
    tenses: Tenses
    #: What stands right before a coming date that something begins on, and behind any such date.
    start: re.Pattern[str]
    onwards: re.Pattern[str]

    def is_habit(self, text: str, start: int, end: int) -> bool:
        """Whether the words around a date make it one of many, such as "every"."""
        before, behind = text[max(0, start - NEAR) : start], text[end : end + NEAR]
        return bool(self.habit.search(before) or self.habit_behind.search(behind))


def listed(text: str) -> list[str]:
    """The words of a space-separated list, in order."""
    return text.split()


def after(*words: str) -> str:
    """Pattern: one of these words stands right before, being no part of the date."""
    return "(?:" + "|".join(f"(?<=\\b{word}\\s)" for word in words) + ")"


def compile_language(
    code: str,
    words: Words,
    rules: Sequence[Rule],
    *,
    before: Mapping[str, Relation],
    behind: Mapping[str, Relation],
    opening: str,
    joint: str,
    distance: str,
    habit: str,
    tenses: Tenses,
    habit_behind: str = "(?!)",
    start: str = "(?!)",
    onwards: str = "(?!)",
    spaced: bool = True,
) -> Language:
    """Compile a language's tables.

    Args:
        spaced: Words are set apart by spaces, so a match begins and ends with a word.
    """
    places = _places(words)

    def compiled(pattern: str, *, first: str = "", last: str = "") -> re.Pattern[str]:
        filled = re.sub(r"(?<!\?P)<(\w+)>", lambda place: places[place[1]], pattern)
        spread = filled.replace(" ?", r"\s{0,3}").replace(" ", r"\s{1,3}")
        return re.compile(first + spread + last, re.IGNORECASE)

    edges = (r"(?<!\w)(?:", r")(?!\w)") if spaced else ("(?:", ")")
    edge = r"(?:^|(?<=\W))" if spaced else ""
    return Language(
        code=code,
        words=words,
        gate=re.compile(rf"\d|{_gate(words)}", re.IGNORECASE),
        rules=[(compiled(p, first=edges[0], last=edges[1]), resolve) for p, resolve in rules],
        before=[(compiled(f"{edge}(?:{p})$"), relation) for p, relation in before.items()],
        behind=[(compiled(f"^(?:{p})"), relation) for p, relation in behind.items()],
        opening=compiled(f"{edge}(?:{opening})$"),
        joint=compiled(f"^(?:{joint})$"),
        distance=compiled(f"{edge}(?:{distance})$"),
        habit=compiled(f"{edge}(?:{habit})$"),
        habit_behind=compiled(f"^(?:{habit_behind})"),
        tenses=tenses,
        start=compiled(f"{edge}(?:{start})$"),
        onwards=compiled(f"^(?:{onwards})"),
    )


def _gate(words: Words) -> str:
    tables = (words.months, words.weekdays, words.seasons, words.units, words.days, words.feasts)
    return "|".join(re.escape(word) for table in tables for word in sorted(table))


def _places(words: Words) -> dict[str, str]:
    year = r"(?:19|20)\d\d"
    return {
        "day": r"(?P<day>[0-3]?\d)",
        "day2": r"(?P<day2>[0-3]?\d)",
        "dayword": _place("day_word", words.month_days, "(?!)"),
        "nmonth": r"(?P<month>[01]?\d)",
        # Whichever of the two is the month.
        "month31": r"(?P<month>[0-3]?\d)",
        "year": rf"(?P<year>{year})",
        "year2": rf"(?P<year2>{year})",
        "decade": r"(?P<decade>(?:19|20)\d0)",
        "hour": r"(?P<hour>[0-2]?\d)",
        "minute": r"(?P<minute>[0-5]\d)",
        "zone": r"(?P<zone>Z|[+-]\d\d:?\d\d)",
        "count": _place("count", words.numbers, r"\d{1,4}"),
        "month": _place("month", words.months),
        "mon": _place("month", {**words.months, **words.short_months}),
        "dow": _place("weekday", words.weekdays),
        "season": _place("season", words.seasons),
        "unit": _place("unit", words.units),
        "ordinal": _place("ordinal", words.ordinals),
        "step": _place("step", words.steps),
        "named": _place("named", words.days),
        "feast": _place("feast", words.feasts),
    }


def _place(name: str, table: Mapping[str, object], *more: str) -> str:
    """A named group of a table's words, longest first so that none hides a longer one."""
    listed = sorted(table, key=lambda word: (-len(word), word))
    words = [re.escape(word).replace("\\ ", " ") for word in listed]
    return f"(?P<{name}>{'|'.join([*words, *more])})"
