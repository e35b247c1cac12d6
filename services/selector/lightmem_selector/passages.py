"""Long turns that were found as a whole, shown by the passage that answers.

The index finds a long turn by its passages and gives the nearest one. What is not in it yet, or was
found by words that stand apart in it, is cut here, by the words of the question.
"""

from collections.abc import Mapping
from dataclasses import replace

from lightmem.domain.passages import is_long, passage_about
from lightmem.model import Item, ItemKind


def by_passage(query: str, items: Mapping[str, Item]) -> dict[str, Item]:
    """The items, each turn that is too long to be shown with one passage's words for its text."""
    return {
        key: replace(item, text=passage_about(query, item.text))
        if item.kind is ItemKind.TURN and is_long(item.text)
        else item
        for key, item in items.items()
    }
