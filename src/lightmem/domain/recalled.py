"""Recalled context inside a text: what a caller put before a model and sent back with a turn."""

import re

from lightmem.domain.context import CLOSING, HEADER, OPENING

_BLOCK = re.compile(
    rf"(?:{re.escape(HEADER)}\s*)?{re.escape(OPENING)}.*?(?:{re.escape(CLOSING)}|\Z)",
    re.DOTALL | re.IGNORECASE,
)


def recalled_spans(content: str) -> list[tuple[int, int]]:
    """Where recalled context stands in a text, its heading and marks included, in order.

    A block that is never closed goes to the end: what it quotes is not known to end before.
    """
    return [match.span() for match in _BLOCK.finditer(content)]


def without_recalled(content: str) -> str:
    """The text without any recalled context."""
    return _BLOCK.sub(" ", content)
