"""What becomes of an extraction: held against what is known, and committed with its outcomes."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lightmem.errors import ForgottenMeanwhile, VersionConflict
from lightmem.forgetting import ROUNDS, ForgottenValues
from lightmem.model import (
    Backlog,
    Extraction,
    Job,
    MemoryChange,
    Outcome,
    Role,
    Statement,
    Turn,
    TurnOutcome,
)
from lightmem.ports import Ledger
from lightmem_writer.careful import Away, went_away
from lightmem_writer.echo import ECHO, KnownMemories, is_echo, may_echo, said_sentences
from lightmem_writer.reconcile import sources_of
from lightmem_writer.reconciling import ReconcileStatements

logger = logging.getLogger(__name__)

#: Why a statement was dropped that says what its user had forgotten.
FORGOTTEN = "forgotten"


@dataclass(frozen=True, slots=True)
class Work:
    """What one run of a WRITE job is about."""

    job: Job
    backlog: Backlog
    #: Which operation each pending turn is of.
    operations: Mapping[str, str]
    #: Over which turns the Writer went away before.
    away: Mapping[str, Away]

    @classmethod
    def of(cls, job: Job, backlog: Backlog) -> "Work":
        """The work of a job and of those that are done with it."""
        operations = {
            one.turn_id: operation_id
            for operation_id, outcomes in backlog.pending.items()
            for one in outcomes
        }
        pending = [one for outcomes in backlog.pending.values() for one in outcomes]
        return cls(job, backlog, operations, went_away(pending))

    @property
    def outcomes(self) -> list[TurnOutcome]:
        """The outcomes still pending when the run began."""
        return [one for outcomes in self.backlog.pending.values() for one in outcomes]


class KeepLearnt:
    """Commits what was learnt from some turns, in one transaction of the ledger.

    Args:
        known: What is remembered already, so that an assistant's echo of it is not learnt.
        forgotten: What users had forgotten, so that no statement brings it back.
        reconcile: Holds statements against what is known; by default without the index.
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        known: KnownMemories | None = None,
        forgotten: ForgottenValues | None = None,
        reconcile: ReconcileStatements | None = None,
    ) -> None:
        self._ledger = ledger
        self._reconcile = reconcile or ReconcileStatements(ledger=ledger)
        self._known = known
        self._forgotten = forgotten

    async def commit(self, work: Work, turns: Sequence[Turn], extraction: Extraction) -> None:
        """Reconcile the statements and end the turns.

        Raises:
            VersionConflict: what was read of the memory was never what the ledger then held.
        """
        extraction = await self._without_echoes(work, turns, extraction)
        for _ in range(ROUNDS):
            kept, state = await self._without_forgotten(work.job, extraction)
            try:
                return await self._commit(work, turns, kept, state)
            except (ForgottenMeanwhile, VersionConflict) as exc:
                # Another writer was first: what is known now decides.
                conflict = exc
        raise VersionConflict("this user's memory changes too fast to be written") from conflict

    async def _commit(
        self, work: Work, turns: Sequence[Turn], extraction: Extraction, state: str | None
    ) -> None:
        changes = await self._reconcile(
            work.job.tenant_id, work.job.user_id, extraction.statements, turns
        )
        quoted = {source.turn_id for change in changes for source in sources_of(change)}
        outcomes = [_outcome(turn, quoted, extraction) for turn in turns]
        await self._store(work, changes, outcomes, extraction, state)
        _log(work.job, turns, extraction)

    async def quarantine(self, work: Work, turn: Turn, reason: str) -> None:
        """End a turn that cannot be learnt from."""
        logger.error("turn %s is quarantined: %s", turn.id, reason)
        outcome = TurnOutcome(turn.id, Outcome.QUARANTINED, reason=reason)
        await self._store(work, [], [outcome], Extraction(()))

    async def note(self, work: Work, outcomes: Sequence[TurnOutcome]) -> None:
        """Write down what is to be known if this try does not end."""
        await self._store(work, [], outcomes, Extraction(()))

    async def _without_echoes(
        self, work: Work, turns: Sequence[Turn], extraction: Extraction
    ) -> Extraction:
        """The extraction without what an assistant only repeats of the user's memories."""
        by_id = {turn.id: turn for turn in turns}
        just_said = [
            sentence.text
            for turn in turns
            if turn.role is Role.USER
            for sentence in said_sentences(turn.content)
        ]
        kept: list[Statement] = []
        for statement in extraction.statements:
            if not (
                may_echo(statement, by_id) and await self._is_echo(work.job, statement, just_said)
            ):
                kept.append(statement)
        echoes = len(extraction.statements) - len(kept)
        rejected = (*extraction.rejected, *[ECHO] * echoes)
        return replace(extraction, statements=kept, rejected=rejected) if echoes else extraction

    async def _without_forgotten(
        self, job: Job, extraction: Extraction
    ) -> tuple[Extraction, str | None]:
        """The extraction without what says a forgotten value, and the state of forgetting then."""
        if self._forgotten is None:
            return extraction, None
        texts = [statement.text for statement in extraction.statements]
        screened = await self._forgotten.screen(job.tenant_id, job.user_id, texts)
        kept = [
            statement
            for statement, text in zip(extraction.statements, screened.texts, strict=True)
            if not text.is_struck
        ]
        dropped = len(extraction.statements) - len(kept)
        rejected = (*extraction.rejected, *[FORGOTTEN] * dropped)
        return replace(extraction, statements=kept, rejected=rejected), screened.state

    async def _is_echo(self, job: Job, statement: Statement, just_said: Sequence[str]) -> bool:
        if is_echo(statement, just_said):
            return True
        if self._known is None:
            return False
        said = statement.sources[0].quote
        return is_echo(statement, await self._known.like(job.tenant_id, job.user_id, said))

    async def _store(
        self,
        work: Work,
        changes: Sequence[MemoryChange],
        outcomes: Sequence[TurnOutcome],
        extraction: Extraction,
        forgetting_state: str | None = None,
    ) -> None:
        """Commit; the cost is borne by the operation of the first turn."""
        await self._ledger.commit_writing(
            work.job.tenant_id,
            work.job.user_id,
            work.operations[outcomes[0].turn_id],
            changes=changes,
            outcomes=outcomes,
            extraction=extraction,
            forgetting_state=forgetting_state,
        )


def _log(job: Job, turns: Sequence[Turn], extraction: Extraction) -> None:
    """What a segment came to, in numbers and reasons, which hold no one's words."""
    fields = {
        "job_id": job.id,
        "turns": len(turns),
        "statements": len(extraction.statements),
        "model_calls": extraction.model_calls,
        "said_tokens": extraction.said_tokens,
        "read_tokens": extraction.read_tokens,
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
