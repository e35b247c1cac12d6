"""Names in a question: what is written with a capital or in quotation marks."""

import re

from lightmem.domain.language import FUNCTION_WORDS, words
from lightmem.domain.text import words_of

_QUOTED = re.compile(r"\"([^\"]{2,80})\"|“([^”]{2,80})”|«([^»]{2,80})»|「([^」]{2,80})」")
_CAPITAL = re.compile(
    r"(?<!\w)[^\W\d_a-zß-öø-ÿ][\w]*(?:[-'’](?!s\b)\w+)*"
    r"(?:\s(?:(?:de|del|la|of|the|van|von)\s){0,2}[^\W\d_a-zß-öø-ÿ][\w]*(?:[-'’](?!s\b)\w+)*)*"
)
#: Words that begin a question or carry a capital without naming anything.
_NO_NAMES: frozenset[str] = words(
    "what when where who whom whose which why how did do does is are was were has have had can "
    "could would will should may might tell show list give name describe remind find please "
    "i my me mr mrs ms dr january february march april june july august september october "
    "november december monday tuesday wednesday thursday friday saturday sunday christmas "
    "qué que cuándo cuando dónde donde quién quien quiénes cuál cuáles cómo como cuánto cuánta "
    "cuántos cuántas cuanto por dime cuéntame recuérdame hay es son fue está había hizo "
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre "
    "lunes martes miércoles jueves viernes sábado domingo"
).union(*FUNCTION_WORDS.values())


def find_names(text: str) -> list[str]:
    """Quoted strings and capitalised names of a text, in order, each once.

    A script without capitals gives quoted strings alone.
    """
    quoted = list(_QUOTED.finditer(text))
    found = [(match.start(), next(filter(None, match.groups()))) for match in quoted]
    for match in _CAPITAL.finditer(text):
        name = _without_common_words(match[0])
        is_quoted = any(quote.start() <= match.start() < quote.end() for quote in quoted)
        if name and name[0].isupper() and not is_quoted:
            found.append((match.start(), name))
    seen: dict[str, str] = {}
    for _, name in sorted(found):
        seen.setdefault(name.casefold(), name)
    return list(seen.values())


def names_speaker(query_words: frozenset[str], speaker: str | None) -> bool:
    """Whether a question's words hold a speaker's name or a part of it."""
    if not speaker:
        return False
    return any(part in query_words for part in words_of(speaker) - _NO_NAMES)


def _without_common_words(phrase: str) -> str:
    """The phrase without question words at its ends: "Did Ana" names Ana."""
    parts = phrase.split()
    while parts and parts[0].casefold() in _NO_NAMES:
        parts = parts[1:]
    while parts and parts[-1].casefold() in _NO_NAMES:
        parts = parts[:-1]
    name = " ".join(parts)
    return name if len(name) > 1 or not name.isascii() else ""
