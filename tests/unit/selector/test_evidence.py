"""Turns decide the order; a memory takes the place of its turn, and never one beside it."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from lightmem.domain.turn_items import item_of
from lightmem.model import Item, ItemKind, Layer, View
from lightmem_selector.choose import Decision, choose
from lightmem_selector.evidence import order
from lightmem_selector.forms import Forms
from lightmem_selector.pool import Asked, Pool
from lightmem_selector.rank import Scored, rank
from lightmem_selector.succession import Succession
from lightmem_selector.weights import Weights
from support.finding import plan, request, said
from support.indexes import NOON

QUERY = "What did Ana say of the harbour?"
WHEN = "When was Ana at the harbour?"
LONG = item_of(
    said("Oh, so lovely to hear from you! We walked around the harbour at dawn with my sister.")
)
OTHERS = [item_of(said(f"The harbour has {n} boats.", seq=n + 1)) for n in (3, 5, 7, 9)]


def memory(text: str, *turns: Item, **changes: Any) -> Item:
    item = Item(
        id=f"memory of {text}",
        layer=Layer.MID_TERM,
        kind=ItemKind.MEMORY,
        text=text,
        score=0.0,
        occurred_at=turns[0].occurred_at,
        recorded_at=turns[0].recorded_at,
        source_turn_ids=tuple(turn.id for turn in turns),
    )
    return replace(item, **changes)


WALK = memory("Ana: We walked around the harbour at dawn with my sister.", LONG)
DATED = replace(WALK, valid_from=NOON, valid_to=NOON + timedelta(days=1))


def pool_of(scores: Mapping[str, float], *items: Item) -> Pool:
    """A pool whose views all say the same of each item."""
    views = {view: dict(scores) for view in View}
    held = {item.id: item for item in items}
    return Pool(items=held, asked=[Asked(1.0, views, 100)], succession=Succession(held))


def near(*items: Item, **scores: float) -> Pool:
    """Items each nearer than the next, but those of which it is said how near."""
    told = {item.id: 1.0 - place / 10 for place, item in enumerate(items)}
    return pool_of({**told, **scores}, *items)


def ordered(pool: Pool, query: str = QUERY, **changes: Any) -> list[Scored]:
    return order(request(query, **changes), plan(query), pool, Weights())


def decided(pool: Pool, query: str = QUERY, *, top_k: int = 5, **changes: Any) -> list[Decision]:
    asked = request(query, **changes)
    ranked = order(asked, plan(query), pool, Weights())
    return list(choose(ranked, top_k=top_k, forms=Forms(asked, pool), to_the_end=asked.explain))


def served(pool: Pool, query: str = QUERY, *, top_k: int = 5) -> list[str]:
    return [each.scored.item.id for each in decided(pool, query, top_k=top_k) if each.is_chosen]


# --- the order ---------------------------------------------------------------------------------


def test_turns_stand_as_if_there_were_no_memories_of_their_words() -> None:
    alone = near(LONG, *OTHERS)
    beside = near(LONG, *OTHERS, WALK, **{WALK.id: 5.0})

    with_memories = ordered(beside)

    assert with_memories == rank(request(QUERY), plan(QUERY), alone, Weights())


def test_a_memory_none_of_whose_turns_was_found_stands_for_itself() -> None:
    pool = near(*OTHERS, WALK, **{WALK.id: 5.0})

    stands = [scored.item for scored in ordered(pool, "Who was at the harbour?")].index(WALK)

    assert stands == 1  # What is as near and was said comes before it.


def test_a_memory_that_says_something_else_than_its_turn_stands_for_itself() -> None:
    corrected = memory("Ana: We walked around the marina at dusk.", LONG)
    pool = near(LONG, *OTHERS, corrected, **{corrected.id: 5.0})

    assert corrected in [scored.item for scored in ordered(pool)]


def test_a_memory_that_joins_what_turns_say_stands_behind_the_first_of_them() -> None:
    first, second = OTHERS[:2]
    joined = memory(f"Ana: {first.text} {second.text}", first, second)
    pool = near(*OTHERS, joined, **{joined.id: 5.0})

    [behind] = [scored for scored in ordered(pool, explain=True) if scored.item is joined]

    assert behind.behind == first.id


def test_memories_alone_are_ranked_as_they_are() -> None:
    pool = near(WALK, memory("Ana: The boats are old.", OTHERS[0]))

    assert ordered(pool) == rank(request(QUERY), plan(QUERY), pool, Weights())


# --- what a turn is served as ------------------------------------------------------------------


def test_the_time_that_is_asked_for_is_served_in_place_of_its_turn() -> None:
    pool = near(LONG, *OTHERS, DATED, **{DATED.id: 0.85})

    assert served(pool, WHEN)[0] == DATED.id
    assert LONG.id not in served(pool, WHEN)
    assert served(pool, QUERY)[0] == LONG.id


def test_a_memory_that_is_beside_the_question_takes_no_place() -> None:
    pool = near(LONG, *OTHERS, DATED, **{DATED.id: 0.7})

    assert served(pool, WHEN) == [LONG.id, *(other.id for other in OTHERS)]


@pytest.mark.parametrize(("place", "is_short"), [(1, False), (3, False), (4, True), (5, True)])
def test_from_the_fourth_place_a_turn_is_served_as_what_says_most_of_it_in_fewer_words(
    place: int, is_short: bool
) -> None:
    turns = [*OTHERS[: place - 1], LONG, *OTHERS[place - 1 :]]
    scores = {turn.id: 1.0 - rank / 100 for rank, turn in enumerate(turns)}
    pool = pool_of({**scores, WALK.id: scores[LONG.id]}, *turns, WALK)

    assert served(pool)[place - 1] == (WALK.id if is_short else LONG.id)


def test_a_turn_that_tells_much_else_is_served_as_it_was_said() -> None:
    little = memory("Ana: at dawn", LONG)
    turns = [*OTHERS, LONG]
    scores = {turn.id: 1.0 - rank / 100 for rank, turn in enumerate(turns)}
    pool = pool_of({**scores, little.id: 1.0}, *turns, little)

    assert served(pool)[-1] == LONG.id


def test_a_turn_whose_words_have_ended_is_served_with_their_end() -> None:
    lived = item_of(said("I live in Porto."))
    ended = memory(
        "Ana: I live in Porto.",
        lived,
        superseded_at=NOON,
        superseded_by="other",
        valid_to=NOON,
    )
    pool = near(lived, *OTHERS, ended, **{ended.id: 0.95})

    assert served(pool, "Where does Ana live?")[0] == ended.id
    assert lived.id not in served(pool, "Where does Ana live?")


# --- places ------------------------------------------------------------------------------------


def test_a_memory_of_two_turns_stands_for_both_and_takes_one_place() -> None:
    asked = item_of(said("When were you at the harbour, Ana?", speaker="Ben"))
    answer = item_of(said("On the first of May, at dawn.", seq=2))
    both = memory(
        "Ben: When were you at the harbour, Ana? Ana: On the first of May, at dawn.",
        answer,
        asked,
        valid_from=NOON,
    )
    pool = near(answer, asked, *OTHERS, both, **{both.id: 0.95})

    assert served(pool, WHEN) == [both.id, *(other.id for other in OTHERS)]


def test_a_memory_and_its_turn_never_take_two_places() -> None:
    pool = near(WALK, LONG, *OTHERS, DATED)

    for query in (QUERY, WHEN):
        taken = [
            turn_id
            for each in decided(pool, query)
            if each.is_chosen
            for turn_id in each.scored.item.source_turn_ids
        ]
        assert len(taken) == len(set(taken)) == 5


def test_an_explanation_says_what_stands_for_what() -> None:
    pool = near(LONG, *OTHERS, DATED, **{DATED.id: 0.9})
    other = memory("Ana: with my sister", LONG)
    pool = replace(pool, items={**pool.items, other.id: other})

    reasons = {
        each.scored.item.id: (each.is_chosen, each.reason)
        for each in decided(pool, WHEN, explain=True)
    }

    assert reasons[DATED.id][0]
    assert reasons[DATED.id][1].endswith(f"; stands for {LONG.id}")
    assert reasons[LONG.id] == (False, f"{DATED.id} stands for it")
    assert reasons[other.id] == (False, f"says what {LONG.id} says")


def test_what_stands_for_a_turn_is_decided_on_once() -> None:
    lived = item_of(said("I live in Porto."))
    ended = memory(
        "Ana: I live in Porto.", lived, superseded_at=NOON, superseded_by="other", valid_to=NOON
    )
    pool = near(lived, *OTHERS, ended, **{ended.id: 0.95})

    ids = [each.scored.item.id for each in decided(pool, "Where is Ana?", explain=True)]

    assert sorted(ids) == sorted(pool.items)


def test_what_was_said_and_what_put_it_right_are_served_as_one() -> None:
    lent = item_of(said("I lent Joaquin 300 euros."))
    right = item_of(said("Sorry, it was 350.", seq=2))
    both = memory(f"Ana: {lent.text} — {right.text}", lent, right)
    pool = near(lent, *OTHERS, right, both, **{both.id: 1.0})

    assert served(pool, "What did Ana lend?", top_k=2) == [both.id, OTHERS[0].id]
