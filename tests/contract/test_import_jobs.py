"""An import whose process died is ended or abandoned by its job, over each ledger."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from lightmem.adapters.embedded.qdrant_edge import QdrantEdgeIndex
from lightmem.adapters.embedded.short_term import InProcessShortTermBuffer
from lightmem.adapters.embedded.sqlite_graph import SqliteKnowledgeGraph
from lightmem.adapters.ledger import SqlLedger
from lightmem.adapters.ledger.staging import PATIENCE_S, TAKEN_UP_AFTER_S
from lightmem.bootstrap.dreaming import make_promoter
from lightmem.bootstrap.stores import Finding
from lightmem.bootstrap.upkeep import make_upkeep
from lightmem.domain.clock import SystemClock
from lightmem.errors import WrongState
from lightmem.forgetting import ForgottenValues
from lightmem.indexing import Indexing
from lightmem.jobs import JobRunner
from lightmem.model import JobKind, Operation, OperationStatus
from lightmem_writer import ExtractStatements, LearnTurns
from support.clock import FixedClock
from support.indexes import ENCODER, LEXICAL
from support.ledgers import learn
from support.portability import SECRET, exported, staged
from support.words import Words


@pytest.fixture
async def runner(ledger: SqlLedger, tmp_path: Path) -> AsyncIterator[JobRunner]:
    """What runs jobs, with everything that an import needs."""
    async with AsyncExitStack() as stack:
        index = QdrantEdgeIndex(tmp_path / "index")
        await index.open(ENCODER.encoder_id, ENCODER.dim, ENCODER.token_dim)
        stack.push_async_callback(index.close)
        graph = SqliteKnowledgeGraph(tmp_path / "graph.db")
        await graph.ensure_schema()
        stack.push_async_callback(graph.close)
        finding = Finding(index, ENCODER, LEXICAL, InProcessShortTermBuffer(20), graph)
        indexing = Indexing(ledger=ledger, index=index, encoder=ENCODER, lexical=LEXICAL)
        upkeep = make_upkeep(
            ledger,
            finding,
            queue=None,
            indexing=indexing,
            forgotten=ForgottenValues(ledger=ledger, encoder=ENCODER, secret=SECRET),
            promoter=make_promoter(ledger, finding, clock=SystemClock(), secret=SECRET),
            clock=SystemClock(),
            secret=SECRET,
        )
        yield JobRunner(
            ledger=ledger,
            indexing=indexing,
            index=index,
            learn=LearnTurns(ledger=ledger, writer=ExtractStatements(None), tokenizer=Words()),
            upkeep=upkeep.work,
        )


async def run_due(ledger: SqlLedger, runner: JobRunner) -> int:
    """Run the jobs of imports that are due; how many there were."""
    jobs = await ledger.lease_jobs([JobKind.IMPORT], limit=9, lease_s=60.0)
    for job in jobs:
        await runner.attend(job, lease_s=60.0)
    return len(jobs)


async def a_life(ledger: SqlLedger, tenant_id: str) -> bytes:
    """The export of a user of another name, with turns and memories."""
    await learn(ledger, tenant_id, "I keep bees.", user_id="eva")
    await learn(ledger, tenant_id, "I live in Porto.", user_id="eva")
    return await exported(ledger, tenant_id, "eva")


async def begun(ledger: SqlLedger, tenant_id: str, text: bytes) -> Operation:
    """An import whose lines have all come."""
    operation = await ledger.begin_import(tenant_id, "ana", actor="test")
    await ledger.stage_lines(tenant_id, operation.id, staged(text))
    return operation


async def test_an_import_whose_lines_stopped_coming_is_abandoned(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock, runner: JobRunner
) -> None:
    text = await a_life(ledger, acme)
    operation = await begun(ledger, acme, text)

    ledger_clock.advance(PATIENCE_S - 1)
    early = await run_due(ledger, runner)
    ledger_clock.advance(2)
    late = await run_due(ledger, runner)

    ended = await ledger.get_operation(acme, operation.id)
    assert (early, late) == (0, 1)
    assert ended.status is OperationStatus.FAILED
    assert ended.result == {"errors": [{"field": "body", "message": "the body ended early"}]}
    assert await exported(ledger, acme) == b""
    kinds = ("session", "turn", "memory", "memory_version", "tombstone")
    assert await ledger.staged_lines(acme, operation.id, kinds, after=0, limit=9) == []
    assert (await ledger.pending_jobs()).get(JobKind.IMPORT, 0) == 0
    with pytest.raises(WrongState):
        await ledger.stage_lines(acme, operation.id, staged(text))


async def test_an_import_whose_lines_go_on_coming_is_left_alone(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock, runner: JobRunner
) -> None:
    text = await a_life(ledger, acme)
    operation = await ledger.begin_import(acme, "ana", actor="test")

    ran = 0
    for line in staged(text):
        ledger_clock.advance(PATIENCE_S - 1)
        ran += await run_due(ledger, runner)
        await ledger.stage_lines(acme, operation.id, [line])

    assert ran == 0
    assert (await ledger.get_operation(acme, operation.id)).status is OperationStatus.PENDING


async def test_a_sealed_import_whose_process_died_is_ended_by_its_job(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock, runner: JobRunner
) -> None:
    text = await a_life(ledger, acme)
    operation = await begun(ledger, acme, text)
    await ledger.seal_import(acme, operation.id)

    at_once = await run_due(ledger, runner)
    ledger_clock.advance(TAKEN_UP_AFTER_S + 1)
    later = await run_due(ledger, runner)

    ended = await ledger.get_operation(acme, operation.id)
    assert (at_once, later) == (0, 1)
    assert ended.status is OperationStatus.SUCCEEDED
    assert ended.result is not None
    assert ended.result["turns"] == {"added": 2, "present": 0}
    contents = {
        turn.content
        for turn in (
            await ledger.list_turns(acme, "ana", session_id=None, limit=9, cursor=None)
        ).items
    }
    assert contents == {"I keep bees.", "I live in Porto."}
    assert (await ledger.pending_jobs()).get(JobKind.IMPORT, 0) == 0


async def test_a_sealed_import_that_does_not_fit_together_fails_by_its_job(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock, runner: JobRunner
) -> None:
    text = await a_life(ledger, acme)
    lines = [line for line in text.splitlines(keepends=True) if b'"session_id"' not in line[:60]]
    operation = await begun(ledger, acme, b"".join(lines[1:]))
    await ledger.seal_import(acme, operation.id)

    ledger_clock.advance(TAKEN_UP_AFTER_S + 1)
    await run_due(ledger, runner)

    ended = await ledger.get_operation(acme, operation.id)
    assert ended.status is OperationStatus.FAILED
    assert ended.result is not None
    assert ended.result["errors"]
    assert await exported(ledger, acme) == b""
