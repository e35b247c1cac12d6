"""Whom and what a question names: what is capitalised or quoted in it, dates left out."""

from collections.abc import Sequence

from lightmem.domain.names import find_names
from lightmem.domain.time import DateMention

MAX_ENTITIES = 16


def entities_in(query: str, dates: Sequence[DateMention]) -> list[str]:
    """Names in the order of the question, each once."""
    characters = list(query)
    for mention in dates:
        start, end = mention.span
        # A comma keeps the words on either side of a date apart: they are two names.
        characters[start:end] = "," * (end - start)
    return find_names("".join(characters))[:MAX_ENTITIES]
