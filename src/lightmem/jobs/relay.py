"""The relay: leases jobs from the outbox and sends them to the queue that workers read.

Learning is sent only as far as the queue has room, so that a job does not outlive its lease while
it waits there; indexing is quick and goes ahead. Dreams have a queue of their own. What a queue
loses falls due again.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress

from lightmem.domain.retry import retry_delay_s
from lightmem.errors import QueueUnavailable, Unavailable
from lightmem.jobs.runner import DREAM_KINDS
from lightmem.jobs.worker import INDEX_KINDS, LEARN_KINDS
from lightmem.model import Job, JobKind
from lightmem.ports import JobQueue, Outbox

logger = logging.getLogger(__name__)

#: Jobs that may wait in the queue.
MOST_WAITING = 16
#: Indexing jobs sent at once.
INDEX_BATCH = 64
POLL_FIRST_S, POLL_MOST_S = 0.05, 1.0


class OutboxRelay:
    """Moves due jobs to a queue until it is stopped.

    Args:
        dreams: The queue of those who dream; without one their jobs wait in the outbox.
        lease_s: Long enough for a job to wait in the queue until a worker sets its own lease.
    """

    def __init__(
        self,
        *,
        ledger: Outbox,
        queue: JobQueue,
        lease_s: float,
        dreams: JobQueue | None = None,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        self._ledger = ledger
        self._queue = queue
        self._dreams = dreams
        self._lease_s = lease_s
        self._most_waiting = most_waiting
        self._stop = asyncio.Event()

    async def run(self) -> None:
        """Relay until `stop`. What is down is named in the log and waited for."""
        idle = failures = 0
        while not self._stop.is_set():
            try:
                sent = await self.relay_once()
            except Exception as exc:
                failures += 1
                _log_failure(exc)
                await self._wait(retry_delay_s(failures, first_s=0.2, most_s=5.0))
                continue
            failures = 0
            idle = 0 if sent else idle + 1
            if not sent:
                await self._wait(retry_delay_s(idle, first_s=POLL_FIRST_S, most_s=POLL_MOST_S))

    def stop(self) -> None:
        """End `run` once the jobs in hand are sent."""
        self._stop.set()

    async def relay_once(self) -> int:
        """Send what is due and has room; how many jobs were sent.

        Raises:
            QueueUnavailable: nothing was sent, and what was leased is due again soon.
        """
        room = self._most_waiting - await self._queue.waiting()
        jobs = await self._lease(INDEX_KINDS, INDEX_BATCH)
        if room > 0:
            jobs += await self._lease(LEARN_KINDS, room)
        if jobs:
            await self._send(self._queue, jobs)
        return len(jobs) + await self._relay_dreams()

    async def _relay_dreams(self) -> int:
        if self._dreams is None:
            return 0
        room = self._most_waiting - await self._dreams.waiting()
        jobs = await self._lease(DREAM_KINDS, room) if room > 0 else []
        if jobs:
            await self._send(self._dreams, jobs)
        return len(jobs)

    async def _lease(self, kinds: Sequence[JobKind], limit: int) -> list[Job]:
        """Jobs to hand on: no try of them, which the worker that begins one counts."""
        return await self._ledger.lease_jobs(kinds, limit=limit, lease_s=self._lease_s, begun=False)

    async def _send(self, queue: JobQueue, jobs: Sequence[Job]) -> None:
        try:
            await queue.send(jobs)
        except QueueUnavailable as exc:
            for job in jobs:
                delay_s = retry_delay_s(job.attempts + 1, most_s=10.0)
                await self._ledger.defer_job(job.id, delay_s=delay_s, reason=exc.code)
            raise

    async def _wait(self, timeout_s: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), timeout_s)


def _log_failure(exc: Exception) -> None:
    if isinstance(exc, Unavailable):
        logger.warning("waiting for %s: %s", exc.code.removesuffix("_UNAVAILABLE"), exc.message)
    else:
        logger.error("jobs could not be relayed", exc_info=exc)
