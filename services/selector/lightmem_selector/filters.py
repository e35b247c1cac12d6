"""The caller's hard limits: what they leave out is never recalled, however relevant."""

from lightmem.domain.turn_items import admits, filters_of
from lightmem.model import AsOf, Item, ItemKind, MemoryKind, RecallFilters

__all__ = [
    "admits",
    "asks_for_turns_alone",
    "filters_of",
    "has_ended",
    "is_superseded",
    "was_true",
]

#: What happens at a time rather than lasts for one.
_HAPPEN = frozenset({MemoryKind.EVENT, MemoryKind.PLAN})


def asks_for_turns_alone(filters: RecallFilters) -> bool:
    """Whether a filter speaks of what concepts do not have: a speaker, a session or a time."""
    named = filters.speakers or filters.session_ids or filters.start or filters.end
    return bool(named) or bool(filters.kinds and ItemKind.CONCEPT not in filters.kinds)


def is_superseded(as_of: AsOf, item: Item) -> bool:
    """Whether another memory had taken the place of this one, by what was known then."""
    if item.superseded_at is None:
        return False
    return as_of.known is None or item.superseded_at <= as_of.known


def has_ended(item: Item) -> bool:
    """Whether a superseded memory held once; what was put right has no time that it held."""
    return item.valid_to is not None and (
        item.valid_from is None or item.valid_from < item.valid_to
    )


def was_true(as_of: AsOf, item: Item) -> bool:
    """Whether a memory may be served: it was true at `as_of.valid`, by what was known then.

    Without `as_of.valid` everything that ever held may. What happened stays true as a fact of
    the past; only what had not happened yet, and states before they began and after they ended,
    were not true. Without dates a memory is true at all times.
    """
    if item.kind is not ItemKind.MEMORY:
        return True
    superseded = is_superseded(as_of, item)
    if superseded and not has_ended(item):
        return False
    valid = as_of.valid
    if valid is None:
        return True
    begins = item.valid_from or item.holds_from
    if begins is not None and begins > valid:
        return False
    if item.memory_kind in _HAPPEN and not superseded:
        return True
    # An end that was learnt later was not known then.
    ends = item.valid_to if superseded or item.superseded_at is None else None
    return ends is None or ends > valid
