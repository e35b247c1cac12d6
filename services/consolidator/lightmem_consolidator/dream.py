"""A dream: read what is new, group it, propose, check, and store the plan.

Nothing is changed while it is planned: turns and memories go on being written, and what changed
meanwhile aborts its step. The plan and, under policy `auto`, its application are one transaction,
so a worker that is killed leaves either the old state or the new one.
"""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from lightmem.errors import Unavailable
from lightmem.forgetting import ForgottenValues
from lightmem.model import (
    Dream,
    DreamAction,
    DreamBasis,
    DreamPlan,
    DreamStatus,
    Job,
    JobEnd,
    JobKind,
    Memory,
    MemoryStatus,
    PlannedStep,
    SuggestedClaim,
    Verdict,
)
from lightmem.ports import Ledger
from lightmem.ports.dreams import Promoter
from lightmem.telemetry import DREAM_SECONDS, StageTimer
from lightmem_consolidator.group import Group, groups_of
from lightmem_consolidator.known import Known, known_of
from lightmem_consolidator.leaving import looked_up_to, pressed_steps, unused_steps
from lightmem_consolidator.near import FindNear, ties_of
from lightmem_consolidator.propose import ProposeSteps
from lightmem_consolidator.rules import fragment_steps
from lightmem_consolidator.validate import Circumstances, validate

logger = logging.getLogger(__name__)

#: Of the most that one dream reads, how many it lets go when room is scarce.
PRESSED_SHARE = 4


@dataclass(frozen=True, slots=True)
class DreamLimits:
    """How much one dream takes on.

    Args:
        memories: Most new memories that one dream reads.
        pressed_from: With so many active memories the least useful may be forgotten.
        unused_for: A passing remark that nobody recalled for so long may be forgotten.
        attempts: Tries before a dream fails.
        claim_s: How long nobody else dreams over the user, from the last sign of life.
    """

    memories: int = 500
    pressed_from: int = 9_000
    unused_for: timedelta = timedelta(days=30)
    attempts: int = 3
    claim_s: float = 180.0


class DreamMemories:
    """Plans dreams; runs DREAM and PROMOTE jobs."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        near: FindNear,
        propose: ProposeSteps,
        limits: DreamLimits,
        forgotten: ForgottenValues | None = None,
        promoter: Promoter | None = None,
    ) -> None:
        self._ledger = ledger
        self._near = near
        self._propose = propose
        self._limits = limits
        self._values = forgotten
        self._promoter = promoter

    async def run(self, job: Job) -> JobEnd:
        """Plan the dream of a DREAM job, unless that was done, or settle what was promoted.

        Raises:
            Unavailable: a store does not answer; nothing was changed.
            NotFound: the dream is gone.
        """
        tenant_id, user_id = job.tenant_id, job.user_id
        if job.kind is JobKind.PROMOTE:
            if self._promoter is not None:
                await self._promoter.settle(tenant_id, user_id)
            await self._ledger.complete_job(job.id)
            return JobEnd.DONE
        dream = await self._ledger.get_dream(tenant_id, job.payload["dream_id"], user_id=user_id)
        if dream.status is DreamStatus.PLANNING:
            if not await self._claim(dream):
                return JobEnd.LEFT
            await self._plan_or_fail(dream, attempts=job.attempts)
        await self._ledger.complete_job(job.id)
        return JobEnd.DONE

    async def _claim(self, dream: Dream) -> bool:
        return await self._ledger.claim_dreaming(
            dream.tenant_id, dream.user_id, dream.id, lease_s=self._limits.claim_s
        )

    async def _plan_or_fail(self, dream: Dream, *, attempts: int) -> None:
        try:
            await self._plan(dream)
        except Unavailable:
            raise
        except Exception as exc:
            if attempts < self._limits.attempts:
                raise
            logger.exception("dream %s fails", dream.id)
            reason = f"planning failed {attempts} times: {type(exc).__name__}"
            await self._ledger.fail_dream(dream.tenant_id, dream.user_id, dream.id, reason)

    async def _plan(self, dream: Dream) -> None:
        timer = StageTimer(DREAM_SECONDS, run="dream")
        with timer.stage("read"):
            basis = await self._ledger.dream_basis(
                dream.tenant_id,
                dream.user_id,
                dream.id,
                limit=self._limits.memories,
                pressed_from=self._limits.pressed_from,
                unused_for=self._limits.unused_for,
            )
        with timer.stage("group"):
            read = await self._known(dream, basis.memories)
            known, groups = await self._grouped(dream, read, basis.read_up_to)
        with timer.stage("propose"):
            proposed = await self._propose.propose(groups, lambda: self._claim(dream))
            steps = [*proposed.steps, *await self._promoted(dream, basis, proposed.claims)]
            steps += fragment_steps(known.values(), _worked_on(steps), new=read.keys())
            leaving = await self._known(dream, [*basis.pressed, *basis.unused])
            steps += await self._leaving(dream, basis, leaving, _worked_on(steps))
        with timer.stage("validate"):
            known = {**leaving, **known}
            judged = validate(steps, await self._circumstances(dream, basis, known, steps))
        with timer.stage("commit"):
            planned = await self._ledger.commit_plan(
                dream.tenant_id,
                dream.user_id,
                dream.id,
                DreamPlan(
                    judged,
                    proposed.cost,
                    basis.read_up_to,
                    proposed.reason,
                    looked_up_to(basis.unused, judged),
                ),
            )
        timer.finish()
        _log(planned, basis, groups)

    async def _grouped(
        self, dream: Dream, read: Mapping[str, Known], read_up_to: str | None
    ) -> tuple[dict[str, Known], list[Group]]:
        """The memories read and the older ones near them, by id, and the groups they form."""
        vectors = await self._near.vectors(read)
        pairs = self._near.pairs(read, vectors)
        pairs += await self._near.older(
            dream.tenant_id,
            dream.user_id,
            read,
            vectors,
            is_older=lambda memory_id: read_up_to is not None and memory_id <= read_up_to,
        )
        ids = sorted({one for pair in pairs for one in pair} - read.keys())
        loaded = await self._ledger.get_memories(dream.tenant_id, dream.user_id, ids)
        older = await self._known(
            dream, [memory for memory in loaded if memory.status is MemoryStatus.ACTIVE]
        )
        vectors |= await self._near.vectors(older)
        known = {**read, **older}
        return known, groups_of(known, ties_of(pairs, vectors))

    async def _leaving(
        self, dream: Dream, basis: DreamBasis, leaving: Mapping[str, Known], busy: set[str]
    ) -> list[PlannedStep]:
        """FORGET of what may leave, each step on a memory that no other works on."""
        pressed = [leaving[one.id] for one in basis.pressed if one.id in leaving]
        unused = [leaving[one.id] for one in basis.unused if one.id in leaving]
        promoted = await self._promoted_among(dream, [one.id for one in pressed])
        most = self._limits.memories // PRESSED_SHARE
        steps = pressed_steps(pressed, busy, promoted=promoted, most=most)
        return [*steps, *unused_steps(unused, busy | _worked_on(steps))]

    async def _promoted_among(self, dream: Dream, memory_ids: Sequence[str]) -> frozenset[str]:
        """Those of the memories that long-term memory rests on."""
        if not memory_ids:
            return frozenset()
        return await self._ledger.promoted_among(dream.tenant_id, dream.user_id, memory_ids)

    async def _known(self, dream: Dream, memories: Sequence[Memory]) -> dict[str, Known]:
        turn_ids = {source.turn_id for memory in memories for source in memory.sources}
        turns = await self._ledger.get_turns(dream.tenant_id, dream.user_id, sorted(turn_ids))
        return known_of(memories, {turn.id: turn for turn in turns})

    async def _promoted(
        self, dream: Dream, basis: DreamBasis, suggested: Sequence[SuggestedClaim]
    ) -> list[PlannedStep]:
        if self._promoter is None:
            return []
        return await self._promoter.propose(
            dream.tenant_id, dream.user_id, basis.memories, suggested
        )

    async def _circumstances(
        self,
        dream: Dream,
        basis: DreamBasis,
        known: Mapping[str, Known],
        steps: Sequence[PlannedStep],
    ) -> Circumstances:
        going = [step for step in steps if step.action is DreamAction.FORGET]
        return Circumstances(
            known=known,
            active=basis.active,
            max_removed_fraction=dream.max_removed_fraction,
            promoted=await self._promoted_among(dream, sorted(_worked_on(going))),
            forgotten=await self._forgotten(dream, known, steps),
        )

    async def _forgotten(
        self, dream: Dream, known: Mapping[str, Known], steps: Sequence[PlannedStep]
    ) -> frozenset[str]:
        """Ids of memories, and texts of steps, that say what the user had forgotten."""
        if self._values is None or not steps:
            return frozenset()
        named = {one.memory_id for step in steps for one in step.before} & known.keys()
        made = {step.after.text for step in steps if step.after is not None}
        texts = sorted(made | {known[each].memory.text for each in named})
        screened = await self._values.screen(dream.tenant_id, dream.user_id, texts)
        struck = {text for text, one in zip(texts, screened.texts, strict=True) if one.is_struck}
        return frozenset(struck | {each for each in named if known[each].memory.text in struck})


def _worked_on(steps: Sequence[PlannedStep]) -> set[str]:
    return {one.memory_id for step in steps for one in step.before}


def _log(dream: Dream, basis: DreamBasis, groups: Sequence[Group]) -> None:
    """What a dream came to, in numbers and reasons, which hold no one's words."""
    refused = Counter(step.reason for step in dream.steps if step.verdict is not Verdict.ACCEPTED)
    fields = {
        "dream_id": dream.id,
        "memories": len(basis.memories),
        "groups": len(groups),
        "steps": len(dream.steps),
        "refused": dict(refused),
        "model_calls": dream.cost.model_calls,
        "status": dream.status,
    }
    logger.info("dreamt", extra={"fields": fields})
