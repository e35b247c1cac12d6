"""What a ranker sees of a pool, and what it may decide."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lightmem.adapters.onnx import open_ranker
from lightmem.domain.text import words_of
from lightmem.errors import InvalidInput
from lightmem.model import Item, ItemKind, Layer, Precision, TimeRange, Turn, View
from lightmem.ports import Ranker
from lightmem_selector.features import NAMES, RANKED, VERSION, features_of
from lightmem_selector.kinds import says_a_time, wanted
from lightmem_selector.pool import Asked, Pool
from lightmem_selector.rank import Scored, rank
from lightmem_selector.recent import item_of
from lightmem_selector.signs import signs_of
from lightmem_selector.weights import Weights
from support.finding import plan, request, said

QUERY = "When did Ana move to Lisbon?"
TALK = (
    said("Where will you live next year, Ana?", seq=1, speaker="Ben"),
    said("We moved to Lisbon last Friday.", seq=2, speaker="Ana"),
    said("The dog hates the rain.", seq=3, speaker="Ben"),
    said("Lisbon is far.", seq=4, speaker="Ben"),
)


def item(turn: Turn) -> Item:
    return replace(item_of(turn), layer=Layer.MID_TERM)


def pool_of(*items: Item, scores: list[float] | None = None) -> Pool:
    """A pool in which every view found every item, with these scores."""
    given = scores or [1.0 / (place + 1) for place in range(len(items))]
    found = {one.id: score for one, score in zip(items, given, strict=True)}
    return Pool(
        items={one.id: one for one in items}, asked=[Asked(1.0, dict.fromkeys(View, found), 100)]
    )


def column(pool: Pool, name: str) -> dict[str, float]:
    """A feature of each item, by its text."""
    signs = signs_of(request(QUERY), plan(QUERY), pool, Weights())
    features = features_of(request(QUERY), plan(QUERY), pool, signs)
    items = list(pool.items.values())
    values = features.values[:, NAMES.index(name)]
    return {
        items[number].text: float(value)
        for number, value in zip(features.numbers, values, strict=True)
    }


class LongestFirst:
    """Prefers longer texts."""

    name = "longest-first"

    def score(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        return features[:, NAMES.index("length")]


class AllAlike:
    """Prefers nothing."""

    name = "all-alike"

    def score(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.zeros(len(features), np.float32)


def ranked(pool: Pool, ranker: Ranker | None) -> list[Scored]:
    return rank(request(QUERY), plan(QUERY), pool, Weights(), ranker)


def test_names_are_distinct_and_every_value_is_a_number() -> None:
    pool = pool_of(*map(item, TALK))
    signs = signs_of(request(QUERY), plan(QUERY), pool, Weights())

    features = features_of(request(QUERY), plan(QUERY), pool, signs)

    assert len(set(NAMES)) == len(NAMES)
    assert features.values.shape == (4, len(NAMES))
    assert features.values.dtype == np.float32
    assert np.isfinite(features.values).all()


def test_an_items_features_do_not_depend_on_the_order_of_the_pool() -> None:
    items = [item(turn) for turn in TALK]
    scores = [0.9, 0.7, 0.4, 0.2]
    forward = pool_of(*items, scores=scores)
    backward = pool_of(*items[::-1], scores=scores[::-1])

    same = [column(forward, name) == column(backward, name) for name in NAMES]

    assert all(same)


def test_neighbours_are_those_of_the_session() -> None:
    elsewhere = said("I moved as well.", seq=1, session_id="s2")
    pool = pool_of(*map(item, (*TALK, elsewhere)))

    before = column(pool, "at-1.question")

    assert before["We moved to Lisbon last Friday."] == 1.0
    assert before["The dog hates the rain."] == 0.0
    assert before["I moved as well."] == 0.0


def test_rarer_words_of_the_question_cover_more_of_it() -> None:
    pool = pool_of(*map(item, TALK))

    covered = column(pool, "covered")

    assert covered["We moved to Lisbon last Friday."] > covered["Lisbon is far."] > 0
    assert covered["The dog hates the rain."] == 0


def test_a_memory_and_its_turn_know_of_each_other() -> None:
    turn = item(TALK[1])
    memory = replace(turn, id="m1", kind=ItemKind.MEMORY, text="Ana moved.", session_id=None, seq=0)
    pool = pool_of(turn, memory, scores=[0.9, 0.5])

    assert column(pool, "source.linear")["Ana moved."] == pytest.approx(
        column(pool, "linear")[turn.text]
    )
    assert column(pool, "memory.linear")[turn.text] == pytest.approx(
        column(pool, "linear")["Ana moved."]
    )


def test_a_ranker_gives_the_order_and_the_linear_ranking_the_scale() -> None:
    pool = pool_of(*map(item, TALK))
    linear = ranked(pool, None)

    by_length = ranked(pool, LongestFirst())

    lengths = [len(scored.item.text) for scored in by_length]
    assert lengths == sorted(lengths, reverse=True)
    assert [one.score for one in by_length] == pytest.approx([one.score for one in linear])


def test_what_the_ranker_holds_alike_has_one_score() -> None:
    pool = pool_of(*map(item, TALK))

    scores = {scored.score for scored in ranked(pool, AllAlike())}

    assert len(scores) == 1


def test_only_the_best_are_ranked_and_the_rest_stay_below() -> None:
    turns = [said(f"{'word ' * place}end", seq=place + 1) for place in range(RANKED + 20)]
    pool = pool_of(*map(item, turns))
    last = {scored.item.id for scored in ranked(pool, None)[RANKED:]}

    by_length = ranked(pool, LongestFirst())

    assert {scored.item.id for scored in by_length[RANKED:]} == last


def test_without_scores_of_tokens_the_linear_ranking_decides() -> None:
    pool = pool_of(*map(item, TALK))
    [asked] = pool.asked
    scores = dict(asked.scores)
    del scores[View.TOKENS]
    blind = replace(pool, asked=[replace(asked, scores=scores)])

    assert ranked(blind, LongestFirst()) == ranked(blind, None)


def test_an_empty_pool_has_no_ranking() -> None:
    assert ranked(Pool(), LongestFirst()) == []


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did she leave?", "when"),
        ("¿Cuándo se fue?", "when"),
        ("她什么时候走的?", "when"),
        ("How many dogs has he?", "count"),
        ("Where do they live?", "where"),
        ("Did he call?", "decide"),
        ("Would she like it?", "guess"),
        ("What books has she read?", "list"),
    ],
)
def test_what_a_question_wants_is_read_from_its_words(question: str, kind: str) -> None:
    assert kind in wanted(question)


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("I left last week", True),
        ("See you at 5", True),
        ("上周我去了", True),
        ("I like tea", False),
    ],
)
def test_a_word_of_time_or_a_number_says_when(text: str, does: bool) -> None:
    assert says_a_time(words_of(text)) is does


def test_the_shipped_ranker_scores_these_features() -> None:
    ranker = open_ranker("generated", features_version=VERSION, columns=NAMES)

    scores = ranker.score(np.zeros((3, len(NAMES)), np.float32))

    assert scores.shape == (3,)
    assert ranker.name.startswith("generated-")


def test_a_ranker_of_other_features_is_refused() -> None:
    with pytest.raises(InvalidInput, match="other features"):
        open_ranker("generated", features_version="0", columns=NAMES)
    with pytest.raises(InvalidInput, match="other features"):
        open_ranker("generated", features_version=VERSION, columns=NAMES[::-1])


@pytest.mark.parametrize("name", ["nothing", "", "../rankers/generated", "/nowhere"])
def test_an_unknown_ranker_is_refused_by_the_name_of_its_setting(name: str) -> None:
    with pytest.raises(InvalidInput, match="ranker"):
        open_ranker(name, features_version=VERSION, columns=NAMES)


def test_weights_that_do_not_match_their_card_are_refused(tmp_path: Path) -> None:
    (tmp_path / "ranker.onnx").write_bytes(b"not a model")
    (tmp_path / "card.json").write_text('{"sha256": {"ranker.onnx": "0"}}', encoding="utf-8")

    with pytest.raises(InvalidInput, match="does not match its card"):
        open_ranker(str(tmp_path), features_version=VERSION, columns=NAMES)


def test_a_time_that_ends_where_another_begins_is_no_part_of_it() -> None:
    june = TimeRange(datetime(2024, 6, 1, tzinfo=UTC), datetime(2024, 7, 1, tzinfo=UTC))
    of_may = datetime(2024, 5, 1, tzinfo=UTC)
    memories = [
        replace(
            item(TALK[3]),
            id=name,
            kind=ItemKind.MEMORY,
            occurred_at=of_may,
            valid_from=of_may,
            valid_to=end,
        )
        for name, end in (("ended", june.start), ("lasting", june.end), ("open", None))
    ]

    signs = signs_of(request(QUERY), plan(QUERY, time_range=june), pool_of(*memories), Weights())

    assert signs.dates.tolist() == [0.0, 1.0, 1.0]


def test_a_day_that_is_asked_for_says_more_than_a_year() -> None:
    of_the_day = item(TALK[3])
    assert of_the_day.occurred_at is not None
    start = of_the_day.occurred_at
    times = {
        Precision.DAY: TimeRange(start, start + timedelta(days=1), Precision.DAY),
        Precision.YEAR: TimeRange(start, start + timedelta(days=365), Precision.YEAR),
    }

    agreed = {
        precision: signs_of(
            request(QUERY), plan(QUERY, time_range=time), pool_of(of_the_day), Weights()
        ).dates[0]
        for precision, time in times.items()
    }

    assert agreed[Precision.DAY] == 1.0
    assert agreed[Precision.YEAR] < 0.5


def test_what_is_told_days_after_the_time_that_is_asked_for_agrees_less_each_day() -> None:
    asked = datetime(2024, 6, 1, tzinfo=UTC)
    day = TimeRange(asked, asked + timedelta(days=1), Precision.DAY)
    told = [
        replace(item(TALK[3]), id=str(days), occurred_at=asked + timedelta(days=days))
        for days in (-1, 0, 1, 4, 60)
    ]

    signs = signs_of(request(QUERY), plan(QUERY, time_range=day), pool_of(*told), Weights())

    assert signs.dates.tolist() == pytest.approx([0.0, 1.0, 1.0, 0.5, 0.0], abs=1e-5)
