"""How dates are said in English.

Some month names are also verbs and names ("may", "march", "April", "June"), so a month without a
number beside it needs a preposition; a year needs one too.
"""

from lightmem.domain.time import resolve as to
from lightmem.domain.time import tenses
from lightmem.domain.time.language import Rule, Unit, Words, after, compile_language, listed

_DAY_WORDS = listed(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_MONTH_DAYS = {
    **{word: day for day, word in enumerate(_DAY_WORDS, start=1)},
    **{
        f"twenty{mark}{word}": day
        for mark in " -"
        for day, word in enumerate(_DAY_WORDS[:9], start=21)
    },
    "thirtieth": 30,
    **dict.fromkeys(("thirty first", "thirty-first"), 31),
}

WORDS = Words(
    month_days=_MONTH_DAYS,
    months={
        "january": 1,
        "february": 2,
        "march": 3,
        "april": 4,
        "may": 5,
        "june": 6,
        "july": 7,
        "august": 8,
        "september": 9,
        "october": 10,
        "november": 11,
        "december": 12,
    },
    short_months={
        "jan": 1,
        "feb": 2,
        "mar": 3,
        "apr": 4,
        "jun": 6,
        "jul": 7,
        "aug": 8,
        "sep": 9,
        "sept": 9,
        "oct": 10,
        "nov": 11,
        "dec": 12,
    },
    weekdays={
        "monday": 0,
        "tuesday": 1,
        "wednesday": 2,
        "thursday": 3,
        "friday": 4,
        "saturday": 5,
        "sunday": 6,
    },
    seasons={"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12},
    units={
        **dict.fromkeys(("minute", "minutes"), Unit.MINUTE),
        **dict.fromkeys(("hour", "hours"), Unit.HOUR),
        **dict.fromkeys(("day", "days"), Unit.DAY),
        **dict.fromkeys(("week", "weeks"), Unit.WEEK),
        **dict.fromkeys(("weekend", "weekends"), Unit.WEEKEND),
        **dict.fromkeys(("month", "months"), Unit.MONTH),
        **dict.fromkeys(("year", "years"), Unit.YEAR),
    },
    numbers={
        **dict.fromkeys(("a", "an", "one"), 1),
        **dict.fromkeys(("two", "couple", "couple of", "a couple", "a couple of"), 2),
        **{
            word: number
            for number, word in enumerate(
                ("three", "four", "five", "six", "seven", "eight", "nine", "ten"), start=3
            )
        },
        "eleven": 11,
        "twelve": 12,
        "fifteen": 15,
        "twenty": 20,
        "thirty": 30,
    },
    ordinals={
        "first": 1,
        "second": 2,
        "third": 3,
        "fourth": 4,
        "fifth": 5,
        "last": -1,
        "final": -1,
    },
    steps={
        **dict.fromkeys(("last", "past", "this past", "this last", "previous"), -1),
        **dict.fromkeys(("this", "the current"), 0),
        **dict.fromkeys(("next", "coming", "this coming", "this upcoming", "the coming"), 1),
    },
    days={
        "the day before yesterday": -2,
        "day before yesterday": -2,
        "yesterday": -1,
        "yesterday morning": -1,
        "yesterday afternoon": -1,
        "yesterday evening": -1,
        "last night": -1,
        "today": 0,
        "tonight": 0,
        "this morning": 0,
        "this afternoon": 0,
        "this evening": 0,
        "tomorrow": 1,
        "tomorrow morning": 1,
        "tomorrow night": 1,
        "the day after tomorrow": 2,
        "day after tomorrow": 2,
    },
    feasts={
        "christmas": (12, 25),
        "christmas day": (12, 25),
        "christmas eve": (12, 24),
        "boxing day": (12, 26),
        "new year's eve": (12, 31),
        "new year's day": (1, 1),
        "new year's": (1, 1),
        "halloween": (10, 31),
        "valentine's day": (2, 14),
    },
)


#: What is "from July" without beginning then.
_ORIGINS = ("photo", "photos", "picture", "pictures", "letter", "message", "news", "friends")
_IN = after("in", "since", "until", "till", "before", "after", "by", "during", "of", "early")
_IN_YEAR = after(
    "in", "since", "until", "till", "before", "after", "by", "during", "year", "late", "early"
)
_PART = after("through", "late", "mid", "throughout")
#: Before a name as well ("a letter to May"), so such a month counts in a pair alone.
_PAIRED = after("from", "between", "and", "to")
_AT = after("at", "on", "for", "since", "until", "before", "after", "by", "around", "this")
_ON = after("on", "since", "until", "before", "after", "by", "the")
_NAMED_MONTH = r"(?-i:(?=[A-Z]))<month>"
#: Months that are nothing else.
_SURE_MONTH = r"(?=jan|feb|jul|sep|oct|nov|dec)<month>"
#: Behind these a number counts and is no day and no year.
_COUNTED = (
    r"(?!\s*(?:%|€|\$|[.,:]?\d)|[-/]\d|\s+(?:people|persons|users|miles?|kilomet|km|meters?|metres?"
    r"|steps|calories|words|pages|copies|euros?|dollars|pounds|hours?|minutes?|days|weeks|months"
    r"|times|points|cases|votes|seats|items|units|percent|more|other|of\s+(?:them|these|those|us)))"
)
_NO_WATER = r"(?!\s+(?:water|rolls?|onions?|break|cleaning|mattress|from|off|into|down|flat))"
_NO_TREE = r"(?!\s+(?:tree|card|present|gift|party|carol|song|cookie|movie|music|costume|decor))"
#: Behind these an ordinal counts something else.
_NO_NOUN = r"(?!\s+(?:week|weekend|day|time|place|year|month))"
_DOW = r"(?:<dow>,? (?:the )?)?"
_NTH = r"<day>(?:st|nd|rd|th)?"
_YEAR = r"(?:,?(?: (?:of|in))? |,)<year>"

RULES: list[Rule] = [
    (rf"{_DOW}{_NTH}(?: of)? <mon>\.?{_YEAR}", to.day_of_month),
    (rf"{_DOW}<mon>\.? {_NTH}{_YEAR}", to.day_of_month),
    (rf"{_DOW}<day>(?:st|nd|rd|th)(?: of)? <mon>", to.day_of_month),
    (rf"{_DOW}<mon>\.? <day>(?:st|nd|rd|th)", to.day_of_month),
    (rf"{_DOW}<day>(?: of)? {_NAMED_MONTH}", to.day_of_month),
    (rf"{_DOW}{_NAMED_MONTH} <day>{_COUNTED}", to.day_of_month),
    (rf"{_DOW}(?-i:(?=[A-Z]))<mon>\.? <day>{_COUNTED}", to.day_of_month),
    (rf"{_ON}<day> <mon>", to.day_of_month),
    (rf"{_DOW}(?:the )?<dayword>(?: day)? of <mon>(?:{_YEAR})?", to.day_of_month),
    (rf"{_DOW}the <dayword> {_NAMED_MONTH}", to.day_of_month),
    (rf"{_DOW}{_NAMED_MONTH}(?: the)? <dayword>(?:{_YEAR})?{_NO_NOUN}", to.day_of_month),
    (rf"{_DOW}{_NAMED_MONTH} the <day>(?:st|nd|rd|th)?(?:{_YEAR})?{_COUNTED}", to.day_of_month),
    (rf"{_ON}<mon>\.? <day>{_COUNTED}", to.day_of_month),
    (rf"{_NTH} ?(?:-|–|to|and|until|through) ?<day2>(?:st|nd|rd|th)?(?: of)? <mon>(?:{_YEAR})?",
     to.days_of_month),
    (rf"<mon>\.? {_NTH} ?(?:-|–|to|and|until|through) ?<day2>(?:st|nd|rd|th)?(?:{_YEAR})?",
     to.days_of_month),
    (rf"(?:early |mid-?|late )?<mon>\.?{_YEAR}{_COUNTED}", to.month_of_year),
    (r"(?!this)<step> <month>", to.month_of_year),
    (rf"this {_NAMED_MONTH}", to.month_of_year),
    (rf"{_IN}(?:early |mid-?|late )?<month>", to.month_of_year),
    (rf"{_PART}{_NAMED_MONTH}", to.month_of_year),
    (_SURE_MONTH, to.month_of_year),
    (rf"{_PAIRED}(?:the )?{_NAMED_MONTH}", to.month_in_pair),
    (rf"{_NAMED_MONTH}(?= ?[-–] ?[A-Z])", to.month_in_pair),
    (rf"<season>{_YEAR}", to.season_of_year),
    (rf"<step> <season>{_NO_WATER}", to.season_of_year),
    (rf"{_IN}(?:the )?<season>{_NO_WATER}", to.season_of_year),
    (rf"(?:the )?<ordinal> (?:full )?(?:<unit>|<dow>) (?:of|in) <month>(?:{_YEAR})?",
     to.part_of_month),
    (rf"{_IN_YEAR}<year>{_COUNTED}", to.year_alone),
    (rf"(?<=between\s)<year> and <year2>{_COUNTED}", to.year_alone),
    (rf"(?<=from\s)<year> (?:to|until|through) <year2>{_COUNTED}", to.year_alone),
    (r"(?:the )?<decade>s", to.decade),
    (r"<year>-<nmonth>-<day>", to.day_of_month),
    (r"<year>/<nmonth>/<day>", to.day_of_month),
    (r"<year>-<nmonth>-<day>[T ]<hour>:<minute>(?::\d\d(?:\.\d+)?)?<zone>?", to.moment),
    (r"<day>\.<nmonth>\.<year>", to.day_of_month),
    (r"<day>/<month31>/<year>", to.numeric_day),
    (r"<named>", to.named_day),
    (r"(?:about |around )?<count> <unit> (?:ago|back)", to.ago),
    (r"half a year (?:ago|back)", to.half_a_year_ago),
    (r"the <unit> before last", to.before_last),
    (r"the <unit> after next", to.after_next),
    (r"<count> <unit> from (?:now|today)", to.from_now),
    (r"in (?:about |around )?<count> <unit>", to.from_now_if_ahead),
    (r"(?:in|over|during|for|within) the (?:last|past) (?:<count> )?<unit>", to.trailing),
    (r"<step> <unit>(?!\s+(?:of|in)\b)", to.stepped_unit),
    (r"<step> <dow>", to.weekday),
    (r"<dow>(?: of)? <step> <unit>", to.weekday),
    (r"(?:<dow>)", to.weekday),
    (rf"<feast>{_YEAR}", to.feast_of_year),
    (rf"<step> <feast>{_NO_TREE}", to.feast_of_year),
    (rf"{_AT}<feast>{_NO_TREE}", to.feast_of_year),
]  # fmt: skip

ENGLISH = compile_language(
    "en",
    WORDS,
    RULES,
    before={
        "(?:before|prior to) (?:the )?": "before",
        "after (?:the )?": "after",
        "since (?:the )?": "since",
        "(?:until|till|up to|through|by) (?:the )?": "until",
    },
    behind={},
    opening="(?:between|from) (?:the )?",
    joint="(?: and | until | till )?(?P<alone> ?[-–] ?| to | through )?(?:the )?",
    distance="(?:the )?(?:<count> )?(?:<unit>|<dow>) (?:(?P<earlier>before)|(?P<later>after))"
    " (?:the )?",
    habit="(?:every|each|any|most) ",
    habit_behind=r" (?:mornings|afternoons|evenings|nights)\b"
    r"| (?:of|in) (?:every|each) (?:week|month)\b",
    tenses=tenses.ENGLISH,
    start="".join(rf"(?<!\b{word}\s)" for word in _ORIGINS)
    + "(?:starting )?from (?:the )?|starting (?:in |on )?|as of (?:the )?",
    onwards=r" on(?:wards?)?\b",
)
