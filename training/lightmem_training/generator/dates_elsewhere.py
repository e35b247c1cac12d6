"""Dates as they are said in Spanish and Chinese."""

from datetime import date, timedelta
from random import Random

from lightmem_training.generator.dates import When, month_end, month_start

_MESES = (
    *("enero", "febrero", "marzo", "abril", "mayo", "junio"),
    *("julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"),
)
_SAID = {
    "es": {
        "today": ("hoy", "esta mañana"), "yesterday": ("ayer", "anoche"), "days": "hace {} días",
        "week": ("la semana pasada",), "month": ("el mes pasado",), "year": ("el año pasado",),
        "in_month": "en {}", "tomorrow": ("mañana",),
        "next_week": ("la semana que viene",), "next_month": ("el mes que viene",),
        "before": "la semana anterior al {}", "after": "la semana posterior al {}",
    },
    "zh": {
        "today": ("今天", "今天早上"), "yesterday": ("昨天", "昨晚"), "days": "{}天前",
        "week": ("上周", "上个星期"), "month": ("上个月",), "year": ("去年",),
        "in_month": "{}", "tomorrow": ("明天",),
        "next_week": ("下周", "下个星期"), "next_month": ("下个月",),
        "before": "{}的前一周", "after": "{}的后一周",
    },
}  # fmt: skip


def past(language: str, day: date, rng: Random) -> When:
    """A time before, or on, the day of the talk."""
    words = _SAID[language]
    if rng.random() < 0.4:
        return _recent(language, day, rng)
    match rng.randrange(4):
        case 0:
            first = day - timedelta(days=7 + day.weekday())
            answer = str(words["before"]).format(day_text(language, day))
            return When(rng.choice(words["week"]), first, day - timedelta(days=1), answer)
        case 1:
            return _month(language, rng.choice(words["month"]), month_start(day, -1))
        case 2:
            first = month_start(day, -rng.randint(1, 5))
            said = str(words["in_month"]).format(_month_name(language, first))
            return _month(language, said, first)
        case _:
            year = day.year - 1
            said = rng.choice(words["year"])
            return When(said, date(year, 1, 1), date(year, 12, 31), str(year))


def _recent(language: str, day: date, rng: Random) -> When:
    words = _SAID[language]
    count = rng.randrange(7)
    meant = day - timedelta(days=count)
    match count:
        case 0:
            return _one(language, rng.choice(words["today"]), meant)
        case 1:
            return _one(language, rng.choice(words["yesterday"]), meant)
        case _:
            return _one(language, str(words["days"]).format(count), meant)


def future(language: str, day: date, rng: Random) -> When:
    """A time after the day of the talk."""
    words = _SAID[language]
    match rng.randrange(3):
        case 0:
            return _one(language, rng.choice(words["tomorrow"]), day + timedelta(days=1))
        case 1:
            first = day + timedelta(days=7 - day.weekday())
            answer = str(words["after"]).format(day_text(language, day))
            return When(rng.choice(words["next_week"]), first, first + timedelta(days=6), answer)
        case _:
            return _month(language, rng.choice(words["next_month"]), month_start(day, 1))


def day_text(language: str, day: date) -> str:
    """A day as answers write it."""
    if language == "zh":
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{day.day} de {_MESES[day.month - 1]} de {day.year}"


def _one(language: str, said: str, day: date) -> When:
    return When(said, day, day, day_text(language, day))


def _month(language: str, said: str, first: date) -> When:
    answer = (
        f"{first.year}年{first.month}月"
        if language == "zh"
        else (f"{_MESES[first.month - 1]} de {first.year}")
    )
    return When(said, first, month_end(first), answer)


def _month_name(language: str, first: date) -> str:
    return f"{first.month}月" if language == "zh" else _MESES[first.month - 1]
