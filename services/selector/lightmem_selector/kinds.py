"""What a question wants to know, and whether a text says when: by a few words of each language."""

import re
from types import MappingProxyType

from lightmem.domain.language import words

#: What a question may want, each with the words that say so.
_WORDS = MappingProxyType(
    {
        "when": r"\b(?:when|what (?:day|date|year|month|time)|how long ago|cuándo|cuando|"
        r"qué (?:día|fecha|año|mes))\b|什么时候|哪天|何时|几月|哪年",
        "where": r"\b(?:where|which (?:city|country|place|town)|dónde|donde)\b|哪里|哪儿|在哪|何处",
        "who": r"\b(?:who|whom|whose|quién|quien|quiénes)\b|谁",
        "count": r"\b(?:how (?:many|much|often)|cuánt[oa]s?|cuant[oa]s?)\b|多少|几[个次天年]",
        "duration": r"\b(?:how long|cuánto tiempo)\b|多久",
        "why": r"\b(?:why|what (?:made|led|motivated|inspired)|reason|por qué)\b|为什么",
        "how": r"\b(?:how|cómo|como)\b|怎么|怎样|如何",
        "which": r"\b(?:which|cuál|cuáles|cual)\b|哪",
        "list": r"\b(?:what (?:are|kinds?|types?|all|(?:\w+ ){0,2}\w+s "
        r"(?:has|have|does|do|did|is|are))|activities|things|ways|qué (?:cosas|tipos))\b|哪些",
        "guess": r"\b(?:would|might|could|likely|probably|considered|should|podría|sería)\b"
        r"|可能|会不会",
        "decide": r"^\W*(?:is|are|was|were|do|does|did|has|have|had|can|will)\b|^¿?(?:es|está|"
        r"ha|tiene)\b|[吗嘛]",
        "what": r"\b(?:what|qué)\b|什么",
    }
)
KINDS = tuple(_WORDS)
_PATTERNS = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in _WORDS.items()}

#: Words of time; Chinese is compared by character, as `domain.text.words_of` gives it.
_TIME = words(
    "yesterday today tonight tomorrow last next ago week weekend weeks month months year years "
    "monday tuesday wednesday thursday friday saturday sunday january february march april june "
    "july august september october november december ayer hoy mañana pasado pasada próximo próxima "
    "semana semanas mes meses año años hace 昨 今 明 周 去 前 月 年 日"
)


def wanted(question: str) -> frozenset[str]:
    """The kinds of answer that a question may want; none when nothing says so."""
    return frozenset(kind for kind, pattern in _PATTERNS.items() if pattern.search(question))


def says_a_time(said: frozenset[str]) -> bool:
    """Whether the words of a text have a number or a word of time among them."""
    return not _TIME.isdisjoint(said) or any(word[0].isdecimal() for word in said)
