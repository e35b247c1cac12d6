"""What a sentence says in general: a few patterns of English, each giving one kind of claim.

Spanish and Chinese have patterns of their own. Nothing is read from other languages: a
half-understood sentence is worse than none.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lightmem.domain.language import UNKNOWN
from lightmem.domain.sentences import split_sentences
from lightmem.model import Claim, Relation, Term
from lightmem_consolidator.deidentify import Deidentify, prefixed

#: Languages whose sentences are read; a short one does not always show that it is English.
LANGUAGES = frozenset({"en", UNKNOWN})

_DOUBTED = re.compile(
    r"\b(?:not|never|no|nobody|nothing|neither|nor|without|if|whether|would|could|might|may|"
    r"should|maybe|perhaps|hope|wish|used to|no longer|almost|hardly|barely|pretend\w*|dream\w*)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)

_WHOSE = r"(?i:my|our|his|her|their|the|a|an|\w+['’]s)"
#: Words in small letters; a name may follow, as in "my dog Max", and is left there.
_NOUN = r"[a-z]+(?: [a-z]+){0,2}?"
_NAMED = r"(?:,? [A-Z][\w'’-]*)*,?"
_PHRASE = r"(?:[a-z]+(?: [a-z]+){0,3}?|[A-Z][a-z]+)"
_MUCH = (
    r"(?: (?:really|very|so|absolutely|still|always|usually|often|just|also|totally|terribly|"
    r"extremely|completely))*"
)
_IS = r"(?:is|are|was|were|has been|have been|gets|get|seems|['’]s)"
_PEOPLE = r"(?:me|us|him|her|them|people|you)"
#: Where a phrase ends: a stop, or a word that begins something else.
_END = (
    r"(?=[.,;:!)]|$| (?:and|but|or|because|since|so|when|whenever|while|as|after|before|during|"
    r"until|in|on|at|with|for|to|from|every|each|especially|which|who|that|a lot|now|again|too|"
    r"these days|lately)\b)"
)
_SUBJECT = rf"\b{_WHOSE} (?P<s>{_NOUN}){_NAMED}"
#: What is said of all of its kind begins the sentence: "Dogs are loyal."
_KIND = r"^(?P<s>[A-Z][a-z]+(?: [a-z]+)?)"

_FAVOURITE = re.compile(r"\bfavou?rite\b")
_BEST = r"(?:(?:all-time )?favou?rite)"
#: Who does something by habit.
_WHO = r"\b(?:I|We|we|[A-Z][a-z]+)(?: \w+ly)?(?: usually| often| always)?"
#: What somebody likes, and why.
_LIKED = (
    rf"{_MUCH} (?:loves?|likes?|enjoys?|prefers?) (?P<s>{_NOUN}),? (?:because|since|as) "
    r"(?:it|they|that)"
)
#: Verbs of what a thing does to people, as they stand in the plural.
_MOVES = r"(?:relax|calm|soothe|refresh|energize|energise|comfort|inspire|motivate)"

Ends = tuple[Term | None, Term | None]


@dataclass(frozen=True, slots=True)
class _Rule:
    """A pattern, the relation it speaks of, and how its two ends are made of its words."""

    pattern: re.Pattern[str]
    relation: Relation
    ends: Callable[[Deidentify, re.Match[str]], Ends]


def _rule(
    pattern: str, relation: Relation, ends: Callable[[Deidentify, re.Match[str]], Ends]
) -> _Rule:
    return _Rule(re.compile(pattern), relation, ends)


def _fear(of: Deidentify, found: re.Match[str]) -> Ends:
    return of.thing(found["s"]), prefixed("fear of", of.phrase(found["o"]))


def _favourite(of: Deidentify, found: re.Match[str]) -> Ends:
    """What somebody likes best is one of its kind."""
    return of.phrase(_small(found["s"])), of.phrase(found["o"])


def _said_of_it(of: Deidentify, found: re.Match[str]) -> Ends:
    return of.phrase(found["s"]), of.quality(found["o"])


def _comes_of_it(of: Deidentify, found: re.Match[str]) -> Ends:
    made = of.quality(found["o"]) or of.doing(found["o"]) or of.phrase(found["o"])
    return of.phrase(found["s"]), made


def _does(of: Deidentify, found: re.Match[str]) -> Ends:
    return of.phrase(_small(found["s"])), of.doing(found["o"])


def _beside(of: Deidentify, found: re.Match[str]) -> Ends:
    return of.phrase(found["s"]), of.phrase(found["o"])


def _things(of: Deidentify, found: re.Match[str]) -> Ends:
    return of.thing(found["s"]), of.phrase(found["o"])


def _is_a(of: Deidentify, found: re.Match[str]) -> Ends:
    return of.phrase(found["o"]), of.thing(found["s"])


def _kind_is_a(of: Deidentify, found: re.Match[str]) -> Ends:
    return of.phrase(_small(found["s"])), of.phrase(found["o"])


def _quality(of: Deidentify, found: re.Match[str]) -> Ends:
    if _FAVOURITE.search(found["s"]):
        # "My favourite colour is blue" says what is liked best, and not how colours are.
        return None, None
    return of.thing(found["s"]), of.quality(found["o"])


def _kind_quality(of: Deidentify, found: re.Match[str]) -> Ends:
    return of.phrase(_small(found["s"])), of.quality(found["o"])


def _effect(of: Deidentify, found: re.Match[str]) -> Ends:
    made = of.quality(found["o"]) or of.doing(found["o"]) or of.phrase(found["o"])
    return of.phrase(_small(found["s"])), made


def _about(of: Deidentify, found: re.Match[str]) -> Ends:
    return of.phrase(_small(found["s"])), of.phrase(found["o"])


def _purpose(of: Deidentify, found: re.Match[str]) -> Ends:
    return of.phrase(found["s"]), of.doing(found["o"])


def _small(words: str) -> str:
    """The words with the capital of a sentence's beginning taken back."""
    return words[:1].lower() + words[1:]


_CAUSE = (
    r"^(?:(?:I|We) (?:find|think|know|noticed) (?:that )?)?(?P<s>[A-Za-z][a-z]+(?: [a-z]+){0,2}?)"
)

_RULES = (
    _rule(
        rf"\b{_WHOSE} {_BEST} (?P<o>{_NOUN}) (?:is|are) (?P<s>{_PHRASE}){_END}",
        Relation.IS_A,
        _favourite,
    ),
    _rule(
        rf"{_KIND} (?:is|are) {_WHOSE} {_BEST} (?P<o>{_PHRASE}){_END}", Relation.IS_A, _favourite
    ),
    _rule(
        rf"{_LIKED}(?: is| are|['’]s|['’]re){_MUCH} (?P<o>[a-z]+){_END}",
        Relation.HAS_PROPERTY,
        _said_of_it,
    ),
    _rule(
        rf"{_LIKED}{_MUCH} (?:helps?|makes?|keeps?)(?: {_PEOPLE})?{_MUCH}(?: to| feel)? "
        rf"(?P<o>{_PHRASE}){_END}",
        Relation.IMPLIES,
        _comes_of_it,
    ),
    _rule(
        rf"{_CAUSE}{_MUCH} (?P<o>{_MOVES})(?:s|es)? {_PEOPLE}\b",
        Relation.IMPLIES,
        _does,
    ),
    _rule(
        rf"{_CAUSE} (?:is|are){_MUCH} (?:good|great|perfect|helpful) for (?P<o>{_PHRASE}){_END}",
        Relation.RELATED_TO,
        _about,
    ),
    _rule(
        rf"{_WHO} (?:drinks?|eats?) (?P<s>{_NOUN}) (?:before|after|with|during) "
        rf"(?P<o>{_PHRASE}){_END}",
        Relation.RELATED_TO,
        _beside,
    ),
    _rule(
        rf"{_SUBJECT} {_IS}{_MUCH} (?:afraid|scared|terrified|frightened) of "
        rf"(?P<o>{_PHRASE}){_END}",
        Relation.RELATED_TO,
        _fear,
    ),
    _rule(
        rf"{_SUBJECT}{_MUCH} (?:loves|love|likes|like|enjoys|enjoy|hates|hate|dislikes|needs|need) "
        rf"(?P<o>{_PHRASE}){_END}",
        Relation.RELATED_TO,
        _things,
    ),
    _rule(rf"{_SUBJECT} (?:is|was) an? (?P<o>{_PHRASE}){_END}", Relation.IS_A, _is_a),
    _rule(rf"{_KIND} (?:is|are) an? (?P<o>{_PHRASE}){_END}", Relation.IS_A, _kind_is_a),
    _rule(rf"{_SUBJECT} {_IS}{_MUCH} (?P<o>[a-z]+){_END}", Relation.HAS_PROPERTY, _quality),
    _rule(rf"{_KIND} (?:is|are){_MUCH} (?P<o>[a-z]+){_END}", Relation.HAS_PROPERTY, _kind_quality),
    _rule(
        rf"{_CAUSE}{_MUCH} helps?(?: {_PEOPLE})?(?: to)? (?P<o>{_PHRASE}){_END}",
        Relation.IMPLIES,
        _effect,
    ),
    _rule(
        rf"{_CAUSE}{_MUCH} helps?(?: {_PEOPLE})? (?:with|against) (?P<o>{_PHRASE}){_END}",
        Relation.RELATED_TO,
        _about,
    ),
    _rule(
        rf"{_CAUSE}{_MUCH} (?:makes?|keeps?) {_PEOPLE}{_MUCH} (?:feel )?(?P<o>{_PHRASE}){_END}",
        Relation.IMPLIES,
        _effect,
    ),
    _rule(
        rf"{_CAUSE}{_MUCH} (?:causes?|leads? to|brings?) (?P<o>{_PHRASE}){_END}",
        Relation.IMPLIES,
        _effect,
    ),
    _rule(
        rf"{_WHO} "
        r"(?:drinks?|does?|do|practi[cs]es?|eats?|takes?|uses?|plays?|tr(?:y|ies)) "
        rf"(?P<s>{_NOUN}) (?:in order )?to (?P<o>{_PHRASE}){_END}",
        Relation.IMPLIES,
        _purpose,
    ),
)


def is_doubted(sentence: str) -> bool:
    """Whether a sentence denies, wishes, or is not sure."""
    return _DOUBTED.search(sentence) is not None


def claims_in(text: str, *, of: Deidentify) -> Iterator[Claim]:
    """The general claims of a text, each once. Doubted and asked things claim nothing."""
    seen = set()
    for sentence in split_sentences(text):
        if sentence.is_question or is_doubted(sentence.text):
            continue
        for rule in _RULES:
            for found in rule.pattern.finditer(sentence.text.strip()):
                subject, target = rule.ends(of, found)
                if subject is None or target is None or subject.name == target.name:
                    continue
                claim = Claim(subject, rule.relation, target)
                if claim not in seen:
                    seen.add(claim)
                    yield claim
