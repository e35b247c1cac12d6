"""Dreams as JSON."""

from datetime import datetime

from lightmem.domain.dreams import counts_of
from lightmem.model import Claim, Dream, DreamStep, DreamtMemory
from lightmem_gateway.memory_views import MemoryView
from lightmem_gateway.turn_views import TokensView
from lightmem_gateway.views import View


class DreamtView(View):
    """The statement that a step puts in the place of memories.

    `id` is the memory that has it, once the step is done.
    """

    id: str | None
    kind: str
    text: str
    language: str
    entities: list[str]
    valid_from: datetime | None
    valid_to: datetime | None
    valid_precision: str | None

    @classmethod
    def of(cls, after: DreamtMemory, memory_id: str | None) -> "DreamtView":
        """The view of what comes after."""
        return cls(
            id=memory_id,
            kind=after.kind,
            text=after.text,
            language=after.language,
            entities=list(after.entities),
            valid_from=after.valid_from,
            valid_to=after.valid_to,
            valid_precision=after.valid_precision,
        )


class ClaimView(View):
    """What a step gives to long-term memory."""

    subject: str
    relation: str
    target: str

    @classmethod
    def of(cls, claim: Claim) -> "ClaimView":
        """The view of a claim."""
        return cls(subject=claim.subject.name, relation=claim.relation, target=claim.target.name)


class StepView(View):
    """One step of a plan: what it works on, what comes of it, and whether it may be done."""

    id: str
    action: str
    before: list[MemoryView]
    after: DreamtView | ClaimView | None
    evidence: list[str]
    verdict: str
    reason: str | None

    @classmethod
    def of(cls, step: DreamStep) -> "StepView":
        """The view of a step."""
        after: DreamtView | ClaimView | None = None
        if step.after is not None:
            after = DreamtView.of(step.after, step.memory_id)
        elif step.claim is not None:
            after = ClaimView.of(step.claim)
        return cls(
            id=step.id,
            action=step.action,
            before=[MemoryView.of(memory) for memory in step.before],
            after=after,
            evidence=list(step.evidence),
            verdict=step.verdict,
            reason=step.reason,
        )


class DreamView(View):
    """A dream: its plan, and what became of it."""

    id: str
    user_id: str
    operation_id: str
    status: str
    policy: str
    trigger: str
    max_removed_fraction: float
    steps: list[StepView]
    counts: dict[str, int]
    model_calls: int
    tokens: TokensView
    estimated_calls: int
    estimated_tokens: int
    reason: str | None
    created_at: datetime
    planned_at: datetime | None
    applied_at: datetime | None
    undone_at: datetime | None

    @classmethod
    def of(cls, dream: Dream) -> "DreamView":
        """The view of a dream."""
        cost = dream.cost
        return cls(
            id=dream.id,
            user_id=dream.user_id,
            operation_id=dream.operation_id,
            status=dream.status,
            policy=dream.policy,
            trigger=dream.trigger,
            max_removed_fraction=dream.max_removed_fraction,
            steps=[StepView.of(step) for step in dream.steps],
            counts=counts_of(dream.steps),
            model_calls=cost.model_calls,
            tokens=TokensView(prompt=cost.prompt_tokens, completion=cost.completion_tokens),
            estimated_calls=cost.estimated_calls,
            estimated_tokens=cost.estimated_tokens,
            reason=dream.reason,
            created_at=dream.created_at,
            planned_at=dream.planned_at,
            applied_at=dream.applied_at,
            undone_at=dream.undone_at,
        )


class DreamAskedView(View):
    """A dream that will be planned."""

    operation_id: str
    dream_id: str
