"""How far a WRITE operation has come: kept with it as its result while it is under way."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, func, select

from lightmem.adapters.ledger.tables import operations, outcomes
from lightmem.model import Extraction, OperationStatus, Outcome


def count_outcomes(
    connection: Connection, tenant_id: str, operation_id: str
) -> Mapping[Outcome, int]:
    """How many turns of an operation ended how."""
    counted = (
        select(outcomes.c.outcome, func.count())
        .where(outcomes.c.tenant_id == tenant_id, outcomes.c.operation_id == operation_id)
        .group_by(outcomes.c.outcome)
    )
    return {Outcome(outcome): count for outcome, count in connection.execute(counted)}


def status_of(counts: Mapping[Outcome, int]) -> OperationStatus:
    """`failed` if any turn is quarantined, else `succeeded`, once none is pending."""
    if Outcome.PENDING in counts:
        return OperationStatus.RUNNING
    return OperationStatus.FAILED if Outcome.QUARANTINED in counts else OperationStatus.SUCCEEDED


def settle_writing(
    connection: Connection,
    tenant_id: str,
    operation_id: str,
    *,
    cost: Extraction | None,
    now: datetime,
) -> None:
    """End a WRITE operation if no turn is pending, and write down how far it has come.

    Args:
        cost: Of what was just extracted, for the operation that bears it.
    """
    counts = count_outcomes(connection, tenant_id, operation_id)
    status = status_of(counts)
    theirs = and_(operations.c.tenant_id == tenant_id, operations.c.id == operation_id)
    before = connection.execute(select(operations.c.result).where(theirs)).scalar_one_or_none()
    turns = sum(counts.values())
    result = _with_cost(before or {}, cost)
    result["turns"], result["ended"] = turns, turns - counts.get(Outcome.PENDING, 0)
    finished_at = None if status is OperationStatus.RUNNING else now
    values: dict[str, Any] = {
        "status": status.value,
        "finished_at": finished_at,
        "result": result,
    }
    if cost is not None:
        values |= {
            "model_calls": operations.c.model_calls + cost.model_calls,
            "prompt_tokens": operations.c.prompt_tokens + cost.prompt_tokens,
            "completion_tokens": operations.c.completion_tokens + cost.completion_tokens,
        }
    connection.execute(operations.update().where(theirs).values(values))


def _with_cost(before: Mapping[str, Any], cost: Extraction | None) -> dict[str, Any]:
    """The result with what a segment adds: no one's words, only numbers and reasons."""
    zero = {"segments": 0, "said_tokens": 0, "read_tokens": 0, "rejected": {}}
    result: dict[str, Any] = {**zero, **before}
    if cost is None or not (cost.said_tokens or cost.statements or cost.model_calls):
        return result
    result["segments"] += 1
    result["said_tokens"] += cost.said_tokens
    result["read_tokens"] += cost.read_tokens
    result["rejected"] = dict(Counter(result["rejected"]) + Counter(cost.rejected))
    return result
