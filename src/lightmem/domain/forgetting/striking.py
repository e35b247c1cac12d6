"""Striking words from a text, and from the quotes and the structures that hold them."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lightmem.domain.forgetting.forms import TELLING_WORDS, content_keys
from lightmem.domain.forgetting.matching import Span
from lightmem.domain.forgetting.tokens import MARKER, tokens_of
from lightmem.domain.grounding import content_words

#: Content words without which what is left of a memory or a quote is none.
STATEMENT_WORDS = 3
#: An id of ours, or a moment as answers tell it.
_NO_WORDS = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)"
)


def struck(text: str, spans: Sequence[Span]) -> str:
    """The text with a marker in the place of each span; spans are in order and apart."""
    pieces = []
    at = 0
    for start, end in spans:
        pieces += [text[at:start], MARKER]
        at = end
    return "".join([*pieces, text[at:]])


def struck_quote(text: str, spans: Sequence[Span], quote: str) -> str | None:
    """What a quote of the text is after the strike; None when it has nothing left to say.

    What is left is a substring of the struck text.
    """
    first = text.find(quote)
    if first < 0:
        return quote
    last = first + len(quote)
    inside = [
        (max(start, first) - first, min(end, last) - first)
        for start, end in spans
        if start < last and end > first
    ]
    left = struck(quote, inside)
    return None if inside and says_little(left) else left


def without(text: str, said: Iterable[str]) -> str:
    """The text with a marker in the place of what was said, word for word.

    What says too little to be known, such as "yes", is struck only where it stands alone.
    """
    for words in sorted((one for one in said if one.strip()), key=len, reverse=True):
        if text == words:
            return MARKER
        if words in text and len(content_keys(tokens_of(words))) >= TELLING_WORDS:
            text = text.replace(words, MARKER)
    return text


def spans_of(text: str, quote: str) -> list[Span]:
    """Where a text has a quote, from its first word to its last; one that says little, once."""
    tokens = tokens_of(quote)
    begins, ends = (tokens[0].start, tokens[-1].end) if tokens else (0, len(quote))
    found = []
    at = text.find(quote)
    while at >= 0 and quote:
        found.append((at + begins, at + ends))
        at = text.find(quote, at + len(quote))
    return found if len(content_keys(tokens)) >= TELLING_WORDS else found[:1]


def entities_left(entities: Sequence[str], text: str) -> list[str]:
    """The names of a memory that its text still has."""
    said = {token.key for token in tokens_of(text)}
    return [name for name in entities if {token.key for token in tokens_of(name)} <= said]


def says_little(text: str) -> bool:
    """Whether striking left too little of a text for a statement of its own."""
    if MARKER not in text:
        return False
    return len(content_keys(tokens_of(text.replace(MARKER, "\n")))) < STATEMENT_WORDS


def says_nothing(text: str) -> bool:
    """Whether striking left nothing of a text that means anything."""
    return MARKER in text and not content_words(text.replace(MARKER, "\n"))


def is_words(text: str) -> bool:
    """Whether a text within a JSON value may say anything: an id or a moment is no words."""
    return _NO_WORDS.fullmatch(text) is None


def strings_in(value: Any) -> list[str]:
    """All texts within a JSON value, names of members excepted."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for inner in value.values() for text in strings_in(inner)]
    if isinstance(value, list | tuple):
        return [text for inner in value for text in strings_in(inner)]
    return []


def with_strings(value: Any, change: Callable[[str], str]) -> Any:
    """The JSON value with each text within it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {name: with_strings(inner, change) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [with_strings(inner, change) for inner in value]
    return value
