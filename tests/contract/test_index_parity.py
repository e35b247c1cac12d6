"""The same points and questions give the same answer in every index."""

import random
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from lightmem.model import Item, RecallFilters
from lightmem.ports import MemoryIndex
from support.indexes import INDEX_KINDS, NOON, Said, ask, open_index, points_of

WORDS = ["tea", "coffee", "honey", "sugar", "Lisbon", "Porto", "walk", "run", "rain", "green"]


def conversation(seed: int) -> list[Said]:
    """Two hundred made-up turns, some of them alike."""
    generator = random.Random(seed)
    return [
        Said(
            id=f"{seed}-{number:03}",
            text=" ".join(generator.choices(WORDS, k=generator.randint(1, 9))),
            at=NOON + timedelta(hours=number),
            session_id=f"s{number % 7}",
        )
        for number in range(200)
    ]


async def answers(index: MemoryIndex) -> list[list[Item]]:
    """What an index answers to a handful of questions, deleted and replaced points included."""
    said = conversation(1)
    await index.upsert("acme", "u1", points_of(*said))
    await index.upsert("acme", "u2", points_of(*conversation(2)))
    await index.upsert("acme", "u1", points_of(*said[50:80]))
    await index.delete("acme", "u1", [one.id for one in said[20:30]])
    filters = RecallFilters(start=NOON + timedelta(hours=10), session_ids=["s1", "s2", "s3"])
    found = []
    for question in ("green tea in Lisbon", "run in the rain", "sugar", "Porto honey walk"):
        found += await index.search("acme", "u1", ask(question, limit=25), filters=RecallFilters())
        found += await index.search("acme", "u1", ask(question, limit=25), filters=filters)
    return found


@pytest.fixture(params=INDEX_KINDS[1:])
async def server(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[MemoryIndex]:
    async with open_index(request.param, tmp_path / "server") as opened:
        yield opened


async def test_edge_and_server_give_the_same_items_and_scores(
    server: MemoryIndex, tmp_path: Path
) -> None:
    async with open_index("edge", tmp_path / "edge") as edge:
        by_edge = await answers(edge)

    by_server = await answers(server)

    for one, other in zip(by_edge, by_server, strict=True):
        assert [item.id for item in one] == [item.id for item in other]
        assert [item.score for item in one] == pytest.approx(
            [item.score for item in other], abs=1e-5
        )
