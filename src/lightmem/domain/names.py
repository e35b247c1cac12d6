"""Names in a question: what is written with a capital or in quotation marks."""

import re
from collections.abc import Sequence

from lightmem.domain.language import FUNCTION_WORDS, detect_language, words
from lightmem.domain.text import words_of

_QUOTED = re.compile(r"\"([^\"]{2,80})\"|“([^”]{2,80})”|«([^»]{2,80})»|「([^」]{2,80})」")
_UPPER = r"[^\W\d_a-zß-öø-ÿ]"
_WORD = rf"{_UPPER}\w*(?:[-'’](?!s\b)\w+)*"
_CAPITAL = re.compile(rf"(?<!\w){_WORD}(?:\s(?:(?:de|del|la|of|the|van|von)\s){{0,2}}{_WORD})*")
#: Where a sentence begins, a capital says nothing.
_BEGINS = re.compile(r"(?:^|[.!?…:;¿¡(\n-])\s*[\"'“«]?$")
_QUESTION_WORDS = words(
    "what when where who whom whose which why how did do does is are was were has have had can "
    "could would will should may might tell show list give name describe remind find please "
    "qué que cuándo cuando dónde donde quién quien quiénes cuál cuáles cómo como cuánto cuánta "
    "cuántos cuántas cuanto por dime cuéntame recuérdame hay es son fue está había hizo"
)
#: Never names, wherever they stand: titles, and parts of dates.
_NEVER = words(
    "i mr mrs ms dr sr sra january february march april may june july august september october "
    "november december monday tuesday wednesday thursday friday saturday sunday christmas enero "
    "febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes "
    "martes miércoles jueves viernes sábado domingo"
) - words("april may june august")


def find_names(text: str) -> list[str]:
    """Quoted strings and capitalised names of a text, in order, each once.

    A script without capitals gives quoted strings alone.
    """
    common = _common_words(text)
    quoted = list(_QUOTED.finditer(text))
    found = [(match.start(), next(filter(None, match.groups()))) for match in quoted]
    for match in _CAPITAL.finditer(text):
        is_quoted = any(quote.start() <= match.start() < quote.end() for quote in quoted)
        begins = text.isupper() or _BEGINS.search(text, 0, match.start()) is not None
        name = _without_common_words(match[0], common if begins else _NEVER, text.isupper())
        if name and name[0].isupper() and not is_quoted:
            found.append((match.start(), name))
    seen: dict[str, str] = {}
    for _, name in sorted(found):
        seen.setdefault(name.casefold(), name)
    return list(seen.values())


def named_words(question: str, names: Sequence[str]) -> frozenset[str]:
    """The words of a question that may name somebody, also where it is written without capitals.

    Args:
        question: As it was asked.
        names: What is known to be a name in it, such as from `find_names`.
    """
    return words_of(" ".join(names)) | (words_of(question) - _common_words(question))


def _common_words(text: str) -> frozenset[str]:
    """Words that begin a question or carry a sentence, in English and the text's own language."""
    own = FUNCTION_WORDS.get(detect_language(text), frozenset())
    return _QUESTION_WORDS | _NEVER | FUNCTION_WORDS["en"] | own


def _without_common_words(phrase: str, common: frozenset[str], is_upper: bool) -> str:
    """The phrase without common words at its head: "Did Will" names Will, "Dr Smith" Smith."""
    parts = phrase.split()
    while parts and parts[0].casefold() in common:
        parts = parts[1:]
        # Only the first word of a sentence has its capital from there.
        common = common if is_upper else _NEVER
    while parts and parts[-1].casefold() in (common if is_upper else _NEVER):
        parts = parts[:-1]
    name = " ".join(parts)
    return name if len(name) > 1 or not name.isascii() else ""
