"""Opaque cursors of lists that are whole in memory: where a page ended, as a number."""

import base64
import binascii

from lightmem.errors import InvalidInput

_MOST_DIGITS = 9


def numbered(name: str, number: int) -> str:
    """The cursor of list `name` at this number."""
    return base64.urlsafe_b64encode(f"{name} {number}".encode()).decode().rstrip("=")


def number_of(name: str, cursor: str | None) -> int | None:
    """The number within a cursor of list `name`, or None for no cursor.

    Raises:
        InvalidInput: it is no cursor of this list.
    """
    if cursor is None:
        return None
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        given, number = text.decode("ascii").split()
        if given == name and number.isdecimal() and len(number) <= _MOST_DIGITS:
            return int(number)
    except (binascii.Error, ValueError):
        pass
    raise InvalidInput.of("cursor", "is not a cursor of this list")
