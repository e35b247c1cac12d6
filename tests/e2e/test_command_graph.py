"""`lightmem graph` and the SDK show what users share, with and without a server."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from lightmem.adapters.embedded.sqlite_graph import SqliteKnowledgeGraph
from lightmem.client import AsyncClient
from lightmem.errors import InvalidInput, NotFound
from lightmem.installation import read_installation
from lightmem.model import Relation
from lightmem.settings import Settings
from support.command import Command
from support.graphs import HAS, IS_A, RELATED, claim, supported

THREE = ("ana", "ben", "cho")


@pytest.fixture
async def command(tmp_path: Path) -> Command:
    """The command over a folder whose tenant shares something."""
    made = Command(tmp_path / "data")
    assert (await made.run("graph")).stdout == "nothing is shared yet\n"
    keys = read_installation(made.data_dir)
    assert keys is not None
    graph = SqliteKnowledgeGraph(made.data_dir / "graph.db")
    claims = (
        claim("dog", RELATED, "fear of thunder"),
        claim("dog", HAS, "loyal"),
        claim("spaniel", IS_A, "dog"),
    )
    now = datetime.now(UTC)
    await supported(graph, keys.tenant_id, THREE, *claims, at=now)
    hidden = claim("dog", HAS, "secret")
    await supported(graph, keys.tenant_id, ("dan",), *claims, hidden, at=now)
    await graph.close()
    return made


async def test_the_strongest_concepts_are_listed_with_their_edges(command: Command) -> None:
    done = await command.run("graph")

    assert done.code == 0, done.stderr
    assert "dog (Concept, 4 users, " in done.stdout
    assert "goes with fear of thunder (4 users, " in done.stdout
    assert "secret" not in done.stdout


async def test_a_query_shows_what_is_around_it_as_a_tree(command: Command) -> None:
    tree = await command.run("graph", "dog")
    document = await command.run("graph", "dog", "--json")

    assert tree.stdout.startswith("dog (Concept")
    assert "├── is loyal" in tree.stdout
    assert "└── spaniel (Concept" in tree.stdout
    names = {concept["name"] for concept in document.json()[0]}
    assert names == {"dog", "fear of thunder", "loyal", "spaniel"}


async def test_the_client_reads_and_walks_concepts(command: Command) -> None:
    async with AsyncClient.embedded(Settings(data_dir=command.data_dir)) as client:
        page = await client.concepts("dog", limit=1)
        dog = await client.concept(page.items[0].id)
        around = await client.neighbourhood(dog.id, depth=2)
        with pytest.raises(NotFound):
            await client.concept("00000000-0000-4000-8000-000000000000")
        with pytest.raises(InvalidInput):
            await client.neighbourhood(dog.id, depth=3)

    assert {(edge.relation, edge.target_name) for edge in dog.edges} == {
        (Relation.RELATED_TO, "fear of thunder"),
        (Relation.HAS_PROPERTY, "loyal"),
    }
    assert around.items[0].name == "dog"
    assert {each.depth for each in around.items[1:]} == {1}
