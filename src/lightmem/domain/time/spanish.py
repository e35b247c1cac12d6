"""How dates are said in Spanish. Words are written without accents: texts are read so."""

from lightmem.domain.time import resolve as to
from lightmem.domain.time import tenses
from lightmem.domain.time.language import Rule, Unit, Words, after, compile_language, listed

_DAY_WORDS = listed(
    "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis "
    "diecisiete dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro "
    "veinticinco veintiseis veintisiete veintiocho veintinueve treinta"
)

WORDS = Words(
    month_days={
        **{word: day for day, word in enumerate(_DAY_WORDS, start=1)},
        "treinta y uno": 31,
        "primero": 1,
    },
    months={
        "enero": 1,
        "febrero": 2,
        "marzo": 3,
        "abril": 4,
        "mayo": 5,
        "junio": 6,
        "julio": 7,
        "agosto": 8,
        "septiembre": 9,
        "setiembre": 9,
        "octubre": 10,
        "noviembre": 11,
        "diciembre": 12,
    },
    weekdays={
        "lunes": 0,
        "martes": 1,
        "miercoles": 2,
        "jueves": 3,
        "viernes": 4,
        "sabado": 5,
        "domingo": 6,
    },
    seasons={"primavera": 3, "verano": 6, "otono": 9, "invierno": 12},
    units={
        **dict.fromkeys(("minuto", "minutos"), Unit.MINUTE),
        **dict.fromkeys(("hora", "horas"), Unit.HOUR),
        **dict.fromkeys(("dia", "dias"), Unit.DAY),
        **dict.fromkeys(("semana", "semanas"), Unit.WEEK),
        **dict.fromkeys(("fin de semana", "fines de semana", "finde"), Unit.WEEKEND),
        **dict.fromkeys(("mes", "meses"), Unit.MONTH),
        **dict.fromkeys(("ano", "anos"), Unit.YEAR),
    },
    numbers={
        **dict.fromkeys(("un", "una", "uno"), 1),
        **dict.fromkeys(("dos", "un par de"), 2),
        **{
            word: number
            for number, word in enumerate(
                ("tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez"), start=3
            )
        },
        "once": 11,
        "doce": 12,
        "quince": 15,
        "veinte": 20,
        "treinta": 30,
    },
    ordinals={
        **dict.fromkeys(("primer", "primera", "primero"), 1),
        **dict.fromkeys(("segundo", "segunda"), 2),
        **dict.fromkeys(("tercer", "tercera"), 3),
        **dict.fromkeys(("cuarto", "cuarta"), 4),
        **dict.fromkeys(("ultimo", "ultima"), -1),
    },
    steps={
        **dict.fromkeys(("pasado", "pasada", "anterior"), -1),
        **dict.fromkeys(("este", "esta"), 0),
        **dict.fromkeys(("proximo", "proxima", "que viene", "siguiente"), 1),
    },
    days={
        "anteayer": -2,
        "antes de ayer": -2,
        "antier": -2,
        "ayer": -1,
        "anoche": -1,
        "hoy": 0,
        "esta manana": 0,
        "esta tarde": 0,
        "esta noche": 0,
        "manana": 1,
        "pasado manana": 2,
    },
    feasts={
        "navidad": (12, 25),
        "nochebuena": (12, 24),
        "nochevieja": (12, 31),
        "ano nuevo": (1, 1),
        "dia de reyes": (1, 6),
    },
)

_BEFORE_STEP = "(?=prox|est[ea])<step>"
_BEHIND_STEP = "(?=pasad|anter|prox|que|sig)<step>"
_YEAR = r",?(?: de| del)?(?: ano)? <year>"
_DOW = r"(?:<dow>,? )?(?:el )?(?:dia )?"
_PREPOSITION = after("en", "desde", "hasta", "durante", "de", "y", "a", "entre")
_THE = after("el", "del", "al")
_IN_YEAR = after("en", "desde", "hasta", "durante", "de", "ano")
_COUNTED = (
    r"(?!\s*(?:%|€|\$|[.,:]?\d)|[-/]\d|\s+(?:personas|usuarios|millas|kilometros|km|metros|pasos"
    r"|calorias|palabras|paginas|copias|euros?|dolares|pesos|horas?|minutos?|dias|semanas|meses"
    r"|veces|puntos|casos|votos|plazas))"
)

RULES: list[Rule] = [
    (rf"{_DOW}<day> de <month>{_YEAR}", to.day_of_month),
    (rf"{_DOW}<day> de <month>", to.day_of_month),
    (rf"{_DOW}<dayword> de <month>(?:{_YEAR})?", to.day_of_month),
    (rf"(?:el )?<day> (?:a|al|y|hasta el) (?:el )?<day2> de <month>(?:{_YEAR})?",
     to.days_of_month),
    (rf"<month>{_YEAR}{_COUNTED}", to.month_of_year),
    (rf"{_BEFORE_STEP} <month>", to.month_of_year),
    (rf"<month> {_BEHIND_STEP}", to.month_of_year),
    (rf"{_PREPOSITION}<month>", to.month_of_year),
    (rf"<season>{_YEAR}", to.season_of_year),
    (rf"{_BEFORE_STEP} <season>", to.season_of_year),
    (rf"<season> {_BEHIND_STEP}", to.season_of_year),
    (rf"{_PREPOSITION}(?:el |la )?<season>", to.season_of_year),
    (rf"(?:el |la )?<ordinal> (?:<unit>|<dow>) de <month>(?:{_YEAR})?", to.part_of_month),
    (rf"{_IN_YEAR}<year>{_COUNTED}", to.year_alone),
    (r"(?<=entre\s)<year> y <year2>", to.year_alone),
    (r"(?:de |desde )<year> (?:a|hasta) <year2>", to.year_alone),
    (r"<day>/<month31>/<year>", to.numeric_day),
    (r"(?<!\bla\s)(?<!\bde\s)(?<!\bcada\s)<named>", to.named_day),
    (r"hace (?:como |casi |unos |unas )?<count> <unit>", to.ago),
    (r"hace (?:como |casi )?medio ano", to.half_a_year_ago),
    (r"(?:dentro de|de aqui a) <count> <unit>", to.from_now),
    (r"en <count> <unit>", to.from_now_if_ahead),
    (r"(?:en|durante) (?:los|las|el|la) ultim[oa]s? (?:<count> )?<unit>", to.trailing),
    (rf"(?:el |la )?{_BEFORE_STEP} <unit>", to.stepped_unit),
    (rf"(?:el |la )?<unit> {_BEHIND_STEP}", to.stepped_unit),
    (rf"(?:el )?{_BEFORE_STEP} <dow>", to.weekday),
    (rf"(?:el )?<dow> {_BEHIND_STEP}", to.weekday),
    (rf"(?:el )?<dow> de (?:el |la )?<unit> {_BEHIND_STEP}", to.weekday),
    (rf"{_THE}<dow>", to.weekday),
    (rf"<feast>{_YEAR}", to.feast_of_year),
    (rf"<feast> {_BEHIND_STEP}", to.feast_of_year),
    (rf"{_BEFORE_STEP} <feast>", to.feast_of_year),
    (rf"{_PREPOSITION}<feast>", to.feast_of_year),
]  # fmt: skip

SPANISH = compile_language(
    "es",
    WORDS,
    RULES,
    before={
        "antes (?:de |del )(?:el |la )?": "before",
        "despues (?:de |del )(?:el |la )?": "after",
        "(?:tras )(?:el |la )?": "after",
        "desde (?:el |la )?": "since",
        "hasta (?:el |la )?": "until",
    },
    behind={},
    opening="(?:entre|desde|de|del) (?:el |la )?",
    joint="(?: y (?:el |la )?)?(?P<alone> ?[-–] ?| al? (?:la )?| hasta (?:el |la )?)?",
    distance="(?:el |la |los |las )?(?:<count> )?(?:<unit>|<dow>)"
    " (?:(?P<earlier>antes)|(?P<later>despues)) (?:de |del )(?:el |la )?",
    habit="(?:cada|todos los|todas las|los|las) ",
    habit_behind=r" por las (?:mananas|tardes|noches)\b| de cada (?:semana|mes)\b",
    tenses=tenses.SPANISH,
    start="a partir (?:de |del )(?:el |la )?",
    onwards=" en adelante",
)
