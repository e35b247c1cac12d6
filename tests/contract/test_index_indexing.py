"""Turns and memories on their way from the ledger into the index, over every index."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lightmem.adapters.ledger import SqlLedger
from lightmem.indexing import Indexing
from lightmem.model import (
    AcceptedTurns,
    Item,
    ItemKind,
    NewTurn,
    RecallFilters,
    Role,
    Source,
    SupersedeMemory,
    Turn,
    View,
)
from lightmem.ports import MemoryIndex
from support.encoders import WordHashEncoder
from support.indexes import INDEX_KINDS, LEXICAL, ask, open_index
from support.ledgers import FREE, NOON, add, learn, say, stored

ANY = RecallFilters()


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


async def by_view(index: MemoryIndex, tenant_id: str, text: str, view: View) -> list[Item]:
    [items] = await index.search(tenant_id, "ana", ask(text, views=[view], limit=3), filters=ANY)
    return items


def ids_of(turns: Sequence[Turn]) -> list[str]:
    return [turn.id for turn in turns]


async def chat(ledger: SqlLedger, tenant_id: str, *turns: NewTurn) -> AcceptedTurns:
    return await ledger.append_turns(tenant_id, "ana", "s1", turns, actor="test")


async def test_an_indexed_turn_is_found_word_for_word(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, acme: str
) -> None:
    content = "  We moved to Lisbon\n last Friday… 🎂 "
    turn = NewTurn(Role.USER, content, NOON, speaker="Bea", metadata={"caption": "A red kite"})
    accepted = await chat(ledger, acme, turn)

    await indexing.index_turns(acme, "ana", accepted.turn_ids)

    for text in ("Lisbon", "kite", "Bea"):
        [item] = await by_view(index, acme, text, View.BM25)
        assert item.id == accepted.turn_ids[0]
        assert item.text == content
        assert item.kind is ItemKind.TURN
        assert (item.speaker, item.session_id, item.seq) == ("Bea", "s1", 1)
        assert tuple(item.source_turn_ids) == (item.id,)
        assert item.occurred_at == NOON


async def test_a_turns_window_holds_its_neighbours_words_and_grows_with_the_next_turn(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, encoder: WordHashEncoder, acme: str
) -> None:
    first = await say(ledger, acme, "alpha", "bravo", "charlie")
    await indexing.index_turns(acme, "ana", first.turn_ids)
    second = await say(ledger, acme, "delta")

    await indexing.index_turns(acme, "ana", second.turn_ids)

    ids = [*first.turn_ids, *second.turn_ids]
    of_delta = await by_view(index, acme, "delta", View.WINDOW_BM25)
    of_bravo = await by_view(index, acme, "bravo", View.WINDOW_BM25)
    assert {item.id for item in of_delta} == {ids[2], ids[3]}
    assert {item.id for item in of_bravo} == {ids[0], ids[1], ids[2]}
    words = [encoder.vector(word) for word in ("bravo", "charlie", "delta")]
    mean = np.sum(words, axis=0) / np.linalg.norm(np.sum(words, axis=0))
    dense = {item.id: item for item in await by_view(index, acme, "delta", View.WINDOW_DENSE)}
    assert dense[ids[2]].score == pytest.approx(float(mean @ encoder.vector("delta")), abs=1e-4)


async def test_turns_put_one_by_one_and_all_at_once_are_the_same(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, acme: str
) -> None:
    accepted = await say(ledger, acme, *[f"green tea number{n}" for n in range(9)])
    await indexing.index_turns(acme, "ana", accepted.turn_ids)
    together = await index.search(acme, "ana", ask("tea number4", limit=20), filters=ANY)
    await index.delete_user(acme, "ana")

    for turn_id in accepted.turn_ids:
        await indexing.index_turns(acme, "ana", [turn_id])

    one_by_one = await index.search(acme, "ana", ask("tea number4", limit=20), filters=ANY)
    for one, other in zip(one_by_one, together, strict=True):
        assert [item.id for item in one] == [item.id for item in other]
        assert [item.score for item in one] == pytest.approx(
            [item.score for item in other], abs=1e-5
        )


async def test_only_new_turns_are_encoded(
    ledger: SqlLedger, indexing: Indexing, encoder: WordHashEncoder, acme: str
) -> None:
    first = await say(ledger, acme, "alpha", "bravo", "charlie")
    await indexing.index_turns(acme, "ana", first.turn_ids)
    second = await say(ledger, acme, "delta")
    encoder.encoded.clear()

    await indexing.index_turns(acme, "ana", second.turn_ids)

    assert encoder.encoded == ["delta"]


async def test_indexing_again_changes_nothing(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, acme: str
) -> None:
    accepted = await say(ledger, acme, "alpha", "bravo", "charlie")
    await indexing.index_turns(acme, "ana", accepted.turn_ids)
    before = await index.search(acme, "ana", ask("bravo"), filters=ANY)

    await indexing.index_turns(acme, "ana", accepted.turn_ids)

    assert await index.search(acme, "ana", ask("bravo"), filters=ANY) == before
    assert await index.count(acme) == 3


async def test_system_turns_are_not_found_nor_in_a_window(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, acme: str
) -> None:
    accepted = await chat(
        ledger,
        acme,
        NewTurn(Role.SYSTEM, "secret prompt", NOON),
        NewTurn(Role.USER, "hello there friend", NOON),
    )

    await indexing.index_turns(acme, "ana", accepted.turn_ids)

    assert await index.count(acme) == 1
    assert await by_view(index, acme, "secret prompt", View.WINDOW_BM25) == []


async def test_a_turn_deleted_before_it_is_indexed_is_not_found(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, acme: str
) -> None:
    accepted = await say(ledger, acme, "alpha", "bravo")
    await indexing.index_turns(acme, "ana", accepted.turn_ids)
    await ledger.delete_turn(acme, accepted.turn_ids[0], user_id=None, actor="test")

    await indexing.index_turns(acme, "ana", accepted.turn_ids)

    assert await index.get(acme, "ana", accepted.turn_ids[:1]) == []
    assert await by_view(index, acme, "alpha", View.WINDOW_BM25) == []


async def test_a_turn_deleted_while_it_is_indexed_is_not_found(
    ledger: SqlLedger, index: MemoryIndex, encoder: WordHashEncoder, acme: str
) -> None:
    accepted = await say(ledger, acme, "alpha", "bravo")

    class DeletingEncoder(WordHashEncoder):
        """Deletes the first turn at the moment that vectors are made."""

        async def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if not self.encoded:
                await ledger.delete_turn(acme, accepted.turn_ids[0], user_id=None, actor="test")
            return await super().encode(texts)

    indexing = Indexing(ledger=ledger, index=index, encoder=DeletingEncoder(), lexical=LEXICAL)
    await indexing.index_turns(acme, "ana", accepted.turn_ids)

    assert await index.count(acme) == 1
    assert await by_view(index, acme, "alpha", View.WINDOW_BM25) == []


async def test_another_tenants_ids_put_nothing(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, acme: str
) -> None:
    accepted = await say(ledger, acme, "alpha")
    globex = await ledger.create_tenant("Globex", k_anonymity=3, actor="test")

    await indexing.index_turns(globex.id, "ana", accepted.turn_ids)
    await indexing.index_turns(acme, "bob", accepted.turn_ids)

    assert await index.count(globex.id) == 0
    assert await index.count(acme) == 0


async def test_a_memory_is_found_and_filtered_by_the_turns_it_quotes(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, acme: str
) -> None:
    memory = await learn(ledger, acme, "Ana moved to Lisbon")

    await indexing.index_memories(acme, "ana", [memory.id])

    for filters in (
        ANY,
        RecallFilters(session_ids=["s1"], kinds=[ItemKind.MEMORY], start=NOON),
    ):
        [[item]] = await index.search(
            acme, "ana", ask("Lisbon", views=[View.BM25]), filters=filters
        )
        assert item.id == memory.id
        assert item.kind is ItemKind.MEMORY
        assert item.text == "Ana moved to Lisbon"
        assert item.occurred_at == NOON
        assert item.session_id is None
        assert list(item.source_turn_ids) == [memory.sources[0].turn_id]
    elsewhere = RecallFilters(session_ids=["s2"])
    assert await index.search(acme, "ana", ask("Lisbon"), filters=elsewhere) == [[]] * 5


async def test_a_superseded_memory_stays_and_names_its_successor(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, acme: str
) -> None:
    old = await learn(ledger, acme, "Ana lives in Porto")
    await indexing.index_memories(acme, "ana", [old.id])
    accepted = await say(ledger, acme, "Ana lives in Lisbon")
    successor = add("Ana lives in Lisbon", Source(accepted.turn_ids[0], "Lisbon"))
    touched = await ledger.commit_writing(
        acme,
        "ana",
        accepted.operation.id,
        changes=[SupersedeMemory(old.id, old.version, successor, None)],
        outcomes=stored(*accepted.turns),
        extraction=FREE,
    )

    await indexing.index_memories(acme, "ana", [memory.id for memory in touched])

    found = await by_view(index, acme, "Porto Lisbon", View.BM25)
    closed, new = sorted(found, key=lambda item: item.text, reverse=True)
    assert (closed.text, new.text) == ("Ana lives in Porto", "Ana lives in Lisbon")
    assert closed.superseded_by == new.id
    assert closed.superseded_at is not None


async def test_deleted_points_leave_the_index(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, acme: str
) -> None:
    accepted = await say(ledger, acme, "alpha", "bravo")
    await indexing.index_turns(acme, "ana", accepted.turn_ids)

    await indexing.delete_points(acme, "ana", accepted.turn_ids[:1])

    assert await index.count(acme) == 1


async def test_everything_is_embedded_again_for_another_encoder(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, acme: str
) -> None:
    for number in range(3):
        accepted = await say(ledger, acme, *[f"tea {number} {n}" for n in range(40)])
        await indexing.index_turns(acme, "ana", accepted.turn_ids)
    await learn(ledger, acme, "Bob likes coffee", user_id="bob")
    before = await by_view(index, acme, "tea 1 7", View.BM25)
    other = WordHashEncoder(32, encoder_id="word-hash-32")
    again = Indexing(ledger=ledger, index=index, encoder=other, lexical=LEXICAL)
    told: list[int] = []

    done = await again.reembed(told.append)

    assert done == 122
    assert told == sorted(told)
    assert told[-1] == 122
    assert await index.count(acme, "ana") == 120
    assert await index.count(acme, "bob") == 2
    await index.open("word-hash-32", 32)
    after = await by_view(index, acme, "tea 1 7", View.BM25)
    assert [item.id for item in after] == [item.id for item in before]
    assert [item.score for item in after] == pytest.approx([item.score for item in before])
    assert not await again.is_incomplete()


async def test_an_interrupted_embedding_is_known_to_be_incomplete(
    ledger: SqlLedger, index: MemoryIndex, indexing: Indexing, acme: str
) -> None:
    await say(ledger, acme, "alpha")

    def stop(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await indexing.reembed(stop)

    assert await indexing.is_incomplete()
    await indexing.reembed(lambda done: None)
    assert not await indexing.is_incomplete()
    assert await index.count(acme) == 1
