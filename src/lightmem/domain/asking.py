"""What a question wants to know: by a few words of each language, without a model."""

import re
from types import MappingProxyType

_ENGLISH_SEVERAL = (
    r"\b(?:both|in common|how many (?:\w+ )?\w+|(?:kind|type|sort)s of)\b"
    r"|^\W*(?:in |on |at |for )?(?:what|which)\s+(?:\w+\s+){0,3}?\w+s\b"
    r"|^\W*(?:name|list)\b|\ball (?:the|of)\b"
)
_SPANISH_SEVERAL = (
    r"\b(?:ambos|ambas|en común|cuánt[oa]s|tipos de|cuáles|quiénes)\b"
    r"|^\W*qué\s+(?:\w+\s+){0,2}?\w+s\b"
)
_CHINESE_SEVERAL = "哪些|都|几[个次种]|多少[个次种]|共同"

#: Something may be wanted for several words of a question; none is wanted where none is said.
_WANTED = MappingProxyType(
    {
        "date": r"\b(?:when|what (?:day|date|year|month|time)|how long ago|cuándo|"
        r"qué (?:día|fecha|año|mes))\b|什么时候|哪天|何时|几月|哪年",
        "duration": r"\b(?:how long|cuánto tiempo)\b|多久",
        "place": r"\b(?:where|which (?:city|country|place|town)|dónde)\b|哪里|哪儿|在哪|何处",
        "person": r"\b(?:who|whom|whose|quién|quiénes)\b|谁",
        "list": f"{_ENGLISH_SEVERAL}|{_SPANISH_SEVERAL}|{_CHINESE_SEVERAL}",
        "number": r"\b(?:how (?:many|much|often|old)|cuánt[oa]s?)\b|多少|几[个次天年岁]",
        "reason": r"\b(?:why|what (?:made|led|motivated|inspired)|reason|por qué)\b|为什么",
        "yes_or_no": r"^\W*(?:is|are|was|were|do|does|did|has|have|had|can|will|would|could)\b"
        r"|^¿?(?:es|está|son|ha|han|tiene|fue|puede)\b|吗",
        "inference": r"\b(?:would|might|likely|probably|considered|podría|sería|probablemente)\b"
        r"|可能|会不会",
    }
)
_PATTERNS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _WANTED.items()}


def wants_of(question: str) -> tuple[str, ...]:
    """What kinds of answer a question asks for, in the order of their patterns."""
    return tuple(name for name, pattern in _PATTERNS.items() if pattern.search(question))
