"""How calls come to the Writer: together, in which order, and not more than it can work off."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from lightmem.errors import LimitExceeded
from lightmem.model import Gathering, NewTurn

#: UTF-8 bytes that a token stands for, about, in the scripts that we know.
BYTES_A_TOKEN = 4
#: How long a count of what waits is believed, and how long a caller is told to stay away.
BELIEVED_S, RETRY_AFTER_S = 1.0, 5
#: Tenants whose counts are remembered; beyond, all are counted anew.
_MOST_TENANTS = 10_000


class Backlog(Protocol):
    """Tells how much waits for the Writer."""

    async def waiting(self, tenant_id: str, *, most: int) -> int: ...


@dataclass(frozen=True, slots=True)
class Pace:
    """How turns are gathered, by the settings."""

    quiet_s: float = 0.0
    most_s: float = 0.0
    segment_tokens: int = 512
    live_turns: int = 16
    most_waiting: int = 20_000


class Pressure:
    """Decides how a call's turns wait for the Writer, and refuses what would only wait."""

    def __init__(
        self, backlog: Backlog, pace: Pace, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._backlog = backlog
        self._pace = pace
        self._monotonic = monotonic
        self._counted: dict[str, tuple[float, int]] = {}

    def gathering(
        self, turns: Sequence[NewTurn], wait: Literal["none", "indexed", "written"]
    ) -> Gathering:
        """How the turns of a call wait for more of their session; not at all for `written`."""
        pace = self._pace
        if wait == "written":
            return Gathering(quiet_s=0.0, most_s=0.0, full_bytes=0)
        return Gathering(
            quiet_s=pace.quiet_s,
            most_s=pace.most_s,
            full_bytes=pace.segment_tokens * BYTES_A_TOKEN,
            is_bulk=len(turns) > pace.live_turns,
        )

    async def check(self, tenant_id: str) -> None:
        """Let a call in unless too many of its tenant's wait already.

        Raises:
            LimitExceeded: they do; what was said before is worked off first.
        """
        at, count = self._counted.get(tenant_id, (float("-inf"), 0))
        if self._monotonic() - at >= BELIEVED_S:
            count = await self._backlog.waiting(tenant_id, most=self._pace.most_waiting)
            if len(self._counted) >= _MOST_TENANTS:
                self._counted.clear()
            self._counted[tenant_id] = (self._monotonic(), count)
        if count >= self._pace.most_waiting:
            raise LimitExceeded(
                "too much waits to be learnt from", retry_after_s=RETRY_AFTER_S, limit=count
            )
