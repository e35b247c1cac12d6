"""What took the place of what was found is fetched, through all that came between."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from lightmem.model import Item, ItemKind, Layer, RecallFilters, RecallRequest
from lightmem_selector.followers import followers_of

AT = datetime(2024, 5, 8, tzinfo=UTC)


def memory(name: str, follower: str | None = None) -> Item:
    return Item(
        id=name,
        layer=Layer.MID_TERM,
        kind=ItemKind.MEMORY,
        text=f"It is {name}.",
        score=0.0,
        superseded_at=AT if follower else None,
        superseded_by=follower,
    )


class Held:
    """The items of one user, and which were asked for."""

    def __init__(self, *items: Item) -> None:
        self.items = {item.id: item for item in items}
        self.asked: list[str] = []

    async def get(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> list[Item]:
        self.asked += ids
        return [self.items[each] for each in ids if each in self.items]


async def followed(index: Any, *found: Item, filters: RecallFilters | None = None) -> set[str]:
    request = RecallRequest("What is it?", now=AT, filters=filters or RecallFilters())
    return set(await followers_of(index, "acme", "ana", request, {i.id: i for i in found}))


async def test_a_value_that_a_dream_joined_since_is_fetched_with_what_it_became() -> None:
    index = Held(memory("part", "whole"), memory("whole"))

    assert await followed(index, memory("old", "part")) == {"part", "whole"}


async def test_what_is_gone_is_asked_for_once() -> None:
    index = Held()

    assert await followed(index, memory("old", "gone"), memory("older", "gone")) == set()
    assert index.asked == ["gone"]


async def test_what_a_filter_may_have_left_out_is_not_fetched() -> None:
    index = Held(memory("new"))
    filters = RecallFilters(speakers=["Ana"])

    assert await followed(index, memory("old", "new"), filters=filters) == set()
    assert index.asked == []
