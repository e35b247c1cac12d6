"""Cutting an operation's turns into segments, each on one topic as far as words can tell.

Turns of one session, in order, are gathered until one of these:

- the next turn does not fit into `max_tokens` (one turn that is longer is a segment of its own);
- more than `MAX_GAP` lies between it and the one before, or a turn between them is missing;
- the segment is at least half full, and the turns on both sides of the cut share no content word.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby

from lightmem.domain.grounding import content_words
from lightmem.model import Turn

MAX_GAP = timedelta(minutes=30)
#: Turns on either side of a cut whose words are compared.
SIDE = 2
#: Turns before a segment that are read with it, to know who is meant.
CONTEXT_TURNS = 2


@dataclass(frozen=True, slots=True)
class Segment:
    """Consecutive turns of one session, and the ones before them that explain them."""

    turns: Sequence[Turn]
    context: Sequence[Turn] = ()


def cut_segments(
    turns: Sequence[Turn],
    *,
    count_tokens: Callable[[str], int],
    max_tokens: int,
    before: Sequence[Turn] = (),
) -> list[Segment]:
    """The segments of some turns, by session and then in order.

    Args:
        before: Other turns of the same sessions; they are context and belong to no segment.
    """
    segments = []
    for session_id, of_session in _by_session(turns):
        known = sorted(
            {
                turn.id: turn for turn in [*before, *of_session] if turn.session_id == session_id
            }.values(),
            key=lambda turn: turn.seq,
        )
        for run in _cut(of_session, count_tokens, max_tokens):
            earlier = [turn for turn in known if turn.seq < run[0].seq]
            segments.append(Segment(tuple(run), tuple(earlier[-CONTEXT_TURNS:])))
    return segments


def _by_session(turns: Sequence[Turn]) -> Iterator[tuple[str, list[Turn]]]:
    ordered = sorted(turns, key=lambda turn: (turn.session_id, turn.seq))
    for session_id, group in groupby(ordered, key=lambda turn: turn.session_id):
        yield session_id, list(group)


def _cut(
    turns: Sequence[Turn], count_tokens: Callable[[str], int], max_tokens: int
) -> list[list[Turn]]:
    runs: list[list[Turn]] = []
    filled = 0
    for at, turn in enumerate(turns):
        tokens = count_tokens(turn.content)
        ends = filled + tokens > max_tokens or (2 * filled >= max_tokens and _shifts(turns, at))
        if not runs or ends or _is_apart(turns[at - 1], turn):
            runs.append([])
            filled = 0
        runs[-1].append(turn)
        filled += tokens
    return runs


def _is_apart(before: Turn, after: Turn) -> bool:
    return after.seq - before.seq > 1 or after.occurred_at - before.occurred_at > MAX_GAP


def _shifts(turns: Sequence[Turn], at: int) -> bool:
    """Whether the turns before and after `at` share no content word."""
    before = {
        word for turn in turns[max(0, at - SIDE) : at] for word in content_words(turn.content)
    }
    after = {word for turn in turns[at : at + SIDE] for word in content_words(turn.content)}
    return before.isdisjoint(after)
