"""Whether the system can serve, by dependency."""

import asyncio
import time
from collections.abc import Awaitable
from typing import Protocol, runtime_checkable

from lightmem.bootstrap import Services
from lightmem.errors import LightMemError
from lightmem.model import Health
from lightmem_gateway.views import View

CHECK_TIMEOUT_S = 2.0
#: The route is open to all: answers are shared for this long.
FRESH_S = 1.0


@runtime_checkable
class Checkable(Protocol):
    """A part that can say how it is."""

    def check(self) -> Awaitable[Health]: ...


class ReadinessView(View):
    """How the system stands, as a whole and by dependency: `ok`, `degraded` or `down`."""

    status: str
    dependencies: dict[str, str]


class Readiness:
    """Asks every part that is configured, at most once a second.

    The system is ready while it can store or find: with the ledger down it still recalls, with
    the index down it still stores and recalls the latest turns. Only without both it is not.
    """

    def __init__(self, services: Services) -> None:
        self._parts: dict[str, object] = {
            "ledger": services.ledger,
            "index": services.index,
            "graph": services.graph,
            "short_term": services.short_term,
            "queue": services.queue,
            "model": services.model,
            "controller": services.controller,
            "selector": services.selector,
            "writer": services.writer,
        }
        self._lock = asyncio.Lock()
        self._view: ReadinessView | None = None
        self._read_at = 0.0

    async def __call__(self) -> ReadinessView:
        """How each part stands, and the whole: `ok`, `degraded`, or `down`."""
        async with self._lock:
            if self._view is None or time.monotonic() - self._read_at >= FRESH_S:
                self._view = await self._read()
                self._read_at = time.monotonic()
            return self._view

    async def _read(self) -> ReadinessView:
        asked = {name: part for name, part in self._parts.items() if part is not None}
        states = await asyncio.gather(*(_state(part) for part in asked.values()))
        found = dict(zip(asked, states, strict=True))
        return ReadinessView(status=whole(found), dependencies=found)


def whole(states: dict[str, str]) -> str:
    """The system's state from those of its parts."""
    if states.get("ledger") == "down" and states.get("index") == "down":
        return "down"
    return "ok" if all(state == "ok" for state in states.values()) else "degraded"


async def _state(part: object) -> str:
    """A role in this process has nothing to ask: it is as well as the process."""
    if not isinstance(part, Checkable):
        return "ok"
    try:
        return (await asyncio.wait_for(part.check(), CHECK_TIMEOUT_S)).status
    except (LightMemError, TimeoutError):
        return "down"
