"""What users gave to long-term memory, as the ledger keeps it: taken back, whatever takes it."""

from lightmem.adapters.ledger import SqlLedger
from lightmem.model import (
    Claim,
    DreamAction,
    DreamPolicy,
    DreamStatus,
    JobKind,
    Memory,
    PlannedStep,
)
from lightmem.ports.dreams import DreamWish
from support.dreams import planned, refs
from support.graphs import RELATED, claim
from support.ledgers import learn

AUTO = DreamWish(DreamPolicy.AUTO)
FEAR = claim("dog", RELATED, "fear of thunder")
TUNA = claim("cat", RELATED, "tuna")


def promote(what: Claim, *memories: Memory) -> PlannedStep:
    """A step that promotes a claim of memories."""
    evidence = tuple(source.turn_id for memory in memories for source in memory.sources)
    return PlannedStep(DreamAction.PROMOTE, refs(*memories), claim=what, evidence=evidence)


async def _claims(ledger: SqlLedger, tenant_id: str, user_id: str = "ana") -> list[Claim]:
    return [each.claim for each in await ledger.promotions(tenant_id, user_id)]


async def _jobs(ledger: SqlLedger) -> list[str]:
    jobs = await ledger.lease_jobs([JobKind.PROMOTE], limit=9, lease_s=60.0)
    for job in jobs:
        await ledger.complete_job(job.id)
    return [job.user_id for job in jobs]


async def test_what_is_applied_is_promoted_and_what_is_undone_is_not(
    ledger: SqlLedger, acme: str
) -> None:
    dog = await learn(ledger, acme, "My dog is afraid of thunder.")
    dream = await planned(ledger, acme, promote(FEAR, dog), wish=AUTO)
    assert dream.status is DreamStatus.APPLIED
    applied, told = await _claims(ledger, acme), await _jobs(ledger)

    await ledger.undo_dream(acme, dream.id, user_id=None, actor="test")

    assert (applied, told) == ([FEAR], ["ana"])
    assert await _claims(ledger, acme) == []
    assert await _jobs(ledger) == ["ana"]


async def test_what_rests_on_a_deleted_turn_is_taken_back_and_nothing_else(
    ledger: SqlLedger, acme: str
) -> None:
    dog = await learn(ledger, acme, "My dog is afraid of thunder.")
    cat = await learn(ledger, acme, "My cat loves tuna.")
    await planned(ledger, acme, promote(FEAR, dog), promote(TUNA, cat), wish=AUTO)
    await _jobs(ledger)

    await ledger.delete_turn(acme, dog.sources[0].turn_id, user_id=None, actor="test")

    assert await _claims(ledger, acme) == [TUNA]
    assert await _jobs(ledger) == ["ana"]


async def test_a_tenant_that_is_deleted_leaves_word_to_clear_the_graph(
    ledger: SqlLedger, acme: str
) -> None:
    dog = await learn(ledger, acme, "My dog is afraid of thunder.")
    await planned(ledger, acme, promote(FEAR, dog), wish=AUTO)
    await _jobs(ledger)

    await ledger.delete_tenant(acme, actor="test")

    assert await _claims(ledger, acme) == []
    assert await _jobs(ledger) == ["ana"]


async def test_promotions_are_a_tenants_and_a_users_own(ledger: SqlLedger, acme: str) -> None:
    dog = await learn(ledger, acme, "My dog is afraid of thunder.")
    await planned(ledger, acme, promote(FEAR, dog), wish=AUTO)
    other = await ledger.create_tenant("other", k_anonymity=3, actor="test")

    assert await _claims(ledger, acme, "ben") == []
    assert await _claims(ledger, other.id) == []
