"""The doctor finds what was damaged and mends it; the sweep finds what came back."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest

from lightmem.adapters.ledger import SqlLedger
from lightmem.bootstrap import Services, open_services
from lightmem.domain.concepts import supporter_of
from lightmem.domain.supporting import support_from
from lightmem.errors import IndexUnavailable
from lightmem.model import (
    Claim,
    ConceptType,
    DreamAction,
    DreamPolicy,
    IndexPoint,
    Item,
    ItemKind,
    Job,
    JobKind,
    Layer,
    NameSupport,
    OperationStatus,
    PlannedStep,
    RecallFilters,
    View,
)
from lightmem.ports.dreams import DreamWish
from lightmem.settings import Settings
from lightmem.upkeep.support import ExamineSupport
from support.backends import backend_url
from support.dreams import planned, refs
from support.graphs import RELATED, claim, promotions
from support.indexes import LEXICAL
from support.ledgers import learn, said
from support.turns import a_turn

ANY = RecallFilters()
FEAR = claim("dog", RELATED, "fear of thunder")
TUNA = claim("cat", RELATED, "tuna")


@pytest.fixture
async def services(tmp_path: Path) -> AsyncIterator[Services]:
    """The embedded system, whose jobs nobody does."""
    async with open_services(Settings(data_dir=tmp_path, model_url="")) as opened:
        yield opened


@pytest.fixture
async def tenant(services: Services) -> str:
    return (await services.ledger.create_tenant("acme", k_anonymity=3, actor="test")).id


async def say(services: Services, tenant: str, *contents: str, user_id: str = "ana") -> list[str]:
    """Turns that are stored, indexed and at hand, with no job left."""
    accepted = await services.ledger.append_turns(
        tenant, user_id, "s1", [said(content) for content in contents], actor="test"
    )
    await services.indexing.index_turns(tenant, user_id, accepted.turn_ids)
    await services.short_term.append(tenant, user_id, accepted.turns)
    for job in await services.ledger.lease_jobs(list(JobKind), limit=10, lease_s=1):
        await services.ledger.complete_job(job.id)
    if accepted.index_job_id is not None:
        await services.ledger.complete_job(accepted.index_job_id)
    return list(accepted.turn_ids)


def words_point(item_id: str, text: str) -> IndexPoint:
    item = Item(id=item_id, layer=Layer.MID_TERM, kind=ItemKind.TURN, text=text, score=0.0)
    return IndexPoint(item, {View.BM25: LEXICAL.document(text)})


async def numbers(services: Services, *, repair: bool = False) -> dict[str, tuple[int, int, int]]:
    """What the doctor says of whatever is not as it ought to be."""
    report = await services.upkeep.doctor(repair=repair)
    return {
        check.name: (check.expected, check.found, check.repaired)
        for check in report.checks
        if not check.ok or check.repaired
    }


async def test_a_healthy_system_has_nothing_to_mend(services: Services, tenant: str) -> None:
    await say(services, tenant, "One.", "Two.")

    assert await numbers(services) == {}


async def test_what_is_missing_stale_or_surplus_is_found_and_mended(
    services: Services, tenant: str
) -> None:
    missing, stale, bare, _ = await say(services, tenant, "One.", "Two.", "Three.", "Four.")
    await services.index.delete(tenant, "ana", [missing, bare])
    await services.index.upsert(tenant, "ana", [words_point(stale, "Something else.")])
    await services.index.insert(tenant, "ana", [words_point(bare, "Three.")])
    await services.index.upsert(tenant, "ana", [words_point("gone", "Never said.")])
    await services.index.upsert(tenant, "nobody", [words_point("gone too", "By nobody.")])
    await services.short_term.append(tenant, "ana", [a_turn("Never said.", number=9)])

    found = await numbers(services)
    mended = await numbers(services, repair=True)

    assert found == {
        "index.turns": (4, 3, 0),
        "index.stale": (0, 1, 0),
        "index.unencoded": (0, 1, 0),
        "index.surplus": (0, 2, 0),
        "short_term.stale": (0, 1, 0),
    }
    assert {name: (*pair[:2], 0) for name, pair in mended.items()} == found
    assert await numbers(services) == {}
    assert [item.text for item in await services.index.get(tenant, "ana", [stale])] == ["Two."]


async def test_work_under_way_is_no_illness(services: Services, tenant: str) -> None:
    await services.ledger.append_turns(tenant, "ana", "s1", [said("Later.")], actor="test")

    assert await numbers(services) == {}


async def test_a_sweep_takes_out_what_a_dead_process_put_back(
    services: Services, tenant: str
) -> None:
    (kept,) = await say(services, tenant, "Kept.")
    await services.index.upsert(tenant, "ana", [words_point("gone", "Put back.")])
    await services.short_term.append(tenant, "ana", [a_turn("Put back.", number=9)])

    await services.runner.attend(Job("j", JobKind.SWEEP, tenant, "ana", {}, 1), lease_s=30)

    page = await services.index.entries(tenant, "ana", limit=9, cursor=None)
    assert [entry.id for entry in page.items] == [kept]
    assert await services.short_term.ids(tenant, "ana") == {kept}


async def test_an_erasure_that_finds_a_store_down_is_ended_by_its_job(
    services: Services, tenant: str
) -> None:
    await say(services, tenant, "One.")
    erase = services.upkeep.erase
    begun = await erase.begin(tenant, "ana", actor="test")
    whole, erase._index = erase._index, DownIndex()  # type: ignore[assignment]

    with pytest.raises(IndexUnavailable):
        await erase.end(begun)
    running = await services.ledger.get_operation(tenant, begun.id)
    erase._index = whole
    job = Job("j", JobKind.ERASE, tenant, "ana", {"operation_id": begun.id}, 1)
    await services.runner.attend(job, lease_s=30)

    assert running.status is OperationStatus.RUNNING
    ended = await services.ledger.get_operation(tenant, begun.id)
    assert ended.result is not None
    stores = {one["store"]: one for one in ended.result["stores"]}
    assert stores["qdrant"] == {"store": "qdrant", "removed": 1, "remaining": 0}
    assert stores["redis"]["removed"] == 1
    assert await services.index.count(tenant, "ana") == 0


async def test_support_of_nobody_is_found_and_withdrawn(services: Services, tenant: str) -> None:
    supporter = supporter_of(services.secret, tenant, "nobody")
    now = services.clock.now()
    name = NameSupport("n", "node", ConceptType.ENTITY, "Lisbon", now)
    await services.graph.replace_support(tenant, supporter, [name], [], now=now)

    found = await numbers(services, repair=True)

    assert found == {"graph.supporters_of_nobody": (0, 1, 1)}
    assert await services.graph.support_of(tenant, supporter) == 0


async def test_who_begins_while_the_doctor_looks_is_not_taken_for_nobody(
    services: Services, tenant: str
) -> None:
    async def settle(tenant_id: str, user_id: str) -> None:
        raise AssertionError("nobody has anything to settle")

    examine = ExamineSupport(
        ledger=services.ledger,
        graph=services.graph,
        settle=settle,
        clock=services.clock,
        secret=services.secret,
    )
    supporter = supporter_of(services.secret, tenant, "ana")
    now = services.clock.now()
    name = NameSupport("n", "node", ConceptType.ENTITY, "dog", now)

    await examine.begin(tenant)
    await services.graph.replace_support(tenant, supporter, [name], [], now=now)
    strangers = await examine.strangers(tenant, repair=True)

    assert strangers == 0
    assert await services.graph.support_of(tenant, supporter) > 0


@pytest.fixture(params=["sqlite", pytest.param("neo4j", marks=pytest.mark.server)])
async def sharing(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Services]:
    """The embedded system over either graph."""
    graph_url = backend_url("neo4j") if request.param == "neo4j" else ""
    settings = Settings(data_dir=tmp_path, model_url="", graph_url=graph_url)
    async with open_services(settings) as opened:
        yield opened


async def test_a_graph_that_is_lost_is_made_anew_from_what_was_promoted(sharing: Services) -> None:
    acme = (await sharing.ledger.create_tenant("acme", k_anonymity=3, actor="test")).id
    users = ("ana", "ben", "cho")
    for user_id in users:
        await promote(sharing, acme, user_id, FEAR)
    before, whole = await served(sharing, acme), await numbers(sharing)
    for supporter in await sharing.graph.supporters(acme):
        await sharing.graph.withdraw_user(acme, supporter)
    wiped = await served(sharing, acme)

    found = await numbers(sharing)
    mended = await numbers(sharing, repair=True)

    assert (whole, wiped) == ({}, [])
    assert found == {"graph.support": (15, 0, 0)}
    assert mended == {"graph.support": (15, 0, 15)}
    assert await served(sharing, acme) == before
    assert {name for name, *_ in before} == {"dog", "fear of thunder"}
    assert await numbers(sharing) == {}


async def test_support_that_no_promotion_gave_is_taken_out(sharing: Services) -> None:
    acme = (await sharing.ledger.create_tenant("acme", k_anonymity=1, actor="test")).id
    await promote(sharing, acme, "ana", FEAR)
    before = await served(sharing, acme)
    now = sharing.clock.now()
    names, edges = support_from(sharing.secret, acme, promotions(FEAR, TUNA, at=now))
    supporter = supporter_of(sharing.secret, acme, "ana")
    await sharing.graph.replace_support(acme, supporter, names, edges, now=now)

    mended = await numbers(sharing, repair=True)

    assert mended == {"graph.surplus_support": (0, 5, 5)}
    assert await served(sharing, acme) == before


async def test_a_promotion_under_way_is_no_illness(sharing: Services) -> None:
    acme = (await sharing.ledger.create_tenant("acme", k_anonymity=3, actor="test")).id
    await promote(sharing, acme, "ana", FEAR, settle=False)

    assert await numbers(sharing) == {}


async def promote(
    services: Services, tenant: str, user_id: str, what: Claim, *, settle: bool = True
) -> None:
    """An applied dream that promotes a claim, with no job left but perhaps the settling."""
    texts = ("My dog is afraid of thunder.", "My dog is scared of thunder.")
    ledger = cast(SqlLedger, services.ledger)
    memories = [await learn(ledger, tenant, text, user_id=user_id) for text in texts]
    evidence = [source.turn_id for memory in memories for source in memory.sources]
    step = PlannedStep(DreamAction.PROMOTE, refs(*memories), claim=what, evidence=evidence)
    wish = DreamWish(DreamPolicy.AUTO)
    await planned(ledger, tenant, step, user_id=user_id, wish=wish)
    await services.indexing.index_turns(tenant, user_id, evidence)
    ids = [memory.id for memory in memories]
    await services.indexing.index_memories(tenant, user_id, ids)
    for job in await services.ledger.lease_jobs(list(JobKind), limit=99, lease_s=60):
        if job.kind is not JobKind.PROMOTE:
            await services.ledger.complete_job(job.id)
        elif settle:
            await services.runner.attend(job, lease_s=60)


async def served(services: Services, tenant: str) -> list[tuple[str, int, float]]:
    """Everything that the tenant is served: name, support and weight."""
    k = (await services.ledger.get_tenant(tenant)).k_anonymity
    found = await services.graph.matching(tenant, [], min_support=k, limit=99)
    return [(each.name, each.support, round(each.weight, 3)) for each in found]


class DownIndex:
    """An index that does not answer."""

    async def count(self, tenant_id: str, user_id: str | None = None) -> int:
        raise IndexUnavailable("the index did not answer")
