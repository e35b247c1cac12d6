"""What becomes of a dream: its plan is stored, applied, put aside, or taken back."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from lightmem.adapters.ledger.database import slices
from lightmem.adapters.ledger.dream_applying import CHANGED, Applying
from lightmem.adapters.ledger.dream_reading import find_dream, load_dream
from lightmem.adapters.ledger.dream_rows import from_step
from lightmem.adapters.ledger.dream_undoing import Undoing
from lightmem.adapters.ledger.outbox import JOB_IDS, NewJob, put_jobs
from lightmem.adapters.ledger.remembering import memories_of
from lightmem.adapters.ledger.tables import (
    dream_memories,
    dream_steps,
    dreams,
    memories,
    operations,
)
from lightmem.adapters.ledger.trail import record
from lightmem.adapters.ledger.whose import lock_user
from lightmem.domain.dreams import counts_of
from lightmem.domain.ids import new_id
from lightmem.errors import NotFound, WrongState
from lightmem.model import (
    Dream,
    DreamPlan,
    DreamPolicy,
    DreamStatus,
    DreamStep,
    JobKind,
    OperationStatus,
    PlannedStep,
    Verdict,
)

#: Who dreams, in the audit trail.
ACTOR = "consolidator"
#: Why an accepted step was not done: a person chose others.
LEFT_OUT = "left out by whoever reviewed the dream"


def commit_plan(
    connection: Connection,
    tenant_id: str,
    user_id: str,
    dream_id: str,
    *,
    plan: DreamPlan,
    now: datetime,
) -> Dream:
    """Store the plan of a dream that has none, and apply it where nobody is to review it."""
    lock_user(connection, tenant_id, user_id, now=now)
    row = find_dream(connection, tenant_id, dream_id, user_id=user_id)
    if row.status != DreamStatus.PLANNING.value:
        return load_dream(connection, tenant_id, dream_id, user_id=user_id)
    _store_steps(connection, row, plan)
    _set(
        connection,
        row,
        status=DreamStatus.REVIEW.value,
        planned_at=now,
        claimed_until=None,
        read_up_to=plan.read_up_to,
        unused_up_to=plan.unused_up_to,
        estimated_calls=plan.cost.estimated_calls,
        estimated_tokens=plan.cost.estimated_tokens,
        reason=plan.reason,
    )
    _pay(connection, row, plan)
    deciding = Deciding(tenant_id, dream_id, user_id, ACTOR, now)
    is_done_at_once = row.policy == DreamPolicy.AUTO.value
    if is_done_at_once:
        deciding.do(connection, step_ids=None)
    # Trail entries of a tenant take turns until the commit, so they are written last of all.
    dream = _told(connection, row, now=now)
    deciding.note(connection, "dream.plan")
    if is_done_at_once:
        deciding.note(connection, "dream.apply")
    return dream


def fail(
    connection: Connection,
    tenant_id: str,
    user_id: str,
    dream_id: str,
    *,
    reason: str,
    now: datetime,
) -> None:
    """End a dream without a plan."""
    lock_user(connection, tenant_id, user_id, now=now)
    row = find_dream(connection, tenant_id, dream_id, user_id=user_id)
    if row.status != DreamStatus.PLANNING.value:
        return
    _set(connection, row, status=DreamStatus.FAILED.value, claimed_until=None, reason=reason)
    _told(connection, row, now=now, ended=OperationStatus.FAILED)
    record(connection, tenant_id, at=now, actor=ACTOR, action="dream.fail", target=dream_id)


@dataclass(frozen=True, slots=True)
class Deciding:
    """Somebody's decision about a dream, taken at a moment."""

    tenant_id: str
    dream_id: str
    user_id: str | None
    actor: str
    now: datetime

    def apply(self, connection: Connection, *, step_ids: Sequence[str] | None) -> Dream:
        """Do the accepted steps, or those named; see `DreamLedger.apply_dream`."""
        return self._end(connection, self.do(connection, step_ids=step_ids), "dream.apply")

    def do(self, connection: Connection, *, step_ids: Sequence[str] | None) -> Any:
        """Do the steps and tell nobody yet; returns the dream's row."""
        row = self._locked(connection, DreamStatus.REVIEW)
        dream = self._loaded(connection)
        chosen = _chosen(dream, step_ids)
        _leave_out(connection, dream, {step.id for step in chosen})
        done = Applying(connection, dream, now=self.now).apply(chosen)
        _set(connection, row, status=DreamStatus.APPLIED.value, applied_at=self.now)
        self._follow(connection, row, done.memory_ids, (), promotes=done.promotes)
        return row

    def undo(self, connection: Connection) -> Dream:
        """Restore what was; see `DreamLedger.undo_dream`."""
        row = self._locked(connection, DreamStatus.APPLIED)
        undone = Undoing(connection, self._loaded(connection), now=self.now).undo()
        _set(connection, row, status=DreamStatus.UNDONE.value, undone_at=self.now)
        self._follow(connection, row, undone.restored, undone.removed, promotes=undone.promotes)
        return self._end(connection, row, "dream.undo")

    def reject(self, connection: Connection) -> Dream:
        """Put the plan aside."""
        row = self._locked(connection, DreamStatus.REVIEW)
        _set(connection, row, status=DreamStatus.REJECTED.value)
        return self._end(connection, row, "dream.reject")

    def _locked(self, connection: Connection, wanted: DreamStatus) -> Any:
        """The dream's row, its user's other changes waiting, if it is in the wanted state."""
        found = find_dream(connection, self.tenant_id, self.dream_id, user_id=self.user_id)
        lock_user(connection, self.tenant_id, found.user_id, now=self.now)
        row = find_dream(connection, self.tenant_id, self.dream_id, user_id=self.user_id)
        if row.status != wanted.value:
            raise WrongState(
                f"dream {self.dream_id!r} is {row.status}, not {wanted.value}",
                dream_id=self.dream_id,
            )
        return row

    def _loaded(self, connection: Connection) -> Dream:
        return load_dream(connection, self.tenant_id, self.dream_id, user_id=self.user_id)

    def _follow(
        self,
        connection: Connection,
        row: Any,
        changed: Iterable[str],
        removed: Sequence[str],
        *,
        promotes: bool,
    ) -> None:
        """Put in the outbox what the index and the graph have to do now."""
        jobs = [
            NewJob(JobKind.INDEX_MEMORIES, {"memory_ids": list(ids)})
            for ids in slices(list(changed), JOB_IDS)
        ]
        jobs += [
            NewJob(JobKind.DELETE_POINTS, {"ids": list(ids)}) for ids in slices(removed, JOB_IDS)
        ]
        if promotes:
            jobs.append(NewJob(JobKind.PROMOTE, {}))
        put_jobs(connection, self.tenant_id, row.user_id, jobs, now=self.now)

    def _end(self, connection: Connection, row: Any, action: str) -> Dream:
        dream = _told(connection, row, now=self.now)
        self.note(connection, action)
        return dream

    def note(self, connection: Connection, action: str) -> None:
        """Put in the trail that this was done to the dream."""
        record(
            connection,
            self.tenant_id,
            at=self.now,
            actor=self.actor,
            action=action,
            target=self.dream_id,
        )


def _chosen(dream: Dream, step_ids: Sequence[str] | None) -> list[DreamStep]:
    """The accepted steps that are to be done, in the order of the plan."""
    accepted = [step for step in dream.steps if step.verdict is Verdict.ACCEPTED]
    if step_ids is None:
        return accepted
    known = {step.id: step for step in dream.steps}
    for step_id in step_ids:
        if step_id not in known:
            raise NotFound(f"no step {step_id!r}", step_id=step_id)
        if known[step_id].verdict is not Verdict.ACCEPTED:
            raise WrongState(f"step {step_id!r} was refused", step_id=step_id)
    return [step for step in accepted if step.id in set(step_ids)]


def _leave_out(connection: Connection, dream: Dream, chosen: set[str]) -> None:
    for step in dream.steps:
        if step.verdict is Verdict.ACCEPTED and step.id not in chosen:
            row = dream_steps.update().where(dream_steps.c.id == step.id)
            connection.execute(row.values(verdict=Verdict.REJECTED.value, reason=LEFT_OUT))


def _store_steps(connection: Connection, row: Any, plan: DreamPlan) -> None:
    owner = {"tenant_id": row.tenant_id, "user_id": row.user_id}
    steps, read = [], []
    for position, step in enumerate(_standing(connection, row, plan.steps), start=1):
        step_id = new_id()
        steps.append(
            from_step(step, owner={**owner, "dream_id": row.id}, step_id=step_id, position=position)
        )
        read += [
            {
                **owner,
                "step_id": step_id,
                "position": place,
                "memory_id": one.memory_id,
                "version": one.version,
            }
            for place, one in enumerate(step.before, start=1)
        ]
    if steps:
        connection.execute(dream_steps.insert(), steps)
    if read:
        connection.execute(dream_memories.insert(), read)


def _standing(connection: Connection, row: Any, steps: Sequence[PlannedStep]) -> list[PlannedStep]:
    """The steps, those aborted whose memories changed since they were read.

    Such a step keeps no words: what it would say may have been forgotten meanwhile.
    """
    ids = list({one.memory_id for step in steps for one in step.before})
    now: dict[str, int] = {}
    for some in slices(ids):
        theirs = memories_of(row.tenant_id, row.user_id)
        query = select(memories.c.id, memories.c.version).where(theirs, memories.c.id.in_(some))
        now.update((found.id, found.version) for found in connection.execute(query))
    return [
        step
        if all(now.get(one.memory_id) == one.version for one in step.before)
        else replace(step, after=None, claim=None, verdict=Verdict.ABORTED, reason=CHANGED)
        for step in steps
    ]


def _pay(connection: Connection, row: Any, plan: DreamPlan) -> None:
    paid = operations.update().filter_by(tenant_id=row.tenant_id, id=row.operation_id)
    connection.execute(
        paid.values(
            model_calls=operations.c.model_calls + plan.cost.model_calls,
            prompt_tokens=operations.c.prompt_tokens + plan.cost.prompt_tokens,
            completion_tokens=operations.c.completion_tokens + plan.cost.completion_tokens,
        )
    )


def _told(
    connection: Connection,
    row: Any,
    *,
    now: datetime,
    ended: OperationStatus = OperationStatus.SUCCEEDED,
) -> Dream:
    """Let the operation say how the dream stands; it ends once, with the plan."""
    dream = load_dream(connection, row.tenant_id, row.id, user_id=row.user_id)
    told = operations.update().filter_by(tenant_id=row.tenant_id, id=row.operation_id)
    result = {
        "dream_id": dream.id,
        "status": dream.status.value,
        "counts": counts_of(dream.steps),
    }
    connection.execute(told.values(result=result))
    begun = told.where(operations.c.finished_at.is_(None))
    connection.execute(begun.values(status=ended.value, finished_at=now))
    return dream


def _set(connection: Connection, row: Any, **values: Any) -> None:
    theirs = dreams.update().where(dreams.c.tenant_id == row.tenant_id, dreams.c.id == row.id)
    connection.execute(theirs.values(**values))
