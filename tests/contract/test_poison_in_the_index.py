"""What cannot be indexed is found by halving and set aside; the rest is indexed, none dropped."""

from collections.abc import Sequence

import pytest

from lightmem.adapters.ledger import SqlLedger
from lightmem.jobs import JobRunner
from lightmem.jobs.runner import ASIDE_S
from lightmem.model import JobKind
from lightmem_writer import ExtractStatements, LearnTurns
from support.clock import FixedClock
from support.jobs import RecordingPoints
from support.ledgers import say
from support.words import Words

LEASE_S = 30.0
INDEX = [JobKind.INDEX_TURNS]


class WorkerKilled(BaseException):
    """Stands for the end of the process: nothing after it is run."""


class PoisonedIndexing:
    """Indexes what it is given, unless one turn of it is the poisonous one."""

    def __init__(self, poison: str, error: BaseException) -> None:
        self._poison = poison
        self._error = error
        self.indexed: list[str] = []

    async def index_turns(
        self, tenant_id: str, user_id: str, turn_ids: Sequence[str], *, anew: bool = False
    ) -> None:
        if self._poison in turn_ids:
            raise self._error
        self.indexed += turn_ids

    async def index_memories(
        self, tenant_id: str, user_id: str, memory_ids: Sequence[str], *, anew: bool = False
    ) -> None: ...


def runner_over(ledger: SqlLedger, indexing: PoisonedIndexing) -> JobRunner:
    return JobRunner(
        ledger=ledger,
        indexing=indexing,
        index=RecordingPoints(),
        learn=LearnTurns(ledger=ledger, writer=ExtractStatements(None), tokenizer=Words()),
    )


@pytest.mark.parametrize("error", [ValueError("bad"), WorkerKilled()], ids=["fails", "kills"])
async def test_one_turn_that_cannot_be_indexed_holds_up_no_other(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock, error: BaseException
) -> None:
    accepted = await say(ledger, acme, *[f"I own {number} boats." for number in range(9)])
    poison = accepted.turn_ids[4]
    indexing = PoisonedIndexing(poison, error)
    runner = runner_over(ledger, indexing)

    for _ in range(40):
        ledger_clock.advance(LEASE_S + 60.0)
        for job in await ledger.lease_jobs(INDEX, limit=10, lease_s=LEASE_S):
            try:
                await runner.attend(job, lease_s=LEASE_S)
            except WorkerKilled:
                continue

    assert sorted(indexing.indexed) == sorted(set(accepted.turn_ids) - {poison})
    assert (await ledger.pending_jobs())[JobKind.INDEX_TURNS] == 1


async def test_what_was_set_aside_is_tried_again_later(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    accepted = await say(ledger, acme, "I own two boats.")
    indexing = PoisonedIndexing(accepted.turn_ids[0], ValueError("bad"))
    for _ in range(3):
        ledger_clock.advance(120.0)
        (job,) = await ledger.lease_jobs(INDEX, limit=1, lease_s=LEASE_S)
        await runner_over(ledger, indexing).attend(job, lease_s=LEASE_S)
    soon = await ledger.lease_jobs(INDEX, limit=1, lease_s=LEASE_S)

    ledger_clock.advance(ASIDE_S)
    (job,) = await ledger.lease_jobs(INDEX, limit=1, lease_s=LEASE_S)
    mended = PoisonedIndexing("", ValueError())
    await runner_over(ledger, mended).attend(job, lease_s=LEASE_S)

    assert soon == []
    assert mended.indexed == list(accepted.turn_ids)
    assert (await ledger.pending_jobs())[JobKind.INDEX_TURNS] == 0
