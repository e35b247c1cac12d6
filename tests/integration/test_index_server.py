"""How the index behaves when its server goes away and comes back."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic

import pytest

from lightmem.adapters.qdrant import QdrantIndex
from lightmem.errors import IndexUnavailable, InvalidInput
from lightmem.model import RecallFilters
from support.indexes import ENCODER, Said, ask, points_of
from support.qdrant_standin import StandIn

ANY = RecallFilters()


@asynccontextmanager
async def server_index(port: int) -> AsyncIterator[QdrantIndex]:
    """The index of a server on this machine, not opened yet."""
    index = QdrantIndex(f"qdrant://127.0.0.1:{port}", api_key=None)
    yield index
    await index.close()


async def healthy_again(index: QdrantIndex) -> None:
    """Wait until the server is found to be back; the channel knocks at most a second apart."""
    async with asyncio.timeout(10):
        # Each check waits for an answer or a refusal, so this does not spin.
        while (await index.check()).status != "ok":  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def test_a_server_that_goes_is_unavailable_and_is_used_again_when_it_returns(
    tmp_path: Path,
) -> None:
    standin = StandIn(tmp_path)
    async with server_index(standin.port) as index:
        await index.open(ENCODER.encoder_id, ENCODER.dim, ENCODER.token_dim)
        await index.upsert("acme", "u1", points_of(Said(text="green tea")))
        standin.stop()

        started = monotonic()
        for call in (
            index.search("acme", "u1", ask("tea"), filters=ANY),
            index.upsert("acme", "u1", points_of(Said(text="coffee"))),
            index.count("acme"),
        ):
            with pytest.raises(IndexUnavailable):
                await call
        assert (await index.check()).status == "down"
        assert monotonic() - started < 4

        standin = StandIn(tmp_path, port=standin.port)
        try:
            await healthy_again(index)
            answers = await index.search("acme", "u1", ask("tea"), filters=ANY)
        finally:
            standin.stop()

    assert [answer[0].text for answer in answers] == ["green tea"] * 5


async def test_a_silent_server_is_given_up_within_the_deadline() -> None:
    # Connections are taken by the system and never answered.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        async with server_index(silent.getsockname()[1]) as index:
            started = monotonic()

            with pytest.raises(IndexUnavailable):
                await index.search("acme", "u1", ask("tea"), filters=ANY)

            assert monotonic() - started < 4


async def test_a_collection_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    standin = StandIn(tmp_path)
    try:
        async with server_index(standin.port) as index:
            with pytest.raises(IndexUnavailable, match="NOT_FOUND"):
                await index.search("acme", "u1", ask("tea"), filters=ANY)
            assert (await index.check()).status == "down"
    finally:
        standin.stop()


async def test_a_server_that_counts_idf_over_everybody_is_refused(tmp_path: Path) -> None:
    standin = StandIn(tmp_path, version="1.18.2")
    try:
        async with server_index(standin.port) as index:
            with pytest.raises(IndexUnavailable, match=r"1\.18\.2 is too old"):
                await index.open(ENCODER.encoder_id, ENCODER.dim, ENCODER.token_dim)
    finally:
        standin.stop()


async def test_two_processes_that_open_at_once_share_one_collection(tmp_path: Path) -> None:
    standin = StandIn(tmp_path)
    try:
        async with server_index(standin.port) as one, server_index(standin.port) as other:
            await asyncio.gather(
                one.open(ENCODER.encoder_id, ENCODER.dim, ENCODER.token_dim),
                other.open(ENCODER.encoder_id, ENCODER.dim, ENCODER.token_dim),
            )
            await one.upsert("acme", "u1", points_of(Said(text="tea")))

            assert await other.count("acme") == 1
    finally:
        standin.stop()


@pytest.mark.parametrize("url", ["http://localhost:6334", "qdrant://", "localhost:6334"])
def test_a_url_of_another_kind_is_refused_by_name(url: str) -> None:
    with pytest.raises(InvalidInput, match="index_url"):
        QdrantIndex(url, api_key=None)
