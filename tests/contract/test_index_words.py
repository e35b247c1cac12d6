"""Turns that are found by word before they are encoded, over every index."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lightmem.adapters.ledger import SqlLedger
from lightmem.indexing import Indexing
from lightmem.model import IndexPoint, Item, RecallFilters, View
from lightmem.ports import MemoryIndex
from support.encoders import WordHashEncoder
from support.indexes import (
    ENCODER,
    INDEX_KINDS,
    LEXICAL,
    Said,
    ask,
    open_index,
    points_of,
    words_of,
)
from support.ledgers import say

ANY = RecallFilters()
BY_WORD = (View.BM25, View.WINDOW_BM25)
BY_MEANING = (View.DENSE, View.WINDOW_DENSE, View.TOKENS)


@pytest.fixture(params=INDEX_KINDS)
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[MemoryIndex]:
    async with open_index(request.param, tmp_path) as opened:
        yield opened


@pytest.fixture
def encoder() -> WordHashEncoder:
    return WordHashEncoder()


@pytest.fixture
def ledger_url(tmp_path: Path, sqlite_template: Path) -> str:
    """One database is enough here: the ledger's own suite runs over both."""
    path = tmp_path / "ledger.db"
    path.write_bytes(sqlite_template.read_bytes())
    return f"sqlite:///{path}"


@pytest.fixture
def indexing(ledger: SqlLedger, index: MemoryIndex, encoder: WordHashEncoder) -> Indexing:
    return Indexing(ledger=ledger, index=index, encoder=encoder, lexical=LEXICAL)


async def found(
    index: MemoryIndex, tenant_id: str, text: str, views: Sequence[View] = tuple(View)
) -> list[list[Item]]:
    return await index.search(tenant_id, "ana", ask(text, views=views, limit=200), filters=ANY)


# --- points -----------------------------------------------------------------------------------


async def test_an_insert_leaves_what_is_there(index: MemoryIndex) -> None:
    said = Said(text="Green tea")
    await index.upsert("acme", "ana", points_of(said))
    before = await found(index, "acme", "tea")

    await index.insert("acme", "ana", words_of(Said(id=said.id, text="Black coffee")))

    assert await found(index, "acme", "tea") == before
    assert await index.count("acme") == 1


async def test_an_inserted_point_is_found_by_word_until_a_whole_one_replaces_it(
    index: MemoryIndex,
) -> None:
    said = Said(text="Green tea")
    await index.insert("acme", "ana", words_of(said))

    by_word = await found(index, "acme", "tea", BY_WORD)
    by_meaning = await found(index, "acme", "tea", BY_MEANING)
    await index.upsert("acme", "ana", points_of(said))
    whole = await found(index, "acme", "tea")

    assert [[item.id for item in items] for items in by_word] == [[said.id]] * 2
    assert by_meaning == [[]] * 3
    assert [[item.id for item in items] for items in whole] == [[said.id]] * 5


async def test_points_by_word_alone_have_no_vectors_to_read(index: MemoryIndex) -> None:
    whole, words = Said(text="Green tea"), Said(text="Black coffee")
    await index.upsert("acme", "ana", points_of(whole))
    await index.insert("acme", "ana", words_of(words))

    encoded = await index.encoded("acme", "ana", [whole.id, words.id])

    assert list(encoded) == [whole.id]
    assert [item.id for item in await index.get("acme", "ana", [words.id])] == [words.id]


async def test_a_point_by_word_alone_stands_beside_whole_ones(index: MemoryIndex) -> None:
    whole, words = Said(text="Green tea at dawn"), Said(text="Green tea at noon")
    await index.upsert("acme", "ana", points_of(whole))
    await index.insert("acme", "ana", words_of(words))

    bm25, _, dense, *_, tokens = await found(
        index, "acme", "green tea", (*BY_WORD, View.DENSE, View.TOKENS)
    )

    assert {item.id for item in bm25} == {whole.id, words.id}
    assert [item.id for item in dense] == [item.id for item in tokens] == [whole.id]


# --- turns ------------------------------------------------------------------------------------


async def test_a_thousand_turns_are_found_by_word_without_an_encoder(
    ledger: SqlLedger,
    index: MemoryIndex,
    indexing: Indexing,
    encoder: WordHashEncoder,
    acme: str,
) -> None:
    accepted = await say(ledger, acme, *[f"parcel{n} came by post" for n in range(1_000)])

    await indexing.index_words(acme, "ana", accepted.turn_ids)

    assert encoder.encoded == []
    assert await index.count(acme) == 1_000
    for place in (0, 500, 999):
        alone, in_window = await found(index, acme, f"parcel{place}", BY_WORD)
        assert [item.id for item in alone] == [accepted.turn_ids[place]]
        around = accepted.turn_ids[max(place - 1, 0) : place + 2]
        assert {item.id for item in in_window} == set(around)


async def test_turns_put_by_word_first_end_as_those_written_one_by_one(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, acme: str
) -> None:
    accepted = await say(ledger, acme, *[f"green tea number{n}" for n in range(150)])
    for turn_id in accepted.turn_ids:
        await indexing.index_turns(acme, "ana", [turn_id])
    one_by_one = await found(index, acme, "tea number64")
    await index.delete_user(acme, "ana")

    await indexing.index_words(acme, "ana", accepted.turn_ids)
    await indexing.index_turns(acme, "ana", accepted.turn_ids)

    for items, expected in zip(await found(index, acme, "tea number64"), one_by_one, strict=True):
        scores = {item.id: item.score for item in items}
        assert scores == pytest.approx({item.id: item.score for item in expected}, abs=1e-5)


async def test_words_put_late_change_nothing(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, acme: str
) -> None:
    accepted = await say(ledger, acme, "alpha", "bravo", "charlie")
    await indexing.index_turns(acme, "ana", accepted.turn_ids)
    before = await found(index, acme, "bravo")

    await indexing.index_words(acme, "ana", accepted.turn_ids)

    assert await found(index, acme, "bravo") == before


async def test_a_neighbour_found_by_word_alone_is_encoded_for_the_window(
    ledger: SqlLedger,
    index: MemoryIndex,
    indexing: Indexing,
    encoder: WordHashEncoder,
    acme: str,
) -> None:
    first = await say(ledger, acme, "alpha", "bravo")
    await indexing.index_words(acme, "ana", first.turn_ids)
    second = await say(ledger, acme, "charlie")

    await indexing.index_turns(acme, "ana", second.turn_ids)

    assert sorted(encoder.encoded) == ["alpha", "bravo", "charlie"]
    [dense] = await found(index, acme, "alpha", [View.WINDOW_DENSE])
    assert {item.id for item in dense} == {first.turn_ids[1], *second.turn_ids}


async def test_a_run_that_was_broken_off_is_taken_up_where_it_was(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, acme: str
) -> None:
    accepted = await say(ledger, acme, *[f"word{n}" for n in range(150)])

    class Dying(WordHashEncoder):
        """Breaks down at its second piece."""

        async def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if self.encoded:
                raise RuntimeError("broken")
            return await super().encode(texts)

    dying, fresh = Dying(), WordHashEncoder()
    with pytest.raises(RuntimeError, match="broken"):
        await Indexing(ledger=ledger, index=index, encoder=dying, lexical=LEXICAL).index_turns(
            acme, "ana", accepted.turn_ids
        )
    await Indexing(ledger=ledger, index=index, encoder=fresh, lexical=LEXICAL).index_turns(
        acme, "ana", accepted.turn_ids
    )

    assert len(dying.encoded) >= 64
    assert len(fresh.encoded) <= 150 - 64
    assert len(await index.encoded(acme, "ana", accepted.turn_ids)) == 150


async def test_a_turn_deleted_while_its_words_are_put_is_not_found(
    ledger: SqlLedger, index: MemoryIndex, acme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted = await say(ledger, acme, "alpha", "bravo")
    insert = index.insert

    async def deleting(tenant_id: str, user_id: str, points: Sequence[IndexPoint]) -> None:
        await ledger.delete_turn(acme, accepted.turn_ids[0], user_id=None, actor="test")
        await insert(tenant_id, user_id, points)

    monkeypatch.setattr(index, "insert", deleting)
    indexing = Indexing(ledger=ledger, index=index, encoder=ENCODER, lexical=LEXICAL)

    await indexing.index_words(acme, "ana", accepted.turn_ids)

    assert [item.id for item in await index.get(acme, "ana", accepted.turn_ids)] == [
        accepted.turn_ids[1]
    ]


async def test_another_tenants_turns_get_no_words(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, acme: str
) -> None:
    accepted = await say(ledger, acme, "alpha")
    globex = await ledger.create_tenant("Globex", k_anonymity=3, actor="test")

    await indexing.index_words(globex.id, "ana", accepted.turn_ids)
    await indexing.index_words(acme, "bob", accepted.turn_ids)

    assert await index.count(globex.id) == await index.count(acme) == 0
