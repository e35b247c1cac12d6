"""Lists in pages, read to their end."""

from lightmem.domain.paging import every, pages
from lightmem.model import Page

PAGES = {None: Page([1, 2], "2"), "2": Page([], "3"), "3": Page([3], None)}


async def test_every_item_comes_once_over_pages_and_empty_ones() -> None:
    asked: list[str | None] = []

    async def fetch(cursor: str | None) -> Page[int]:
        asked.append(cursor)
        return PAGES[cursor]

    found = [item async for item in every(fetch)]

    assert found == [1, 2, 3]
    assert asked == [None, "2", "3"]


async def test_no_page_is_asked_for_before_it_is_needed() -> None:
    asked: list[str | None] = []

    async def fetch(cursor: str | None) -> Page[int]:
        asked.append(cursor)
        return PAGES[cursor]

    first = [items async for items in pages(fetch) if asked == [None]]

    assert first == [[1, 2]]
