"""Waiting for what another task or process will bring about."""

import asyncio
from collections.abc import Awaitable, Callable

_POLL_S = 0.02


async def until(condition: Callable[[], Awaitable[bool] | bool], *, timeout_s: float = 60) -> None:
    """Return once the condition holds; `TimeoutError` when it does not in time.

    The time only ends what hangs: it is long enough for a machine that is busy with other things.
    """
    async with asyncio.timeout(timeout_s):
        while True:
            held = condition()
            if held if isinstance(held, bool) else await held:
                return
            await asyncio.sleep(_POLL_S)
