"""Answers: values of the domain as JSON, each in one place."""

from collections.abc import Callable
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from lightmem.model import (
    Page,
)

V = TypeVar("V")
S = TypeVar("S")


class View(BaseModel):
    """An answer. Every field is always there; what is not known is null."""

    model_config = ConfigDict(frozen=True)


class PageView(View, Generic[V]):
    """A slice of a list; `next_cursor` is null at the end."""

    items: list[V]
    next_cursor: str | None


def page_view(page: Page[S], view: Callable[[S], V]) -> PageView[V]:
    """A page, each item through its view."""
    return PageView(items=[view(item) for item in page.items], next_cursor=page.next_cursor)
