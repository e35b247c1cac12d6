"""Waiting for what another task or process will do: looking again, ever less often."""

import asyncio
import time
from collections.abc import AsyncIterator

FIRST_S, MOST_S = 0.02, 0.25


async def polls(patience_s: float) -> AsyncIterator[None]:
    """Tick at once, then at growing distances until the patience is at its end."""
    end = time.monotonic() + patience_s
    delay_s = 0.0
    while time.monotonic() < end:
        yield
        delay_s = min(max(delay_s * 1.5, FIRST_S), MOST_S)
        await asyncio.sleep(delay_s)
