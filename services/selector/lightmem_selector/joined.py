"""Memories that became one: found by the words of each, and one item.

A dream joins memories and loses none of their words. The index still has each part as it was,
nearer to a question about it than the whole is; so what a part was found by counts for the whole,
and what gave way to a part gave way to the whole.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from lightmem.domain.text import words_of
from lightmem.model import AsOf, Item, ItemKind
from lightmem_selector.filters import is_superseded

View = TypeVar("View")
Scores = Mapping[View, Mapping[str, float]]


def found_as_one(
    scores: Scores[View], items: Mapping[str, Item], as_of: AsOf
) -> tuple[Scores[View], dict[str, Item]]:
    """Scores and items without parts of others: a whole has the best of its parts' scores and its.

    Args:
        scores: By whatever view, then by id.
        items: All that was found, and what took the place of any of it.
    """
    wholes = {key: whole for key, item in items.items() if (whole := _whole(item, items, as_of))}
    if not wholes:
        return scores, dict(items)
    counted = {view: _counted(found, wholes) for view, found in scores.items()}
    return counted, {
        key: _followed(item, wholes) for key, item in items.items() if key not in wholes
    }


def _followed(item: Item, wholes: Mapping[str, str]) -> Item:
    """An item that gave way to a part gave way to the whole that the part became."""
    whole = wholes.get(item.superseded_by or "")
    return item if whole is None else replace(item, superseded_by=whole)


def _counted(found: Mapping[str, float], wholes: Mapping[str, str]) -> Mapping[str, float]:
    counted: dict[str, float] = {}
    for key, score in found.items():
        one = wholes.get(key, key)
        counted[one] = max(score, counted.get(one, score))
    return counted


def _whole(item: Item, items: Mapping[str, Item], as_of: AsOf) -> str | None:
    """The memory that stands for a superseded one and says all of it, through all between."""
    last, seen = item, {item.id}
    while last.kind is ItemKind.MEMORY and is_superseded(as_of, last):
        whole = items.get(last.superseded_by or "")
        if whole is None or whole.id in seen or not _is_part(last, whole):
            return None
        seen.add(whole.id)
        last = whole
    return None if last is item else last.id


def _is_part(part: Item, whole: Item) -> bool:
    """Whether a memory quotes all turns of another and says all its words."""
    if not set(part.source_turn_ids) <= set(whole.source_turn_ids):
        return False
    return words_of(part.text) <= words_of(whole.text)
