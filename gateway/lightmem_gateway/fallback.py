"""What recall finds without Selector and index: the latest turns with words of the question."""

from collections.abc import Sequence

from lightmem.errors import Unavailable
from lightmem.model import (
    Item,
    ItemKind,
    Layer,
    RecallFilters,
    RecallRequest,
    Selection,
    SparseVector,
    Turn,
)
from lightmem.ports import LexicalEncoder, ShortTermBuffer

#: Latest turns of a user that are looked at.
MOST_LOOKED_AT = 200


async def choose_recent(
    tenant_id: str,
    user_id: str,
    request: RecallRequest,
    *,
    short_term: ShortTermBuffer,
    lexical: LexicalEncoder,
) -> Selection:
    """At most `top_k` turns of the short-term buffer, those with most words in common first."""
    try:
        turns = await short_term.recent(tenant_id, user_id, session_id=None, limit=MOST_LOOKED_AT)
    except Unavailable:
        return Selection(items=(), degraded=("short_term: unavailable",))
    asked = lexical.query(request.query)
    scored = [
        (overlap(asked, lexical.document(turn.content)), turn)
        for turn in turns
        if passes(turn, request.filters)
    ]
    scored.sort(key=lambda pair: (-pair[0], pair[1].id))
    return Selection(
        items=[_item(turn, score) for score, turn in scored[: request.top_k] if score > 0]
    )


def overlap(asked: SparseVector, text: SparseVector) -> float:
    """The weights of the words that both have, multiplied and summed."""
    weights = dict(zip(text.indices, text.values, strict=True))
    return sum(
        weight * weights.get(index, 0.0)
        for index, weight in zip(asked.indices, asked.values, strict=True)
    )


def passes(turn: Turn, filters: RecallFilters) -> bool:
    """Whether a turn is within the caller's hard limits."""
    return (
        (filters.start is None or turn.occurred_at >= filters.start)
        and (filters.end is None or turn.occurred_at < filters.end)
        and _among(turn.speaker, filters.speakers)
        and _among(turn.session_id, filters.session_ids)
        and _among(ItemKind.TURN, filters.kinds)
    )


def _among(value: str | None, allowed: Sequence[str]) -> bool:
    return not allowed or value in allowed


def _item(turn: Turn, score: float) -> Item:
    return Item(
        id=turn.id,
        layer=Layer.SHORT_TERM,
        kind=ItemKind.TURN,
        text=turn.content,
        score=score,
        speaker=turn.speaker,
        occurred_at=turn.occurred_at,
        source_turn_ids=(turn.id,),
        session_id=turn.session_id,
        seq=turn.seq,
    )
