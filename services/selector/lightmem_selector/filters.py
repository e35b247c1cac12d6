"""The caller's hard limits: what they leave out is never recalled, however relevant."""

from dataclasses import replace
from datetime import timedelta

from lightmem.model import AsOf, Item, ItemKind, RecallFilters, RecallRequest


def filters_of(request: RecallRequest) -> RecallFilters:
    """The filters with `as_of.known` taken in: what was said later was not known then."""
    known, filters = request.as_of.known, request.filters
    if known is None:
        return filters
    # The end of a filter is exclusive, what was known at a moment includes that moment.
    end = known + timedelta(microseconds=1)
    return replace(filters, end=end if filters.end is None else min(filters.end, end))


def admits(filters: RecallFilters, as_of: AsOf, item: Item) -> bool:
    """Whether an item may be recalled. What a filter asks and an item lacks keeps it out.

    A memory must have been true at `as_of.valid`; one without dates is true at all times.
    """
    if filters.kinds and item.kind not in filters.kinds:
        return False
    if filters.speakers and item.speaker not in filters.speakers:
        return False
    if filters.session_ids and item.session_id not in filters.session_ids:
        return False
    return _is_in_time(filters, item) and _was_true(as_of, item)


def asks_for_turns_alone(filters: RecallFilters) -> bool:
    """Whether a filter speaks of what concepts do not have: a speaker, a session or a time."""
    named = filters.speakers or filters.session_ids or filters.start or filters.end
    return bool(named) or bool(filters.kinds and ItemKind.CONCEPT not in filters.kinds)


def _is_in_time(filters: RecallFilters, item: Item) -> bool:
    if filters.start is None and filters.end is None:
        return True
    if item.occurred_at is None:
        return False
    after_start = filters.start is None or filters.start <= item.occurred_at
    return after_start and (filters.end is None or item.occurred_at < filters.end)


def _was_true(as_of: AsOf, item: Item) -> bool:
    if as_of.valid is None or item.kind is not ItemKind.MEMORY:
        return True
    if item.valid_from is not None and item.valid_from > as_of.valid:
        return False
    return item.valid_to is None or item.valid_to > as_of.valid
