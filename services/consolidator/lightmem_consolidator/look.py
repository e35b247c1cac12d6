"""What is done now and then while nobody waits: dreams are asked for, and old support fades.

However many look, in however many processes, one dream of a user is waited for at a time.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from lightmem.errors import NotFound, Unavailable, WrongState
from lightmem.model import DreamPolicy
from lightmem.ports.dreams import DreamLedger, DreamTimes, DreamWish
from lightmem_consolidator.decay import Decay

logger = logging.getLogger(__name__)

#: Who asks for dreams by itself, in the audit trail.
ACTOR = "schedule"
#: Most dreams that one look asks for.
MOST = 100


class LookForDreams:
    """Asks for the dreams of those who said enough, fell silent, or know nearly too much.

    Args:
        policy: Of the dreams; None asks for none, so that what is shared fades and no more.
        every_s: Seconds between two looks of `run`.
        decay: Called at each look: what long-term memory holds fades while nobody waits.
    """

    def __init__(
        self,
        ledger: DreamLedger,
        *,
        times: DreamTimes,
        policy: DreamPolicy | None = DreamPolicy.AUTO,
        every_s: float = 60.0,
        decay: Decay | None = None,
    ) -> None:
        self._ledger = ledger
        self._times = times
        self._policy = policy
        self._every_s = every_s
        self._decay = decay
        self._task: asyncio.Task[None] | None = None

    async def __call__(self) -> int:
        """Look once; how many dreams were asked for."""
        asked = 0 if self._policy is None else await self._ask(self._policy)
        if self._decay is not None:
            await self._decay.when_due()
        return asked

    async def _ask(self, policy: DreamPolicy) -> int:
        asked = 0
        for due in await self._ledger.due_dreams(self._times, limit=MOST):
            wish = DreamWish(policy, trigger=due.trigger, unless_waiting=True)
            # A tenant or user may go between the two calls.
            with suppress(NotFound, WrongState):
                dream = await self._ledger.request_dream(
                    due.tenant_id, due.user_id, wish, actor=ACTOR
                )
                asked += dream is not None
        return asked

    async def start(self, notify: Callable[[], None]) -> None:
        """Look now and then in a task of this process; `notify` wakes those who dream."""
        if self._task is None:
            self._task = asyncio.create_task(self._run(notify), name="look-for-dreams")

    async def stop(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    async def _run(self, notify: Callable[[], None]) -> None:
        while True:
            await asyncio.sleep(self._every_s)
            try:
                if await self():
                    notify()
            except Unavailable as exc:
                logger.warning("nobody is dreamt over for now: %s", exc.message)
            except Exception:
                logger.exception("no dreams could be looked for")
