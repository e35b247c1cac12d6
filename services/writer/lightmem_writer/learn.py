"""Learning from what was said: segment, extract, reconcile, commit; one outcome a turn.

The calls of one conversation that wait in the outbox are learnt from together, so that a topic is
read as a whole however it was sent. Each segment is committed by itself, so a worker that dies
repeats at most one, and only turns that are still pending are looked at. Turns that make the
extraction fail are found by halving and quarantined once they have failed `job_attempts` times;
the others are learnt meanwhile. So are those that end the worker or the Writer itself, see
`careful.py`. Nobody has the worker for long: after its share of time a job goes on later.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence, Set

from lightmem.errors import Unavailable, VersionConflict, WriterUnavailable
from lightmem.forgetting import ForgottenValues
from lightmem.model import Health, Job, JobEnd, Turn
from lightmem.ports import Ledger, MemoryIndex, Tokenizer, Writer
from lightmem_writer.careful import Away, halves, noted, noted_away, pieces, suspects, worst
from lightmem_writer.echo import KnownMemories
from lightmem_writer.keeping import KeepLearnt, Work
from lightmem_writer.reconciling import ReconcileStatements
from lightmem_writer.segment import CONTEXT_TURNS, Segment, cut_segments
from lightmem_writer.topics import Vectors

logger = logging.getLogger(__name__)

#: Seconds after which a job lets others have their turn, once its segment is learnt.
SHARE_S = 10.0

#: Asks a Writer in a process of its own whether it is up.
AsksWriter = Callable[[], Awaitable[Health]]


class LearnTurns:
    """Runs WRITE jobs.

    Args:
        index: Has the vectors by which topics are told apart; without, words alone tell.
        known: What is remembered already, so that an assistant's echo of it is not learnt.
        forgotten: What users had forgotten, so that no statement brings it back.
        reconcile: Holds statements against what is known; by default without the index.
        memory_capacity: Memories of a user beyond which the least useful are archived.
        ask_writer: For a Writer in a process of its own, which may end over what it is given.
        segment_tokens: Most tokens of a segment, by `tokenizer`.
        job_attempts: Tries before a turn that cannot be extracted is quarantined.
        share_s: After so long a job that is not done goes on later.
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        writer: Writer,
        tokenizer: Tokenizer,
        index: MemoryIndex | None = None,
        known: KnownMemories | None = None,
        forgotten: ForgottenValues | None = None,
        reconcile: ReconcileStatements | None = None,
        memory_capacity: int | None = None,
        ask_writer: AsksWriter | None = None,
        segment_tokens: int = 512,
        job_attempts: int = 3,
        share_s: float = SHARE_S,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ledger = ledger
        self._writer = writer
        self._tokenizer = tokenizer
        self._index = index
        self._keep = KeepLearnt(
            ledger=ledger, known=known, forgotten=forgotten, reconcile=reconcile
        )
        self._memory_capacity = memory_capacity
        self._ask_writer = ask_writer
        self._segment_tokens = segment_tokens
        self._job_attempts = job_attempts
        self._share_s = share_s
        self._monotonic = monotonic

    async def run(self, job: Job) -> JobEnd:
        """Learn from the pending turns of the job's operation and of those that wait with it.

        Raises:
            Unavailable: the ledger or the Writer does not answer; what was committed stays.
            NotFound: the operation is gone.
        """
        backlog = await self._ledger.backlog(job)
        work = Work.of(job, backlog)
        segments = await self._segments(work) if work.operations else []
        if job.attempts > self._job_attempts:
            left = await self._learn_carefully(work, segments)
        else:
            learnt = await self._learn_for_a_while(work, segments)
            if learnt is None:
                return JobEnd.GOES_ON
            left = learnt
        return await self._close(work, left)

    async def _close(self, work: Work, left: Set[str]) -> JobEnd:
        """Complete the jobs no turn of which has to be tried again."""
        if self._memory_capacity is not None:
            await self._ledger.ask_for_archiving(
                work.job.tenant_id, work.job.user_id, capacity=self._memory_capacity
            )
        end = JobEnd.DONE
        for job in reversed(work.backlog.jobs):
            pending = work.backlog.pending[job.payload["operation_id"]]
            if left.isdisjoint(one.turn_id for one in pending):
                await self._ledger.complete_job(job.id)
            elif job.id == work.job.id:
                end = JobEnd.LEFT
        return end

    # --- segments ---------------------------------------------------------------------------------

    async def _segments(self, work: Work) -> list[Segment]:
        tenant_id, user_id = work.job.tenant_id, work.job.user_id
        pending = work.operations
        found = await self._ledger.get_turns(
            tenant_id, user_id, sorted(pending), neighbours=CONTEXT_TURNS
        )
        turns = [turn for turn in found if turn.id in pending]
        vectors = await self._vectors(tenant_id, user_id, turns)
        # In a thread: counting the tokens of a bulk takes a while.
        return await asyncio.to_thread(
            cut_segments,
            turns,
            count_tokens=self._tokenizer.count,
            max_tokens=self._segment_tokens,
            before=[turn for turn in found if turn.id not in pending],
            vectors=vectors,
        )

    async def _vectors(self, tenant_id: str, user_id: str, turns: Sequence[Turn]) -> Vectors:
        """Embeddings of the turns as far as the index has them; few turns need none."""
        if self._index is None or sum(len(turn.content) for turn in turns) < self._segment_tokens:
            return {}
        try:
            encoded = await self._index.encoded(tenant_id, user_id, [turn.id for turn in turns])
        except Unavailable:
            return {}
        return {turn_id: each.vector for turn_id, each in encoded.items()}

    # --- learning ---------------------------------------------------------------------------------

    async def _learn_for_a_while(
        self, work: Work, segments: Sequence[Segment]
    ) -> frozenset[str] | None:
        """Learn segment by segment; the turns to be tried again, or None when time is up."""
        until = self._monotonic() + self._share_s
        left: frozenset[str] = frozenset()
        for position, segment in enumerate(segments):
            if position and self._monotonic() >= until:
                return None
            left |= await self._learn(work, segment)
        return left

    async def _learn_carefully(self, work: Work, segments: Sequence[Segment]) -> frozenset[str]:
        """Learn piece by piece, each noted before; the turns that have to be tried again.

        A turn that was in hand alone when the worker died is not tried again.
        """
        job, left = work.job, frozenset[str]()
        suspected = suspects(work.outcomes, job.attempts)
        for piece in pieces(segments, suspected):
            if len(suspected) == 1 and piece.turns[0].id in suspected:
                reason = f"none of {job.attempts - 1} tries came to an end"
                await self._keep.quarantine(work, piece.turns[0], reason)
                continue
            await self._keep.note(work, noted(piece.turns, job.attempts))
            left |= await self._learn(work, piece)
        return left

    async def _learn(self, work: Work, segment: Segment) -> frozenset[str]:
        """Learn one segment; those of its turns that have to be tried again."""
        left = frozenset[str]()
        for piece in self._parted(work, segment):
            (first, *others), away = piece.turns, work.away.get(piece.turns[0].id)
            if not others and away is not None and away.size == 1 and self._is_enough(away):
                reason = f"the Writer went away over it {away.times} times"
                await self._keep.quarantine(work, first, reason)
            else:
                left |= await self._learn_piece(work, piece)
        return left

    def _parted(self, work: Work, segment: Segment) -> list[Segment]:
        """The segment, or its pieces where the Writer went away over it too often."""
        suspected = worst(segment.turns, work.away)
        if not any(self._is_enough(work.away[turn_id]) for turn_id in suspected):
            return [segment]
        return pieces([segment], suspected)

    def _is_enough(self, away: Away) -> bool:
        return away.times >= self._job_attempts

    async def _learn_piece(self, work: Work, piece: Segment) -> frozenset[str]:
        job = work.job
        await self._check_writer(work, piece)
        try:
            extraction = await self._writer.extract(
                job.tenant_id, job.user_id, piece.turns, piece.context
            )
        except WriterUnavailable:
            if self._ask_writer is not None:
                await self._keep.note(work, noted_away(piece.turns, work.away))
            raise
        except Unavailable:
            raise
        except Exception as exc:
            return await self._isolate(work, piece, exc)
        try:
            await self._keep.commit(work, piece.turns, extraction)
        except VersionConflict as exc:
            return await self._isolate(work, piece, exc)
        return frozenset()

    async def _check_writer(self, work: Work, piece: Segment) -> None:
        """Ask only a Writer that is up about what it went away over before.

        Raises:
            WriterUnavailable: it is down, which says nothing about the turns.
        """
        if self._ask_writer is None or not any(turn.id in work.away for turn in piece.turns):
            return
        if (await self._ask_writer()).status != "ok":
            raise WriterUnavailable("the Writer does not answer")

    async def _isolate(self, work: Work, segment: Segment, exc: Exception) -> frozenset[str]:
        """Find by halving which turns the extraction fails on, or cannot be brought in with."""
        first, *others = segment.turns
        if others:
            one, other = halves(segment)
            return await self._learn(work, one) | await self._learn(work, other)
        if work.job.attempts < self._job_attempts:
            logger.warning("turn %s could not be learnt from", first.id, exc_info=exc)
            return frozenset({first.id})
        reason = f"extraction failed {work.job.attempts} times: {type(exc).__name__}"
        await self._keep.quarantine(work, first, reason)
        return frozenset()
