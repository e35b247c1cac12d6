"""Dreams while others go on: slow ones, two of one user, one that fails, those by themselves."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lightmem.adapters.embedded.sqlite_graph import SqliteKnowledgeGraph
from lightmem.domain.concepts import LAPSE
from lightmem.errors import LedgerUnavailable
from lightmem.model import (
    Completion,
    DreamStatus,
    JobEnd,
    Message,
    OperationStatus,
    Verdict,
)
from lightmem.ports.dreams import DreamTimes
from lightmem_consolidator import Decay, LookForDreams
from support.clock import FixedClock
from support.dreaming import ALIKE, NO_STEPS, TEA, Dreamer
from support.dreams import rows_of_user
from support.graphs import IS_A, claim, supported
from support.ledgers import say
from support.models import ScriptedLanguageModel

# --- while others go on --------------------------------------------------------------------------


class SlowModel(ScriptedLanguageModel):
    """Answers when it is told to."""

    def __init__(self, answer: str) -> None:
        super().__init__(answer)
        self.begun = asyncio.Event()
        self.let_go = asyncio.Event()

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        timeout_s: float,
        schema: Mapping[str, Any] | None = None,
    ) -> Completion:
        self.begun.set()
        await self.let_go.wait()
        return await super().complete(
            messages, max_tokens=max_tokens, timeout_s=timeout_s, schema=schema
        )


async def test_what_is_said_during_a_slow_dream_is_all_there_afterwards(dreamer: Dreamer) -> None:
    model = SlowModel(NO_STEPS)
    dreamer.model = model
    await dreamer.learn(*TEA, *ALIKE)
    job = await dreamer.ask()
    running = asyncio.create_task(dreamer.run(job))
    await model.begun.wait()

    said = [f"It was day {number} of the journey." for number in range(200)]
    for start in range(0, 200, 20):
        await say(dreamer.ledger, dreamer.tenant_id, *said[start : start + 20])
    learnt = await dreamer.learn("The ferry left at noon.")
    model.let_go.set()
    await running

    page = await dreamer.ledger.list_turns(
        dreamer.tenant_id, "ana", session_id=None, limit=1000, cursor=None
    )
    dream = await dreamer.ledger.get_dream(dreamer.tenant_id, job.payload["dream_id"])
    assert set(said) <= {turn.content for turn in page.items}
    assert dream.status is DreamStatus.APPLIED
    assert [step.is_applied for step in dream.steps] == [True]
    assert learnt[0].text in {memory.text for memory in await dreamer.active()}


async def test_what_is_deleted_during_a_slow_dream_aborts_its_step(dreamer: Dreamer) -> None:
    model = SlowModel(NO_STEPS)
    dreamer.model = model
    less, more = await dreamer.learn(*TEA)
    await dreamer.learn(*ALIKE)
    job = await dreamer.ask()
    running = asyncio.create_task(dreamer.run(job))
    await model.begun.wait()

    await dreamer.ledger.delete_turn(
        dreamer.tenant_id, less.sources[0].turn_id, user_id=None, actor="test"
    )
    model.let_go.set()
    await running

    dream = await dreamer.ledger.get_dream(dreamer.tenant_id, job.payload["dream_id"])
    assert [step.verdict for step in dream.steps] == [Verdict.ABORTED]
    assert more.id in {memory.id for memory in await dreamer.active()}


async def test_a_second_dream_of_a_user_waits_for_the_first(dreamer: Dreamer) -> None:
    model = SlowModel(NO_STEPS)
    dreamer.model = model
    await dreamer.learn(*ALIKE)
    first, second = await dreamer.ask(), await dreamer.ask()
    running = asyncio.create_task(dreamer.run(first))
    await model.begun.wait()

    end = await dreamer.run(second)
    model.let_go.set()

    assert end is JobEnd.LEFT
    assert await running is JobEnd.DONE
    assert await dreamer.run(second) is JobEnd.DONE


async def test_independent_batches_are_asked_about_at_the_same_time(dreamer: Dreamer) -> None:
    gate = asyncio.Barrier(2)

    class Together(ScriptedLanguageModel):
        async def complete(self, *args: Any, **options: Any) -> Completion:
            async with asyncio.timeout(20):
                await gate.wait()
            return await super().complete(*args, **options)

    dreamer.model, dreamer.concurrency = Together(NO_STEPS), 2
    for place in "abcdefgh":
        await dreamer.learn(
            f"{place} {place}x {place}y {place}z one.", f"{place} {place}x {place}y {place}z two."
        )

    dream = await dreamer.dream()

    assert dream.cost.model_calls == 2


# --- what goes wrong -----------------------------------------------------------------------------


async def test_a_dream_that_cannot_be_planned_fails_after_its_tries(
    dreamer: Dreamer,
) -> None:
    dreamer.model = ScriptedLanguageModel(ValueError("a fault of ours"))
    await dreamer.learn(*ALIKE)
    job = await dreamer.ask()

    with pytest.raises(ValueError, match="a fault of ours"):
        await dreamer.run(job, attempts=1)
    await dreamer.run(job, attempts=3)

    dream = await dreamer.ledger.get_dream(dreamer.tenant_id, job.payload["dream_id"])
    operation = await dreamer.ledger.get_operation(dreamer.tenant_id, dream.operation_id)
    assert dream.status is DreamStatus.FAILED
    assert dream.reason == "planning failed 3 times: ValueError"
    assert operation.status is OperationStatus.FAILED


async def test_a_job_that_is_run_again_changes_nothing(dreamer: Dreamer, ledger_url: str) -> None:
    await dreamer.learn(*TEA)
    job = await dreamer.ask()
    await dreamer.run(job)
    after = rows_of_user(ledger_url, dreamer.tenant_id)

    assert await dreamer.run(job) is JobEnd.DONE

    assert rows_of_user(ledger_url, dreamer.tenant_id) == after


# --- by itself -----------------------------------------------------------------------------------


async def test_users_whose_time_has_come_are_dreamt_over_once(
    dreamer: Dreamer, ledger_clock: FixedClock
) -> None:
    look = LookForDreams(dreamer.ledger, times=DreamTimes(3, 600.0, 1000))
    await dreamer.learn(*TEA, *ALIKE)

    asked = [await look(), await look()]

    assert asked == [1, 0]
    (dream,) = (
        await dreamer.ledger.list_dreams(dreamer.tenant_id, "ana", limit=5, cursor=None)
    ).items
    assert (dream.policy, dream.trigger) == ("auto", "turns")


async def test_shared_memory_fades_where_nobody_dreams_by_itself(
    dreamer: Dreamer, ledger_clock: FixedClock, tmp_path: Path
) -> None:
    graph = SqliteKnowledgeGraph(tmp_path / "graph.db")
    await graph.ensure_schema()
    await supported(graph, "acme", ["ana"], claim("dog", IS_A, "pet"), at=ledger_clock.now())
    decay = Decay(graph=graph, clock=ledger_clock)
    look = LookForDreams(dreamer.ledger, times=DreamTimes(3, 600.0, 1000), policy=None, decay=decay)
    await dreamer.learn(*TEA, *ALIKE)

    asked = await look()
    ledger_clock.advance((LAPSE + timedelta(days=1)).total_seconds())
    await look()

    assert asked == 0
    assert await graph.supporters("acme") == {}
    await graph.close()


async def test_looking_goes_on_when_the_ledger_was_down(dreamer: Dreamer) -> None:
    looked = asyncio.Event()

    class Flaky:
        calls = 0

        async def due_dreams(self, times: DreamTimes, *, limit: int) -> list[Any]:
            self.calls += 1
            if self.calls == 1:
                raise LedgerUnavailable("the ledger does not answer")
            looked.set()
            return []

    look = LookForDreams(Flaky(), times=DreamTimes(3, 600.0, 1000), every_s=0.01)  # type: ignore[arg-type]
    await look.start(lambda: None)
    async with asyncio.timeout(10):
        await looked.wait()
    await look.stop()
