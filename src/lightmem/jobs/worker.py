"""The embedded workers: tasks of this process that lease jobs from the outbox and run them.

One task indexes, so that what was said is found however long a model takes; one dreams; the
others learn.
They wake at once when they are told of a local write, and look by themselves now and then, since
jobs also fall due by time.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress

from lightmem.domain.retry import retry_delay_s
from lightmem.errors import Unavailable
from lightmem.jobs.runner import DREAM_KINDS, JobRunner
from lightmem.model import JobKind
from lightmem.ports import Outbox

logger = logging.getLogger(__name__)

INDEX_KINDS = (
    JobKind.INDEX_TURNS,
    JobKind.INDEX_MEMORIES,
    JobKind.DELETE_POINTS,
    JobKind.ERASE,
    JobKind.SWEEP,
    JobKind.FORGET,
    JobKind.ARCHIVE,
)
LEARN_KINDS = (JobKind.WRITE, JobKind.IMPORT)
#: Seconds between looks at an idle outbox: at first, and at most.
POLL_FIRST_S, POLL_MOST_S = 0.05, 1.0
#: How long jobs under way may take to end once the workers are stopped.
GRACE_S = 10.0


class OutboxWorker:
    """Runs the jobs of the outbox in this process until it is stopped.

    Args:
        lease_s: A job of a worker that died is taken up again after so long.
        concurrency: Tasks that learn; one more indexes, and one dreams.
    """

    def __init__(
        self, *, ledger: Outbox, runner: JobRunner, lease_s: float, concurrency: int = 1
    ) -> None:
        self._ledger = ledger
        self._runner = runner
        self._lease_s = lease_s
        learning = [LEARN_KINDS] * concurrency
        self._kinds: list[Sequence[JobKind]] = [INDEX_KINDS, *learning, DREAM_KINDS]
        self._tasks: list[asyncio.Task[None]] = []
        self._wakes: list[asyncio.Event] = []
        self._stopping = False

    async def start(self) -> None:
        """Begin to work; a second call changes nothing."""
        if self._tasks:
            return
        self._stopping = False
        self._wakes = [asyncio.Event() for _ in self._kinds]
        self._tasks = [
            asyncio.create_task(self._work(kinds, wake), name=f"outbox-{number}")
            for number, (kinds, wake) in enumerate(zip(self._kinds, self._wakes, strict=True))
        ]

    def notify(self) -> None:
        """Say that there is new work; call it from the event loop of the workers."""
        for wake in self._wakes:
            wake.set()

    async def stop(self, *, grace_s: float = GRACE_S) -> None:
        """Take no more jobs and wait for those under way.

        What is not done after `grace_s` is given up, and due again for the next worker.
        """
        self._stopping = True
        self.notify()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=grace_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []

    async def _work(self, kinds: Sequence[JobKind], wake: asyncio.Event) -> None:
        idle = failures = 0
        while not self._stopping:
            wake.clear()
            try:
                jobs = await self._ledger.lease_jobs(kinds, limit=1, lease_s=self._lease_s)
            except Exception as exc:
                failures += 1
                _log_failure(exc)
                await self._wait(wake, retry_delay_s(failures, first_s=0.2, most_s=5.0))
                continue
            failures = 0
            idle = 0 if jobs else idle + 1
            if not jobs:
                await self._wait(
                    wake, retry_delay_s(idle, first_s=POLL_FIRST_S, most_s=POLL_MOST_S)
                )
            for job in jobs:
                await self._runner.attend(job, lease_s=self._lease_s)
                # What was learnt is to be indexed.
                self.notify()

    async def _wait(self, wake: asyncio.Event, timeout_s: float) -> None:
        """Wait for new work or for the time to look by oneself."""
        if not self._stopping:
            with suppress(TimeoutError):
                await asyncio.wait_for(wake.wait(), timeout_s)


def _log_failure(exc: Exception) -> None:
    if isinstance(exc, Unavailable):
        logger.warning("waiting for the ledger: %s", exc.message)
    else:
        logger.error("the outbox could not be read", exc_info=exc)
