"""Lists that come in pages, read to their end."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class PageOf(Protocol[T_co]):
    """A slice of a list; `next_cursor` is None at the end."""

    @property
    def items(self) -> Sequence[T_co]: ...

    @property
    def next_cursor(self) -> str | None: ...


async def pages(
    fetch: Callable[[str | None], Awaitable[PageOf[T]]],
) -> AsyncIterator[Sequence[T]]:
    """The items of each page; `fetch` is asked for the page at a cursor, None for the first."""
    cursor: str | None = None
    while True:
        page = await fetch(cursor)
        yield page.items
        if page.next_cursor is None:
            return
        cursor = page.next_cursor


async def every(fetch: Callable[[str | None], Awaitable[PageOf[T]]]) -> AsyncIterator[T]:
    """All items, a page at a time in memory."""
    async for items in pages(fetch):
        for item in items:
            yield item
