"""Asking parts that may be down: what does not answer is named, and the recall goes on."""

import asyncio
import logging
from collections.abc import Awaitable
from typing import TypeVar

from lightmem.errors import Unavailable

logger = logging.getLogger(__name__)
T = TypeVar("T")


class Attempts:
    """The parts asked during one recall; `degraded` names those that did not answer.

    Args:
        patience_s: How long a part may take before it counts as down.
    """

    def __init__(self, *, patience_s: float) -> None:
        self._patience_s = patience_s
        self._degraded: set[str] = set()

    @property
    def degraded(self) -> list[str]:
        """Each part that was down once; in order, whichever was found to be first."""
        return sorted(self._degraded)

    async def ask(self, answer: Awaitable[T], *, or_else: str) -> T | None:
        """The answer, or None with `or_else` noted when the part is down or too slow."""
        try:
            async with asyncio.timeout(self._patience_s):
                return await answer
        except (Unavailable, TimeoutError) as exc:
            logger.warning("recall goes on without a part: %s (%s)", or_else, exc)
            self._degraded.add(or_else)
            return None
