"""What is kept at hand of the index is what was read, and leaves with what changes."""

from uuid import uuid4

from lightmem.adapters.embedded.qdrant_edge.at_hand import ItemsAtHand, SpeakersAtHand
from lightmem.adapters.qdrant_layout import MOST_SPEAKERS
from lightmem.model import IndexPoint, Item, ItemKind, Layer

ITEM = Item("t", Layer.MID_TERM, ItemKind.TURN, "We moved.", 0.0, speaker="Ana")


def test_items_unread_for_long_leave_first() -> None:
    keys = [uuid4().int for _ in range(4)]
    items = ItemsAtHand(most=2)

    for key in keys:
        items.put({key: ITEM})
        items.get(keys[0])

    assert [items.get(key) is not None for key in keys] == [True, False, False, True]


def test_a_point_that_changes_is_not_at_hand() -> None:
    one, other = uuid4().int, uuid4().int
    items = ItemsAtHand()
    items.put({one: ITEM, other: ITEM})

    items.drop([one])

    assert items.get(one) is None
    assert items.get(other) is ITEM


def test_only_a_new_speaker_is_counted_anew() -> None:
    speakers = SpeakersAtHand()
    speakers.put("acme", ["ana"])

    speakers.note("acme", [IndexPoint(ITEM, {})])
    before = speakers.get("acme")
    speakers.note("acme", [IndexPoint(ITEM, {}, speakers=["Ben"])])

    assert before == ["ana"]
    assert speakers.get("acme") is None


def test_speakers_that_may_have_been_cut_are_not_kept() -> None:
    speakers = SpeakersAtHand()

    speakers.put("acme", [f"speaker {number}" for number in range(MOST_SPEAKERS)])

    assert speakers.get("acme") is None
