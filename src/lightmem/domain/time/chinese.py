"""How dates are said in Chinese, which sets no spaces and puts relations behind the date."""

from datetime import date

from lightmem.domain.time import resolve as to
from lightmem.domain.time import tenses
from lightmem.domain.time.language import Context, Reading, Rule, Unit, Words, compile_language
from lightmem.model import TimeRange

_DIGITS = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_NUMBERS = {**_DIGITS, "十": 10, "十一": 11, "十二": 12}

_TENS = ("", "十", "二十", "三十")
_MONTH_DAYS = {
    f"{_TENS[day // 10]}{'〇一二三四五六七八九'[day % 10].strip('〇')}": day for day in range(1, 32)
}

WORDS = Words(
    month_days=_MONTH_DAYS,
    months={f"{word}月": number for word, number in _NUMBERS.items() if word != "两"}
    | {f"{number}月": number for number in range(1, 13)},
    weekdays={
        f"{week}{day}": number
        for week in ("周", "星期", "礼拜")
        for number, day in enumerate("一二三四五六")
    }
    | dict.fromkeys(("周日", "周天", "星期日", "星期天", "礼拜天"), 6),
    seasons={
        **dict.fromkeys(("春天", "春季"), 3),
        **dict.fromkeys(("夏天", "夏季"), 6),
        **dict.fromkeys(("秋天", "秋季"), 9),
        **dict.fromkeys(("冬天", "冬季"), 12),
    },
    units={
        "分钟": Unit.MINUTE,
        **dict.fromkeys(("小时", "个小时"), Unit.HOUR),
        "天": Unit.DAY,
        **dict.fromkeys(("周", "个星期", "星期", "个礼拜"), Unit.WEEK),
        "周末": Unit.WEEKEND,
        **dict.fromkeys(("个月", "月"), Unit.MONTH),
        "年": Unit.YEAR,
    },
    numbers=_NUMBERS,
    ordinals={"第一个": 1, "第二个": 2, "第三个": 3, "第四个": 4, "最后一个": -1},
    steps={
        **dict.fromkeys(("上上", "上上个"), -2),
        **dict.fromkeys(("上", "上个"), -1),
        **dict.fromkeys(("这", "这个", "本"), 0),
        **dict.fromkeys(("下", "下个"), 1),
        **dict.fromkeys(("下下", "下下个"), 2),
    },
    days={
        "大前天": -3,
        "前天": -2,
        "昨天": -1,
        "昨晚": -1,
        "今天": 0,
        "今晚": 0,
        "明天": 1,
        "后天": 2,
        "大后天": 3,
    },
    feasts={"圣诞节": (12, 25), "元旦": (1, 1), "国庆节": (10, 1), "情人节": (2, 14)},
)

#: Years named by their distance, as a rule of their own: 去年 is one word.
_YEARS = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
_NAMED_YEAR = "|".join(_YEARS)
_FROM_YEAR = r"(?:从|自)?<year>年?(?:到|至|[-–~])<year2>年"


def _named_year(read: Reading, at: Context) -> TimeRange | None:
    year = at.calendar.today.year + _YEARS[read.match["named_year"]]
    if read.has("month") and read.has("day"):
        return at.calendar.day(date(year, read.month(), read.number("day") or 0))
    if read.has("month"):
        return at.calendar.month(year, read.month())
    if read.has("season"):
        return at.calendar.season(year, read.words.seasons[read.text("season") or ""])
    return at.calendar.year(year)


RULES: list[Rule] = [
    (r"<year>年<month><day>[日号]", to.day_of_month),
    (r"(?<![\d一二三四五六七八九十])<month><day>[日号]", to.day_of_month),
    (r"<year>年<month><dayword>[日号]", to.day_of_month),
    (r"(?<![\d一二三四五六七八九十])<month><dayword>[日号]", to.day_of_month),
    (r"<year>年<month>", to.month_of_year),
    (r"(?<![\d一二三四五六七八九十])<month>(?=份|[^\d个]|$)", to.month_of_year),
    (r"<year>年的?<season>", to.season_of_year),
    (r"<year>年", to.year_alone),
    (_FROM_YEAR, to.year_alone),
    (rf"(?P<named_year>{_NAMED_YEAR})", _named_year),
    (rf"(?P<named_year>{_NAMED_YEAR})的?<month>", _named_year),
    (rf"(?P<named_year>{_NAMED_YEAR})的?<month><day>[日号]", _named_year),
    (rf"(?P<named_year>{_NAMED_YEAR})的?<season>", _named_year),
    (r"<named>", to.named_day),
    (r"<count>(?!月)<unit>(?:以前|之前|前)", to.ago),
    (r"半年(?:以前|之前|前)", to.half_a_year_ago),
    (r"<count>(?!月)<unit>(?:以后|之后|后)", to.from_now),
    (r"(?:最近|过去)<count><unit>", to.trailing),
    (r"<step><unit>", to.stepped_unit),
    (r"<step><dow>", to.weekday_of_week),
    (r"<dow>", to.weekday),
    (r"<year>年<feast>", to.feast_of_year),
    (r"<feast>", to.feast_of_year),
]

CHINESE = compile_language(
    "zh",
    WORDS,
    RULES,
    before={"(?:从|自从|自)": "since", "到": "until"},
    behind={"(?:以前|之前)": "before", "(?:以后|之后)": "after", "(?:以来|起)": "since"},
    opening="(?:从|在)",
    joint="(?P<alone>到|至|[-–~])",
    distance=r"(?!)(?P<earlier>)(?P<later>)<count><unit><dow>",
    habit="(?:每个?)",
    tenses=tenses.CHINESE,
    spaced=False,
)
