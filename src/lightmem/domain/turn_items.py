"""Turns as recall shows them: items, within the limits that the caller sets.

What the index holds it filters itself; turns of the ledger and of the short-term buffer are held
against the same limits here.
"""

import unicodedata
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from lightmem.model import Item, ItemKind, Layer, RecallFilters, RecallRequest, Turn

#: Nothing is recorded later than this.
_LAST = datetime.max.replace(tzinfo=UTC)


def item_of(turn: Turn) -> Item:
    """A turn of the ledger or the buffer as an item, like the one that the index holds."""
    return Item(
        id=turn.id,
        layer=Layer.SHORT_TERM,
        kind=ItemKind.TURN,
        text=turn.content,
        score=0.0,
        speaker=turn.speaker,
        occurred_at=turn.occurred_at,
        source_turn_ids=(turn.id,),
        session_id=turn.session_id,
        seq=turn.seq,
    )


def filters_of(request: RecallRequest) -> RecallFilters:
    """The filters with `as_of.known` taken in: what was recorded later was not."""
    known, filters = request.as_of.known, request.filters
    if known is None or known >= _LAST:
        return filters
    # The end of a filter is exclusive, what was known at a moment includes that moment.
    return replace(filters, known_before=known + timedelta(microseconds=1))


def admits(filters: RecallFilters, turn: Turn) -> bool:
    """Whether a turn may be recalled, as the index decides it for what it holds.

    What a filter asks and a turn lacks keeps it out.
    """
    if filters.kinds and ItemKind.TURN not in filters.kinds:
        return False
    speakers = {speaker_key(speaker) for speaker in filters.speakers}
    if speakers and speaker_key(turn.speaker or "") not in speakers:
        return False
    if filters.session_ids and turn.session_id not in filters.session_ids:
        return False
    if filters.known_before is not None and turn.recorded_at >= filters.known_before:
        return False
    after_start = filters.start is None or filters.start <= turn.occurred_at
    return after_start and (filters.end is None or turn.occurred_at < filters.end)


def speaker_key(speaker: str) -> str:
    """A speaker's name as it is compared: compatibility forms and case do not count."""
    return unicodedata.normalize("NFKC", speaker).casefold()
