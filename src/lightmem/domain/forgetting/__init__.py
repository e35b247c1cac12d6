"""Forgotten values: what is kept of them, where a text says them again, how they are struck."""

from lightmem.domain.forgetting.forms import (
    Hasher,
    content_keys,
    form_of,
    name_keys,
    texts_of_value,
)
from lightmem.domain.forgetting.matching import Look, Matcher, Span, merged
from lightmem.domain.forgetting.striking import (
    entities_left,
    is_words,
    says_little,
    says_nothing,
    spans_of,
    strings_in,
    struck,
    struck_quote,
    with_strings,
    without,
)
from lightmem.domain.forgetting.tokens import MARKER, tokens_of

__all__ = [
    "MARKER",
    "Hasher",
    "Look",
    "Matcher",
    "Span",
    "content_keys",
    "entities_left",
    "form_of",
    "is_words",
    "merged",
    "name_keys",
    "says_little",
    "says_nothing",
    "spans_of",
    "strings_in",
    "struck",
    "struck_quote",
    "texts_of_value",
    "tokens_of",
    "with_strings",
    "without",
]
