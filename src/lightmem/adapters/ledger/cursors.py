"""Opaque cursors: where a page ended, as base64url of its key."""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from lightmem.domain.limits import fault_of_text
from lightmem.errors import InvalidInput
from lightmem.model import Page

R = TypeVar("R")
V = TypeVar("V")


def encode_cursor(name: str, *key: str | int | datetime) -> str:
    """The cursor of list `name` after the row with this key."""
    values = [part.isoformat() if isinstance(part, datetime) else part for part in key]
    return base64.urlsafe_b64encode(json.dumps([name, *values]).encode()).decode().rstrip("=")


def decode_cursor(name: str, cursor: str, *types: type) -> list[Any]:
    """The key within a cursor of list `name`; `types` are those of the key's parts.

    Raises:
        InvalidInput: it is no cursor of this list.
    """
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        given, *values = json.loads(raw)
        if given != name or len(values) != len(types):
            raise ValueError("a cursor of another list")
        return [_part(value, wanted) for value, wanted in zip(values, types, strict=True)]
    except (binascii.Error, ValueError, TypeError, RecursionError) as error:
        raise InvalidInput.of("cursor", "is not a cursor of this list") from error


def page(
    rows: Sequence[R],
    limit: int,
    *,
    value: Callable[[R], V],
    cursor: Callable[[R], str],
) -> Page[V]:
    """A page of `limit` from one row more than that, if there are so many."""
    more = len(rows) > limit
    kept = rows[:limit]
    return Page([value(row) for row in kept], cursor(kept[-1]) if more and kept else None)


def _part(value: Any, wanted: type) -> Any:
    if wanted is datetime:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            raise ValueError("a time without an offset")
        return moment
    if wanted is str and isinstance(value, str) and fault_of_text(value) is None:
        return value
    if wanted is int and type(value) is int and -(2**31) <= value < 2**31:
        return value
    raise ValueError("a part that is no key of a row")
