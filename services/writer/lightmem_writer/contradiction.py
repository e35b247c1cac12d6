"""Whether a statement contradicts a known one, repeats it, or is merely like it.

Vectors of likeness cannot tell: "I eat nuts" and "I never eat nuts" are near. So likeness only
finds whom to compare with, and the words decide: both must tell of the same thing in the same
frame, and differ in what makes the one deny the other: a negation, an end, a number, a word and
its opposite, or the value after "is".
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from lightmem.domain.attributes import Grammar, grammar_of
from lightmem.domain.text import content_words
from lightmem.model import MemoryKind
from lightmem_writer.change_words import CHANGE_WORDS
from lightmem_writer.changing import change_told
from lightmem_writer.common_words import COMMON_WORDS
from lightmem_writer.roots import root

#: Share of words that two statements have in common to be of one frame, and to be the same.
FRAME, SAME = 0.65, 0.9
#: Share of a plan's, or of an ended thing's, words that its end has.
COVERED = 0.6
#: Share of the words of what ends that the known statement has.
NAMED = 0.75
_CLAUSE = re.compile(
    r"[,;:.!?，；：。！？—…]|\b(?:because|so|but|porque|pero|así que)\b|因为|所以|但是?"
)
#: What makes a plan of what is to be done.
_PLANNING = re.compile(
    r"\b(?:(?:i['’]m|i am|we['’]re|we are)(?= (?:\w+ )?\w+ing\b| gonna)|(?:i|we)(?:['’]ll| will)"
    r"|going to|gonna"
    r"|plan(?:ning)? (?:to|on)|want to|hope to|thinking of|about to"
    r"|next|soon|tomorrow|this (?:summer|autumn|fall|winter|spring|year|weekend|month)"
    r"|(?:hoping|intend|intends|wants?|plans?|plan is) to|voy a|vamos a|va a|quiero|queremos"
    r"|quiere|piens[oa]|planeo|(?:est(?:oy|amos) )?pensando en|tenemos (?:idea de|previsto)"
    r"|tengo (?:idea de|previsto)"
    r"|el próximo|la próxima|mañana)\b|打算|准备|计划|想要?|要|下个?|明天",
    re.IGNORECASE,
)
_COPULA = re.compile(
    r"^(?P<what>.{4,60}?)"
    r"(?: is| are|['’]s| was changed to| has changed to| es| son|是|改成了?|变成了?)"
    r"(?: now| ahora|现在)? ?(?P<value>\S.{0,40}?)[.!。！]*$",
    re.IGNORECASE,
)
_POSSESSED = re.compile(
    r"^(?:my|our|the|mi|nuestr[oa]|el|la|我们?家?的|我的)\b|^(?:我们?)的", re.IGNORECASE
)
_PERSON = re.compile(
    r"\b(?:i|we|he|she|sister|brother|mother|father|mom|mum|dad|son|daughter|friend|husband|wife"
    r"|hermana|hermano|madre|padre|hija|hijo|amig[oa]|marido|esposa)\b|[姐妹哥弟妈爸]",
    re.IGNORECASE,
)


class Verdict(StrEnum):
    """What a statement is to a known one."""

    #: The same said again.
    SAME = "same"
    #: The known one holds no longer.
    OVERTAKES = "overtakes"
    #: The known plan came to pass.
    FULFILS = "fulfils"


@dataclass(frozen=True, slots=True)
class Said:
    """A statement as it is compared: its own words, its kind and its time."""

    words: str
    kind: MemoryKind
    language: str
    is_dated: bool = False


def change(new: Said, known: Said) -> int:
    """How much speaks for it that the new statement tells a change of the known one."""
    if grammar_of(new.language) is not grammar_of(known.language):
        return 0
    kinds = (new.kind, known.kind)
    return change_told(new.words, known.words, kinds=kinds, language=new.language)


def verdict(new: Said, known: Said) -> Verdict | None:
    """What the new statement is to the known one; None when it is another matter.

    Both have to be in one language that has rules, and said by the same person.
    """
    grammar = grammar_of(new.language)
    if grammar is None or grammar_of(known.language) is not grammar:
        return None
    is_plan = known.kind is MemoryKind.PLAN
    mine = _Words.of(new.words, grammar)
    theirs = _Words.of(_plan_in(known.words) if is_plan else known.words, grammar)
    if not mine.roots or not theirs.roots:
        return None
    is_ended = mine.ends and not _is_end_denied(new.words, grammar)
    if is_plan and new.kind is not MemoryKind.PLAN:
        decided = _of_plan(new, mine, theirs, grammar)
        telling = theirs.without(CHANGE_WORDS[grammar.language].light)
        if decided is None and is_ended and _ends(new, known, mine, telling, grammar):
            return Verdict.OVERTAKES
        return decided
    if is_ended and not theirs.ends and _ends(new, known, mine, theirs, grammar):
        return Verdict.OVERTAKES
    return _of_state(new, known, mine, theirs, grammar)


def _plan_in(words: str) -> str:
    """What is planned, in the clause that says so, without the words that make it a plan."""
    planning = _PLANNING.search(words)
    end = _CLAUSE.search(words, planning.end()) if planning else None
    return _PLANNING.sub(" ", words[: end.start()] if end else words)


def _ends(new: Said, known: Said, mine: "_Words", theirs: "_Words", grammar: Grammar) -> bool:
    """Whether what ends is what is known: it has its words, or is named by words of it alone.

    "I had to stop volunteering at the shelter" ends a state that says more of it. What happened
    once is not ended by what ends later.
    """
    named_alone = grammar.retraction.sub(" ", _ending_clause(new.words, grammar))
    clause = _Words.of(named_alone, grammar)
    named = clause.roots | clause.numbers
    if theirs.covered_by(mine) >= COVERED and (
        not named or named & (theirs.roots | theirs.numbers)
    ):
        return True
    if known.kind is MemoryKind.EVENT:
        return False
    return bool(named) and clause.covered_by(theirs) >= NAMED and clause.numbers <= theirs.numbers


@lru_cache
def _common_roots(language: str) -> frozenset[str]:
    """Roots of words that tell little of what somebody does."""
    return frozenset(map(root, COMMON_WORDS[language].keys() | CHANGE_WORDS[language].light))


def _is_end_denied(words: str, grammar: Grammar) -> bool:
    """Whether somebody says that something does not end: "I won't quit"."""
    found = grammar.retraction.search(words)
    return found is not None and grammar.negation.search(words[: found.start()]) is not None


def _ending_clause(words: str, grammar: Grammar) -> str:
    """The clause in which the word stands that ends something."""
    found = grammar.retraction.search(words)
    if found is None:
        return words
    before = [match.end() for match in _CLAUSE.finditer(words, 0, found.start())]
    behind = _CLAUSE.search(words, found.end())
    return words[before[-1] if before else 0 : behind.start() if behind else len(words)]


def _of_plan(new: Said, mine: "_Words", theirs: "_Words", grammar: Grammar) -> Verdict | None:
    if theirs.covered_by(mine) < COVERED or (mine.numbers - theirs.numbers and theirs.numbers):
        return None
    if mine.ends or mine.is_denied:
        return Verdict.OVERTAKES
    if new.kind is MemoryKind.FACT:
        # "I keep working hard" does nothing that was planned: what is so has to be the very thing.
        telling = theirs.roots - _common_roots(grammar.language)
        is_it = len(telling & mine.roots) >= min(2, len(theirs.roots)) > 0
        return Verdict.FULFILS if is_it else None
    return Verdict.FULFILS if new.kind is MemoryKind.EVENT else None


def _of_state(
    new: Said, known: Said, mine: "_Words", theirs: "_Words", grammar: Grammar
) -> Verdict | None:
    """Told by two statements of nearly the same words; what happened twice are two things."""
    if MemoryKind.EVENT in {new.kind, known.kind}:
        return None
    if _differs_in_value(new.words, known.words):
        return Verdict.OVERTAKES
    likeness = mine.likeness(theirs)
    if mine.is_denied != theirs.is_denied:
        denies = likeness >= FRAME
    elif mine.numbers != theirs.numbers:
        # Where two numbers differ, one of them may say which of many things is meant.
        one_differs = len(mine.numbers - theirs.numbers) == len(theirs.numbers - mine.numbers) == 1
        denies = one_differs and len(mine.roots & theirs.roots) > 1 and likeness >= FRAME
    else:
        opposed = _are_opposites(new.words, known.words, grammar.antonyms)
        denies = opposed and likeness >= FRAME / 2
    if denies:
        return Verdict.OVERTAKES
    if mine.is_denied != theirs.is_denied or mine.numbers != theirs.numbers:
        return None
    if likeness >= SAME and not (new.is_dated or known.is_dated):
        return Verdict.SAME
    return None


def _differs_in_value(new: str, known: str) -> bool:
    """Whether both say what one thing is, and say another value of it: "the wifi code is …"."""
    mine, theirs = _COPULA.match(new.strip()), _COPULA.match(known.strip())
    if mine is None or theirs is None:
        return False
    what = mine["what"].casefold()
    if what != theirs["what"].casefold() or not _POSSESSED.search(what) or _PERSON.search(what):
        return False
    named = len(content_words(what)) > 1
    values = {mine["value"].casefold(), theirs["value"].casefold()}
    return named and len(values) == 2 and all(len(value.split()) <= 4 for value in values)


def _are_opposites(new: str, known: str, antonyms: Sequence[frozenset[str]]) -> bool:
    mine, theirs = content_words(new), content_words(known)
    if any(" " not in word and not word.isascii() for pair in antonyms for word in pair):
        for pair in antonyms:
            found = [{word for word in pair if word in text} for text in (new, known)]
            if all(len(one) == 1 for one in found) and found[0] != found[1]:
                return True
    return any(
        len(pair & mine) == 1 and len(pair & theirs) == 1 and pair & mine != pair & theirs
        for pair in antonyms
    )


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a statement as roots, its numbers, and whether it denies or ends something."""

    roots: frozenset[str]
    numbers: frozenset[str]
    is_denied: bool
    ends: bool

    @classmethod
    def of(cls, text: str, grammar: Grammar) -> "_Words":
        ends = grammar.retraction.search(text) is not None
        plain = grammar.retraction.sub(" ", text) if grammar.language != "zh" else text
        is_denied = grammar.negation.search(text) is not None
        words = content_words(grammar.negation.sub(" ", plain))
        numbers = frozenset(word for word in words if word[0].isdecimal())
        roots = frozenset(map(root, words - numbers))
        return cls(roots, numbers, is_denied, ends)

    def without(self, words: Iterable[str]) -> "_Words":
        """These without words that tell little, where more than one other is left."""
        left = self.roots - frozenset(map(root, words))
        return replace(self, roots=left if len(left) > 1 else self.roots)

    def likeness(self, other: "_Words") -> float:
        """Share of the words of both that both have."""
        return len(self.roots & other.roots) / (len(self.roots | other.roots) or 1)

    def covered_by(self, other: "_Words") -> float:
        """Share of these words that the other has."""
        return len(self.roots & other.roots) / (len(self.roots) or 1)
