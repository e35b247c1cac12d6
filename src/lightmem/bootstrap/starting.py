"""Waiting at start for what is down, in the foreground or behind."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

from lightmem.errors import IncompatibleIndex, Unavailable
from lightmem.indexing import Indexing

logger = logging.getLogger(__name__)

#: Seconds between tries to reach what is down at start: first and longest.
RETRY_FIRST_S, RETRY_MOST_S = 0.2, 5.0


async def until_up(name: str, action: Callable[[], Awaitable[None]]) -> None:
    delay_s = RETRY_FIRST_S
    while True:
        try:
            await action()
        except Unavailable as exc:
            logger.warning("waiting for %s: %s", name, exc.message)
            await asyncio.sleep(delay_s)
            delay_s = min(delay_s * 2, RETRY_MOST_S)
        else:
            return


async def in_background_until_up(
    stack: AsyncExitStack, name: str, action: Callable[[], Awaitable[None]]
) -> None:
    """Try once now; what is down is tried again in the background while the system runs."""
    try:
        await action()
    except Unavailable as exc:
        logger.warning("%s is down, going on without it: %s", name, exc.message)
        task = asyncio.create_task(until_up(name, action), name=f"open-{name}")

        async def stop() -> None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        stack.push_async_callback(stop)


async def check_complete(indexing: Indexing) -> None:
    """Refuse an index that is filled in part: it would find too little and say nothing of it."""
    if await indexing.is_incomplete():
        raise IncompatibleIndex(
            "the index is filled in part, since an embedding of all did not end: "
            "run `lightmem reindex` to its end"
        )
