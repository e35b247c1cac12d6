"""What a Chinese sentence says in general: a few patterns over a closed list of general words.

Nothing parts words in Chinese, so a word of the list may be a piece of a name. A clause is read
only when all of it fits a pattern, from its beginning to its stop.
"""

import re
from collections.abc import Iterable, Iterator

from lightmem.domain.sentences import split_sentences
from lightmem.model import Claim, ConceptType, Relation, Term
from lightmem_consolidator.closed_words import (
    CHINESE_DOINGS,
    CHINESE_QUALITIES,
    CHINESE_THINGS,
)

_DOUBTED = re.compile(
    r"不|没|无|别|吗|呢|如果|要是|可能|也许|大概|以为|假如|希望|好像|曾经|以前|除非|几乎"
)
_CLAUSE = re.compile(r"[^，。！；、,.!;：:\s]+")


def _any(listed: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, listed), key=len, reverse=True))


_THING = rf"(?:{_any(CHINESE_THINGS)})"
_WHOSE = r"(?:我觉得|我认为|对我来说)?(?:我们?家的?|我们?的|我们?养的|这只|那只|所有的?|我)?"
_ALWAYS = r"(?:们|都|总是|一直|也|真的|确实|其实|每天|经常)*"
_MUCH = r"(?:很|非常|特别|真|十分|挺|最|更|太)"
_OVER = r"(?:了|的|啊|呀|哦)*"
_PEOPLE = r"(?:我们?|你们?|人们?|大家)"
_SUBJECT = rf"{_WHOSE}(?P<s>{_THING}){_ALWAYS}"
_QUALITY = rf"(?P<o>{_any(CHINESE_QUALITIES)})"
_DOING = rf"(?P<o>{_any(CHINESE_DOINGS)})"
_OTHER = rf"(?P<o>{_THING})"

_LETS = rf"(?:能|会|可以)*(?:让|使|令){_PEOPLE}"
_HELPS = rf"(?:能|会|可以)*(?:帮助|帮|有助于)(?:{_PEOPLE})?"
_LIKES = rf"{_MUCH}?(?:喜欢|爱)(?:吃|喝|玩|看|听)?"

_RULES = tuple(
    (re.compile(pattern + _OVER), relation, before)
    for pattern, relation, before in (
        (rf"{_SUBJECT}{_MUCH}{_QUALITY}", Relation.HAS_PROPERTY, ""),
        (rf"{_SUBJECT}是(?:一种|一个)?{_OTHER}", Relation.IS_A, ""),
        (rf"{_SUBJECT}{_MUCH}?害?怕{_OTHER}", Relation.RELATED_TO, "害怕"),
        (rf"{_SUBJECT}{_LIKES}{_OTHER}", Relation.RELATED_TO, ""),
        (rf"{_SUBJECT}{_LETS}(?:感到|觉得|变得)?{_MUCH}?{_QUALITY}", Relation.IMPLIES, ""),
        (rf"{_SUBJECT}{_LETS}{_DOING}", Relation.IMPLIES, ""),
        (rf"{_SUBJECT}{_HELPS}{_DOING}", Relation.IMPLIES, ""),
    )
)


def claims_in_chinese(text: str) -> Iterator[Claim]:
    """The general claims of a text, each once. Doubted and asked things claim nothing."""
    seen: set[Claim] = set()
    for sentence in split_sentences(text):
        if sentence.is_question or _DOUBTED.search(sentence.text):
            continue
        for clause in _CLAUSE.findall(sentence.text):
            for pattern, relation, before in _RULES:
                found = pattern.fullmatch(clause)
                if found is None or found["s"] == found["o"]:
                    continue
                claim = Claim(_term(found["s"]), relation, _term(before + found["o"]))
                if claim not in seen:
                    seen.add(claim)
                    yield claim


def _term(name: str) -> Term:
    return Term(ConceptType.CONCEPT, name, name)
