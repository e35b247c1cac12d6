"""What every long-term graph promises: the SQLite twin and Neo4j, one suite."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from lightmem.adapters.embedded.graph import SqliteKnowledgeGraph
from lightmem.adapters.neo4j import EMBEDDING_DIM, Neo4jKnowledgeGraph
from lightmem.errors import GraphUnavailable
from lightmem.model import Concept, Health
from lightmem.ports import KnowledgeGraph
from support.backends import backend_url
from support.forwarder import forwarder_to

TEA = Concept("c1", "Concept", "Green tea", "A drink of unfermented leaves", 4, 0.9)
LISBON = Concept("c2", "Entity", "Lisbon", "A city at the Tagus", 3, 0.7)


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


async def test_a_concept_is_found_by_its_name_whatever_its_case_and_spacing(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    await graph.upsert_concepts(tenant_id, [TEA, LISBON])

    found = await graph.find(tenant_id, [" green  TEA", "Porto"], min_support=1, limit=5)

    assert found == [TEA]


async def test_the_strongest_come_first_and_equal_ones_by_id(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    twin = Concept("c0", "Concept", "green tea", "A colour", 4, 0.9)
    weak = Concept("a", "Concept", "GREEN TEA", "A shade", 9, 0.1)
    await graph.upsert_concepts(tenant_id, [weak, TEA, twin])

    found = await graph.find(tenant_id, ["green tea"], min_support=1, limit=5)

    assert found == [twin, TEA, weak]


async def test_at_most_limit_are_returned(graph: KnowledgeGraph, tenant_id: str) -> None:
    await graph.upsert_concepts(tenant_id, [TEA, LISBON])

    found = await graph.find(tenant_id, ["lisbon", "green tea"], min_support=1, limit=1)

    assert found == [TEA]


async def test_nothing_under_the_minimal_support_is_served(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    await graph.upsert_concepts(tenant_id, [TEA, LISBON])

    found = await graph.find(tenant_id, ["lisbon", "green tea"], min_support=4, limit=5)

    assert found == [TEA]


async def test_a_tenant_finds_only_its_own_concepts(graph: KnowledgeGraph, tenant_id: str) -> None:
    other = str(uuid4())
    other_tea = Concept("c1", "Concept", "Green tea", "Theirs", 3, 0.2)
    await graph.upsert_concepts(tenant_id, [TEA])
    await graph.upsert_concepts(other, [other_tea])

    assert await graph.find(tenant_id, ["green tea"], min_support=1, limit=5) == [TEA]
    assert await graph.find(other, ["green tea"], min_support=1, limit=5) == [other_tea]


async def test_storing_a_concept_again_replaces_it(graph: KnowledgeGraph, tenant_id: str) -> None:
    again = Concept("c1", "Entity", "Sencha", "A green tea", 2, 0.5)
    await graph.upsert_concepts(tenant_id, [TEA])

    await graph.upsert_concepts(tenant_id, [again])

    found = await graph.find(tenant_id, ["green tea", "sencha"], min_support=1, limit=5)
    assert found == [again]


async def test_no_names_find_nothing(graph: KnowledgeGraph, tenant_id: str) -> None:
    await graph.upsert_concepts(tenant_id, [TEA])

    assert await graph.find(tenant_id, [], min_support=1, limit=5) == []


async def test_making_the_schema_again_keeps_what_is_stored(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    await graph.upsert_concepts(tenant_id, [TEA])

    await graph.ensure_schema()

    assert await graph.find(tenant_id, ["green tea"], min_support=1, limit=5) == [TEA]


async def test_a_graph_that_answers_is_healthy(graph: KnowledgeGraph) -> None:
    assert await graph.check() == Health("graph", "ok")


async def test_a_name_with_quotes_is_a_name_and_no_query(
    graph: KnowledgeGraph, tenant_id: str
) -> None:
    odd = Concept("c3", "Entity", "O'Neil \"]) DETACH DELETE c //", "Odd", 3, 0.5)
    await graph.upsert_concepts(tenant_id, [odd])

    assert await graph.find(tenant_id, [odd.name], min_support=1, limit=5) == [odd]


async def test_concepts_survive_a_new_start_of_the_twin(tmp_path: Path) -> None:
    first = SqliteKnowledgeGraph(tmp_path / "graph.db")
    await first.ensure_schema()
    await first.upsert_concepts("t1", [TEA])
    await first.close()

    second = SqliteKnowledgeGraph(tmp_path / "graph.db")
    found = await second.find("t1", ["green tea"], min_support=1, limit=5)
    await second.close()

    assert found == [TEA]


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

    async with graph._driver.session() as session:
        result = await session.run(
            "SHOW INDEXES YIELD name, type, options RETURN name, type, options"
        )
        indexes = {row["name"]: row async for row in result}
    await graph.close()

    assert indexes["concept_text"]["type"] == "FULLTEXT"
    assert indexes["concept_embedding"]["type"] == "VECTOR"
    config = indexes["concept_embedding"]["options"]["indexConfig"]
    assert config["vector.dimensions"] == EMBEDDING_DIM
    assert config["vector.similarity_function"].lower() == "cosine"
    assert "concept_identity" in indexes


@pytest.mark.server
async def test_processes_that_start_together_make_one_schema() -> None:
    graphs = [_neo4j() for _ in range(6)]
    names = ("concept_embedding", "concept_text", "concept_key")
    async with graphs[0]._driver.session() as session:
        for name in names:
            await session.run(f"DROP INDEX {name} IF EXISTS")

    await asyncio.gather(*(graph.ensure_schema() for graph in graphs))

    async with graphs[0]._driver.session() as session:
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
        await graph.upsert_concepts(tenant_id, [TEA])

        await wire.cut()
        began = time.monotonic()
        with pytest.raises(GraphUnavailable):
            await graph.find(tenant_id, ["green tea"], min_support=1, limit=5)
        assert time.monotonic() - began < 1.0
        assert (await graph.check()).status == "down"

        await wire.mend()
        found = await graph.find(tenant_id, ["green tea"], min_support=1, limit=5)
        await graph.close()

    assert found == [TEA]


@pytest.mark.server
async def test_a_connection_gone_stale_between_two_calls_is_not_noticed(tenant_id: str) -> None:
    target = urlsplit(backend_url("neo4j"))
    async with forwarder_to(target.hostname or "", target.port or 0) as wire:
        graph = Neo4jKnowledgeGraph(f"bolt://127.0.0.1:{wire.port}", user=None, password=None)
        await graph.ensure_schema()
        await graph.upsert_concepts(tenant_id, [TEA])

        await wire.cut()
        await wire.mend()
        found = await graph.find(tenant_id, ["green tea"], min_support=1, limit=5)
        await graph.close()

    assert found == [TEA]
