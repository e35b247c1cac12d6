"""Claims that a model suggests, believed only where the turns say them.

The model names notes and three short phrases. The phrases must pass the same gate as any claim
(`deidentify`): general words alone. Then each turn that is to count must have one plain sentence
of the user's with both phrases, in small letters, and between them words that say the relation.
So a model finds what the patterns of `general` do not, and still makes nothing up.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from lightmem.domain.sentences import split_sentences
from lightmem.model import Claim, Relation, SuggestedClaim, Term
from lightmem_consolidator.deidentify import Deidentify
from lightmem_consolidator.general import LANGUAGES, is_doubted

#: Why a suggestion is refused.
NOT_GENERAL = "its words are not all of general language"
NOT_SAID = "too few turns say it"

_MUCH = r"(?: (?:really|very|so|always|still|usually|often|quite|pretty|too|also|absolutely|just))*"
#: "my dog Max is": a name may stand behind what it names, and is left there.
_NAMED = r"(?:,? [A-Z][\w'’-]*)*,?"
#: What must stand between the ends for each relation, and the whole of it.
_BETWEEN = {
    Relation.IS_A: re.compile(
        rf"{_NAMED} (?:is|are|was|were){_MUCH}(?: (?:an?|the|my|our|one of|kinds? of|sorts? of|"
        r"favou?rite|best|great|good|nice|lovely|such))* "
    ),
    Relation.HAS_PROPERTY: re.compile(
        rf"{_NAMED} (?:is|are|was|were|gets?|seems?|looks?|tastes?|smells?|sounds?){_MUCH} "
    ),
    Relation.IMPLIES: re.compile(
        rf"{_NAMED}{_MUCH} (?:helps?|makes?|keeps?|causes?|leads?|brings?|gives?|lets?|improves?|"
        r"boosts?)(?: (?:me|us|him|her|them|people|you|to|feel|more|a|my|our|better|really|very))* "
    ),
    Relation.RELATED_TO: re.compile(r"[\w'’, ]{1,60}"),
}


@dataclass(frozen=True, slots=True)
class Believed:
    """What became of a suggestion: the claim it makes and the turns that say it, or why none."""

    claim: Claim | None
    turns: frozenset[str] = frozenset()
    reason: str | None = None


def believed(suggestion: SuggestedClaim, *, of: Deidentify, min_turns: int) -> Believed:
    """Hold a suggestion against the quotes of the memories that it names."""
    ends = _ends(suggestion, of)
    if ends is None:
        return Believed(None, reason=NOT_GENERAL)
    claim = Claim(ends[0], suggestion.relation, ends[1])
    said = [
        (source.turn_id, source.quote)
        for memory in suggestion.memories
        if memory.language in LANGUAGES
        for source in memory.sources
    ]
    turns = frozenset(turn_id for turn_id, quote in said if _is_said(claim, quote))
    if len(turns) < min_turns:
        return Believed(None, reason=NOT_SAID)
    return Believed(claim, turns)


def _ends(suggestion: SuggestedClaim, of: Deidentify) -> tuple[Term, Term] | None:
    subject = of.phrase(suggestion.subject)
    match suggestion.relation:
        case Relation.HAS_PROPERTY:
            target = of.quality(suggestion.target)
        case Relation.IMPLIES:
            words = suggestion.target
            target = of.quality(words) or of.doing(words) or of.phrase(words)
        case Relation.IS_A | Relation.RELATED_TO:
            target = of.phrase(suggestion.target)
    if subject is None or target is None or subject.name == target.name:
        return None
    return subject, target


def _is_said(claim: Claim, quote: str) -> bool:
    """Whether a plain sentence of the quote has both ends and the relation between them."""
    pattern = re.compile(
        rf"\b{_forms(claim.subject)}(?P<between>[^.;!?]*?){_forms(claim.target)}\b"
    )
    between = _BETWEEN[claim.relation]
    return any(
        between.fullmatch(found["between"]) is not None
        for sentence in _plain(quote)
        for found in pattern.finditer(sentence)
    )


def _plain(quote: str) -> Iterable[str]:
    """The sentences that neither ask nor doubt, without the capital of their beginning."""
    for sentence in split_sentences(quote):
        text = sentence.text.strip()
        if text and not sentence.is_question and not is_doubted(text):
            yield text[:1].lower() + text[1:]


def _forms(term: Term) -> str:
    """A pattern of the words of a term, the last in the singular or plural."""
    *before, last = term.said.split()
    stem = re.escape(last)
    plural = rf"{re.escape(last[:-1])}ies|" if last.endswith("y") else ""
    return " ".join([*map(re.escape, before), rf"(?:{plural}{stem}(?:e?s)?)"])
