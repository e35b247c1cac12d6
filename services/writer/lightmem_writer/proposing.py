"""What a trained model proposes: that a statement overtakes a memory in words that no rule has.

Rules have the first say, and the last: a pair is only shown to the model where a change could have
been told at all. What happened, was wished for or thought is not overtaken; nor does a wish, a
plan, an "also" or something unreal overtake; nor what is said of somebody else, or differs in two
numbers.
"""

import re
from collections.abc import Mapping, Sequence

from lightmem.domain.attributes import Grammar, grammar_of
from lightmem.model import MemoryKind
from lightmem.ports import ChangeProposer, StatedPair
from lightmem_writer.about import About
from lightmem_writer.change_words import CHANGE_WORDS
from lightmem_writer.changing import is_unreal
from lightmem_writer.contradiction import Said

#: Memories that are shown to the model for one statement, likest first.
SHOWN = 6
#: How likely a change has to be where it is told in words of a change, which mere talk seldom has,
#: and at least where there are none: "now" alone is said of anything.
LIKELY_IF_TOLD, LIKELY = 0.85, 0.95
_NUMBER = re.compile(r"\d[\d.,:]*")
#: Says that something is so besides; "too dear" does not.
_BESIDE = re.compile(
    r"\b(?:also|as well|besides|in addition|one more|along with|on top of|still)\b"
    r"|\btoo[.!,;]|\btoo$",
    re.IGNORECASE,
)
_WISHED = re.compile(
    r"\b(?:want|wanna|hope|hoping|wish|can['’]t wait|looking forward|dream|aiming)\b"
    r"|['’]d (?:love|like|rather)\b|\?$",
    re.IGNORECASE,
)

#: How likely the newer words of a pair overtake the older ones, where that is to be believed.
Proposals = Mapping[tuple[str, str], float]


async def proposals(
    proposer: ChangeProposer | None, held: Sequence[tuple[Said, Sequence[Said]]]
) -> Proposals:
    """What the model proposes of statements and the memories that each is held against.

    Returns:
        By the newer and the older words: those pairs alone whose likelihood is to be believed.
    """
    if proposer is None:
        return {}
    shown = [
        StatedPair(known.words, new.words)
        for new, candidates in held
        for known in _shown(proposer, new, candidates)
    ]
    pairs = list(dict.fromkeys(shown))
    likely = await proposer.overtaking(pairs)
    return {
        (pair.newer, pair.older): share
        for pair, share in zip(pairs, likely, strict=True)
        if share >= _needed(proposer, pair.newer)
    }


def _needed(proposer: ChangeProposer, newer: str) -> float:
    """How likely a change has to be that these words tell, by words of a change in them."""
    told = any(tells_change(newer, one) for one in proposer.languages)
    return LIKELY_IF_TOLD if told else max(proposer.threshold, LIKELY)


def tells_change(text: str, language: str) -> bool:
    """Whether a text has words that swap, end or replace something."""
    words = CHANGE_WORDS[language]
    return any(one.search(text) for one in (words.swaps, words.ends, words.replaced))


def _shown(proposer: ChangeProposer, new: Said, candidates: Sequence[Said]) -> list[Said]:
    grammar = grammar_of(new.language)
    if grammar is None or grammar.language not in proposer.languages:
        return []
    return [known for known in candidates if may_overtake(new, known, grammar)][:SHOWN]


def may_overtake(new: Said, known: Said, grammar: Grammar) -> bool:
    """Whether a change of the known statement could be told by the new one, whatever its words."""
    words = CHANGE_WORDS[grammar.language]
    if grammar_of(known.language) is not grammar or new.words == known.words:
        return False
    is_plan = known.kind is MemoryKind.PLAN
    if known.kind is MemoryKind.EVENT or new.kind is MemoryKind.PLAN:
        return False
    if any(found.search(new.words.strip()) for found in (_BESIDE, _WISHED)) or is_unreal(new.words):
        return False
    if words.wishes.search(known.words) and not is_plan:
        return False
    if known.kind is MemoryKind.PREFERENCE and not _tells_otherwise(new.words, grammar):
        return False
    mine, theirs = About.of(new.words, grammar, words), About.of(known.words, grammar, words)
    return not mine.is_of_another(theirs) and not _are_of_other_numbers(new.words, known.words)


def _tells_otherwise(new: str, grammar: Grammar) -> bool:
    """Whether what somebody likes may have changed: it is denied, or a change is told."""
    is_denied = grammar.negation.search(new) is not None
    return is_denied or tells_change(new, grammar.language)


def _are_of_other_numbers(new: str, known: str) -> bool:
    """Whether two numbers differ: one of them may say which of many things is meant."""
    mine, theirs = set(_NUMBER.findall(new)), set(_NUMBER.findall(known))
    return min(len(mine - theirs), len(theirs - mine)) > 1
