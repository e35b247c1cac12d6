"""Memories that became one are found by the words of each, and are one item."""

from datetime import datetime, timedelta
from typing import Any

from lightmem.model import AsOf, Item, ItemKind, Layer, View
from lightmem_selector.forms import is_quoted_from
from lightmem_selector.joined import found_as_one

BEGIN = datetime.fromisoformat("2024-01-10T00:00:00+00:00")
DREAM = BEGIN + timedelta(days=1)
NOW = BEGIN + timedelta(days=9)
JOINED = {"superseded_at": DREAM, "superseded_by": "whole"}


def memory(name: str, text: str, *sources: str, **fields: Any) -> Item:
    return Item(
        id=name,
        layer=Layer.MID_TERM,
        kind=ItemKind.MEMORY,
        text=text,
        score=0.0,
        source_turn_ids=sources,
        **fields,
    )


SANG = memory("sang", "Ana: We sang by the lake.", "t1", **JOINED)
OWLS = memory("owls", "Ana: Owls hooted.", "t1", **JOINED)
WHOLE = memory("whole", "Ana: We sang by the lake. Owls hooted.", "t1")
OTHER = memory("other", "Ana: It rained.", "t2")


def found(
    *items: Item, as_of: AsOf | None = None, **scores: float
) -> tuple[dict[str, float], set[str]]:
    """Scores of one view, and the ids of the items that are left."""
    by_view, left = found_as_one({View.DENSE: scores}, {i.id: i for i in items}, as_of or AsOf())
    return dict(by_view[View.DENSE]), set(left)


def test_the_whole_has_the_best_score_of_its_parts_and_its_own() -> None:
    assert found(SANG, OWLS, WHOLE, OTHER, sang=0.9, owls=0.2, whole=0.5, other=0.1) == (
        {"whole": 0.9, "other": 0.1},
        {"whole", "other"},
    )
    assert found(OWLS, WHOLE, owls=0.2, whole=0.5) == ({"whole": 0.5}, {"whole"})


def test_a_whole_that_only_its_parts_were_found_by_is_found_by_them() -> None:
    assert found(OWLS, WHOLE, owls=0.4) == ({"whole": 0.4}, {"whole"})


def test_without_the_whole_a_part_stays_what_it_is() -> None:
    assert found(OWLS, OTHER, owls=0.4, other=0.1) == (
        {"owls": 0.4, "other": 0.1},
        {"owls", "other"},
    )


def test_parts_of_parts_count_for_the_last_whole() -> None:
    last = memory("last", "Ana: We sang by the lake. Owls hooted. It rained.", "t1", "t2")
    between = memory("whole", WHOLE.text, "t1", superseded_at=NOW, superseded_by="last")

    assert found(SANG, between, last, sang=0.7, whole=0.3) == ({"last": 0.7}, {"last"})


def test_what_gave_way_to_a_part_gave_way_to_the_whole() -> None:
    old = memory(
        "old", "Ana: We sang in the barn.", "t9", superseded_at=DREAM, superseded_by="sang"
    )
    items = {one.id: one for one in (old, SANG, WHOLE)}

    _, left = found_as_one({View.DENSE: {"old": 0.7, "sang": 0.5}}, items, AsOf())

    assert left["old"].superseded_by == "whole"
    assert set(left) == {"old", "whole"}


def test_what_was_replaced_by_other_words_or_rests_on_other_turns_is_no_part() -> None:
    replaced = memory("sang", "Ana: We sang in the barn.", "t1", **JOINED)
    elsewhere = memory("owls", OWLS.text, "t9", **JOINED)

    assert found(replaced, elsewhere, WHOLE, sang=0.7, owls=0.3)[1] == {"sang", "owls", "whole"}


def test_before_they_were_joined_they_are_items_like_any() -> None:
    before = AsOf(known=BEGIN)

    assert found(SANG, WHOLE, as_of=before, sang=0.7)[1] == {"sang", "whole"}


def test_what_was_joined_of_a_turn_is_quoted_from_it_whatever_stands_between() -> None:
    turn = memory("t1", "We sang by the lake. What a night! Owls hooted")
    elsewhere = memory("t2", "We sang by the lake. What a night!")

    assert is_quoted_from(WHOLE, turn)
    assert not is_quoted_from(WHOLE, elsewhere)
