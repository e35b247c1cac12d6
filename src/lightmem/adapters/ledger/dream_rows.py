"""Rows of dreams and the values they stand for: both directions of each mapping."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row

from lightmem.adapters.ledger.rows import Values
from lightmem.model import (
    Claim,
    ConceptType,
    Dream,
    DreamAction,
    DreamCost,
    DreamPolicy,
    DreamStatus,
    DreamStep,
    DreamtMemory,
    DreamTrigger,
    Memory,
    MemoryKind,
    PlannedStep,
    Precision,
    Relation,
    Term,
    Verdict,
)


def to_dream(row: Row[Any], operation: Row[Any], steps: Sequence[DreamStep]) -> Dream:
    """A dream of its row and that of its operation, which counts what it cost."""
    return Dream(
        id=row.id,
        tenant_id=row.tenant_id,
        user_id=row.user_id,
        operation_id=row.operation_id,
        policy=DreamPolicy(row.policy),
        trigger=DreamTrigger(row.trigger),
        max_removed_fraction=row.max_removed_fraction,
        status=DreamStatus(row.status),
        created_at=row.created_at,
        steps=tuple(steps),
        cost=DreamCost(
            model_calls=operation.model_calls,
            prompt_tokens=operation.prompt_tokens,
            completion_tokens=operation.completion_tokens,
            estimated_calls=row.estimated_calls,
            estimated_tokens=row.estimated_tokens,
        ),
        planned_at=row.planned_at,
        applied_at=row.applied_at,
        undone_at=row.undone_at,
        reason=row.reason,
    )


def from_dream(dream: Dream, *, last_turn_id: str | None) -> Values:
    """The row of a dream that is still to be planned."""
    return {
        "id": dream.id,
        "tenant_id": dream.tenant_id,
        "user_id": dream.user_id,
        "operation_id": dream.operation_id,
        "policy": dream.policy.value,
        "trigger": dream.trigger.value,
        "max_removed_fraction": dream.max_removed_fraction,
        "status": dream.status.value,
        "created_at": dream.created_at,
        "last_turn_id": last_turn_id,
        "estimated_calls": 0,
        "estimated_tokens": 0,
    }


def to_step(row: Row[Any], before: Sequence[Memory]) -> DreamStep:
    return DreamStep(
        id=row.id,
        action=DreamAction(row.action),
        before=tuple(before),
        after=_to_after(row.after),
        claim=to_claim(row.claim),
        evidence=tuple(row.evidence),
        verdict=Verdict(row.verdict),
        reason=row.reason,
        is_applied=row.is_applied,
        memory_id=row.memory_id,
    )


def from_step(step: PlannedStep, *, owner: Values, step_id: str, position: int) -> Values:
    """The row of a planned step; `owner` has the ids of its dream, tenant and user."""
    return {
        **owner,
        "id": step_id,
        "position": position,
        "action": step.action.value,
        "after": _from_after(step.after),
        "claim": _from_claim(step.claim),
        "evidence": list(step.evidence),
        "verdict": step.verdict.value,
        "reason": step.reason,
        "is_applied": False,
        "is_made": False,
    }


def to_claim(value: Any) -> Claim | None:
    """A claim of its JSON."""
    if value is None:
        return None
    return Claim(_to_term(value["subject"]), Relation(value["relation"]), _to_term(value["target"]))


def _from_claim(claim: Claim | None) -> Values | None:
    if claim is None:
        return None
    return {
        "subject": _from_term(claim.subject),
        "relation": claim.relation.value,
        "target": _from_term(claim.target),
    }


def _to_term(value: Any) -> Term:
    return Term(ConceptType(value["type"]), value["name"], value["said"])


def _from_term(term: Term) -> Values:
    return {"type": term.type.value, "name": term.name, "said": term.said}


def _to_after(value: Any) -> DreamtMemory | None:
    if value is None:
        return None
    precision = value["valid_precision"]
    return DreamtMemory(
        text=value["text"],
        kind=MemoryKind(value["kind"]),
        language=value["language"],
        entities=tuple(value["entities"]),
        valid_from=_to_time(value["valid_from"]),
        valid_to=_to_time(value["valid_to"]),
        valid_precision=Precision(precision) if precision else None,
    )


def _from_after(after: DreamtMemory | None) -> Values | None:
    if after is None:
        return None
    return {
        "text": after.text,
        "kind": after.kind.value,
        "language": after.language,
        "entities": list(after.entities),
        "valid_from": _from_time(after.valid_from),
        "valid_to": _from_time(after.valid_to),
        "valid_precision": after.valid_precision.value if after.valid_precision else None,
    }


def _to_time(value: str | None) -> datetime | None:
    return datetime.fromisoformat(value) if value else None


def _from_time(value: datetime | None) -> str | None:
    return value.isoformat() if value else None
