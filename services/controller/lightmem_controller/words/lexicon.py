"""Which words an answer may be told in, by the words of a question: of one language, by lists."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from lightmem.domain.language import detect_language
from lightmem_controller.words import chinese, english, spanish

_LISTS = {
    "en": (english.NARROWER, english.SYNONYMS),
    "es": (spanish.NARROWER, spanish.SYNONYMS),
    "zh": (chinese.NARROWER, chinese.SYNONYMS),
}
#: A Latin question of too few words to tell is taken for English, as most of them are.
_DEFAULT = "en"
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Lists of words by the words that lead to them.

    `narrower`: what there is of a kind ("pet": dog, cat). `synonyms`: the same done or had, said
    otherwise ("bought": got, ordered). `is_spaced`: words stand apart in this language.
    """

    narrower: Mapping[str, tuple[str, ...]]
    synonyms: Mapping[str, tuple[str, ...]]
    is_spaced: bool = True

    def found(self, question: str, lists: Mapping[str, tuple[str, ...]]) -> list[str]:
        """The words that those of a question lead to, each once, none that it has itself."""
        plain = question.casefold()
        said = _WORD.findall(plain) if self.is_spaced else [w for w in lists if w in plain]
        led = dict.fromkeys(word for key in said for word in lists.get(key, ()))
        has = set(said) if self.is_spaced else {word for word in led if word in plain}
        return [word for word in led if word not in has]


@cache
def _read(language: str) -> Lexicon:
    narrower, synonyms = map(_parsed, _LISTS[language])
    return Lexicon(narrower, synonyms, is_spaced=language != "zh")


def lexicon_of(question: str) -> Lexicon | None:
    """The lexicon of a question's language; None for one that has none."""
    language = detect_language(question)
    if language == "und":
        language = _DEFAULT
    return _read(language) if language in _LISTS else None


def _parsed(text: str) -> dict[str, tuple[str, ...]]:
    """`key key: word word` on each line, an indented line going on with the one before.

    A key of several lines leads to the words of all.
    """
    lists: dict[str, tuple[str, ...]] = {}
    for line in filter(None, map(str.strip, text.replace("\n    ", " ").splitlines())):
        keys, _, listed = line.partition(":")
        for key in keys.split():
            lists[key] = (*lists.get(key, ()), *listed.split())
    return lists
