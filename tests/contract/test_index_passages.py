"""Long turns, which every index finds by their passages and keeps as one item."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lightmem.adapters.ledger import SqlLedger
from lightmem.domain.passages import MOST, passages_of
from lightmem.indexing import Indexing
from lightmem.model import Item, RecallFilters, View
from lightmem.ports import MemoryIndex
from support.encoders import WordHashEncoder
from support.indexes import INDEX_KINDS, LEXICAL, ask, open_index
from support.ledgers import say

ANY = RecallFilters()
FILLER = "The garden was quiet and the kettle sang for a while. "
#: Some 7,000 code points, the telling sentence behind what an encoder reads.
MANUAL = FILLER * 100 + "The boiler is under warranty until March. " + FILLER * 30


@pytest.fixture(params=INDEX_KINDS)
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[MemoryIndex]:
    async with open_index(request.param, tmp_path) as opened:
        yield opened


@pytest.fixture
def ledger_url(tmp_path: Path, sqlite_template: Path) -> str:
    """One database is enough here: the ledger's own suite runs over both."""
    path = tmp_path / "ledger.db"
    path.write_bytes(sqlite_template.read_bytes())
    return f"sqlite:///{path}"


@pytest.fixture
def indexing(ledger: SqlLedger, index: MemoryIndex) -> Indexing:
    return Indexing(ledger=ledger, index=index, encoder=WordHashEncoder(), lexical=LEXICAL)


async def put(ledger: SqlLedger, indexing: Indexing, tenant_id: str, content: str) -> str:
    accepted = await say(ledger, tenant_id, content)
    await indexing.index_turns(tenant_id, "ana", accepted.turn_ids)
    return accepted.turn_ids[0]


async def found(index: MemoryIndex, tenant_id: str, text: str) -> list[Item]:
    views = [View.DENSE, View.BM25, View.WINDOW_DENSE, View.WINDOW_BM25, View.TOKENS]
    answer = await index.find(tenant_id, "ana", ask(text, views=views, limit=9), filters=ANY)
    return list(answer.items.values())


async def test_a_long_turn_is_one_item_with_the_words_of_the_passage_that_answers(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, acme: str
) -> None:
    turn_id = await put(ledger, indexing, acme, MANUAL)
    await put(ledger, indexing, acme, "The kettle sang.")

    [item] = [one for one in await found(index, acme, "boiler warranty") if one.id == turn_id]

    assert "boiler is under warranty until March" in item.text
    assert item.text in MANUAL
    assert len(item.text) <= MOST
    assert item.source_turn_ids == (turn_id,)


async def test_a_passage_scores_as_high_as_if_it_were_a_turn(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, acme: str
) -> None:
    [passage] = [one for one in passages_of(MANUAL) if "boiler" in one]
    long_id = await put(ledger, indexing, acme, MANUAL)
    short_id = await put(ledger, indexing, acme, passage)

    for view in (View.DENSE, View.BM25):
        [items] = await index.search(
            acme, "ana", ask("boiler warranty", views=[view], limit=9), filters=ANY
        )
        scores = {item.id: item.score for item in items}
        assert scores[long_id] == pytest.approx(scores[short_id], rel=1e-4)


async def test_passages_leave_with_their_turn(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, acme: str
) -> None:
    turn_id = await put(ledger, indexing, acme, MANUAL)
    kept_id = await put(ledger, indexing, acme, FILLER * 40 + "A second boiler hums.")
    await found(index, acme, "boiler warranty")

    await index.delete(acme, "ana", [turn_id])

    assert {item.id for item in await found(index, acme, "boiler warranty")} == {kept_id}
    assert await index.count(acme, "ana") == 1 + len(passages_of(FILLER * 40 + "A second one."))


async def test_of_a_turn_put_anew_nothing_is_left_of_its_former_passages(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, acme: str
) -> None:
    turn_id = await put(ledger, indexing, acme, MANUAL)
    points = await index.count(acme, "ana")

    await indexing.index_turns(acme, "ana", [turn_id], anew=True)

    assert await index.count(acme, "ana") == points == 1 + len(passages_of(MANUAL))


async def test_another_owner_deletes_no_passage_by_a_turns_id(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, acme: str
) -> None:
    turn_id = await put(ledger, indexing, acme, MANUAL)
    points = await index.count(acme, "ana")

    await index.delete(acme, "bo", [turn_id])
    await index.delete("other", "ana", [turn_id])

    assert await index.count(acme, "ana") == points


async def test_what_the_index_holds_is_told_by_turns(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, acme: str
) -> None:
    turn_id = await put(ledger, indexing, acme, MANUAL)

    ids = []
    cursor: str | None = None
    while True:
        page = await index.entries(acme, "ana", limit=3, cursor=cursor)
        ids += [(entry.id, entry.text) for entry in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break

    assert ids == [(turn_id, MANUAL)]
    assert set(await index.encoded(acme, "ana", [turn_id])) == {turn_id}
    [item] = await index.get(acme, "ana", [turn_id])
    assert item.text == MANUAL
