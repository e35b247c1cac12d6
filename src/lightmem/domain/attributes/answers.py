"""A short answer read by its question: "Where do you live now?" — "Lisbon." tells who lives where.

The two are put together as the speaker would have said it in one sentence, which the rules then
read like any other: nothing is claimed that they would not claim of that sentence.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

#: A longer answer says itself what it is about.
MAX_ANSWER = 60
Told = Sequence[tuple[re.Pattern[str], str]]


@dataclass(frozen=True, slots=True)
class _Asking:
    """How one language asks.

    Args:
        open_ones: Questions for a value, and how it is told with the value at `{v}`.
        closed: Questions for yes or no, how a yes tells it and how a no does.
        yes, no: Answers to these, at the head of what is answered.
        head: What stands before a value in an answer.
        mine: What is the asked one's is the answering one's.
    """

    open_ones: Told
    closed: Sequence[tuple[re.Pattern[str], str, str]]
    yes: re.Pattern[str]
    no: re.Pattern[str]
    head: re.Pattern[str]
    mine: Mapping[str, str]


def _told(*pairs: tuple[str, str]) -> Told:
    return [(re.compile(asked, re.IGNORECASE), told) for asked, told in pairs]


def _closed(*rows: tuple[str, str, str]) -> list[tuple[re.Pattern[str], str, str]]:
    return [(re.compile(asked, re.IGNORECASE), yes, no) for asked, yes, no in rows]


_WHO = r"(?P<who>(?:your|your (?:older|younger)) \w+(?: [A-Z]\w+)?|[A-Z]\w+)"
_ENGLISH = _Asking(
    open_ones=_told(
        (r"\bwhere (?:do you live|are you (?:living|based))|\b(?:what|which) (?:city|town|country) "
         r"do you live in", "I live in {v}"),
        (rf"\bwhere does {_WHO} live", "{who} lives in {v}"),
        (r"\b(?:where do you work|who do you work for)", "I work at {v}"),
        (rf"\b(?:where does {_WHO} work)", "{who} works at {v}"),
        (r"\bwhat do you do(?: for (?:a living|work))?(?= ?(?:\?|now|these days|at the moment))",
         "I work as a {v}"),
        (r"\bhow old are you", "I'm {v} years old"),
        (r"\bwhere do you study|\b(?:what|which) university do you go to", "I study at {v}"),
        (r"\b(?:what|which)(?: car)? do you drive", "I drive a {v}"),
        (r"\b(?:what|which|who|when)(?:['’]s| is| are) your (?P<what>[\w -]{2,40}?)"
         r"(?: now| these days| at the moment| again)?\s*\?", "My {what} is {v}"),
        (r"\bwhat(?:['’]s| is) (?P<who>your \w+)['’]s name", "{who}'s name is {v}"),
        (r"\bhow many (?P<what>\w+) do you have", "I have {v} {what}"),
    ),
    closed=_closed(
        (r"\bdo you (?:still )?(?P<rest>[^?]+)\?", "I {rest}", "I don't {rest}"),
        (r"\bare you (?:still )?(?P<rest>[^?]+)\?", "I am {rest}", "I am not {rest}"),
        (r"\bis your (?P<what>[\w -]{2,30}?) (?:still )?(?P<rest>[A-Z0-9][^?]*)\?",
         "My {what} is {rest}", "My {what} is not {rest}"),
    ),
    yes=re.compile(r"^(?:yes|yeah|yep|yup|i do|i am|it is|sure do)\b(?!.*\b(?:but|not)\b)", re.I),
    no=re.compile(r"^(?:no|nope|nah|not any ?more|i don['’]t|i['’]m not)\b(?!.*\bbut\b)", re.I),
    head=re.compile(r"^(?:(?:well|oh|um|now|just|currently|it['’]s|it is|that['’]s|he['’]s|she['’]s"
                    r"|i['’]m|i am|in|at|by|for|near|a|an|the|called|around)[ ,]+)+", re.I),
    mine={"your": "my"},
)  # fmt: skip
_QUIEN = r"(?P<who>tu \w+(?: [A-ZÁÉÍÓÚÑ]\w+)?)"
_SPANISH = _Asking(
    open_ones=_told(
        (r"\bd[óo]nde (?:vives|est[áa]s viviendo|resides)|\ben qu[ée] (?:ciudad|pueblo|pa[íi]s) vives",
         "Vivo en {v}"),
        (rf"\bd[óo]nde vive {_QUIEN}", "{who} vive en {v}"),
        (r"\bd[óo]nde (?:trabajas|est[áa]s trabajando)|\bpara qui[ée]n trabajas|"
         r"\ben qu[ée] empresa trabajas", "Trabajo en {v}"),
        (rf"\bd[óo]nde trabaja {_QUIEN}", "{who} trabaja en {v}"),
        (r"\ba qu[ée] te dedicas|\b(?:de|en) qu[ée] trabajas", "Trabajo de {v}"),
        (r"\bc[óo]mo te llamas", "Me llamo {v}"),
        (rf"\bc[óo]mo se llama {_QUIEN}", "{who} se llama {v}"),
        (r"\bcu[áa]ntos a[ñn]os tienes|\bqu[ée] edad tienes", "Tengo {v} años"),
        (r"\bd[óo]nde estudias", "Estudio en {v}"),
        (r"\b(?:cu[áa]l|qui[ée]n|qu[ée]) es tu (?P<what>[\w ]{2,40}?)(?: ahora)?\s*\?",
         "Mi {what} es {v}"),
        (r"\bcu[áa]nt[oa]s (?P<what>\w+) tienes", "Tengo {v} {what}"),
    ),
    closed=_closed(
        (r"(?:^|\W)vives en (?P<rest>[^?]+)\?", "Vivo en {rest}", "No vivo en {rest}"),
        (r"(?:^|\W)trabajas (?P<rest>(?:en|de|para|como) [^?]+)\?", "Trabajo {rest}",
         "No trabajo {rest}"),
        (r"(?:^|\W)eres (?P<rest>[^?]+)\?", "Soy {rest}", "No soy {rest}"),
        (r"(?:^|\W)est[áa]s (?P<rest>[^?]+)\?", "Estoy {rest}", "No estoy {rest}"),
        (r"(?:^|\W)te gustan? (?P<rest>[^?]+)\?", "Me gusta {rest}", "No me gusta {rest}"),
        (r"(?:^|\W)fumas\s*\?", "Fumo", "No fumo"),
        (r"(?:^|\W)tocas (?P<rest>[^?]+)\?", "Toco {rest}", "No toco {rest}"),
        (r"(?:^|\W)(?:bebes|tomas) (?P<rest>[^?]+)\?", "Bebo {rest}", "No bebo {rest}"),
    ),
    yes=re.compile(r"^(?:s[íi]|claro(?: que s[íi])?|as[íi] es)\b(?!.*\b(?:pero|no)\b)", re.I),
    no=re.compile(r"^(?:no|ya no|qu[ée] va)\b(?!.*\bpero\b)", re.I),
    head=re.compile(r"^(?:(?:pues|bueno|ahora|es|en|de|soy|me llamo|tengo|a|una?|el|la)[ ,]+)+", re.I),
    mine={"tu": "mi"},
)  # fmt: skip
_CHINESE = _Asking(
    open_ones=_told(
        (r"你(?:现在|目前)?(?:住在?|居住在|在)(?:哪里|哪儿|哪个城市|什么地方)(?:住|生活)?[呢？?]", "我住在{v}"),
        (r"你(?:现在|目前)?在(?:哪里|哪儿|哪家公司|什么公司)(?:工作|上班)", "我在{v}工作"),
        (r"你(?:现在)?(?:是做什么(?:工作)?的|做什么工作)", "我是{v}"),
        (r"你(?:叫什么|的?名字(?:是|叫)什么)", "我叫{v}"),
        (r"你(?:今年|现在)?(?:多大|几岁|多少岁)", "我{v}岁"),
        (r"你的(?P<what>[^，。？?的]{1,10}?)(?:现在)?是(?:什么|多少|谁|几号|哪[个里家])", "我的{what}是{v}"),
        (r"你(?:现在)?最喜欢的(?P<what>[^，。？?是]{1,6}?)是(?:什么|哪[个部首本])", "我最喜欢的{what}是{v}"),
        (r"你(?P<what>姐姐|妹妹|哥哥|弟弟|妈妈|爸爸|儿子|女儿)(?:现在)?住在?(?:哪里|哪儿)", "我{what}住在{v}"),
    ),
    closed=_closed(
        (r"你(?:现在|还|还是)*(?P<rest>[^，。？?]{2,20}?)吗", "我{rest}", "我不{rest}"),
    ),
    yes=re.compile(r"^(?:是的?|对|嗯|当然)"),
    no=re.compile(r"^(?:不|没有?|不是)"),
    head=re.compile(r"^(?:嗯|现在|目前|我|住在?|在|叫|是)+"),
    mine={},
)  # fmt: skip
_ASKING = {"en": _ENGLISH, "es": _SPANISH, "zh": _CHINESE}
#: Who asks so speaks of himself: "Do you remember my sister?".
_SELF = re.compile(r"\b(?:i|me|my|we|our|mi|mis|nuestr[oa]s?)\b", re.IGNORECASE)
_ENDS = " .!。！,，"


def as_told(question: str, answer: str, *, language: str) -> str | None:
    """The sentence that a question and its answer make; None where they make none.

    Args:
        question: What was asked, without who asked it.
        answer: What another one said to it right then.
    """
    asking = _ASKING.get(language.partition("-")[0])
    words = answer.strip()
    if asking is None or not words or len(words) > MAX_ANSWER:
        return None
    for asked, told in asking.open_ones:
        match = asked.search(question)
        if match is not None:
            return _with_value(asking, match, told, words)
    for asked, yes, no in asking.closed:
        match = asked.search(question)
        if match is None or _SELF.search(match[0]):
            continue
        told = yes if asking.yes.match(words) else no if asking.no.match(words) else ""
        return _filled(asking, match, told) if told else None
    return None


def _with_value(asking: _Asking, match: re.Match[str], told: str, answer: str) -> str | None:
    if asking.no.match(answer) or asking.yes.match(answer):
        return None
    value = asking.head.sub("", answer).strip(_ENDS)
    # What the sentence says of its own accord is not said twice: 34 years old, 三十四岁.
    for said in (" years old", " años", "岁"):
        value = value.removesuffix(said) if told.endswith(said) else value
    return _filled(asking, match, told, value) if value else None


def _filled(asking: _Asking, match: re.Match[str], told: str, value: str = "") -> str:
    places = {name: " ".join((said or "").split()) for name, said in match.groupdict().items()}
    for theirs, mine in asking.mine.items():
        places = {
            name: re.sub(rf"\b{theirs}\b", mine, said, flags=re.IGNORECASE)
            for name, said in places.items()
        }
    sentence = told.format(v=value, **places)
    return sentence[0].upper() + sentence[1:]
