"""Dreams: their answers, their calls, and the methods of both clients."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from lightmem.client.answers import Answer, Memory, Page, TokenCount
from lightmem.client.calls import Call, params_of, part_of, user_path
from lightmem.client.sending import AsyncSends, Sends
from lightmem.model import DreamAction, DreamPolicy, DreamStatus, DreamTrigger, Verdict

# --- answers ---------------------------------------------------------------------------------


class DreamAsked(Answer):
    """A dream that will be planned; its operation ends when it is."""

    operation_id: str
    dream_id: str


class DreamStep(Answer):
    """One step of a plan. `after` has `text` where memories are replaced, None where they go."""

    id: str
    action: DreamAction
    before: tuple[Memory, ...] = ()
    after: Mapping[str, Any] | None = None
    evidence: tuple[str, ...] = ()
    verdict: Verdict
    reason: str | None = None


class Dream(Answer):
    """A dream: its plan, and what became of it."""

    id: str
    user_id: str
    operation_id: str
    status: DreamStatus
    policy: DreamPolicy
    trigger: DreamTrigger = DreamTrigger.HAND
    steps: tuple[DreamStep, ...] = ()
    counts: Mapping[str, int] = {}
    model_calls: int = 0
    tokens: TokenCount = TokenCount()
    reason: str | None = None
    created_at: datetime
    applied_at: datetime | None = None
    undone_at: datetime | None = None


# --- calls -----------------------------------------------------------------------------------


def request_dream(
    user_id: str, *, policy: DreamPolicy, max_removed_fraction: float
) -> Call[DreamAsked]:
    """Ask for a dream."""
    body = {"policy": str(policy), "max_removed_fraction": max_removed_fraction}
    path = f"{user_path(user_id)}/dreams"
    return Call("POST", path, DreamAsked.model_validate, body=body, is_write=True)


def dreams(user_id: str, *, limit: int, cursor: str | None) -> Call[Page[Dream]]:
    """List dreams, latest first."""
    params = params_of(limit=limit, cursor=cursor)
    path = f"{user_path(user_id)}/dreams"
    return Call("GET", path, Page[Dream].model_validate, params=params)


def dream(dream_id: str) -> Call[Dream]:
    """Read a dream."""
    return Call("GET", f"/v1/dreams/{part_of(dream_id)}", Dream.model_validate)


def apply_dream(dream_id: str, step_ids: Sequence[str] | None) -> Call[Dream]:
    """Do a plan, or some steps of it."""
    body = {"step_ids": None if step_ids is None else list(step_ids)}
    return _decide(dream_id, "apply", body)


def undo_dream(dream_id: str) -> Call[Dream]:
    """Take a dream back."""
    return _decide(dream_id, "undo")


def reject_dream(dream_id: str) -> Call[Dream]:
    """Put a plan aside."""
    return _decide(dream_id, "reject")


def _decide(dream_id: str, what: str, body: Mapping[str, Any] | None = None) -> Call[Dream]:
    path = f"/v1/dreams/{part_of(dream_id)}/{what}"
    return Call("POST", path, Dream.model_validate, body=body, is_write=True)


# --- clients ---------------------------------------------------------------------------------


class AsyncDreams:
    """What an asyncio client does with dreams."""

    async def request_dream(
        self: AsyncSends,
        user_id: str,
        *,
        policy: DreamPolicy = DreamPolicy.REVIEW,
        max_removed_fraction: float = 0.3,
    ) -> DreamAsked:
        """Dream over what is new; follow the operation until the plan is there.

        Args:
            policy: `review` waits for `apply_dream`; `auto` applies what passed the checks.
            max_removed_fraction: Of the active memories at most so many go, MERGE not counted.
        """
        call = request_dream(user_id, policy=policy, max_removed_fraction=max_removed_fraction)
        return await self.send(call)

    async def dreams(
        self: AsyncSends, user_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Dream]:
        """A user's dreams, latest first."""
        return await self.send(dreams(user_id, limit=limit, cursor=cursor))

    async def dream(self: AsyncSends, dream_id: str) -> Dream:
        """A dream by its id, with every step and its reason."""
        return await self.send(dream(dream_id))

    async def apply_dream(
        self: AsyncSends, dream_id: str, step_ids: Sequence[str] | None = None
    ) -> Dream:
        """Do the accepted steps of a plan, or those named."""
        return await self.send(apply_dream(dream_id, step_ids))

    async def undo_dream(self: AsyncSends, dream_id: str) -> Dream:
        """Take an applied dream back: memories are as they were before it."""
        return await self.send(undo_dream(dream_id))

    async def reject_dream(self: AsyncSends, dream_id: str) -> Dream:
        """Put a plan aside."""
        return await self.send(reject_dream(dream_id))


class Dreams:
    """What a client for threads does with dreams."""

    def request_dream(
        self: Sends,
        user_id: str,
        *,
        policy: DreamPolicy = DreamPolicy.REVIEW,
        max_removed_fraction: float = 0.3,
    ) -> DreamAsked:
        """Dream over what is new; follow the operation until the plan is there.

        Args:
            policy: `review` waits for `apply_dream`; `auto` applies what passed the checks.
            max_removed_fraction: Of the active memories at most so many go, MERGE not counted.
        """
        call = request_dream(user_id, policy=policy, max_removed_fraction=max_removed_fraction)
        return self.send(call)

    def dreams(
        self: Sends, user_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Dream]:
        """A user's dreams, latest first."""
        return self.send(dreams(user_id, limit=limit, cursor=cursor))

    def dream(self: Sends, dream_id: str) -> Dream:
        """A dream by its id, with every step and its reason."""
        return self.send(dream(dream_id))

    def apply_dream(self: Sends, dream_id: str, step_ids: Sequence[str] | None = None) -> Dream:
        """Do the accepted steps of a plan, or those named."""
        return self.send(apply_dream(dream_id, step_ids))

    def undo_dream(self: Sends, dream_id: str) -> Dream:
        """Take an applied dream back: memories are as they were before it."""
        return self.send(undo_dream(dream_id))

    def reject_dream(self: Sends, dream_id: str) -> Dream:
        """Put a plan aside."""
        return self.send(reject_dream(dream_id))
