"""What every long-term graph promises: the SQLite twin and Neo4j, one suite."""

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import numpy as np
import pytest

from lightmem.adapters.embedded.sqlite_graph import SqliteKnowledgeGraph
from lightmem.adapters.neo4j import EMBEDDING_DIM, Neo4jKnowledgeGraph
from lightmem.domain.concepts import HALF_LIFE, LAPSE, supporter_of, weight_of
from lightmem.errors import GraphUnavailable
from lightmem.model import Concept, Health
from lightmem.ports import KnowledgeGraph
from support.backends import backend_url
from support.forwarder import forwarder_to
from support.graphs import HAS, IMPLIES, IS_A, RELATED, SECRET, claim, id_of, supported, term
from support.indexes import NOON

THREE = ("ana", "ben", "cho")
TEA = claim("green tea", IS_A, "drink")
CALM = claim("green tea", HAS, "calming")
SLEEP = claim("drink", IMPLIES, "sleep")


def _neo4j() -> Neo4jKnowledgeGraph:
    return Neo4jKnowledgeGraph(backend_url("neo4j"), user=None, password=None)


@pytest.fixture(params=["sqlite", pytest.param("neo4j", marks=pytest.mark.server)])
async def graph(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[KnowledgeGraph]:
    opened: KnowledgeGraph = (
        SqliteKnowledgeGraph(tmp_path / "graph.db") if request.param == "sqlite" else _neo4j()
    )
    await opened.ensure_schema()
    yield opened
    await opened.close()


@pytest.fixture
def tenant_id() -> str:
    return str(uuid4())


async def _named(graph: KnowledgeGraph, tenant_id: str, *names: str, k: int = 3) -> list[str]:
    found = await graph.find(tenant_id, names, min_support=k, limit=10)
    return [concept.name for concept in found]


async def _forget(graph: KnowledgeGraph, tenant_id: str, user_id: str) -> int:
    return await graph.withdraw_user(tenant_id, supporter_of(SECRET, tenant_id, user_id))


# --- what is served ---------------------------------------------------------------------------


async def test_a_concept_is_found_by_its_name_whatever_its_case_and_spacing(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    await supported(graph, tenant_id, THREE, TEA)

    found = await graph.find(tenant_id, [" Green  TEA", "Porto"], min_support=3, limit=5)

    assert [(each.name, each.support, each.type) for each in found] == [("green tea", 3, "Concept")]
    assert found[0].weight == pytest.approx(weight_of([0.0, 0.0, 0.0]))


async def test_the_strongest_come_first_and_at_most_limit(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    await supported(graph, tenant_id, THREE, TEA)
    await supported(graph, tenant_id, ["dan"], claim("drink", HAS, "warm"))

    assert await _named(graph, tenant_id, "green tea", "drink") == ["drink", "green tea"]
    found = await graph.find(tenant_id, ["green tea", "drink"], min_support=3, limit=1)
    assert [each.name for each in found] == ["drink"]


async def test_nothing_is_served_before_enough_users_support_it(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    await supported(graph, tenant_id, THREE[:2], TEA)

    ids = [id_of(tenant_id, "green tea"), id_of(tenant_id, "drink")]
    assert await _named(graph, tenant_id, "green tea", "drink") == []
    assert await graph.concepts(tenant_id, ids, min_support=3) == []
    assert await graph.edges_of(tenant_id, ids, min_support=3, limit=9) == []
    assert await graph.matching(tenant_id, [], min_support=3, limit=9) == []
    assert await graph.matching(tenant_id, ["tea"], min_support=3, limit=9) == []
    assert await graph.is_empty(tenant_id, min_support=3)
    assert await _named(graph, tenant_id, "green tea", k=2) == ["green tea"]


async def test_one_user_counts_once_however_often_he_says_it(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    for _ in range(5):
        await supported(graph, tenant_id, ["ana"], TEA, TEA)

    assert await _named(graph, tenant_id, "green tea", k=2) == []
    assert await _named(graph, tenant_id, "green tea", k=1) == ["green tea"]


async def test_an_edge_needs_as_much_support_as_its_ends(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    await supported(graph, tenant_id, THREE[:2], TEA, CALM)
    await supported(graph, tenant_id, THREE[2:], TEA, claim("rain", HAS, "calming"))

    ids = [id_of(tenant_id, name) for name in ("green tea", "calming", "drink")]
    edges = await graph.edges_of(tenant_id, ids, min_support=3, limit=9)

    assert await _named(graph, tenant_id, "calming") == ["calming"]
    assert [(e.source_name, e.relation, e.target_name, e.support) for e in edges] == [
        ("green tea", IS_A, "drink", 3)
    ]


async def test_edges_come_strongest_first_each_once_and_at_most_limit(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    await supported(graph, tenant_id, THREE, TEA, CALM)
    await supported(graph, tenant_id, ["dan"], CALM)
    ids = [id_of(tenant_id, name) for name in ("green tea", "calming", "drink")]

    edges = await graph.edges_of(tenant_id, ids, min_support=3, limit=9)

    assert [(e.relation, e.target_name, e.support) for e in edges] == [
        (HAS, "calming", 4),
        (IS_A, "drink", 3),
    ]
    assert await graph.edges_of(tenant_id, ids, min_support=3, limit=1) == edges[:1]


async def test_related_things_are_so_in_both_directions(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    await supported(graph, tenant_id, THREE[:2], claim("dog", RELATED, "thunder"))
    await supported(graph, tenant_id, THREE[2:], claim("thunder", RELATED, "dog"))

    [edge] = await graph.edges_of(tenant_id, [id_of(tenant_id, "dog")], min_support=3, limit=9)

    assert edge.support == 3


async def test_a_name_is_served_when_enough_users_gave_this_one(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    other = claim(term("green tea", said="matcha"), IS_A, "drink")
    await supported(graph, tenant_id, THREE, TEA)
    await supported(graph, tenant_id, ["dan", "eva"], other)

    [found] = await graph.find(tenant_id, ["green tea"], min_support=3, limit=5)
    assert (found.name, found.support, found.aliases) == ("green tea", 5, ())
    assert await _named(graph, tenant_id, "matcha") == []

    await supported(graph, tenant_id, ["fay"], other)
    [found] = await graph.find(tenant_id, ["matcha"], min_support=3, limit=5)
    assert (found.name, found.support, set(found.aliases)) in (
        ("green tea", 6, {"matcha"}),
        ("matcha", 6, {"green tea"}),
    )


async def test_an_edge_counts_those_alone_who_said_its_very_words(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    other = claim(term("green tea", said="matcha"), IS_A, "drink")
    await supported(graph, tenant_id, THREE[:2], TEA)
    await supported(graph, tenant_id, ["dan", "eva"], other)
    await supported(graph, tenant_id, ["fay"], claim("green tea", HAS, "warm"))

    edges = await graph.edges_of(tenant_id, [id_of(tenant_id, "green tea")], min_support=3, limit=9)

    assert edges == []


async def test_a_node_without_a_name_of_enough_users_is_not_served(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    for user, said in zip(THREE, ("matcha", "sencha", "gyokuro"), strict=True):
        linked = claim(term("green tea", said=said), IS_A, "drink")
        await supported(graph, tenant_id, [user], linked)

    assert await graph.concepts(tenant_id, [id_of(tenant_id, "green tea")], min_support=3) == []
    assert await _named(graph, tenant_id, "drink") == ["drink"]


async def test_concepts_are_matched_by_words_of_their_names(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    await supported(graph, tenant_id, THREE, TEA, claim("black tea", IS_A, "drink"))

    both = await graph.matching(tenant_id, ["green", "tea"], min_support=3, limit=9)
    every = await graph.matching(tenant_id, [], min_support=3, limit=9)

    assert [each.name for each in both] == ["green tea", "black tea"]
    assert {each.name for each in every} == {"green tea", "black tea", "drink"}


async def test_operators_of_a_search_engine_are_words(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    await supported(graph, tenant_id, THREE, TEA)

    for odd in ("tea* OR name:*", '"', "\\", "+tea -tea", "tea~", "[a TO z]", "AND", "*"):
        assert await graph.matching(tenant_id, [odd], min_support=3, limit=9) == []


async def test_a_tenant_finds_only_its_own_concepts(graph: KnowledgeGraph, tenant_id: str) -> None:
    other = str(uuid4())
    await supported(graph, tenant_id, THREE, TEA)
    await supported(graph, other, THREE[:2], TEA)

    assert await _named(graph, tenant_id, "green tea") == ["green tea"]
    assert await _named(graph, other, "green tea") == []
    theirs = [id_of(tenant_id, "green tea")]
    assert await graph.concepts(other, theirs, min_support=1) == []
    assert await graph.edges_of(other, theirs, min_support=1, limit=9) == []
    assert id_of(tenant_id, "green tea") != id_of(other, "green tea")


async def test_no_names_find_nothing(graph: KnowledgeGraph, tenant_id: str) -> None:
    await supported(graph, tenant_id, THREE, TEA)

    assert await graph.find(tenant_id, [], min_support=1, limit=5) == []
    assert await graph.concepts(tenant_id, [], min_support=1) == []
    assert await graph.edges_of(tenant_id, [], min_support=1, limit=5) == []


async def test_a_name_with_quotes_is_a_name_and_no_query(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    odd = "o'neil \"]) detach delete c //"
    await supported(graph, tenant_id, THREE, claim(odd, IS_A, "drink"))

    assert await _named(graph, tenant_id, odd) == [odd]


# --- support taken back -----------------------------------------------------------------------


async def test_what_falls_below_when_a_user_is_withdrawn_is_no_longer_served(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    await supported(graph, tenant_id, THREE, TEA)
    before = await graph.concepts(tenant_id, [id_of(tenant_id, "drink")], min_support=1)
    supporter = supporter_of(SECRET, tenant_id, "ben")
    assert await graph.support_of(tenant_id, supporter) == 5
    assert len(await graph.supported_by(tenant_id, supporter)) == 5
    assert id_of(tenant_id, "drink") in await graph.supported_by(tenant_id, supporter)

    removed = await _forget(graph, tenant_id, "ben")

    assert removed == 5
    assert await graph.support_of(tenant_id, supporter) == 0
    assert await _named(graph, tenant_id, "green tea", "drink") == []
    [left] = await graph.concepts(tenant_id, [id_of(tenant_id, "drink")], min_support=1)
    assert (left.support, left.weight < before[0].weight) == (2, True)
    assert left.weight == pytest.approx(weight_of([0.0, 0.0]))


async def test_what_nobody_supports_any_more_is_gone(graph: KnowledgeGraph, tenant_id: str) -> None:
    await supported(graph, tenant_id, ["ana"], TEA, CALM)

    await _forget(graph, tenant_id, "ana")

    assert await graph.supporters(tenant_id) == {}
    assert await graph.matching(tenant_id, [], min_support=0, limit=9) == []
    assert await graph.without_embedding(tenant_id, "e1", limit=9) == {}
    assert await _forget(graph, tenant_id, "ana") == 0


async def test_a_user_supports_what_he_supports_now_and_nothing_else(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    await supported(graph, tenant_id, THREE, TEA, CALM)

    await supported(graph, tenant_id, ["ana"], CALM)

    assert await _named(graph, tenant_id, "drink") == []
    assert await _named(graph, tenant_id, "calming", "green tea") == ["calming", "green tea"] or (
        set(await _named(graph, tenant_id, "calming", "green tea")) == {"calming", "green tea"}
    )


async def test_doing_it_again_changes_nothing(graph: KnowledgeGraph, tenant_id: str) -> None:
    async def state() -> tuple[list[Concept], dict[str, int]]:
        every = await graph.matching(tenant_id, [], min_support=1, limit=99)
        return every, await graph.supporters(tenant_id)

    await supported(graph, tenant_id, THREE, TEA, CALM)
    before = await state()

    await supported(graph, tenant_id, THREE, TEA, CALM)

    assert await state() == before


async def test_users_who_write_at_once_are_all_counted(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    users = [f"user {number}" for number in range(12)]

    await asyncio.gather(*(supported(graph, tenant_id, [user], TEA, CALM) for user in users))

    [found] = await graph.find(tenant_id, ["green tea"], min_support=12, limit=5)
    assert found.support == 12
    assert len(await graph.supporters(tenant_id)) == 12


# --- time -------------------------------------------------------------------------------------


async def test_weight_falls_with_time_and_what_lapses_is_removed(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    await supported(graph, tenant_id, THREE, TEA)
    ids = [id_of(tenant_id, "drink")]
    weights = []

    for halves in range(5):
        await graph.decay(now=NOON + halves * HALF_LIFE)
        [concept] = await graph.concepts(tenant_id, ids, min_support=3)
        weights.append(concept.weight)
    await graph.decay(now=NOON + LAPSE + timedelta(seconds=1))

    assert weights == sorted(weights, reverse=True)
    assert len(set(weights)) == 5
    assert weights[1] == pytest.approx(weight_of([HALF_LIFE.total_seconds()] * 3))
    assert await graph.concepts(tenant_id, ids, min_support=1) == []
    assert await graph.supporters(tenant_id) == {}


async def test_what_is_still_said_stays_when_older_support_lapses(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    later = NOON + LAPSE
    await supported(graph, tenant_id, ["ana"], TEA, CALM)
    await supported(graph, tenant_id, ["ben", "cho", "dan"], TEA, at=later)

    removed = await graph.decay(now=later + timedelta(seconds=1))

    [found] = await graph.find(tenant_id, ["drink"], min_support=1, limit=5)
    assert found.support == 3
    assert await _named(graph, tenant_id, "calming", k=1) == []
    assert removed >= 2


async def test_support_that_has_lapsed_is_not_given_again(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    await supported(graph, tenant_id, THREE, TEA, at=NOON, now=NOON + 2 * LAPSE)

    assert await graph.supporters(tenant_id) == {}
    assert await graph.is_empty(tenant_id, min_support=1)


# --- vectors ----------------------------------------------------------------------------------


async def test_served_concepts_are_found_by_their_vectors(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    await supported(graph, tenant_id, THREE, TEA)
    await supported(graph, tenant_id, ["ana", "ben"], TEA, claim("coffee", IS_A, "drink"))
    names = await graph.without_embedding(tenant_id, "e1", limit=9)
    axes = np.eye(EMBEDDING_DIM, dtype=np.float32)
    order = ["green tea", "drink", "coffee"]
    vectors = {key: axes[order.index(name)].tolist() for key, name in names.items()}

    await graph.embed(tenant_id, "e1", vectors)
    wanted = (0.6 * axes[0] + 0.8 * axes[2]).tolist()
    found = await graph.nearest(tenant_id, "e1", wanted, min_support=3, limit=9)

    assert sorted(names.values()) == sorted(order)
    assert [(each.name, round(score, 3)) for each, score in found] == [
        ("green tea", 0.6),
        ("drink", 0.0),
    ]
    assert await graph.nearest(tenant_id, "e2", wanted, min_support=3, limit=9) == []
    assert await graph.without_embedding(tenant_id, "e1", limit=9) == {}
    assert len(await graph.without_embedding(tenant_id, "e2", limit=2)) == 2


# --- the store --------------------------------------------------------------------------------


async def test_making_the_schema_again_keeps_what_is_stored(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    await supported(graph, tenant_id, THREE, TEA)

    await graph.ensure_schema()

    assert await _named(graph, tenant_id, "green tea") == ["green tea"]


async def test_a_graph_that_answers_is_healthy(graph: KnowledgeGraph) -> None:
    assert await graph.check() == Health("graph", "ok")


async def test_concepts_survive_a_new_start_of_the_twin(tmp_path: Path) -> None:
    first = SqliteKnowledgeGraph(tmp_path / "graph.db")
    await first.ensure_schema()
    await supported(first, "t1", THREE, TEA)
    await first.close()

    second = SqliteKnowledgeGraph(tmp_path / "graph.db")
    found = await _named(second, "t1", "green tea")
    await second.close()

    assert found == ["green tea"]


async def test_a_twin_whose_file_is_no_database_says_that_it_is_down(tmp_path: Path) -> None:
    (tmp_path / "graph.db").write_bytes(b"no database at all, only words " * 50)
    graph = SqliteKnowledgeGraph(tmp_path / "graph.db")

    with pytest.raises(GraphUnavailable):
        await graph.find("t1", ["tea"], min_support=1, limit=5)

    assert (await graph.check()).status == "down"
    await graph.close()


@pytest.mark.server
async def test_neo4j_has_the_constraint_and_the_vector_and_text_indexes() -> None:
    graph = _neo4j()
    await graph.ensure_schema()

    async with graph._bolt.driver.session() as session:
        result = await session.run(
            "SHOW INDEXES YIELD name, type, options RETURN name, type, options"
        )
        indexes = {row["name"]: row async for row in result}
    await graph.close()

    assert indexes["name_words"]["type"] == "FULLTEXT"
    assert indexes["knowledge_embedding_384"]["type"] == "VECTOR"
    config = indexes["knowledge_embedding_384"]["options"]["indexConfig"]
    assert config["vector.dimensions"] == EMBEDDING_DIM
    assert config["vector.similarity_function"].lower() == "cosine"
    assert {"knowledge_identity", "name_identity", "support_identity"} <= indexes.keys()


@pytest.mark.server
async def test_processes_that_start_together_make_one_schema() -> None:
    graphs = [_neo4j() for _ in range(6)]
    names = ("knowledge_embedding_384", "name_words", "name_key")
    async with graphs[0]._bolt.driver.session() as session:
        for name in names:
            await session.run(f"DROP INDEX {name} IF EXISTS")

    await asyncio.gather(*(graph.ensure_schema() for graph in graphs))

    async with graphs[0]._bolt.driver.session() as session:
        result = await session.run("SHOW INDEXES YIELD name RETURN name")
        made = [row["name"] async for row in result]
    for graph in graphs:
        await graph.close()
    assert sorted(set(made) & set(names)) == sorted(names)


@pytest.mark.server
async def test_neo4j_fails_fast_while_it_is_away_and_recovers_by_itself(tenant_id: str) -> None:
    target = urlsplit(backend_url("neo4j"))
    async with forwarder_to(target.hostname or "", target.port or 0) as wire:
        graph = Neo4jKnowledgeGraph(f"bolt://127.0.0.1:{wire.port}", user=None, password=None)
        await graph.ensure_schema()
        await supported(graph, tenant_id, THREE, TEA)

        await wire.cut()
        began = time.monotonic()
        with pytest.raises(GraphUnavailable):
            await graph.find(tenant_id, ["green tea"], min_support=1, limit=5)
        assert time.monotonic() - began < 1.0
        assert (await graph.check()).status == "down"

        await wire.mend()
        found = await _named(graph, tenant_id, "green tea")
        await graph.close()

    assert found == ["green tea"]


@pytest.mark.server
async def test_a_connection_gone_stale_between_two_calls_is_not_noticed(tenant_id: str) -> None:
    target = urlsplit(backend_url("neo4j"))
    async with forwarder_to(target.hostname or "", target.port or 0) as wire:
        graph = Neo4jKnowledgeGraph(f"bolt://127.0.0.1:{wire.port}", user=None, password=None)
        await graph.ensure_schema()
        await supported(graph, tenant_id, THREE, TEA)

        await wire.cut()
        await wire.mend()
        found = await _named(graph, tenant_id, "green tea")
        await graph.close()

    assert found == ["green tea"]
