"""The caller's hard limits: what they leave out is never recalled, however relevant."""

from dataclasses import replace
from datetime import timedelta

from lightmem.model import AsOf, Item, ItemKind, RecallFilters, RecallRequest, Turn


def filters_of(request: RecallRequest) -> RecallFilters:
    """The filters with `as_of.known` taken in: what was said later was not known then."""
    known, filters = request.as_of.known, request.filters
    if known is None:
        return filters
    # The end of a filter is exclusive, what was known at a moment includes that moment.
    end = known + timedelta(microseconds=1)
    return replace(filters, end=end if filters.end is None else min(filters.end, end))


def admits(filters: RecallFilters, turn: Turn) -> bool:
    """Whether a turn of the buffer may be recalled, as the index decides it for what it holds.

    What a filter asks and a turn lacks keeps it out. Speakers are not told apart by case.
    """
    if filters.kinds and ItemKind.TURN not in filters.kinds:
        return False
    speakers = {speaker.casefold() for speaker in filters.speakers}
    if speakers and (turn.speaker or "").casefold() not in speakers:
        return False
    if filters.session_ids and turn.session_id not in filters.session_ids:
        return False
    after_start = filters.start is None or filters.start <= turn.occurred_at
    return after_start and (filters.end is None or turn.occurred_at < filters.end)


def asks_for_turns_alone(filters: RecallFilters) -> bool:
    """Whether a filter speaks of what concepts do not have: a speaker, a session or a time."""
    named = filters.speakers or filters.session_ids or filters.start or filters.end
    return bool(named) or bool(filters.kinds and ItemKind.CONCEPT not in filters.kinds)


def was_true(as_of: AsOf, item: Item) -> bool:
    """Whether a memory was true at `as_of.valid`; without dates it is true at all times."""
    if as_of.valid is None or item.kind is not ItemKind.MEMORY:
        return True
    if item.valid_from is not None and item.valid_from > as_of.valid:
        return False
    return item.valid_to is None or item.valid_to > as_of.valid
