"""What holds before what held, by both clocks."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from lightmem.model import AsOf, Item, ItemKind, Layer, MemoryKind
from lightmem_selector.newest import newest_first
from lightmem_selector.rank import Scored
from lightmem_selector.succession import Succession, missing_successors

BEGIN = datetime.fromisoformat("2024-01-10T00:00:00+00:00")
MOVE = BEGIN + timedelta(days=50)
NOW = BEGIN + timedelta(days=100)


def turn(name: str, text: str, at: datetime) -> Item:
    return Item(
        id=name,
        layer=Layer.MID_TERM,
        kind=ItemKind.TURN,
        text=text,
        score=0.0,
        occurred_at=at,
        recorded_at=at,
        source_turn_ids=(name,),
    )


def memory(name: str, text: str, *sources: str, **fields: Any) -> Item:
    known = {"recorded_at": BEGIN, "memory_kind": MemoryKind.FACT, **fields}
    return Item(
        id=name,
        layer=Layer.MID_TERM,
        kind=ItemKind.MEMORY,
        text=text,
        score=0.0,
        source_turn_ids=sources,
        **known,
    )


OLD_TURN = turn("t1", "I live in Porto.", BEGIN)
NEW_TURN = turn("t2", "I moved to Lisbon.", MOVE)
OTHER = turn("t3", "I love the sea.", MOVE)
OLD = memory("old", OLD_TURN.text, "t1", superseded_at=MOVE, superseded_by="new", valid_to=MOVE)
NEW = memory("new", NEW_TURN.text, "t2", recorded_at=MOVE, holds_from=MOVE)
SLIP = memory("old", OLD_TURN.text, "t1", superseded_at=MOVE, superseded_by="new")


def in_order(items: Sequence[Item], as_of: AsOf | None = None) -> list[str]:
    """The ids as they are served when they are ranked in this order."""
    succession = Succession.of({item.id: item for item in items}, as_of or AsOf())
    ranked = [
        Scored(item, 1.0 - place / 10, item.layer, {})
        for place, item in enumerate(items)
        if item.id in succession.kept
    ]
    ordered = newest_first(ranked, succession)
    scores = [scored.score for scored in ordered]
    assert scores == sorted(scores, reverse=True)
    return [scored.item.id for scored in ordered]


def test_what_holds_stands_where_what_held_stood() -> None:
    assert in_order([OLD_TURN, OTHER, OLD, NEW]) == ["new", "old", "t3"]


def test_the_turn_that_says_all_of_it_may_stand_for_what_holds() -> None:
    assert in_order([OLD, NEW_TURN, NEW]) == ["t2", "old", "new"]


def test_nothing_moves_where_nothing_was_replaced() -> None:
    assert in_order([OTHER, NEW_TURN, NEW]) == ["t3", "t2", "new"]


def test_what_was_put_right_is_not_served() -> None:
    assert in_order([OLD_TURN, SLIP, NEW]) == ["new"]


def test_a_successor_that_was_not_found_is_asked_for() -> None:
    assert missing_successors({"old": OLD}, AsOf()) == ["new"]
    assert missing_successors({"old": OLD, "new": NEW}, AsOf()) == []


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        (AsOf(valid=BEGIN + timedelta(days=1)), ["t1", "old"]),
        (AsOf(valid=NOW), ["t2", "new"]),
        (AsOf(known=BEGIN + timedelta(days=1)), ["t1", "old", "t2", "new"]),
    ],
)
def test_a_recall_as_of_a_time_serves_what_was_true_or_known_then(
    as_of: AsOf, expected: list[str]
) -> None:
    assert in_order([OLD_TURN, OLD, NEW_TURN, NEW], as_of) == expected


def test_what_happened_stays_true_and_what_has_not_happened_yet_is_not() -> None:
    happened = memory(
        "party",
        "The party was on Friday.",
        "t9",
        memory_kind=MemoryKind.EVENT,
        valid_from=BEGIN,
        valid_to=BEGIN + timedelta(days=1),
    )

    assert in_order([happened], AsOf(valid=NOW)) == ["party"]
    assert in_order([happened], AsOf(valid=BEGIN - timedelta(days=1))) == []


def test_a_turn_that_is_asked_about_for_something_else_is_not_out_of_date() -> None:
    told = turn("t1", "I live in Porto, and my sister teaches chemistry at a school there.", BEGIN)
    succession = Succession.of({item.id: item for item in (told, OLD, NEW_TURN, NEW)}, AsOf())

    of_the_sister = succession.asked_about({told.id: 20.0, OLD.id: 8.0})
    of_the_home = succession.asked_about({told.id: 20.0, OLD.id: 20.0})
    of_nobody_knows_what = succession.asked_about({})

    assert told.id not in of_the_sister.current
    assert of_the_home.current[told.id] == NEW.id
    assert of_nobody_knows_what == succession
