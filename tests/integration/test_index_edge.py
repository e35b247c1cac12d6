"""How the index behaves on disk: killed, moved to another process, deleted from, damaged."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from lightmem.adapters.embedded.qdrant_edge import QdrantEdgeIndex
from lightmem.errors import IncompatibleIndex, IndexUnavailable
from lightmem.model import RecallFilters
from support.indexes import ENCODER, Said, ask, files_with, open_index, points_of

ANY = RecallFilters()


@asynccontextmanager
async def child_with_points(folder: Path, count: int) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process that holds the folder open with this many points put, and is killed at the end."""
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "support.index_child",
        str(folder),
        str(count),
        cwd=Path(__file__).parents[1],
        stdout=asyncio.subprocess.PIPE,
    )
    assert child.stdout is not None
    try:
        for _ in range(count):
            await child.stdout.readline()
        yield child
    finally:
        child.kill()
        await child.wait()


@asynccontextmanager
async def edge_index(folder: Path) -> AsyncIterator[QdrantEdgeIndex]:
    """The index of a folder, not opened yet."""
    index = QdrantEdgeIndex(folder)
    yield index
    await index.close()


async def test_points_survive_a_killed_process(tmp_path: Path) -> None:
    async with child_with_points(tmp_path / "index", 40):
        pass

    async with edge_index(tmp_path / "index") as index:
        await index.open(ENCODER.encoder_id, ENCODER.dim, ENCODER.token_dim)

        assert await index.count("acme", "u1") == 40
        answers = await index.search("acme", "u1", ask("tea 39"), filters=ANY)
        assert [answer[0].text for answer in answers] == ["tea 39"] * 5


async def test_a_second_process_is_refused_and_the_first_keeps_its_points(tmp_path: Path) -> None:
    async with (
        child_with_points(tmp_path / "index", 3),
        edge_index(tmp_path / "index") as index,
    ):
        with pytest.raises(IndexUnavailable, match="another process"):
            await index.open(ENCODER.encoder_id, ENCODER.dim, ENCODER.token_dim)
        with pytest.raises(IndexUnavailable, match="another process"):
            await index.reset(ENCODER.encoder_id, ENCODER.dim, ENCODER.token_dim)

    async with edge_index(tmp_path / "index") as index:
        await index.open(ENCODER.encoder_id, ENCODER.dim, ENCODER.token_dim)
        assert await index.count("acme") == 3


async def test_the_folder_is_for_its_owner_alone(tmp_path: Path) -> None:
    (tmp_path / "index").mkdir(mode=0o755)

    async with open_index("edge", tmp_path):
        assert (tmp_path / "index").stat().st_mode & 0o777 == 0o700


async def test_points_and_scores_are_the_same_after_a_restart(tmp_path: Path) -> None:
    said = [Said(text=f"green tea {number}") for number in range(100)]
    async with open_index("edge", tmp_path) as index:
        await index.upsert("acme", "u1", points_of(*said))
        before = await index.search("acme", "u1", ask("tea 7"), filters=ANY)

    async with open_index("edge", tmp_path) as index:
        after = await index.search("acme", "u1", ask("tea 7"), filters=ANY)

    assert after == before


async def test_deleted_points_are_vacuumed_when_the_folder_is_opened(tmp_path: Path) -> None:
    secret = "xyzzyplugh"
    async with open_index("edge", tmp_path) as index:
        said = [Said(text=f"{secret} {number}") for number in range(1_200)]
        await index.upsert("acme", "u1", points_of(*said))
        await index.upsert("acme", "u2", points_of(Said(text="tea")))
        await index.delete_user("acme", "u1")

    async with open_index("edge", tmp_path) as index:
        assert await index.count("acme") == 1

    kept = [
        path for path in (tmp_path / "index" / "shard" / "segments").rglob("*") if path.is_file()
    ]
    assert not any(secret.encode() in path.read_bytes() for path in kept)


async def test_a_folder_of_another_encoder_stays_as_it_is(tmp_path: Path) -> None:
    async with open_index("edge", tmp_path) as index:
        await index.upsert("acme", "u1", points_of(Said(text="tea")))

    async with edge_index(tmp_path / "index") as other:
        with pytest.raises(IncompatibleIndex, match="lightmem reindex"):
            await other.open("another", 128)
        with pytest.raises(IndexUnavailable, match="not open"):
            await other.count("acme")

    async with open_index("edge", tmp_path) as index:
        assert await index.count("acme") == 1


async def test_damaged_files_are_said_to_be_and_made_again(tmp_path: Path) -> None:
    async with open_index("edge", tmp_path) as index:
        await index.upsert("acme", "u1", points_of(Said(text="tea")))
    (tmp_path / "index" / "shard" / "edge_config.json").write_text("{", encoding="utf-8")

    async with edge_index(tmp_path / "index") as index:
        with pytest.raises(IndexUnavailable, match="lightmem reindex"):
            await index.open(ENCODER.encoder_id, ENCODER.dim, ENCODER.token_dim)
        assert (await index.check()).status == "down"
        await index.reset(ENCODER.encoder_id, ENCODER.dim, ENCODER.token_dim)

        assert await index.count("acme") == 0
        assert (await index.check()).status == "ok"


async def test_a_folder_left_half_made_is_made_again(tmp_path: Path) -> None:
    async with open_index("edge", tmp_path) as index:
        await index.upsert("acme", "u1", points_of(Said(text="tea")))
    (tmp_path / "index" / "filled_by.json").unlink()

    async with open_index("edge", tmp_path) as index:
        assert await index.count("acme") == 0


async def test_searches_go_on_between_the_pieces_of_a_large_write(tmp_path: Path) -> None:
    async with open_index("edge", tmp_path) as index:
        points = points_of(*[Said(text=f"green tea {number}") for number in range(640)])
        await index.upsert("acme", "u1", points[:1])
        writing = asyncio.create_task(index.upsert("acme", "u1", points))

        counts = []
        while not writing.done():
            await index.search("acme", "u1", ask("tea"), filters=ANY)
            counts.append(await index.count("acme", "u1"))
        await writing

        assert any(1 < count < 640 for count in counts)
        assert await index.count("acme", "u1") == 640


async def test_words_of_deleted_points_are_in_no_file_after_a_restart(tmp_path: Path) -> None:
    gone = Said(text="Zarathustra is a parrot")
    kept = [Said(text=f"tea {number}") for number in range(300)]
    async with open_index("edge", tmp_path) as index:
        await index.upsert("acme", "ana", points_of(gone, *kept))
        await index.upsert("acme", "bob", points_of(Said(text="Zarathustra again")))
        await index.delete("acme", "ana", [gone.id])
        await index.delete_user("acme", "bob")

    async with open_index("edge", tmp_path) as index:
        assert files_with(tmp_path, "Zarathustra") == []
        assert await index.count("acme", "ana") == 300
        await index.upsert("acme", "ana", points_of(Said(id=kept[0].id, text="green tea")))
        await index.delete("acme", "ana", [kept[1].id])

    async with open_index("edge", tmp_path) as index:
        [item] = await index.get("acme", "ana", [kept[0].id, kept[1].id])
        assert item.text == "green tea"
        answers = await index.search("acme", "ana", ask("green"), filters=ANY)
        assert all(answer[0].id == kept[0].id for answer in answers)


async def test_a_rewriting_that_was_broken_off_loses_nothing(tmp_path: Path) -> None:
    async with open_index("edge", tmp_path) as index:
        await index.upsert("acme", "ana", points_of(Said(text="tea")))
    folder = tmp_path / "index"
    (folder / "shard.new").mkdir()
    (folder / "shard").rename(folder / "shard.old")

    async with open_index("edge", tmp_path) as index:
        assert await index.count("acme", "ana") == 1

    assert sorted(one.name for one in folder.iterdir()) == ["filled_by.json", "shard"]
