"""What the index is given of a turn and of a memory: the item, and a vector for each view of it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from lightmem.domain.windows import Window, lexical_text, mean_direction
from lightmem.model import (
    IndexPoint,
    Item,
    ItemKind,
    Layer,
    Memory,
    TokenVectors,
    Turn,
    Vector,
    View,
)
from lightmem.ports import Encoded, LexicalEncoder

#: The text of each turn by id, and its vectors.
Known = dict[str, tuple[str, Encoded]]


def turn_point(
    window: Window, known: Mapping[str, tuple[str, Encoded]], lexical: LexicalEncoder
) -> IndexPoint:
    """A turn by every view: alone and in its window, by meaning and by word.

    Args:
        known: The vectors of every turn in the window.
    """
    own = known[window.turn.id][1]
    around = [known[one.id][1].vector for one in window.turns]
    vectors: dict[View, Vector] = {
        View.DENSE: own.vector.tolist(),
        View.TOKENS: TokenVectors(own.tokens.tolist()),
        View.WINDOW_DENSE: mean_direction(around).tolist(),
        **_words(window, lexical),
    }
    return IndexPoint(_turn_item(window.turn), vectors)


def passage_points(
    turn: Turn, passages: Sequence[str], encoded: Sequence[Encoded], lexical: LexicalEncoder
) -> list[IndexPoint]:
    """The passages of a long turn by every view, as turns of their own would be seen.

    Args:
        passages: Its passages in order, see `domain.passages`.
        encoded: Their vectors, in the same order.
    """
    points = []
    for number, (passage, own) in enumerate(zip(passages, encoded, strict=True)):
        near = slice(max(number - 1, 0), number + 2)
        speaker = f"{turn.speaker}: " if turn.speaker else ""
        vectors: dict[View, Vector] = {
            View.DENSE: own.vector.tolist(),
            View.TOKENS: TokenVectors(own.tokens.tolist()),
            View.WINDOW_DENSE: mean_direction([one.vector for one in encoded[near]]).tolist(),
            View.BM25: lexical.document(speaker + passage),
            View.WINDOW_BM25: lexical.document(speaker + "\n".join(passages[near]), window=True),
        }
        item = replace(_turn_item(turn), text=passage)
        points.append(IndexPoint(item, vectors, passage=number + 1))
    return points


def words_point(window: Window, lexical: LexicalEncoder) -> IndexPoint:
    """A turn by word alone, which takes no encoder."""
    return IndexPoint(_turn_item(window.turn), _words(window, lexical))


def memory_point(
    memory: Memory,
    encoded: Encoded,
    sources: Mapping[str, Turn],
    lexical: LexicalEncoder,
    *,
    holds_from: datetime | None = None,
) -> IndexPoint:
    """A memory, said when the first of its turns was and by whoever said them.

    Args:
        sources: The turns that it quotes, by id; those that are no more are left out.
        holds_from: When it took the place of another memory.
    """
    turns = [sources[one.turn_id] for one in memory.sources if one.turn_id in sources]
    speakers = list(dict.fromkeys(turn.speaker for turn in turns if turn.speaker))
    return IndexPoint(
        _memory_item(memory, turns, speakers, holds_from),
        {
            View.DENSE: encoded.vector.tolist(),
            View.TOKENS: TokenVectors(encoded.tokens.tolist()),
            View.BM25: lexical.document(memory.text),
        },
        session_ids=list(dict.fromkeys(turn.session_id for turn in turns)),
        speakers=speakers,
    )


def _words(window: Window, lexical: LexicalEncoder) -> dict[View, Vector]:
    window_text = "\n".join(lexical_text(one) for one in window.turns)
    return {
        View.BM25: lexical.document(lexical_text(window.turn)),
        View.WINDOW_BM25: lexical.document(window_text, window=True),
    }


def _turn_item(turn: Turn) -> Item:
    return Item(
        id=turn.id,
        layer=Layer.MID_TERM,
        kind=ItemKind.TURN,
        text=turn.content,
        score=0.0,
        speaker=turn.speaker,
        occurred_at=turn.occurred_at,
        source_turn_ids=(turn.id,),
        session_id=turn.session_id,
        seq=turn.seq,
        recorded_at=turn.recorded_at,
    )


def _memory_item(
    memory: Memory,
    turns: Sequence[Turn],
    speakers: Sequence[str],
    holds_from: datetime | None,
) -> Item:
    return Item(
        id=memory.id,
        layer=Layer.MID_TERM,
        kind=ItemKind.MEMORY,
        text=memory.text,
        score=0.0,
        speaker=speakers[0] if len(speakers) == 1 else None,
        occurred_at=min((turn.occurred_at for turn in turns), default=None),
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
        source_turn_ids=tuple(dict.fromkeys(source.turn_id for source in memory.sources)),
        recorded_at=memory.recorded_at,
        superseded_at=memory.superseded_at,
        superseded_by=memory.superseded_by,
        valid_precision=memory.valid_precision,
        memory_kind=memory.kind,
        holds_from=holds_from,
    )
