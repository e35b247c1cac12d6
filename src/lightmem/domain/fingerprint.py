"""When two statements are the same words: equal but for case, width, spacing and punctuation."""

import re
import unicodedata
from hashlib import sha256

#: Marks that carry meaning: "5 %" is not "5", "C#" is not "C".
_KEPT = frozenset("%#&@")
_APOSTROPHES = frozenset("'’ʼ`´")
#: A point, comma, colon or slash between digits, and the minus of a negative number.
_WITHIN_NUMBER = re.compile(r"(?<=\d)[.,:/](?=\d)|(?<![\w])-(?=\d)")
_SPACES = re.compile(r"\s+")


def normalised(text: str) -> str:
    """The words alone: NFKC, case folded, without invisible marks and punctuation.

    Punctuation within a number stays, since 3.5 is not 35; other punctuation parts words.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    kept = {match.start() for match in _WITHIN_NUMBER.finditer(folded)}
    characters = [
        character if position in kept else _plain(character)
        for position, character in enumerate(folded)
    ]
    return _SPACES.sub(" ", "".join(characters)).strip()


def fingerprint(text: str) -> str:
    """A hash of the normalised words, the same for every way of writing them down."""
    return sha256(normalised(text).encode()).hexdigest()


def _plain(character: str) -> str:
    """The character, a space in the place of punctuation, nothing for invisible marks."""
    category = unicodedata.category(character)
    if category in {"Cf", "Cc"}:
        return " " if character in "\t\n\r\v\f" else ""
    if character in _APOSTROPHES:
        return ""
    if category.startswith("P") and character not in _KEPT:
        return " "
    return character
