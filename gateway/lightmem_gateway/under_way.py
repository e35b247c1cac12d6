"""Work that goes on after its caller was answered, until it ends or the process does."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

logger = logging.getLogger(__name__)

#: Seconds that a process which ends gives to what is under way.
GRACE_S = 5.0


class UnderWay:
    """Holds the tasks that nobody awaits any more."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Begin the work; it goes on whoever stops waiting for it."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (failed := task.exception()) is not None:
            # Whoever still waits for it is told; where nobody does, this is all there is of it.
            logger.debug("work ended with %s", type(failed).__name__)

    async def settle(self, *, grace_s: float = GRACE_S) -> None:
        """Wait a while for what is under way, then let go of it: its jobs go on with it."""
        tasks = set(self._tasks)
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=grace_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
