"""What every index promises about finding."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from lightmem.model import (
    ItemKind,
    Layer,
    RecallFilters,
    SparseVector,
    TokenVectors,
    View,
    ViewQuery,
)
from lightmem.ports import MemoryIndex
from support.indexes import ENCODER, INDEX_KINDS, NOON, Said, ask, open_index, point_of, points_of

ANY = RecallFilters()
NONE = TokenVectors([])


@pytest.fixture(params=INDEX_KINDS)
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[MemoryIndex]:
    async with open_index(request.param, tmp_path) as opened:
        yield opened


async def found(index: MemoryIndex, text: str, filters: RecallFilters = ANY) -> set[str]:
    """Texts that any view finds."""
    answers = await index.search("acme", "u1", ask(text), filters=filters)
    return {item.text for answer in answers for item in answer}


async def test_what_was_put_is_found_at_once_in_every_view(index: MemoryIndex) -> None:
    tea, coffee = Said(text="Green tea with honey"), Said(text="Black coffee without sugar")
    await index.upsert("acme", "u1", points_of(tea, coffee))

    answers = await index.search("acme", "u1", ask("green tea"), filters=ANY)

    assert [answer[0].id for answer in answers] == [tea.id] * 5


async def test_an_item_comes_back_as_it_was_put(index: MemoryIndex) -> None:
    at = datetime(2024, 5, 8, 10, 15, 0, 123456, tzinfo=UTC)
    said = Said(
        text="Voilà: “日本” 🎂\n\ttail ", speaker="Ana María", at=at, session_id="s 1", seq=7
    )
    await index.upsert("acme", "u1", points_of(said))

    [[item]] = await index.search("acme", "u1", ask("voilà", views=[View.BM25]), filters=ANY)

    assert item.id == said.id
    assert item.layer is Layer.MID_TERM
    assert item.kind is ItemKind.TURN
    assert item.text == said.text
    assert item.speaker == "Ana María"
    assert item.occurred_at == at
    assert item.session_id == "s 1"
    assert item.seq == 7
    assert tuple(item.source_turn_ids) == (said.id,)
    assert item.valid_from is None


async def test_a_dense_score_is_cosine_similarity(index: MemoryIndex) -> None:
    said = Said(text="Green tea with honey")
    await index.upsert("acme", "u1", points_of(said))
    expected = float(ENCODER.vector(said.text) @ ENCODER.vector("green tea"))

    [[item]] = await index.search("acme", "u1", ask("green tea", views=[View.DENSE]), filters=ANY)

    assert item.score == pytest.approx(expected, abs=2e-5)


async def test_bm25_counts_its_idf_over_the_users_own_texts(index: MemoryIndex) -> None:
    mine = [Said(text="tea"), Said(text="coffee"), Said(text="coffee again")]
    await index.upsert("acme", "u1", points_of(*mine))
    before = await index.search("acme", "u1", ask("tea", views=[View.BM25]), filters=ANY)
    others = [Said(text="tea tea tea") for _ in range(20)]
    await index.upsert("acme", "u2", points_of(*others))

    after = await index.search("acme", "u1", ask("tea", views=[View.BM25]), filters=ANY)

    assert after == before


async def test_a_query_for_one_kind_finds_it_as_if_there_were_no_other(index: MemoryIndex) -> None:
    turns = [Said(text=f"tea number{n}") for n in range(3)]
    await index.upsert("acme", "u1", points_of(*turns))
    queries = [
        replace(query, kind=ItemKind.TURN)
        for query in ask("tea number1", views=[View.DENSE, View.BM25], limit=3)
    ]
    before = await index.search("acme", "u1", queries, filters=ANY)
    learnt = [Said(text="tea number1", kind=ItemKind.MEMORY) for _ in range(5)]
    await index.upsert("acme", "u1", points_of(*learnt))

    after = await index.search("acme", "u1", queries, filters=ANY)
    left_out = await index.search(
        "acme", "u1", queries, filters=RecallFilters(kinds=[ItemKind.MEMORY])
    )

    assert after == before
    assert {item.kind for answer in after for item in answer} == {ItemKind.TURN}
    assert left_out == [[], []]


async def test_a_rarer_word_weighs_more(index: MemoryIndex) -> None:
    common = [Said(text=f"coffee number{n}") for n in range(5)]
    rare = Said(text="saffron number9")
    await index.upsert("acme", "u1", points_of(*common, rare))

    [answer] = await index.search(
        "acme", "u1", ask("coffee saffron", views=[View.BM25]), filters=ANY
    )

    assert answer[0].id == rare.id


async def test_equal_scores_are_ordered_by_id_and_cut_by_id(index: MemoryIndex) -> None:
    same = [Said(text="Thanks a lot, dear!") for _ in range(12)]
    await index.upsert("acme", "u1", points_of(*same))

    answers = await index.search("acme", "u1", ask("thanks dear", limit=5), filters=ANY)

    first = sorted(said.id for said in same)[:5]
    assert [[item.id for item in answer] for answer in answers] == [first] * 5


async def test_at_most_limit_items_come_back_for_each_query(index: MemoryIndex) -> None:
    await index.upsert("acme", "u1", points_of(*[Said(text=f"tea {n}") for n in range(30)]))

    answers = await index.search("acme", "u1", ask("tea", limit=3), filters=ANY)

    assert [len(answer) for answer in answers] == [3] * 5


async def test_a_query_of_stop_words_alone_finds_nothing_by_word(index: MemoryIndex) -> None:
    await index.upsert("acme", "u1", points_of(Said(text="This is it")))
    empty = ViewQuery(View.BM25, SparseVector([], []), 5)
    dense = ask("this", views=[View.DENSE], limit=5)

    answers = await index.search("acme", "u1", [empty, *dense, empty], filters=ANY)

    assert [len(answer) for answer in answers] == [0, 1, 0]


async def test_from_is_inclusive_and_to_is_exclusive(index: MemoryIndex) -> None:
    second = timedelta(seconds=1)
    at = [NOON - second, NOON, NOON + second]
    said = [Said(text=f"tea {n}", at=time) for n, time in enumerate(at)]
    await index.upsert("acme", "u1", points_of(*said))

    texts = await found(index, "tea", RecallFilters(start=NOON, end=NOON + second))

    assert texts == {"tea 1"}


async def test_a_time_bound_in_another_zone_is_the_same_instant(index: MemoryIndex) -> None:
    await index.upsert("acme", "u1", points_of(Said(text="tea", at=NOON)))
    start = datetime.fromisoformat("2024-05-08T14:00:00+02:00")

    texts = await found(index, "tea", RecallFilters(start=start))

    assert texts == {"tea"}


async def test_speakers_are_told_apart_but_not_by_case(index: MemoryIndex) -> None:
    said = [Said(text="tea one", speaker="ÉLODIE"), Said(text="tea two", speaker="Bob")]
    await index.upsert("acme", "u1", points_of(*said))

    texts = await found(index, "tea", RecallFilters(speakers=["élodie", "nobody"]))

    assert texts == {"tea one"}


async def test_kinds_and_sessions_narrow_a_search(index: MemoryIndex) -> None:
    said = [
        Said(text="tea turn", session_id="s1"),
        Said(text="tea elsewhere", session_id="s2"),
        Said(text="tea memory", kind=ItemKind.MEMORY, session_id=None, at=None, speaker=None),
    ]
    await index.upsert("acme", "u1", points_of(*said))

    of_session = await found(index, "tea", RecallFilters(session_ids=["s2"]))
    of_kind = await found(index, "tea", RecallFilters(kinds=[ItemKind.MEMORY]))

    assert of_session == {"tea elsewhere"}
    assert of_kind == {"tea memory"}


async def test_filters_do_not_change_scores(index: MemoryIndex) -> None:
    said = [Said(text="tea in Porto"), Said(text="tea in Lisbon", session_id="s2")]
    await index.upsert("acme", "u1", points_of(*said))
    free = await index.search("acme", "u1", ask("tea Lisbon"), filters=ANY)

    narrow = await index.search(
        "acme", "u1", ask("tea Lisbon"), filters=RecallFilters(session_ids=["s2"])
    )

    assert [answer[0] for answer in narrow] == [answer[0] for answer in free]


async def test_vectors_are_read_back_by_id(index: MemoryIndex) -> None:
    said = Said(text="Green tea")
    await index.upsert("acme", "u1", points_of(said))

    encoded = await index.encoded("acme", "u1", [said.id, "unknown"])

    assert list(encoded) == [said.id]
    np.testing.assert_allclose(encoded[said.id].vector, ENCODER.vector(said.text), atol=1e-6)
    np.testing.assert_allclose(encoded[said.id].tokens, ENCODER.tokens(said.text), atol=1e-3)


async def test_a_token_score_is_the_sum_of_each_tokens_best(index: MemoryIndex) -> None:
    said = Said(text="Green tea with honey")
    await index.upsert("acme", "u1", points_of(said))
    best = ENCODER.tokens("honey for tea") @ ENCODER.tokens(said.text).T

    answers = await index.search("acme", "u1", ask("honey for tea"), filters=ANY)

    assert answers[-1][0].score == pytest.approx(float(best.max(axis=1).sum()), abs=5e-3)


async def test_tokens_are_asked_of_what_the_other_queries_found(index: MemoryIndex) -> None:
    tea, coffee = Said(text="green tea"), Said(text="black coffee")
    await index.upsert("acme", "u1", points_of(tea, coffee))
    queries = ask("green", views=[View.BM25, View.TOKENS])

    words, tokens = await index.search("acme", "u1", queries, filters=ANY)
    [alone] = await index.search("acme", "u1", queries[1:], filters=ANY)

    assert [item.id for item in words] == [item.id for item in tokens] == [tea.id]
    assert alone == []


async def test_what_has_no_tokens_is_not_scored_by_them(index: MemoryIndex) -> None:
    point = point_of(Said(text="green tea"))
    await index.upsert("acme", "u1", [replace(point, vectors={**point.vectors, View.TOKENS: NONE})])

    answers = await index.search("acme", "u1", ask("green tea"), filters=ANY)

    assert [len(answer) for answer in answers] == [1, 1, 1, 1, 0]


async def test_items_are_got_in_the_order_asked_for(index: MemoryIndex) -> None:
    said = [Said(text=f"tea {n}") for n in range(3)]
    await index.upsert("acme", "u1", points_of(*said))

    items = await index.get("acme", "u1", [said[2].id, "unknown", said[0].id])

    assert [item.text for item in items] == ["tea 2", "tea 0"]
    assert [item.score for item in items] == [0.0, 0.0]
