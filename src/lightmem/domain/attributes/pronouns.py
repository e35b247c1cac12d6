"""Who "she" is: the one person spoken of right before whom the word can mean, or nobody.

Names of places are told from names of people by the words before them; where two people may be
meant nothing is claimed of either.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lightmem.domain.attributes import chinese, english, spanish

_FEMALE = frozenset(
    [
        "sister",
        "mother",
        "daughter",
        "aunt",
        "niece",
        "grandmother",
        "wife",
        "girlfriend",
        "sister-in-law",
        "stepmother",
    ]
)
_MALE = frozenset(
    [
        "brother",
        "father",
        "son",
        "uncle",
        "nephew",
        "grandfather",
        "husband",
        "boyfriend",
        "brother-in-law",
        "stepfather",
    ]
)
#: What people do: behind these a name at the head of a sentence is somebody's.
_DOES = (
    r"(?:called|told|said|visited|wrote|texted|phoned|rang|asked|met|married|came|went|got|moved"
    r"|joined|lives|works|loves|likes|hates|wants|plays|studies|started|quit|left|turned|thinks"
    r"|knows|lost|broke|found|bought|and I)\b"
)
_TIMES = (
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July"
    r"|August|September|October|November|December|Christmas|Easter"
)
_CAPITALISED = r"(?-i:[A-ZÁÉÍÓÚÑ][\w’'-]*\w)"


@dataclass(frozen=True, slots=True)
class _Speech:
    """How a language speaks of people: `person` finds them, `pronoun` stands for one."""

    person: re.Pattern[str]
    pronoun: re.Pattern[str]
    female: frozenset[str]
    relations: Mapping[str, str]


def _relations(words: Mapping[str, str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_SPEECH = {
    "en": _Speech(
        re.compile(
            rf"(?:my|our) (?:(?:older|younger|elder|little|big|twin) )?(?P<rel>"
            rf"{_relations(english.RELATIONS)})\b(?:,? (?P<name>{english.NAME}))?"
            rf"|(?:(?<=[a-z,] )(?<!\bin )(?<!\bat )(?<!\bfrom )(?<!\bnear )(?<!\bmoved to )"
            rf"(?<!\bwent to )|(?={english.NAME} {_DOES}))(?!(?:{_TIMES})\b)"
            rf"(?P<bare>{english.NAME})",
            re.IGNORECASE,
        ),
        re.compile(r"^(?:(?:and|but|so|now)[, ]+)?(?P<pronoun>she|he)(?=['’ ])", re.IGNORECASE),
        frozenset({"she"}),
        english.RELATIONS,
    ),
    "es": _Speech(
        re.compile(
            rf"(?:mi|nuestra|nuestro) (?P<rel>{_relations(spanish.RELATIONS)})\b"
            rf"(?:,? (?P<name>{_CAPITALISED}))?"
            rf"|(?<=[a-zñáéíóú,] )(?<!\ben )(?<!\ba )(?<!\bde )(?P<bare>{_CAPITALISED})",
            re.IGNORECASE,
        ),
        re.compile(r"^(?:(?:y|pero|ahora)[, ]+)?(?P<pronoun>ella|él)(?= )", re.IGNORECASE),
        frozenset({"ella"}),
        spanish.RELATIONS,
    ),
    "zh": _Speech(
        re.compile(rf"我(?:的)?(?P<rel>{_relations(chinese.RELATIONS)})(?P<name>)(?P<bare>)"),
        re.compile(r"^(?:但是?|不过|现在)?(?P<pronoun>她|他)(?!们)"),
        frozenset({"她"}),
        chinese.RELATIONS,
    ),
}


def with_person(sentence: str, before: str, *, language: str) -> str | None:
    """The sentence with who is meant in the place of its pronoun.

    Args:
        before: What was said before it, by the same speaker and without a break.

    Returns:
        None where the sentence opens with no such word, or where it may mean several people.
    """
    speech = _SPEECH.get(language.partition("-")[0])
    opening = speech.pronoun.search(sentence) if speech is not None else None
    if speech is None or opening is None:
        return None
    is_she = opening["pronoun"].casefold() in speech.female
    people = dict(_people(before, speech, is_she=is_she))
    if len(people) != 1:
        return None
    [who] = people.values()
    return f"{who}{sentence[opening.end() :]}"


def _people(before: str, speech: _Speech, *, is_she: bool) -> Iterator[tuple[str, str]]:
    """Those whom the word can mean, each once, with how they are spoken of first."""
    seen: set[str] = set()
    for match in speech.person.finditer(before):
        relation = speech.relations.get((match["rel"] or "").casefold(), "")
        if relation in (_MALE if is_she else _FEMALE):
            continue
        name = (match["name"] or match["bare"] or "").casefold()
        if not name or name not in seen:
            seen.add(name)
            yield f"{relation}>{name}", match[0]
