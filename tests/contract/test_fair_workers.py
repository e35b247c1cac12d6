"""One slow tenant holds up no other: its job gives way after its share of the time."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import Any

import pytest

from lightmem.adapters.ledger import SqlLedger, open_ledger
from lightmem.domain.clock import SystemClock
from lightmem.jobs import JobRunner, OutboxWorker
from lightmem.model import AcceptedTurns, Completion, Message, OperationStatus
from lightmem_writer import ExtractStatements, LearnTurns
from support.eventually import until
from support.jobs import RecordingIndexing, RecordingPoints
from support.ledgers import say
from support.models import ScriptedLanguageModel
from support.words import Words

SLOW_S = 0.2
SEGMENTS = 15


class SlowModel(ScriptedLanguageModel):
    """Takes its time over what the slow tenant's users say."""

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        timeout_s: float,
        schema: Mapping[str, Any] | None = None,
    ) -> Completion:
        if any("harbour" in message.content for message in messages):
            await asyncio.sleep(SLOW_S)
        return await super().complete(
            messages, max_tokens=max_tokens, timeout_s=timeout_s, schema=schema
        )


@pytest.fixture
async def outbox(ledger_url: str) -> AsyncIterator[SqlLedger]:
    """A ledger whose clock goes on."""
    opened = open_ledger(ledger_url, clock=SystemClock())
    yield opened
    await opened.close()


async def test_a_slow_tenant_with_much_to_learn_holds_up_no_other(outbox: SqlLedger) -> None:
    slow = (await outbox.create_tenant("slow", k_anonymity=3, actor="test")).id
    quick = (await outbox.create_tenant("quick", k_anonymity=3, actor="test")).id
    learn = LearnTurns(
        ledger=outbox,
        writer=ExtractStatements(SlowModel('{"statements": []}')),
        tokenizer=Words(),
        segment_tokens=8,
        share_s=SLOW_S / 2,
    )
    runner = JobRunner(
        ledger=outbox, indexing=RecordingIndexing(), index=RecordingPoints(), learn=learn
    )
    worker = OutboxWorker(ledger=outbox, runner=runner, lease_s=30.0, concurrency=1)
    boats = [f"I own {number} boats in harbour {number}." for number in range(SEGMENTS)]
    much = await say(outbox, slow, *boats)
    await worker.start()
    await until(partial(has_begun, outbox, slow, much))

    little = [await say(outbox, quick, f"I live in town {number}.") for number in range(3)]
    worker.notify()
    for accepted in little:
        await until(partial(has_ended, outbox, quick, accepted))

    operation = await outbox.get_operation(slow, much.operation.id)
    assert operation.status is OperationStatus.RUNNING
    await until(partial(has_ended, outbox, slow, much))
    await worker.stop()


async def has_begun(ledger: SqlLedger, tenant_id: str, accepted: AcceptedTurns) -> bool:
    operation = await ledger.get_operation(tenant_id, accepted.operation.id)
    return operation.status is not OperationStatus.PENDING


async def has_ended(ledger: SqlLedger, tenant_id: str, accepted: AcceptedTurns) -> bool:
    return (await ledger.get_operation(tenant_id, accepted.operation.id)).finished_at is not None
