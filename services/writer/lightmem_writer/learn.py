"""Learning from an operation's turns: segment, extract, reconcile, commit; one outcome a turn.

Each segment is committed by itself, so a worker that dies repeats at most one, and only turns
that are still pending are looked at. Turns that make the extraction fail are found by halving and
quarantined once they have failed `job_attempts` times; the others are learnt meanwhile. So are
those that end the worker itself, see `careful.py`.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence, Set

from lightmem.errors import Unavailable
from lightmem.model import Extraction, Job, MemoryChange, Outcome, Role, Turn, TurnOutcome
from lightmem.ports import Ledger, Tokenizer, Writer
from lightmem_writer.careful import halves, noted, pieces, suspects
from lightmem_writer.reconcile import reconcile, sources_of
from lightmem_writer.segment import CONTEXT_TURNS, Segment, cut_segments

logger = logging.getLogger(__name__)


class LearnTurns:
    """Runs WRITE jobs.

    Args:
        segment_tokens: Most tokens of a segment, by `tokenizer`.
        job_attempts: Tries before a turn that cannot be extracted is quarantined.
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        writer: Writer,
        tokenizer: Tokenizer,
        segment_tokens: int = 512,
        job_attempts: int = 3,
    ) -> None:
        self._ledger = ledger
        self._writer = writer
        self._tokenizer = tokenizer
        self._segment_tokens = segment_tokens
        self._job_attempts = job_attempts

    async def run(self, job: Job) -> bool:
        """Learn from the pending turns of the job's operation; whether none is left.

        Raises:
            Unavailable: the ledger or the Writer does not answer; what was committed stays.
            NotFound: the operation is gone.
        """
        operation = await self._ledger.get_operation(
            job.tenant_id, job.payload["operation_id"], user_id=job.user_id
        )
        pending = {turn.turn_id for turn in operation.outcomes if turn.outcome is Outcome.PENDING}
        segments = await self._segments(job, pending) if pending else []
        if job.attempts <= self._job_attempts:
            left = sum([await self._learn(job, segment) for segment in segments])
        else:
            suspected = suspects(operation.outcomes, job.attempts)
            left = await self._learn_carefully(job, segments, suspected)
        if left:
            return False
        await self._ledger.complete_job(job.id)
        return True

    async def _segments(self, job: Job, pending: Set[str]) -> list[Segment]:
        tenant_id, user_id = job.tenant_id, job.user_id
        found = await self._ledger.get_turns(
            tenant_id, user_id, sorted(pending), neighbours=CONTEXT_TURNS
        )
        # In a thread: counting the tokens of a bulk takes a while.
        return await asyncio.to_thread(
            cut_segments,
            [turn for turn in found if turn.id in pending],
            count_tokens=self._tokenizer.count,
            max_tokens=self._segment_tokens,
            before=[turn for turn in found if turn.id not in pending],
        )

    async def _learn_carefully(
        self, job: Job, segments: Sequence[Segment], suspected: Set[str]
    ) -> int:
        """Learn piece by piece, each noted before; how many turns have to be tried again.

        A turn that was in hand alone when the worker died is not tried again.
        """
        left = 0
        for piece in pieces(segments, suspected):
            if len(suspected) == 1 and piece.turns[0].id in suspected:
                logger.error("turn %s is quarantined: no try of it ended", piece.turns[0].id)
                reason = f"none of {job.attempts - 1} tries came to an end"
                await self._quarantine(job, piece.turns[0], reason)
                continue
            await self._store(job, [], noted(piece.turns, job.attempts), Extraction(()))
            left += await self._learn(job, piece)
        return left

    async def _learn(self, job: Job, segment: Segment) -> int:
        """Learn one segment; how many of its turns have to be tried again."""
        try:
            extraction = await self._writer.extract(
                job.tenant_id, job.user_id, segment.turns, segment.context
            )
        except Unavailable:
            raise
        except Exception as exc:
            return await self._isolate(job, segment, exc)
        await self._commit(job, segment.turns, extraction)
        return 0

    async def _isolate(self, job: Job, segment: Segment, exc: Exception) -> int:
        """Find by halving which turns the extraction fails on."""
        turns = segment.turns
        if len(turns) > 1:
            return sum([await self._learn(job, half) for half in halves(segment)])
        if job.attempts < self._job_attempts:
            logger.warning("turn %s could not be learnt from", turns[0].id, exc_info=exc)
            return 1
        logger.error("turn %s is quarantined", turns[0].id, exc_info=exc)
        reason = f"extraction failed {job.attempts} times: {type(exc).__name__}"
        await self._quarantine(job, turns[0], reason)
        return 0

    async def _quarantine(self, job: Job, turn: Turn, reason: str) -> None:
        outcome = TurnOutcome(turn.id, Outcome.QUARANTINED, reason=reason)
        await self._store(job, [], [outcome], Extraction(()))

    async def _commit(self, job: Job, turns: Sequence[Turn], extraction: Extraction) -> None:
        changes = reconcile(extraction.statements)
        quoted = {source.turn_id for change in changes for source in sources_of(change)}
        outcomes = [_outcome(turn, quoted, extraction) for turn in turns]
        await self._store(job, changes, outcomes, extraction)
        _log(job, turns, extraction)

    async def _store(
        self,
        job: Job,
        changes: Sequence[MemoryChange],
        outcomes: Sequence[TurnOutcome],
        extraction: Extraction,
    ) -> None:
        await self._ledger.commit_writing(
            job.tenant_id,
            job.user_id,
            job.payload["operation_id"],
            changes=changes,
            outcomes=outcomes,
            extraction=extraction,
        )


def _log(job: Job, turns: Sequence[Turn], extraction: Extraction) -> None:
    """What a segment came to, in numbers and reasons, which hold no one's words."""
    fields = {
        "job_id": job.id,
        "turns": len(turns),
        "statements": len(extraction.statements),
        "model_calls": extraction.model_calls,
        "fallback_reason": extraction.fallback_reason,
        "rejected": dict(Counter(extraction.rejected)),
    }
    logger.info("learnt from a segment", extra={"fields": fields})


def _outcome(turn: Turn, quoted: set[str], extraction: Extraction) -> TurnOutcome:
    """`stored` for a turn that a memory quotes, however many others say the same."""
    if turn.id in quoted:
        return TurnOutcome(turn.id, Outcome.STORED, reason=extraction.fallback_reason)
    reason = "system turns are not learnt from" if turn.role is Role.SYSTEM else None
    return TurnOutcome(turn.id, Outcome.NO_FACTS, reason=reason or extraction.fallback_reason)
