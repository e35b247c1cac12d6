"""What a Spanish sentence says in general: a few patterns over a closed list of general words."""

import re
from collections.abc import Iterator

from lightmem.domain.sentences import split_sentences
from lightmem.model import Claim, ConceptType, Relation, Term
from lightmem_consolidator.closed_words import (
    SPANISH_DOINGS,
    SPANISH_QUALITIES,
    SPANISH_THINGS,
)

_DOUBTED = re.compile(
    r"\b(?:no|nunca|jamás|nadie|nada|ningún|ninguna|ni|sin|si|quizás?|tal vez|ojalá|podría\w*|"
    r"debería\w*|casi|apenas|solía\w*|antes|ya no|parece|creía|imagina\w*|soñé)\b",
    re.IGNORECASE,
)
_THE = r"(?:el|la|los|las|un|una|unos|unas)"
_WHOSE = r"(?i:mis?|tus?|sus?|nuestr[oa]s?|el|la|los|las|este|esta|estos|estas)"
_WORD = r"[a-záéíóúüñ]+"
_NAMED = r"(?:,? [A-ZÁÉÍÓÚÑ][\wáéíóúüñ]*)*,?"
_MUCH = r"(?: (?:muy|siempre|bastante|realmente|tan|súper|todavía))*"
_END = r"(?=[.,;:!)]|$| (?:y|pero|o|porque|cuando|por|en|con|para|de noche|de día|mucho|siempre)\b)"
_SUBJECT = rf"\b{_WHOSE} (?P<s>{_WORD}){_NAMED}"
_ME = r"(?:me|nos|te|le|les)"


def claims_in_spanish(text: str) -> Iterator[Claim]:
    """The general claims of a text, each once. Doubted and asked things claim nothing."""
    seen: set[Claim] = set()
    for sentence in split_sentences(text):
        if sentence.is_question or _DOUBTED.search(sentence.text):
            continue
        for pattern, relation in _RULES:
            for found in pattern.finditer(sentence.text.strip()):
                claim = _claim(found, relation)
                if claim is not None and claim not in seen:
                    seen.add(claim)
                    yield claim


def _claim(found: re.Match[str], relation: Relation) -> Claim | None:
    subject, words = _thing(found["s"]), found["o"]
    target: str | None
    match relation:
        case Relation.HAS_PROPERTY:
            target = _quality(words)
        case Relation.IMPLIES:
            target = words if words in SPANISH_DOINGS else _DOES.get(words) or _thing(words)
        case Relation.IS_A | Relation.RELATED_TO:
            target = _thing(words)
    if subject is None or target is None or subject == target:
        return None
    fears = relation is Relation.RELATED_TO and "fear" in found.groupdict() and found["fear"]
    return Claim(_term(subject), relation, _term(f"miedo a {target}" if fears else target))


def _thing(word: str) -> str | None:
    """The word in the singular, if it is one of the list."""
    singulars = (word, word.removesuffix("s"), word.removesuffix("es"), _z(word))
    return next((one for one in singulars if one in SPANISH_THINGS), None)


def _z(word: str) -> str:
    return f"{word[:-3]}z" if word.endswith("ces") else word


def _quality(word: str) -> str | None:
    """The word as it is said of one thing that is masculine, if it is one of the list."""
    bare = word.removesuffix("s")
    forms = (word, bare, f"{bare[:-1]}o", word.removesuffix("es"), _z(word), _accented(bare))
    return next((one for one in forms if one in SPANISH_QUALITIES), None)


def _accented(word: str) -> str:
    return f"{word[:-3]}ón" if word.endswith("ona") else word


def _term(name: str) -> Term:
    return Term(ConceptType.CONCEPT, name, name)


#: What a thing does to people, as what comes of it.
_DOES = {
    **dict.fromkeys(("relaja", "relajan", "calma", "calman", "tranquiliza"), "relajarse"),
    **dict.fromkeys(("anima", "animan", "alegra", "alegran"), "alegría"),
}
_RULES = tuple(
    (re.compile(pattern), relation)
    for pattern, relation in (
        (rf"{_SUBJECT} (?:es|son|está|están){_MUCH} (?P<o>{_WORD}){_END}", Relation.HAS_PROPERTY),
        (rf"{_SUBJECT} (?:es|son) (?:una?|unos|unas) (?P<o>{_WORD}){_END}", Relation.IS_A),
        (
            rf"{_SUBJECT}{_MUCH} (?P<fear>tienen?{_MUCH} miedo (?:al?|de|del)|teme[n]? (?:al?)?)"
            rf"(?: {_THE})? ?(?P<o>{_WORD}){_END}",
            Relation.RELATED_TO,
        ),
        (
            rf"\b[Aa] {_WHOSE} (?P<s>{_WORD}){_NAMED} (?:le|les) (?:encantan?|gustan?)(?: mucho)? "
            rf"{_THE} (?P<o>{_WORD}){_END}",
            Relation.RELATED_TO,
        ),
        (rf"{_SUBJECT} {_ME} (?P<o>relajan?|calman?|animan?|alegran?)\b", Relation.IMPLIES),
        (
            rf"{_SUBJECT} {_ME} (?:ayudan? a|hacen?) (?P<o>{_WORD}){_END}",
            Relation.IMPLIES,
        ),
        (rf"{_SUBJECT} (?:{_ME} )?(?:dan?|causan?) (?P<o>{_WORD}){_END}", Relation.IMPLIES),
    )
)
