"""Dates in text: what is found, what it means, and what only looks like a date."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightmem.domain.time import DateMention, Outlook, find_dates, outlook_of
from lightmem.model import Precision

#: A Wednesday afternoon.
ANCHOR = datetime(2023, 5, 24, 15, 0, tzinfo=UTC)


def found(text: str, *, anchor: datetime = ANCHOR, offset: int = 0) -> list[DateMention]:
    return find_dates(text, anchor=anchor, utc_offset_minutes=offset)


def brief(text: str) -> str:
    """`start/end precision` of the only date in a text."""
    (mention,) = found(text)
    start, end = mention.range.start, mention.range.end
    edges = [f"{edge:%Y-%m-%d}" if edge else ".." for edge in (start, end)]
    return f"{'/'.join(edges)} {mention.range.precision}"


ENGLISH = [
    ("We met on 8 May 2023.", "2023-05-08/2023-05-09 day"),
    ("We met on May 8, 2023.", "2023-05-08/2023-05-09 day"),
    ("on the 8th of May, 2023", "2023-05-08/2023-05-09 day"),
    ("Monday, 8 May 2023", "2023-05-08/2023-05-09 day"),
    ("8 Sept. 2022", "2022-09-08/2022-09-09 day"),
    ("It was 2023-05-08.", "2023-05-08/2023-05-09 day"),
    ("2023/05/08", "2023-05-08/2023-05-09 day"),
    ("08.05.2023", "2023-05-08/2023-05-09 day"),
    ("25/12/2022", "2022-12-25/2022-12-26 day"),
    ("12/25/2022", "2022-12-25/2022-12-26 day"),
    ("in May 2023", "2023-05-01/2023-06-01 month"),
    ("early May 2023", "2023-05-01/2023-06-01 month"),
    ("in 2022", "2022-01-01/2023-01-01 year"),
    ("the 1990s", "1990-01-01/2000-01-01 year"),
    ("29 February 2024", "2024-02-29/2024-03-01 day"),
    ("on 29 February", "2024-02-29/2024-03-01 day"),
    ("on June 5th", "2023-06-05/2023-06-06 day"),
    ("in June", "2023-06-01/2023-07-01 month"),
    ("in may", "2023-05-01/2023-06-01 month"),
    ("in April", "2023-04-01/2023-05-01 month"),
    ("last June", "2022-06-01/2022-07-01 month"),
    ("next March", "2024-03-01/2024-04-01 month"),
    ("I will move in June", "2023-06-01/2023-07-01 month"),
    ("yesterday", "2023-05-23/2023-05-24 day"),
    ("the day before yesterday", "2023-05-22/2023-05-23 day"),
    ("the week before last", "2023-05-08/2023-05-15 week"),
    ("the month after next", "2023-07-01/2023-08-01 month"),
    ("half a year ago", "2022-11-01/2022-12-01 month"),
    ("I stay here until March", "../2024-04-01 month"),
    ("I stayed there until March", "../2023-04-01 month"),
    ("I have lived here since 2019", "2019-01-01/.. year"),
    ("I met her in spring 2022", "2022-03-01/2022-06-01 season"),
    ("I see him next Tuesday", "2023-05-30/2023-05-31 day"),
    ("last night", "2023-05-23/2023-05-24 day"),
    ("today", "2023-05-24/2023-05-25 day"),
    ("tomorrow", "2023-05-25/2023-05-26 day"),
    ("last Friday", "2023-05-19/2023-05-20 day"),
    ("last Wednesday", "2023-05-17/2023-05-18 day"),
    ("this Friday", "2023-05-26/2023-05-27 day"),
    ("next Friday", "2023-05-26/2023-05-27 day"),
    ("on Friday", "2023-05-26/2023-05-27 day"),
    ("on Wednesday", "2023-05-24/2023-05-25 day"),
    ("we'll meet on Friday", "2023-05-26/2023-05-27 day"),
    ("Friday last week", "2023-05-19/2023-05-20 day"),
    ("3 days ago", "2023-05-21/2023-05-22 day"),
    ("two weeks ago", "2023-05-08/2023-05-15 week"),
    ("a couple of weeks ago", "2023-05-08/2023-05-15 week"),
    ("five months ago", "2022-12-01/2023-01-01 month"),
    ("a year ago", "2022-01-01/2023-01-01 year"),
    ("last week", "2023-05-15/2023-05-22 week"),
    ("this week", "2023-05-22/2023-05-29 week"),
    ("next week", "2023-05-29/2023-06-05 week"),
    ("last weekend", "2023-05-20/2023-05-22 week"),
    ("this weekend", "2023-05-27/2023-05-29 week"),
    ("last month", "2023-04-01/2023-05-01 month"),
    ("last year", "2022-01-01/2023-01-01 year"),
    ("next summer", "2023-06-01/2023-09-01 season"),
    ("last summer", "2022-06-01/2022-09-01 season"),
    ("this spring", "2023-03-01/2023-06-01 season"),
    ("in spring 2022", "2022-03-01/2022-06-01 season"),
    ("the fall of 2019", "2019-09-01/2019-12-01 season"),
    ("winter 2022", "2022-12-01/2023-03-01 season"),
    ("over the past three weeks", "2023-05-03/2023-05-25 week"),
    ("in the last month", "2023-04-24/2023-05-25 month"),
    ("first weekend of August", "2023-08-05/2023-08-07 week"),
    ("the last Friday of May 2023", "2023-05-26/2023-05-27 day"),
    ("the second week of June 2022", "2022-06-08/2022-06-15 week"),
    ("Christmas 2022", "2022-12-25/2022-12-26 day"),
    ("last Halloween", "2022-10-31/2022-11-01 day"),
    ("New Year’s Eve 2022", "2022-12-31/2023-01-01 day"),
    ("the Sunday before 25 May 2023", "2023-05-21/2023-05-22 day"),
    ("two days after 30 December 2022", "2023-01-01/2023-01-02 day"),
    ("3 to 7 May 2023", "2023-05-03/2023-05-08 day"),
    ("before May 2023", "../2023-05-01 month"),
    ("after 8 May 2023", "2023-05-09/.. day"),
    ("since last summer", "2022-06-01/.. season"),
    ("until 2022", "../2023-01-01 year"),
    ("by the end of June 2022", "2022-06-01/2022-07-01 month"),
    ("between May and July 2022", "2022-05-01/2022-08-01 month"),
    ("between 3 May 2023 and June 2023", "2023-05-03/2023-07-01 month"),
    ("from November to February 2023", "2022-11-01/2023-03-01 month"),
    ("May–July 2022", "2022-05-01/2022-08-01 month"),
    ("between 2019 and 2021", "2019-01-01/2022-01-01 year"),
    ("from 2019 to 2021", "2019-01-01/2022-01-01 year"),
]

SPANISH = [
    ("hace medio año", "2022-11-01/2022-12-01 month"),
    ("Me quedo hasta marzo", "../2024-04-01 month"),
    ("Me quedé hasta marzo", "../2023-04-01 month"),
    ("en la primavera de 2022", "2022-03-01/2022-06-01 season"),
    ("hace dos semanas", "2023-05-08/2023-05-15 week"),
    ("el próximo martes", "2023-05-30/2023-05-31 day"),
    ("el 3 de marzo de 2024", "2024-03-03/2024-03-04 day"),
    ("el miércoles 3 de mayo de 2023", "2023-05-03/2023-05-04 day"),
    ("el primero de mayo", "2023-05-01/2023-05-02 day"),
    ("en marzo de 2024", "2024-03-01/2024-04-01 month"),
    ("marzo del 2024", "2024-03-01/2024-04-01 month"),
    ("en junio", "2023-06-01/2023-07-01 month"),
    ("en 2022", "2022-01-01/2023-01-01 year"),
    ("el año 2022", "2022-01-01/2023-01-01 year"),
    ("ayer", "2023-05-23/2023-05-24 day"),
    ("anteayer", "2023-05-22/2023-05-23 day"),
    ("anoche", "2023-05-23/2023-05-24 day"),
    ("hoy", "2023-05-24/2023-05-25 day"),
    ("mañana", "2023-05-25/2023-05-26 day"),
    ("pasado mañana", "2023-05-26/2023-05-27 day"),
    ("hace 3 días", "2023-05-21/2023-05-22 day"),
    ("hace dos semanas", "2023-05-08/2023-05-15 week"),
    ("hace un año", "2022-01-01/2023-01-01 year"),
    ("dentro de dos meses", "2023-07-01/2023-08-01 month"),
    ("el viernes pasado", "2023-05-19/2023-05-20 day"),
    ("el próximo viernes", "2023-05-26/2023-05-27 day"),
    ("el viernes que viene", "2023-05-26/2023-05-27 day"),
    ("descansé el viernes", "2023-05-19/2023-05-20 day"),
    ("la semana pasada", "2023-05-15/2023-05-22 week"),
    ("esta semana", "2023-05-22/2023-05-29 week"),
    ("el fin de semana pasado", "2023-05-20/2023-05-22 week"),
    ("el mes pasado", "2023-04-01/2023-05-01 month"),
    ("el año pasado", "2022-01-01/2023-01-01 year"),
    ("el verano pasado", "2022-06-01/2022-09-01 season"),
    ("el próximo verano", "2023-06-01/2023-09-01 season"),
    ("en la primavera de 2022", "2022-03-01/2022-06-01 season"),
    ("el primer fin de semana de agosto", "2023-08-05/2023-08-07 week"),
    ("en los últimos tres meses", "2023-02-24/2023-05-25 month"),
    ("antes de mayo de 2023", "../2023-05-01 month"),
    ("después del 8 de mayo de 2023", "2023-05-09/.. day"),
    ("desde el año pasado", "2022-01-01/.. year"),
    ("hasta 2022", "../2023-01-01 year"),
    ("entre mayo y julio de 2022", "2022-05-01/2022-08-01 month"),
    ("del 3 al 7 de mayo de 2023", "2023-05-03/2023-05-08 day"),
    ("la Navidad pasada", "2022-12-25/2022-12-26 day"),
    ("¿Qué pasó el 5/8/2022 en la casa de mi hermana?", "2022-08-05/2022-08-06 day"),
]

CHINESE = [
    ("大后天", "2023-05-27/2023-05-28 day"),
    ("大前年", "2020-01-01/2021-01-01 year"),
    ("上上个月", "2023-03-01/2023-04-01 month"),
    ("下下周", "2023-06-05/2023-06-12 week"),
    ("半年前", "2022-11-01/2022-12-01 month"),
    ("2015年到2018年", "2015-01-01/2019-01-01 year"),
    ("下周四", "2023-06-01/2023-06-02 day"),
    ("上周二", "2023-05-16/2023-05-17 day"),
    ("我待到三月", "../2024-04-01 month"),
    ("去年夏天", "2022-06-01/2022-09-01 season"),
    ("2023年5月8日", "2023-05-08/2023-05-09 day"),
    ("去年夏天", "2022-06-01/2022-09-01 season"),
    ("昨天我去了公园", "2023-05-23/2023-05-24 day"),
    ("上周五", "2023-05-19/2023-05-20 day"),
    ("三天前", "2023-05-21/2023-05-22 day"),
    ("上个月", "2023-04-01/2023-05-01 month"),
    ("2022年以来", "2022-01-01/.. year"),
    ("2022年5月以前", "../2022-05-01 month"),
]


@pytest.mark.parametrize(("text", "expected"), ENGLISH + SPANISH + CHINESE)
def test_a_date_is_found_and_resolved(text: str, expected: str) -> None:
    assert brief(text) == expected


#: Without a year, said on a Wednesday in May: each could be past or to come.
LOOKING = [
    ("I will move in October", "2023-10-01/2023-11-01 month"),
    ("They operate on the twenty-second of November.", "2023-11-22/2023-11-23 day"),
    ("They operated on the twenty-second of June.", "2022-06-22/2022-06-23 day"),
    ("We want to get married. It is a dream. The fifteenth of December!",
     "2023-12-15/2023-12-16 day"),
    ("We got married in Rome. The fifteenth of June!", "2022-06-15/2022-06-16 day"),
    ("We're flying to Rome on the third of December", "2023-12-03/2023-12-04 day"),
    ("We were going to fly on the third of June", "2022-06-03/2022-06-04 day"),
    ("The exam is on January 5th", "2024-01-05/2024-01-06 day"),
    ("I booked the hotel for December", "2023-12-01/2024-01-01 month"),
    ("I booked the hotel in June", "2022-06-01/2022-07-01 month"),
    ("I decided to run a race in December", "2023-12-01/2024-01-01 month"),
    ("We moved in June, so we'll stay.", "2022-06-01/2022-07-01 month"),
    ("In December we are going to Rome, where I was born.", "2023-12-01/2024-01-01 month"),
    ("I saw her on Friday.", "2023-05-19/2023-05-20 day"),
    ("It slid off the bench on Friday.", "2023-05-19/2023-05-20 day"),
    ("I've marked the thirtieth of December.", "2023-12-30/2023-12-31 day"),
    ("See you on Monday!", "2023-05-29/2023-05-30 day"),
    ("Pizza on Monday.", "2023-05-22/2023-05-23 day"),
    ("The operation is in two weeks.", "2023-06-05/2023-06-12 week"),
    ("We leave this weekend.", "2023-05-27/2023-05-29 week"),
    ("From January I'll work in Rome.", "2024-01-01/.. month"),
    ("The shop opens from June onwards.", "2023-06-01/.. month"),
    ("These are photos from July.", "2023-07-01/2023-08-01 month"),
    ("I'm staying here until March.", "../2024-04-01 month"),
    ("We have had a dog since June.", "2022-06-01/.. month"),
    ("When will Ana move, in October?", "2023-10-01/2023-11-01 month"),
    ("When did Ana move, in June?", "2022-06-01/2022-07-01 month"),
    ("What did Ana plan to do in June?", "2022-06-01/2022-07-01 month"),
    ("Where is Ana going in December?", "2023-12-01/2024-01-01 month"),
    ("on the fifteenth of June", "2023-06-15/2023-06-16 day"),
    ("May the twenty-second", "2023-05-22/2023-05-23 day"),
    ("June fifteenth, 2024", "2024-06-15/2024-06-16 day"),
    ("the thirty-first of May 2021", "2021-05-31/2021-06-01 day"),
    ("la operan el quince de diciembre", "2023-12-15/2023-12-16 day"),
    ("viajaré el veintidós de diciembre", "2023-12-22/2023-12-23 day"),
    ("va a viajar en diciembre", "2023-12-01/2024-01-01 month"),
    ("queremos casarnos en diciembre", "2023-12-01/2024-01-01 month"),
    ("nació el quince de junio", "2022-06-15/2022-06-16 day"),
    ("compré la casa en junio", "2022-06-01/2022-07-01 month"),
    ("entré el dos de junio", "2022-06-02/2022-06-03 day"),
    ("¿Qué hizo Ana en junio?", "2022-06-01/2022-07-01 month"),
    ("a partir de junio en adelante", "2023-06-01/.. month"),
    ("我打算十二月搬家", "2023-12-01/2024-01-01 month"),
    ("我们要在十二月十五日结婚了", "2023-12-15/2023-12-16 day"),
    ("我六月二十二号搬了家", "2022-06-22/2022-06-23 day"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), LOOKING)
def test_a_date_without_a_year_is_where_the_words_look(text: str, expected: str) -> None:
    assert brief(text) == expected


def test_what_nothing_tells_is_told_by_the_caller() -> None:
    def year(outlook: Outlook | None) -> int:
        (mention,) = find_dates("in August", anchor=ANCHOR, utc_offset_minutes=0, outlook=outlook)
        assert mention.range.start is not None
        return mention.range.start.year

    assert [year(None), year("ahead"), year("back")] == [2023, 2023, 2022]


@pytest.mark.parametrize(
    ("text", "outlook"),
    [
        ("When are you getting married?", "ahead"),
        ("When did you get married?", "back"),
        ("¿Cuándo te casaste?", "back"),
        ("你打算什么时候结婚？", "ahead"),
        ("How wonderful!", None),
        ("Wann heiratest du?", None),
    ],
)
def test_a_text_without_a_date_looks_somewhere_too(text: str, outlook: str | None) -> None:
    assert outlook_of(text) == outlook


@pytest.mark.parametrize(
    "text",
    [
        "This may be wrong, and it may rain.",
        "I may 2 or 3 times a week.",
        "We march on. March of the penguins.",
        "Wait a second, for the second time.",
        "Water from the spring; spring water; he took a fall.",
        "I wrote to May and April called June.",
        "In 2022 people came, at 1500 euros each; room 2022; 2,022 steps.",
        "She is 20 and ran 30 km in 2 hours.",
        "I read it in two weeks.",
        "Every Friday and each June we swim.",
        "The Christmas tree is up.",
        "the other day, recently, a long time ago",
        "5/8/2023 can be either.",
        "30 February 2023, 31 April, 99/99/2023",
        "999999 years ago",
        "Los viernes nado. De la mañana a la noche.",
        "cada domingo por la mañana",
        "yoga on Tuesday evenings",
        "the first Friday of every month",
        "los amigos, martes por las noches",
        "el primer viernes de cada mes",
        "每天我都去公园",
        "",
    ],
)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("anchor", "offset", "text", "day"),
    [
        # Early on 1 March in Tokyo, still 29 February in UTC.
        (datetime(2024, 2, 29, 16, 0, tzinfo=UTC), 540, "yesterday", datetime(2024, 2, 29)),  # noqa: DTZ001
        (datetime(2024, 2, 29, 16, 0, tzinfo=UTC), 0, "yesterday", datetime(2024, 2, 28)),  # noqa: DTZ001
        # Late on 31 December in New York, already 1 January in UTC.
        (datetime(2024, 1, 1, 3, 0, tzinfo=UTC), -300, "today", datetime(2023, 12, 31)),  # noqa: DTZ001
        (datetime(2024, 1, 1, 3, 0, tzinfo=UTC), -300, "tomorrow", datetime(2024, 1, 1)),  # noqa: DTZ001
        (datetime(2024, 1, 1, 3, 0, tzinfo=UTC), 0, "ayer", datetime(2023, 12, 31)),  # noqa: DTZ001
        (datetime(2023, 5, 21, 22, 0, tzinfo=UTC), 330, "last Sunday", datetime(2023, 5, 21)),  # noqa: DTZ001
        (datetime(2023, 5, 21, 22, 0, tzinfo=UTC), 0, "last Sunday", datetime(2023, 5, 14)),  # noqa: DTZ001
    ],
)
def test_a_day_is_the_speakers_day(anchor: datetime, offset: int, text: str, day: datetime) -> None:
    (mention,) = found(text, anchor=anchor, offset=offset)

    assert mention.range.start == day.replace(tzinfo=UTC) - timedelta(minutes=offset)
    assert mention.range.end == day.replace(tzinfo=UTC) + timedelta(days=1, minutes=-offset)


@pytest.mark.parametrize(
    ("anchor", "text", "expected"),
    [
        (datetime(2023, 1, 1, 12, tzinfo=UTC), "last week", (2022, 12, 19)),
        (datetime(2023, 1, 2, 12, tzinfo=UTC), "last week", (2022, 12, 26)),
        (datetime(2023, 1, 15, 12, tzinfo=UTC), "last month", (2022, 12, 1)),
        (datetime(2023, 12, 31, 12, tzinfo=UTC), "next month", (2024, 1, 1)),
        (datetime(2024, 3, 31, 12, tzinfo=UTC), "a month ago", (2024, 2, 1)),
        (datetime(2024, 2, 29, 12, tzinfo=UTC), "a year ago", (2023, 1, 1)),
        (datetime(2024, 1, 10, 12, tzinfo=UTC), "last winter", (2022, 12, 1)),
        (datetime(2024, 1, 10, 12, tzinfo=UTC), "in winter", (2023, 12, 1)),
        (datetime(2023, 5, 21, 12, tzinfo=UTC), "last weekend", (2023, 5, 13)),
    ],
)
def test_years_and_months_turn_where_they_should(
    anchor: datetime, text: str, expected: tuple[int, int, int]
) -> None:
    (mention,) = found(text, anchor=anchor)

    assert mention.range.start == datetime(*expected, tzinfo=UTC)


def test_an_hour_ago_is_as_exact_as_it_was_said() -> None:
    (mention,) = found("an hour ago")

    assert mention.range.precision is Precision.INSTANT
    assert mention.range.start == ANCHOR - timedelta(hours=1)


def test_a_time_with_its_own_offset_keeps_it() -> None:
    (mention,) = found("at 2023-05-08T10:15+02:00", offset=-300)

    assert mention.range.start == datetime(2023, 5, 8, 8, 15, tzinfo=UTC)


def test_all_dates_come_in_order_with_their_place() -> None:
    text = "Yesterday I rested; el viernes pasado nadé; since May 2022 I run."

    mentions = found(text)

    assert [m.text for m in mentions] == ["Yesterday", "el viernes pasado", "since May 2022"]
    assert all(text[slice(*m.span)] == m.text for m in mentions)
    assert [m.relation for m in mentions] == ["during", "during", "since"]


def test_one_language_alone_can_be_asked_for() -> None:
    text = "Yesterday; ayer."

    mentions = find_dates(text, anchor=ANCHOR, utc_offset_minutes=0, language="es-ES")

    assert [m.text for m in mentions] == ["ayer"]


def test_a_language_we_lack_is_read_by_all_rules() -> None:
    mentions = find_dates("Le 2023-05-08", anchor=ANCHOR, utc_offset_minutes=0, language="fr")

    assert [m.text for m in mentions] == ["2023-05-08"]


words = st.sampled_from(
    sorted({word for text, _ in ENGLISH + SPANISH + CHINESE for word in text.split()})
)


@given(
    st.lists(words, max_size=12).map(" ".join) | st.text(max_size=60),
    st.datetimes(timezones=st.just(UTC)),
    st.integers(-14 * 60, 14 * 60),
)
def test_any_text_at_any_time_gives_ordered_ranges_in_place(
    text: str, anchor: datetime, offset: int
) -> None:
    mentions = found(text, anchor=anchor, offset=offset)

    assert all(text[slice(*m.span)] == m.text for m in mentions)
    assert all(a.span[1] <= b.span[0] for a, b in pairwise(mentions))
    for mention in mentions:
        start, end = mention.range.start, mention.range.end
        assert start is not None or end is not None
        assert start is None or end is None or start < end
