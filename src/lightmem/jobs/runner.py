"""Running one job: its work, its lease while the work lasts, and its end in the outbox."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Protocol, assert_never

from lightmem.domain.retry import retry_delay_s
from lightmem.errors import Erased, LightMemError, NotFound, Unavailable
from lightmem.jobs.halving import halved, ids_of
from lightmem.model import Job, JobEnd, JobKind
from lightmem.ports import GatheredWork, Outbox, UsageLedger
from lightmem.telemetry import DREAM_SECONDS, WRITE_SECONDS, span, timed

logger = logging.getLogger(__name__)

#: Work that reworks what is known, while nobody waits.
DREAM_KINDS = (JobKind.DREAM, JobKind.PROMOTE)
#: A lease is renewed this many times before it would end.
BEATS_A_LEASE = 3
#: Within which a job that is given up is made due again.
RELEASE_TIMEOUT_S = 2.0
#: What cannot be indexed by itself is set aside: tried again this seldom, and never dropped.
ASIDE_S = 3600.0


class TurnIndexing(Protocol):
    """Brings turns and memories from the ledger into the index."""

    async def index_turns(
        self, tenant_id: str, user_id: str, turn_ids: Sequence[str], *, anew: bool = False
    ) -> None: ...

    async def index_memories(
        self, tenant_id: str, user_id: str, memory_ids: Sequence[str], *, anew: bool = False
    ) -> None: ...


class Points(Protocol):
    """Where turns and memories are found."""

    async def delete(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> None: ...


class Learning(Protocol):
    """Learns from the turns of a WRITE job."""

    async def run(self, job: Job) -> JobEnd:
        """How the try ended; the job completes itself."""
        ...


class Work(Outbox, GatheredWork, UsageLedger, Protocol):
    """The outbox, with the way to take a job apart."""


class Upkeep(Protocol):
    """Erases, sweeps and imports."""

    async def run(self, job: Job) -> bool:
        """Whether the job is done; if not, it has to be run again later."""
        ...


class ForgettingWork(Protocol):
    """Goes on with a forgetting."""

    async def run(self, job: Job) -> JobEnd:
        """How the try ended; the job completes itself."""
        ...


class Dreaming(Protocol):
    """Plans dreams, and brings long-term memory in step with them."""

    async def run(self, job: Job) -> JobEnd:
        """How the try ended; the job completes itself."""
        ...


class JobRunner:
    """Runs jobs of every kind. Running one twice has the effect of running it once.

    Args:
        job_attempts: Tries before a job over many things is taken apart to find which fails.
    """

    def __init__(
        self,
        *,
        ledger: Work,
        indexing: TurnIndexing,
        index: Points,
        learn: Learning,
        upkeep: Upkeep | None = None,
        forget: ForgettingWork | None = None,
        dream: Dreaming | None = None,
        job_attempts: int = 3,
    ) -> None:
        self._ledger = ledger
        self._indexing = indexing
        self._index = index
        self._learn = learn
        self._upkeep = upkeep
        self._forget = forget
        self._dream = dream
        self._job_attempts = job_attempts
        self._attended: set[str] = set()
        #: Jobs in a row that a dependency kept from their end.
        self._outages = 0

    async def attend(self, job: Job, *, lease_s: float) -> None:
        """Run a leased job to its end in the outbox: completed, or due again later.

        Errors end here: they are logged with the job's id, and the job is deferred, longer each
        time. Where even that fails, the job falls due when its lease ends. That a dependency is
        down counts as no try of the job, however long it lasts.
        """
        try:
            if await self._is_taken_apart(job):
                return
            async with self._leased(job, lease_s):
                end = await self._run(job)
            self._outages = 0
            await self._follow(job, end)
        except asyncio.CancelledError:
            await self._release(job)
            raise
        except (NotFound, Erased):
            # What it was about was deleted meanwhile.
            logger.info("job %s has nothing left to do", job.id)
            await self._quietly(self._ledger.complete_job(job.id), job)
        except Unavailable as exc:
            logger.warning("job %s (%s) waits: %s", job.id, job.kind.value, exc.message)
            await self._wait_for(job, exc)
        except Exception as exc:
            logger.exception("job %s (%s) failed", job.id, job.kind.value)
            await self._fail(job, exc.code if isinstance(exc, LightMemError) else _name(exc))

    async def attend_by_id(self, job_id: str, *, lease_s: float) -> None:
        """Run a job that a queue brought, unless it was done already.

        Its lease is set anew first, since it may have waited in the queue for most of it. A job
        that this runner is at already is left to it.
        """
        if job_id in self._attended:
            return
        self._attended.add(job_id)
        try:
            await self._attend_by_id(job_id, lease_s)
        finally:
            self._attended.discard(job_id)

    async def _attend_by_id(self, job_id: str, lease_s: float) -> None:
        try:
            job = await self._ledger.get_job(job_id)
            if job is not None:
                job = replace(job, attempts=job.attempts + 1)
                await self._ledger.defer_job(job_id, delay_s=lease_s, reason="running", tries=1)
        except Unavailable as exc:
            logger.warning("job %s is left to its lease: %s", job_id, exc.message)
            return
        if job is not None:
            await self.attend(job, lease_s=lease_s)

    async def _run(self, job: Job) -> JobEnd:
        with (
            span(f"job.{job.kind.value}", job_id=job.id, attempts=job.attempts),
            timed(DREAM_SECONDS if job.kind in DREAM_KINDS else WRITE_SECONDS, job.kind.value),
        ):
            match job.kind:
                case JobKind.INDEX_TURNS:
                    await self._index_turns(job)
                case JobKind.INDEX_MEMORIES:
                    await self._index_memories(job)
                case JobKind.DELETE_POINTS:
                    await self._index.delete(job.tenant_id, job.user_id, job.payload["ids"])
                case JobKind.ERASE | JobKind.SWEEP | JobKind.IMPORT:
                    if self._upkeep is None or not await self._upkeep.run(job):
                        return JobEnd.LEFT
                case JobKind.ARCHIVE:
                    capacity = job.payload["capacity"]
                    await self._ledger.archive_surplus(
                        job.tenant_id, job.user_id, capacity=capacity
                    )
                case JobKind.FORGET:
                    return await self._forget.run(job) if self._forget else JobEnd.LEFT
                case JobKind.DREAM | JobKind.PROMOTE:
                    return await self._dream.run(job) if self._dream else JobEnd.LEFT
                case JobKind.WRITE:
                    # It completes its job itself, once no turn is left; what it stored stays.
                    return await self._learn.run(job)
                case _:
                    assert_never(job.kind)
            await self._ledger.complete_job(job.id)
            return JobEnd.DONE

    async def _index_turns(self, job: Job) -> None:
        turn_ids, anew = job.payload["turn_ids"], bool(job.payload.get("anew"))
        await self._indexing.index_turns(job.tenant_id, job.user_id, turn_ids, anew=anew)

    async def _index_memories(self, job: Job) -> None:
        memory_ids, anew = job.payload["memory_ids"], bool(job.payload.get("anew"))
        await self._indexing.index_memories(job.tenant_id, job.user_id, memory_ids, anew=anew)

    async def _follow(self, job: Job, end: JobEnd) -> None:
        """Make due again what is not done."""
        match end:
            case JobEnd.DONE:
                return
            case JobEnd.LEFT:
                await self._defer(job, "not all of it could be done")
            case JobEnd.GOES_ON:
                # It was no try: others go first, and then the rest of it.
                again = self._ledger.defer_job(job.id, delay_s=0, reason="goes on", tries=-1)
                await self._quietly(again, job)
            case _:
                assert_never(end)

    async def _is_taken_apart(self, job: Job) -> bool:
        """Take apart, untried, what had its tries and never came to an end: it kills the worker.

        Workers are killed for other reasons too, so a single thing has twice as many tries.
        """
        tries = self._job_attempts if len(ids_of(job)) > 1 else 2 * self._job_attempts
        if job.attempts <= tries or not ids_of(job):
            return False
        await self._take_apart(job, "no try of it came to an end")
        return True

    async def _fail(self, job: Job, reason: str) -> None:
        """Try again later; after its tries, in halves."""
        if job.attempts < self._job_attempts or not ids_of(job):
            await self._defer(job, reason)
        else:
            await self._take_apart(job, reason)

    async def _take_apart(self, job: Job, reason: str) -> None:
        """Put its halves in its place, with one try each; a single thing is set aside."""
        parts = halved(job)
        if len(parts) > 1:
            tried = self._job_attempts - 1
            await self._quietly(self._ledger.split_job(job, parts, attempts=tried), job)
            return
        logger.error("job %s (%s) is set aside: %s", job.id, job.kind.value, reason)
        aside = self._ledger.defer_job(
            job.id, delay_s=ASIDE_S, reason=f"set aside: {reason}", tries=-job.attempts
        )
        await self._quietly(aside, job)

    @asynccontextmanager
    async def _leased(self, job: Job, lease_s: float) -> AsyncIterator[None]:
        """Keep the lease for as long as the block takes."""
        beats = asyncio.create_task(self._beat(job, lease_s), name=f"lease-{job.id}")
        try:
            yield
        finally:
            beats.cancel()
            await asyncio.gather(beats, return_exceptions=True)

    async def _beat(self, job: Job, lease_s: float) -> None:
        while True:
            await asyncio.sleep(lease_s / BEATS_A_LEASE)
            await self._quietly(
                self._ledger.defer_job(job.id, delay_s=lease_s, reason="running"), job
            )

    async def _defer(self, job: Job, reason: str) -> None:
        delay_s = retry_delay_s(job.attempts)
        await self._quietly(self._ledger.defer_job(job.id, delay_s=delay_s, reason=reason), job)

    async def _wait_for(self, job: Job, outage: Unavailable) -> None:
        """Put the job off until what is down may be up; this was no try of it."""
        self._outages += 1
        delay_s = retry_delay_s(max(job.attempts, self._outages))
        change = self._ledger.defer_job(job.id, delay_s=delay_s, reason=outage.code, tries=-1)
        await self._quietly(change, job)

    async def _release(self, job: Job) -> None:
        """Make the job due at once for whoever is left, since this worker stops."""
        release = self._ledger.defer_job(job.id, delay_s=0, reason="worker stopped", tries=-1)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._quietly(release, job), RELEASE_TIMEOUT_S)

    async def _quietly(self, change: Awaitable[object], job: Job) -> None:
        try:
            await change
        except Unavailable as exc:
            logger.warning("job %s is left to its lease: %s", job.id, exc.message)
        except NotFound:
            logger.info("job %s is gone", job.id)


def _name(exc: Exception) -> str:
    """The class of an error: its message may hold a user's words."""
    return type(exc).__name__
