"""Every turn ends in exactly one outcome, which its operation shows."""

import pytest

from lightmem.adapters.ledger import SqlLedger
from lightmem.errors import NotFound, WrongState
from lightmem.model import (
    Extraction,
    JobKind,
    OperationStatus,
    Outcome,
    Source,
    Turn,
    TurnOutcome,
)
from support.ledgers import FREE, NOON, add, say


async def end(
    ledger: SqlLedger,
    tenant_id: str,
    operation_id: str,
    *outcomes: TurnOutcome,
    extraction: Extraction = FREE,
) -> None:
    await ledger.commit_writing(
        tenant_id,
        "ana",
        operation_id,
        changes=[],
        outcomes=outcomes,
        extraction=extraction,
    )


def no_facts(turn: Turn) -> TurnOutcome:
    return TurnOutcome(turn.id, Outcome.NO_FACTS)


def quarantined(turn: Turn) -> TurnOutcome:
    return TurnOutcome(turn.id, Outcome.QUARANTINED, reason="MODEL_UNAVAILABLE")


async def test_an_operation_ends_with_its_last_turn(ledger: SqlLedger, acme: str) -> None:
    accepted = await say(ledger, acme, "One.", "Two.")
    first, second = accepted.turns
    operation_id = accepted.operation.id

    await end(ledger, acme, operation_id, no_facts(first))
    between = await ledger.get_operation(acme, operation_id)
    await end(ledger, acme, operation_id, no_facts(second))
    after = await ledger.get_operation(acme, operation_id)

    assert (between.status, between.finished_at) == (OperationStatus.RUNNING, None)
    assert (after.status, after.finished_at) == (OperationStatus.SUCCEEDED, NOON)


async def test_an_operation_with_a_quarantined_turn_has_failed(
    ledger: SqlLedger, acme: str
) -> None:
    accepted = await say(ledger, acme, "One.", "Two.")
    first, second = accepted.turns

    await end(ledger, acme, accepted.operation.id, no_facts(first), quarantined(second))

    operation = await ledger.get_operation(acme, accepted.operation.id)
    assert operation.status is OperationStatus.FAILED
    assert operation.outcomes[1] == quarantined(second)


async def test_an_outcome_is_final(ledger: SqlLedger, acme: str) -> None:
    accepted = await say(ledger, acme, "One.")
    (turn,) = accepted.turns
    await end(ledger, acme, accepted.operation.id, no_facts(turn))

    await end(ledger, acme, accepted.operation.id, quarantined(turn))

    operation = await ledger.get_operation(acme, accepted.operation.id)
    assert operation.outcomes == (no_facts(turn),)
    assert operation.status is OperationStatus.SUCCEEDED


async def test_costs_add_up(ledger: SqlLedger, acme: str) -> None:
    accepted = await say(ledger, acme, "One.", "Two.")
    cost = Extraction((), model_calls=1, prompt_tokens=100, completion_tokens=20)

    for turn in accepted.turns:
        await end(ledger, acme, accepted.operation.id, no_facts(turn), extraction=cost)

    operation = await ledger.get_operation(acme, accepted.operation.id)
    assert (operation.model_calls, operation.prompt_tokens, operation.completion_tokens) == (
        2,
        200,
        40,
    )


async def test_a_retry_makes_only_the_quarantined_turns_pending(
    ledger: SqlLedger, acme: str
) -> None:
    accepted = await say(ledger, acme, "One.", "Two.")
    first, second = accepted.turns
    (job,) = await ledger.lease_jobs([JobKind.WRITE], limit=1, lease_s=60.0)
    await ledger.complete_job(job.id)
    await end(ledger, acme, accepted.operation.id, no_facts(first), quarantined(second))

    retried = await ledger.retry_operation(acme, accepted.operation.id, user_id="ana", actor="test")

    assert retried == await ledger.get_operation(acme, accepted.operation.id)
    assert (retried.status, retried.finished_at) == (OperationStatus.PENDING, None)
    assert retried.outcomes == (no_facts(first), TurnOutcome(second.id, Outcome.PENDING))
    (again,) = await ledger.lease_jobs([JobKind.WRITE], limit=9, lease_s=60.0)
    assert again.payload == {"operation_id": accepted.operation.id}


async def test_nothing_quarantined_is_nothing_to_retry(ledger: SqlLedger, acme: str) -> None:
    accepted = await say(ledger, acme, "One.")

    with pytest.raises(WrongState):
        await ledger.retry_operation(acme, accepted.operation.id, user_id=None, actor="test")

    assert (await ledger.pending_jobs())[JobKind.WRITE] == 1


async def test_an_unknown_operation_is_not_found(ledger: SqlLedger, acme: str) -> None:
    with pytest.raises(NotFound):
        await ledger.get_operation(acme, "nothing")
    with pytest.raises(NotFound):
        await ledger.retry_operation(acme, "nothing", user_id=None, actor="test")
    with pytest.raises(NotFound):
        await end(ledger, acme, "nothing")


async def test_a_writing_leaves_its_memories_to_be_indexed(ledger: SqlLedger, acme: str) -> None:
    accepted = await say(ledger, acme, "One.")
    (turn,) = accepted.turns

    await ledger.commit_writing(
        acme,
        "ana",
        accepted.operation.id,
        changes=[add("One.", Source(turn.id, "One."))],
        outcomes=[TurnOutcome(turn.id, Outcome.STORED)],
        extraction=FREE,
    )

    assert (await ledger.pending_jobs())[JobKind.INDEX_MEMORIES] == 1
