"""Dreams in the ledger, and the way of what they promote into long-term memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from lightmem.model import (
    Dream,
    DreamBasis,
    DreamPlan,
    DreamPolicy,
    DreamTrigger,
    DueDream,
    Memory,
    Page,
    PlannedStep,
    Promotion,
    SuggestedClaim,
)


@dataclass(frozen=True, slots=True)
class DreamWish:
    """A dream that is asked for. `unless_waiting`: not while one of the user is still planned."""

    policy: DreamPolicy = DreamPolicy.REVIEW
    max_removed_fraction: float = 0.3
    trigger: DreamTrigger = DreamTrigger.HAND
    unless_waiting: bool = False


@dataclass(frozen=True, slots=True)
class DreamTimes:
    """When to dream: after so many turns, so long a silence, with so many memories."""

    every_turns: int
    idle_s: float
    pressed_from: int


class DreamLedger(Protocol):
    """Dreams from the wish to the undoing. Each call is one transaction."""

    async def request_dream(
        self, tenant_id: str, user_id: str, wish: DreamWish, *, actor: str
    ) -> Dream | None:
        """Store a dream that is to be planned, with its operation and its DREAM job.

        Returns None when one is waiting already and the wish says so.
        """
        ...

    async def get_dream(
        self, tenant_id: str, dream_id: str, *, user_id: str | None = None
    ) -> Dream: ...

    async def list_dreams(
        self, tenant_id: str, user_id: str, *, limit: int, cursor: str | None
    ) -> Page[Dream]:
        """Latest first."""
        ...

    async def claim_dreaming(
        self, tenant_id: str, user_id: str, dream_id: str, *, lease_s: float
    ) -> bool:
        """Whether this dream may be planned now: no other of the user is, until the lease ends.

        The dream that holds the claim may claim again, which renews the lease.
        """
        ...

    async def dream_basis(
        self,
        tenant_id: str,
        user_id: str,
        dream_id: str,
        *,
        limit: int,
        pressed_from: int,
        unused_for: timedelta,
    ) -> DreamBasis:
        """What the dream reads: memories new or used since the last one, the pressed, the unused.

        A dream by hand also reads what dreams read whose plan was not applied, or was undone.

        Args:
            limit: Most new memories, and most of the others; the rest is left to the next dream.
            pressed_from: With this many active memories the least useful are pressed.
            unused_for: Unused is what was learnt so long ago and never recalled. What a person
                kept when a dream would have forgotten it is none.
        """
        ...

    async def promoted_among(
        self, tenant_id: str, user_id: str, memory_ids: Sequence[str]
    ) -> frozenset[str]:
        """Those of the memories that long-term memory rests on."""
        ...

    async def commit_plan(
        self, tenant_id: str, user_id: str, dream_id: str, plan: DreamPlan
    ) -> Dream:
        """Store the plan and end the operation; under policy `auto` apply it in the same breath.

        A dream that is planned already stays as it is.
        """
        ...

    async def fail_dream(self, tenant_id: str, user_id: str, dream_id: str, reason: str) -> None:
        """End a dream that cannot be planned, and its operation."""
        ...

    async def apply_dream(
        self,
        tenant_id: str,
        dream_id: str,
        *,
        step_ids: Sequence[str] | None,
        user_id: str | None,
        actor: str,
    ) -> Dream:
        """Do the accepted steps, or those of them that are named; all at once or nothing.

        What is replaced points to its replacement. A step whose memories are not as they were
        read is `aborted`; an accepted one that was not named is `rejected`. Puts INDEX_MEMORIES
        in the outbox, and PROMOTE when a step promotes.

        Raises:
            NotFound: no such dream or step.
            WrongState: the dream is not in review, or a named step was refused.
        """
        ...

    async def undo_dream(
        self, tenant_id: str, dream_id: str, *, user_id: str | None, actor: str
    ) -> Dream:
        """Restore the memories as they were before the dream was applied, versions and all.

        What was forgotten since stays forgotten; what was said since stays known.

        Raises:
            WrongState: the dream is not applied, or a later change rests on what it did.
            AttributeTaken: what a memory told, another one tells by now.
        """
        ...

    async def reject_dream(
        self, tenant_id: str, dream_id: str, *, user_id: str | None, actor: str
    ) -> Dream:
        """Put a plan aside.

        Raises:
            WrongState: the dream is not in review.
        """
        ...

    async def promotions(self, tenant_id: str, user_id: str) -> list[Promotion]:
        """What the user's dreams promoted and did not take back, oldest first."""
        ...

    async def due_dreams(self, times: DreamTimes, *, limit: int) -> list[DueDream]:
        """Users whose time has come, those waiting longest first."""
        ...


class Promoter(Protocol):
    """What dreams give to long-term memory."""

    async def propose(
        self,
        tenant_id: str,
        user_id: str,
        memories: Sequence[Memory],
        suggested: Sequence[SuggestedClaim] = (),
    ) -> list[PlannedStep]:
        """PROMOTE steps with `claim` and `evidence`, from the memories that a dream has read.

        Args:
            suggested: What a model thinks they say in general. What is not believed becomes a
                step without a claim, whose `reason` says why.
        """
        ...

    async def settle(self, tenant_id: str, user_id: str) -> None:
        """Bring the graph in step with `DreamLedger.promotions` of the user.

        Runs PROMOTE jobs, so it may be called again to the same effect.
        """
        ...
