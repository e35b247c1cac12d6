"""Whether a statement tells that something known has changed, in whatever words.

No list of attributes is asked. Three things have to come together: words that tell of a change,
the same person, and what both are about. Likeness of meaning says nothing here: two people who
talk of one hobby for a year say things alike and change none of them. So the words of the change
have to stand in one clause with a word of what changes: "they scrapped my bus", "our new landlord
is", "I left the orchestra". What is said besides ("we also have a cat") changes nothing, and what
happened once stays as it happened.
"""

import re

from lightmem.domain.attributes import Grammar, grammar_of
from lightmem.model import MemoryKind
from lightmem_writer.about import About
from lightmem_writer.change_words import CHANGE_WORDS, ChangeWords
from lightmem_writer.roots import root

#: Words, names and topics that both have to share, a name counting twice.
ENOUGH = 2
#: Whoever moves says so in many words; other topics have to be named by the same ones.
HOME = "home"
#: Words behind a cue that are its object.
OBJECT_WORDS = 4
_UNREAL = re.compile(
    r"\b(?:if|would|could|might|maybe|perhaps|wish|si|quizás?|tal vez|ojalá)\b|如果|要是|也许|可能",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[,;:.!?…—–，；：。！？]|\s-\s|因为|所以|但是?|以后"
    r"|\b(?:because|so|but|since|while|when|and|porque|pero|así que|aunque|y)\b"
)


def change_told(
    new: str, known: str, *, kinds: tuple[MemoryKind, MemoryKind], language: str
) -> int:
    """How much speaks for it that a statement tells a change of a known one; 0 if too little.

    Args:
        new, known: Their words, both in this language.
        kinds: What the new one is, and what the known one.
    """
    grammar = grammar_of(language)
    if grammar is None or kinds[1] is MemoryKind.EVENT or kinds[0] is MemoryKind.PLAN:
        return 0
    words = CHANGE_WORDS[grammar.language]
    if words.adds.search(new) or is_unreal(new):
        return 0
    is_meant = words.wishes.search(known) is not None
    if is_meant and kinds[1] is not MemoryKind.PLAN:
        return 0
    mine, theirs = About.of(new, grammar, words), About.of(known, grammar, words)
    if not mine.can_be_about(theirs):
        return 0
    shared = _shared(mine, theirs) + bool(theirs.person)
    told = _told(mine, theirs, words, grammar)
    if told is not None:
        return max(shared, 1) + told if shared + told >= ENOUGH else 0
    # That it is so now says little: it is enough of somebody who does the same otherwise.
    frame = len(mine.roots & theirs.roots) + 1
    is_so_now = words.faint.search(new) is not None and not is_meant
    is_of_one = bool(mine.person & theirs.person)
    return frame if is_of_one and is_so_now and frame >= ENOUGH else 0


def is_unreal(words: str) -> bool:
    """Whether something is said to be so if, or perhaps."""
    return _UNREAL.search(words) is not None


def _told(mine: About, theirs: About, words: ChangeWords, grammar: Grammar) -> int | None:
    """How plainly a change of what both are about is told; None where it is not.

    1: there is a new one of the very thing, it gives way to another, or it alone is what ends.
    0: it stands in one clause with words of an end.
    """
    if _has_successor(mine, theirs, words):
        return 1
    plainest: int | None = None
    for clause in _CLAUSE.split(mine.text):
        swaps = words.swaps.search(clause)
        told = swaps or words.ends.search(clause)
        if told is None or grammar.negation.search(clause[: told.start()]):
            continue
        here = About.of(clause, grammar, words)
        moves = HOME in here.topics and HOME in theirs.topics
        if not (moves or here.roots & theirs.roots):
            continue
        plainly = swaps or _is_named_alone(clause, told, theirs, words, grammar)
        plainest = max(plainest or 0, int(bool(plainly)))
    return plainest


def _has_successor(mine: About, theirs: About, words: ChangeWords) -> bool:
    """Whether there is a new one of what somebody has: "our new landlord" after "my landlord"."""
    for match in words.replaced.finditer(mine.text):
        what = root("".join(filter(None, match.groups())).casefold())
        had = re.search(rf"{words.owner}{re.escape(what)}", theirs.text, re.IGNORECASE)
        if what in theirs.roots and had is not None:
            return True
    return False


def _is_named_alone(
    clause: str, told: re.Match[str], theirs: About, words: ChangeWords, grammar: Grammar
) -> bool:
    """Whether what ends is named by words of the known statement and no others."""
    if grammar.language == "zh":
        near = clause[max(told.start() - OBJECT_WORDS, 0) : told.end() + OBJECT_WORDS]
        return bool(About.of(near, grammar, words).roots & theirs.roots)
    behind = " ".join(clause[told.end() :].split()[:OBJECT_WORDS])
    sides = [About.of(side, grammar, words).roots for side in (clause[: told.start()], behind)]
    return any(side and side <= theirs.roots for side in sides)


def _shared(mine: About, theirs: About) -> int:
    """What both are about: a root counts once, a name twice, and a topic of other words once."""
    names, roots = mine.names & theirs.names, mine.roots & theirs.roots
    topics = [
        topic
        for topic, said in mine.topics.items()
        if topic in theirs.topics and said - theirs.topics[topic]
    ]
    return min(2 * len(names) + len(roots - names), 2) + bool(topics)
