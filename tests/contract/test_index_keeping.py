"""What every index promises about keeping: replacing, deleting, counting, and whose it is."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lightmem.errors import IncompatibleIndex
from lightmem.model import IndexEntry, RecallFilters, View
from lightmem.ports import MemoryIndex
from support.indexes import ENCODER, INDEX_KINDS, Said, ask, open_index, points_of, words_of

ANY = RecallFilters()


@pytest.fixture(params=INDEX_KINDS)
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[MemoryIndex]:
    async with open_index(request.param, tmp_path) as opened:
        yield opened


async def test_a_point_put_again_replaces_the_first(index: MemoryIndex) -> None:
    said = Said(text="Green tea")
    await index.upsert("acme", "u1", points_of(said))

    await index.upsert("acme", "u1", points_of(Said(id=said.id, text="Black coffee")))

    [old] = await index.search("acme", "u1", ask("green", views=[View.BM25]), filters=ANY)
    [new] = await index.search("acme", "u1", ask("coffee", views=[View.BM25]), filters=ANY)
    assert old == []
    assert [item.text for item in new] == ["Black coffee"]
    assert await index.count("acme", "u1") == 1


async def test_many_points_are_put_at_once(index: MemoryIndex) -> None:
    await index.upsert("acme", "u1", points_of(*[Said(text=f"tea {n}") for n in range(300)]))

    assert await index.count("acme", "u1") == 300


async def test_deleted_points_are_found_no_more(index: MemoryIndex) -> None:
    gone, kept = Said(text="Green tea"), Said(text="Green apple")
    await index.upsert("acme", "u1", points_of(gone, kept))

    await index.delete("acme", "u1", [gone.id, "unknown"])

    answers = await index.search("acme", "u1", ask("green"), filters=ANY)
    assert [[item.id for item in answer] for answer in answers] == [[kept.id]] * 5
    assert await index.get("acme", "u1", [gone.id]) == []


async def test_who_speaks_is_told_of_one_user_alone_and_most_heard_first(
    index: MemoryIndex,
) -> None:
    lines = [Said(text=f"tea {n}", speaker=name) for n, name in enumerate(["Ben", "Ana", "ANA"])]
    await index.upsert("acme", "u1", points_of(*lines, Said(text="no name", speaker=None)))
    await index.upsert("acme", "u2", points_of(Said(text="tea", speaker="Eve")))

    assert await index.speakers("acme", "u1") == ["ana", "ben"]
    assert await index.speakers("acme", "nobody") == []


async def test_deleting_a_user_leaves_the_others(index: MemoryIndex) -> None:
    await index.upsert("acme", "u1", points_of(Said(text="tea")))
    await index.upsert("acme", "u2", points_of(Said(text="tea")))

    await index.delete_user("acme", "u1")

    assert await index.count("acme", "u1") == 0
    assert await index.count("acme", "u2") == 1
    assert await index.count("acme") == 1


async def test_a_tenant_has_the_points_of_all_its_users(index: MemoryIndex) -> None:
    await index.upsert("acme", "u1", points_of(Said(text="tea"), Said(text="coffee")))
    await index.upsert("acme", "u2", points_of(Said(text="tea")))
    await index.upsert("globex", "u1", points_of(Said(text="tea")))

    assert await index.count("acme") == 3


HOSTILE = [
    ("acme", "u1"),
    ("acme", "*"),
    ("acme", "u1 "),
    ("acme", "U1"),
    ("acme", "u１"),
    ("acme", "u\u0131"),
    ("acme", "u1' OR '1'='1"),
    ("acme", 'u1", "must": ["'),
    ("acmeu", "1"),
    ("acme\nu", "1"),
    ("*", "u1"),
    ("a" * 255, "u" * 255),
    ("a" * 255, "u" * 254),
    ("🎂" * 255, "\u202eu1"),
]


async def test_each_owner_finds_its_own_points_alone(index: MemoryIndex) -> None:
    for number, (tenant_id, user_id) in enumerate(HOSTILE):
        await index.upsert(tenant_id, user_id, points_of(Said(text=f"tea of {number}")))

    for number, (tenant_id, user_id) in enumerate(HOSTILE):
        answers = await index.search(tenant_id, user_id, ask("tea"), filters=ANY)

        assert [[item.text for item in answer] for answer in answers] == [[f"tea of {number}"]] * 5
        assert await index.count(tenant_id, user_id) == 1


async def test_another_owner_can_neither_read_replace_nor_delete_by_id(index: MemoryIndex) -> None:
    mine = Said(text="my tea")
    await index.upsert("acme", "u1", points_of(mine))

    for tenant_id, user_id in HOSTILE[1:]:
        await index.upsert(tenant_id, user_id, points_of(Said(id=mine.id, text="theirs")))
        await index.delete(tenant_id, user_id, [mine.id])
        assert await index.get(tenant_id, user_id, [mine.id]) == []
        assert await index.encoded(tenant_id, user_id, [mine.id]) == {}

    [item] = await index.get("acme", "u1", [mine.id])
    assert item.text == "my tea"


async def test_filters_with_hostile_values_match_nothing_else(index: MemoryIndex) -> None:
    await index.upsert("acme", "u1", points_of(Said(text="tea")))

    answers = await index.search(
        "acme", "u1", ask("tea"), filters=RecallFilters(session_ids=["*", "s1' OR 1", "S1"])
    )

    assert answers == [[]] * 5


async def test_opening_again_with_the_same_encoder_keeps_the_points(index: MemoryIndex) -> None:
    await index.upsert("acme", "u1", points_of(Said(text="tea")))

    await index.open(ENCODER.encoder_id, ENCODER.dim, ENCODER.token_dim)

    assert await index.count("acme", "u1") == 1


async def test_another_encoder_is_refused_with_the_command_that_helps(index: MemoryIndex) -> None:
    with pytest.raises(IncompatibleIndex, match="lightmem reindex"):
        await index.open("another-encoder", 128)


async def test_a_reset_index_is_empty_and_has_the_new_encoders_size(index: MemoryIndex) -> None:
    await index.upsert("acme", "u1", points_of(Said(text="tea")))

    await index.reset("another-encoder", 128)

    assert await index.count("acme") == 0
    await index.open("another-encoder", 128)
    with pytest.raises(IncompatibleIndex):
        await index.open(ENCODER.encoder_id, ENCODER.dim, ENCODER.token_dim)


async def test_an_open_index_is_healthy(index: MemoryIndex) -> None:
    health = await index.check()

    assert (health.name, health.status) == ("index", "ok")


async def entries_of(
    index: MemoryIndex, tenant_id: str | None, user_id: str | None, *, limit: int = 3
) -> list[IndexEntry]:
    found: list[IndexEntry] = []
    cursor: str | None = None
    while True:
        page = await index.entries(tenant_id, user_id, limit=limit, cursor=cursor)
        found += page.items
        if page.next_cursor is None:
            return found
        cursor = page.next_cursor


async def test_all_that_is_here_can_be_read_page_by_page(index: MemoryIndex) -> None:
    said = [Said(text=f"tea {number}") for number in range(8)]
    await index.upsert("acme", "u1", points_of(*said))
    await index.insert("acme", "u2", words_of(Said(text="by word alone")))
    await index.upsert("globex", "u1", points_of(Said(text="coffee")))

    own = await entries_of(index, "acme", "u1")

    assert {entry.id: entry.text for entry in own} == {one.id: one.text for one in said}
    assert {(entry.tenant_id, entry.user_id, entry.is_encoded) for entry in own} == {
        ("acme", "u1", True)
    }
    assert [entry.is_encoded for entry in await entries_of(index, "acme", "u2")] == [False]
    assert len(await entries_of(index, "acme", None)) == 9
    assert len(await entries_of(index, None, None)) == 10
    assert await entries_of(index, "acme", "nobody") == []


async def test_which_ids_have_a_point_is_told_of_one_user(index: MemoryIndex) -> None:
    mine, theirs = Said(text="my tea"), Said(text="their tea")
    await index.upsert("acme", "u1", points_of(mine))
    await index.upsert("acme", "u2", points_of(theirs))
    await index.search("acme", "u1", ask("tea"), filters=ANY)

    held = await index.held("acme", "u1", [mine.id, theirs.id, "unknown"])

    assert held == {mine.id}


async def test_what_was_read_before_is_read_as_it_is_now(index: MemoryIndex) -> None:
    said, gone = Said(text="Green tea", speaker="Ana"), Said(text="Green apple", speaker="Ben")
    await index.upsert("acme", "u1", points_of(said, gone))
    await index.search("acme", "u1", ask("green"), filters=ANY)
    assert await index.speakers("acme", "u1") == ["ana", "ben"]

    await index.upsert("acme", "u1", points_of(Said(id=said.id, text="Green hat", speaker="Eve")))
    await index.delete("acme", "u1", [gone.id])

    answers = await index.search("acme", "u1", ask("green"), filters=ANY)
    assert [[item.text for item in answer] for answer in answers] == [["Green hat"]] * 5
    assert await index.held("acme", "u1", [said.id, gone.id]) == {said.id}
    assert await index.speakers("acme", "u1") == ["eve"]
