"""The words of a text as forgotten values are compared, and where each stands in the text.

Case, width, accents, invisible characters and punctuation do not matter: "Lis\u00adboá" and
"LISBOA" are one word. A number is its digits, however they are set apart.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lightmem.domain.language import script_of

#: What stands in the place of struck words.
MARKER = "[forgotten]"

_UNSPACED = frozenset({"Hani", "Jpan", "Thai"})
_APOSTROPHES = frozenset("'’ʼ`´")
_TOKEN = re.compile(
    r"(?P<mail>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
    r"|(?P<link>(?:https?://|www\.)[^\s\"'<>]+[\w/])"
    r"|(?P<date>(?<!\d)\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)"
    r"|(?<!\d)\d{1,2}[-/.]\d{1,2}[-/.]\d{4}(?!\d))"
    r"|(?P<long>(?<![\da-z])(?!\d{1,3}(?:\.\d{3})+(?!\.?\d))\d(?:[ ().-]{0,2}\d){6,}(?![\da-z]))"
    r"|(?P<mixed>(?<![\da-z])(?=[a-z]*-?[a-z]*\d)(?=[\d-]*[a-z])[a-z\d]+(?:-[a-z\d]+)*(?![\da-z]))"
    r"|(?P<number>\d+(?:[.,:/]\d+)*)"
    r"|(?P<word>[^\W\d_]+)"
)
_POSSESSIVE = re.compile(r"(?<=\w)['’ʼ][sS]\b")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
#: Digits by which a long number is known, whichever code of a country or an area stands before.
_LOCAL = 7
#: Letters and digits of a code that stands for one thing alone.
_CODE = 5


@dataclass(frozen=True, slots=True)
class Token:
    """A word or number as compared; `text[start:end]` is how it was written.

    `is_value`: it has digits or is an address. `is_telling`: it stands for one thing alone.
    """

    key: str
    start: int
    end: int
    is_value: bool = False
    is_telling: bool = False


def tokens_of(text: str) -> list[Token]:
    """The words and numbers in order; of scripts without spaces each character is one."""
    plain = _POSSESSIVE.sub("\n\n", text.replace(MARKER, "\n" * len(MARKER)))
    folded, origins = _folded(plain)
    found = []
    for match in _TOKEN.finditer(folded):
        for key, first, last, kind in _keys(match):
            start, end = origins[first], origins[last - 1] + 1
            found.append(Token(key, start, end, kind != "word", _is_telling(kind, key)))
    return found


def _folded(text: str) -> tuple[str, Sequence[int]]:
    """The text as compared, and for each of its characters the place it comes from."""
    if text.isascii() and _APOSTROPHES.isdisjoint(text):
        # Most texts of most users: forgetting looks at all of them.
        return text.lower(), range(len(text))
    characters: list[str] = []
    origins: list[int] = []
    for place, character in enumerate(text):
        if character.isascii():
            if character not in _APOSTROPHES:
                characters.append(character.lower())
                origins.append(place)
            continue
        for part in unicodedata.normalize("NFKD", character).casefold():
            if unicodedata.category(part) in {"Mn", "Cf"} or part in _APOSTROPHES:
                continue
            characters.append(part)
            origins.append(place)
    return "".join(characters), origins


def _keys(match: re.Match[str]) -> Iterator[tuple[str, int, int, str]]:
    """(key, start, end, kind) of what one match holds."""
    kind = match.lastgroup or "word"
    first, last = match.span()
    found = match.group()
    match kind:
        case "date":
            yield "".join(filter(str.isdigit, found)), first, last, kind
        case "long":
            yield "".join(filter(str.isdigit, found))[-_LOCAL:], first, last, kind
        case "mixed":
            yield found.replace("-", ""), first, last, kind
        case "number":
            yield _THOUSANDS.sub("", found), first, last, kind
        case "word" if any(script_of(one) in _UNSPACED for one in found):
            for place, character in enumerate(found, first):
                yield character, place, place + 1, kind
        case _:
            yield found, first, last, kind


def _is_telling(kind: str, key: str) -> bool:
    return kind in {"mail", "link", "long"} or (kind == "mixed" and len(key) >= _CODE)
