"""What a statement claims: which attributes of whom, and with which values.

Rules alone, so that nothing is claimed that is not said; what no rule knows claims nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from lightmem.domain.attributes.answers import as_told
from lightmem.domain.attributes.chinese import CHINESE
from lightmem.domain.attributes.classes import class_of
from lightmem.domain.attributes.english import ENGLISH
from lightmem.domain.attributes.model import MAX_VALUE, Claim, Grammar, Mode, Rule
from lightmem.domain.attributes.pronouns import with_person
from lightmem.domain.attributes.spanish import SPANISH
from lightmem.domain.fingerprint import normalised
from lightmem.domain.sentences import Sentence, split_sentences

_GRAMMARS = {grammar.language: grammar for grammar in (ENGLISH, SPANISH, CHINESE)}
#: The day that stands before words that lean on it: "Ana (2024-05-08): ", "2024-05-08: ".
_DAY = re.compile(r"^(?:[^:\n(]{0,60} \(\d{4}-\d\d-\d\d\)|\d{4}-\d\d-\d\d): ")
#: What is longer is no sentence that somebody said: it claims nothing, and costs no time.
MAX_SENTENCE = 400
#: Who asked what is answered: "Ben: ", "assistant (2024-05-08): ".
_ASKER = re.compile(r"^[^:\n?？]{1,80}: ")
#: An answer stands behind its question.
ANSWER = " — "
#: A partner is told apart by being one: another name is another partner.
PARTNERS = frozenset({"husband", "wife", "partner", "girlfriend", "boyfriend"})
#: Tells of what is to come, and of what somebody is able to do.
_ABLE = "会"
_UNREAL = re.compile(
    r"\b(?:if|wish|imagine|dream(?:ed|t)? (?:of|that)|as if|pretend|si|ojalá|imagina|sueño con)\b"
    r"|如果|要是|希望|假如|梦想",
    re.IGNORECASE,
)
_PERFECT = frozenset({"'ve", "'s", "have", "has", "he", "ha", "hemos", "han"})
_FUTURE = frozenset({"'ll", "will", "wo"})
_PAST = frozenset({"'d", "would", "had", "was", "were", "did", "was called"})
_PRESENT_BE = frozenset({"'m", "'re", "am", "are", "is", "'s"})
_DIGITS = {
    **{word: str(n) for n, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], start=1)},
    **{word: str(n) for n, word in enumerate(
        ["un", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez"], start=1)},
    "una": "1", "uno": "1",
    **{word: str(n) for n, word in enumerate("一两三四五六七八九十", start=1)}, "二": "2",
}  # fmt: skip


def grammar_of(language: str) -> Grammar | None:
    """How a language says attributes; None for one that has no rules."""
    return _GRAMMARS.get(language.partition("-")[0])


def words_said(text: str, speaker: str | None = None) -> int:
    """Where a statement's own words begin: behind its speaker and day, and behind a question."""
    answer = text.rfind(ANSWER)
    start = answer + len(ANSWER) if answer >= 0 else 0
    day = _DAY.match(text[start:])
    if day is not None:
        return start + day.end()
    if speaker and text.startswith(f"{speaker}: ", start):
        return start + len(speaker) + 2
    return start


def claims_of(text: str, *, language: str, speaker: str | None = None) -> list[Claim]:
    """The claims of a statement, in the order of its words; none for an unknown language.

    Args:
        text: A memory's text, or words of a turn.
        speaker: Who said it, where he has a name; "I" is he.
    """
    grammar = grammar_of(language)
    if grammar is None:
        return []
    start = words_said(text, speaker)
    corrected = _corrected(text, start, grammar, language, speaker)
    if corrected is not None:
        return [corrected]
    found: dict[str, Claim] = {}
    for sentence in split_sentences(text[start:]):
        if sentence.is_question or len(sentence.text) > MAX_SENTENCE:
            continue
        if _UNREAL.search(sentence.text):
            continue
        before = text[start : start + sentence.start]
        for claim in _claims_of(sentence, before, grammar, speaker, start):
            found.setdefault(claim.key, claim)
    if not found:
        return _answered(text, start, grammar, speaker)
    return sorted(found.values(), key=lambda claim: claim.start)


def _claims_of(
    sentence: Sentence, before: str, grammar: Grammar, speaker: str | None, start: int
) -> Iterator[Claim]:
    """The claims of one sentence, about whom its "she" means where it opens so."""
    whole = with_person(sentence.text, before, language=grammar.language)
    if whole is None:
        yield from _claims_in(sentence.text, grammar, speaker, start + sentence.start)
        return
    for claim in _claims_in(whole, grammar, speaker, 0):
        yield replace(claim, start=start + sentence.start, end=start + sentence.end)


def _answered(text: str, start: int, grammar: Grammar, speaker: str | None) -> list[Claim]:
    """What a short answer claims, read by the question that stands before it."""
    place = text.rfind(ANSWER)
    if place < 0:
        return []
    asked = _ASKER.sub("", text[:place], count=1)
    told = as_told(asked, text[start:], language=grammar.language)
    if told is None or _UNREAL.search(told):
        return []
    claims = _claims_in(told, grammar, speaker, 0)
    return [replace(claim, start=start, end=len(text)) for claim in claims][:1]


def _corrected(
    text: str, start: int, grammar: Grammar, language: str, speaker: str | None
) -> Claim | None:
    """The claim before an answer that puts its value right: "I live in Porto — I meant Lisbon"."""
    before = text.rfind(ANSWER)
    fragment = grammar.fragment.match(text[start:]) if before >= 0 else None
    if fragment is None:
        return None
    claims = claims_of(text[:before], language=language, speaker=speaker)
    value = grammar.value(fragment["v"])
    if not claims or len(value) > MAX_VALUE:
        return None
    return replace(claims[-1], value=value, start=start, end=len(text))


def _claims_in(
    sentence: str, grammar: Grammar, speaker: str | None, offset: int
) -> Iterator[Claim]:
    for rule in grammar.rules:
        for match in rule.pattern.finditer(sentence):
            claim = _claim(rule, match, sentence, grammar, speaker)
            if claim is not None:
                attribute, subject, value, mode = claim
                span = (offset + match.start(), offset + match.end())
                yield Claim(attribute, subject, value, mode, *span)


def _claim(
    rule: Rule, match: re.Match[str], sentence: str, grammar: Grammar, speaker: str | None
) -> tuple[str, str, str, Mode] | None:
    groups = match.groupdict()
    mode = _mode(rule, groups, sentence, grammar)
    value = grammar.value(groups.get("v") or "")
    value = _DIGITS.get(value, value)
    if mode is None or len(value) > MAX_VALUE:
        return None
    subject = _subject(groups, grammar, speaker)
    attribute = _attribute(rule, groups, value, grammar)
    if attribute is None:
        return None
    if attribute == "name" and subject.split(">")[1] in PARTNERS:
        attribute, subject = "partner", f"{subject.split('>')[0]}>>"
    if rule.is_open and mode is Mode.PLANNED and groups.get("plan") == _ABLE:
        mode = Mode.HOLDS
    if rule.is_open:
        holds = "yes" if mode is Mode.HOLDS else "no"
        name = f"{attribute} {value}".strip()
        return (name, subject, holds, Mode.HOLDS) if mode is not Mode.PLANNED else None
    if not value and mode is not Mode.ENDS:
        return None
    return attribute, subject, value, mode


def _attribute(
    rule: Rule, groups: dict[str, str | None], value: str, grammar: Grammar
) -> str | None:
    """The attribute's name, the same in every language as far as its parts have a known one."""
    if rule.attribute.startswith("prefers"):
        kind = class_of(value)
        if kind is not None:
            return f"prefers {kind}"
        other = grammar.value(groups.get("what") or "")
        return f"prefers {' or '.join(sorted([value, other]))}" if other else None
    if "<what>" not in rule.attribute:
        return rule.attribute
    what = grammar.value(groups.get("what") or "")
    return rule.attribute.replace("<what>", grammar.names.get(what, what))


def _mode(
    rule: Rule, groups: dict[str, str | None], sentence: str, grammar: Grammar
) -> Mode | None:
    """How the words mean it; None for what was so once, or would be."""
    aux = (groups.get("aux") or "").strip().replace("’", "'").casefold()
    is_denied = bool(groups.get("neg") or groups.get("neg2"))
    if groups.get("past") or aux in _PAST:
        return None
    if groups.get("was") and not (aux in _PERFECT and grammar.lasting.search(sentence)):
        return None
    if groups.get("plan") or aux in _FUTURE or (groups.get("coming") and aux in _PRESENT_BE):
        return Mode.ENDS if is_denied else Mode.PLANNED
    if rule.ends or groups.get("end"):
        return Mode.ENDS
    return Mode.ENDS if is_denied else Mode.HOLDS


def _subject(groups: dict[str, str | None], grammar: Grammar, speaker: str | None) -> str:
    owner = normalised(speaker or "")
    relation, name = groups.get("rel"), groups.get("name")
    if relation:
        kind = grammar.relations.get(relation.casefold(), relation.casefold())
        older = groups.get("older") or groups.get("older2")
        kind = f"{older.casefold()} {kind}" if older else kind
        return f"{owner}>{kind}>{normalised(groups.get('relname') or '')}"
    if name:
        who = normalised(name)
        return f"{owner}>>" if owner and who in {owner, owner.split()[0]} else f"{owner}>?>{who}"
    return f"{owner}>>"
