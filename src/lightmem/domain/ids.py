"""Ids of turns, memories, operations and jobs: UUIDs of version 7, which sort by creation."""

import secrets
import threading
import time
from uuid import UUID

_TICKS_PER_MS = 4096  # the 12 bits after the milliseconds
_NS_PER_MS = 1_000_000
_VERSION = 7
_VARIANT = 0b10

_lock = threading.Lock()
_last_tick = 0


def new_id() -> str:
    """A UUID of version 7 as text, greater than every earlier one of this process.

    The 12 bits after the version hold the fraction of the millisecond, so that thousands of ids
    in one bulk stay in order without running ahead of the clock.

    Source: RFC 9562, section 6.2, method 3.
    """
    global _last_tick  # noqa: PLW0603 - the order holds for the whole process
    with _lock:
        tick = max(time.time_ns() * _TICKS_PER_MS // _NS_PER_MS, _last_tick + 1)
        _last_tick = tick
    milliseconds, fraction = divmod(tick, _TICKS_PER_MS)
    high = (milliseconds & 0xFFFF_FFFF_FFFF) << 16 | _VERSION << 12 | fraction
    low = _VARIANT << 62 | secrets.randbits(62)
    return str(UUID(int=high << 64 | low))
