"""Cuts text into words, numbers and runs of scripts that are written without spaces."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

#: Han, kana, Hangul, Thai, Lao, Burmese, Khmer: found by pairs of characters.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_AFTER_SENTENCE = frozenset('.!?…:;"“”«»¿¡*-–—(\n')
_MAX_WORD = 64

#: Groups of the pattern; the third is a run of an unspaced script.
_WORD, _NUMBER = 1, 2


class Word(NamedTuple):
    """One word, casefolded. `is_name`: it was capitalised though no sentence began there.

    A tuple, since words are made and hashed by the thousand.
    """

    text: str
    is_name: bool = False
    is_unspaced: bool = False


def split_words(text: str) -> list[Word]:
    """The words of a text in order, after NFKC; a number keeps its point, not its commas."""
    text = unicodedata.normalize("NFKC", text).replace("’", "'")
    has_case = not text.isupper()
    words = []
    for match in _pattern().finditer(text):
        found, kind = match[0], match.lastindex
        if kind == _WORD:
            # Most words are in lower case, and those need no second look.
            if found.islower():
                words.append(Word(found[:_MAX_WORD]))
            else:
                is_name = has_case and found[0].isupper() and _is_inside(text, match.start())
                words.append(Word(found.casefold()[:_MAX_WORD], is_name))
        elif kind == _NUMBER:
            words.append(Word(found.replace(",", "")))
        else:
            words.append(Word(found.casefold(), is_unspaced=True))
    return words


def _is_inside(text: str, start: int) -> bool:
    """Whether a sentence goes on at `start`."""
    while start > 0 and text[start - 1] == " ":
        start -= 1
    return start > 0 and text[start - 1] not in _AFTER_SENTENCE


@cache
def _pattern() -> re.Pattern[str]:
    letter = "".join(f"{chr(first)}-{chr(last)}" for first, last in _ranges_of_letters())
    return re.compile(
        rf"((?!\d+(?:[.,:]\d+)+)[{letter}]+(?:'[{letter}]+)*)"
        rf"|(\d+(?:[.,:]\d+)*)"
        rf"|([{_UNSPACED}]+)"
    )


def _ranges_of_letters() -> Iterator[tuple[int, int]]:
    """Inclusive ranges of what words are made of, below U+10000.

    Combining marks are among them (no Hindi or Arabic word is whole without): `\\w` lacks them.
    """
    unspaced = re.compile(f"[{_UNSPACED}]")
    first = None
    for code in range(0x30, 0x10001):
        character = chr(code)
        is_letter = code < 0x10000 and not unspaced.match(character)
        if is_letter and not character.isalnum():
            is_letter = unicodedata.category(character) in ("Mn", "Mc")
        if is_letter and first is None:
            first = code
        elif not is_letter and first is not None:
            yield first, code - 1
            first = None
