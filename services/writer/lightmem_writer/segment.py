"""Cutting what waits to be learnt into segments, each on one topic as far as can be told.

Turns of one session, in order, are gathered until one of these:

- more than `MAX_GAP` lies between a turn and the one before, or a turn between them is missing;
- the topic changes (see `topics.py`) and there is enough for a segment of its own;
- the next turn does not fit into `max_tokens`: the cut is then at the last change of topic, or
  where the turns hold together least. One turn that is longer is a segment of its own.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby

from lightmem.model import Turn
from lightmem_writer.topics import Vectors, boundaries, cohesion

MAX_GAP = timedelta(minutes=30)
#: Turns before a segment that are read with it, to know who is meant.
CONTEXT_TURNS = 2
#: The share of a full segment that is enough for one: below, another topic is read with it.
ENOUGH = 0.5


@dataclass(frozen=True, slots=True)
class Segment:
    """Consecutive turns of one session, and the ones before them that explain them."""

    turns: Sequence[Turn]
    context: Sequence[Turn] = ()


@dataclass(frozen=True, slots=True)
class _Run:
    """Turns that follow each other, with all that a cut is decided by."""

    turns: Sequence[Turn]
    tokens: Sequence[int]
    #: Places of the turns that begin another topic.
    topics: frozenset[int]
    #: How strongly each turn but the first holds to the one before.
    ties: Sequence[float]


def cut_segments(
    turns: Sequence[Turn],
    *,
    count_tokens: Callable[[str], int],
    max_tokens: int,
    before: Sequence[Turn] = (),
    vectors: Vectors | None = None,
) -> list[Segment]:
    """The segments of some turns, by session and then in order.

    Args:
        before: Other turns of the same sessions; they are context and belong to no segment.
        vectors: Embeddings by turn id, as far as there are any.
    """
    segments = []
    for session_id, of_session in _by_session(turns):
        known = sorted(
            {
                turn.id: turn for turn in [*before, *of_session] if turn.session_id == session_id
            }.values(),
            key=lambda turn: turn.seq,
        )
        for connected in _connected(of_session):
            run = _run(connected, count_tokens, max_tokens, vectors or {})
            for start, end in _cut(run, max_tokens):
                part = connected[start:end]
                earlier = [turn for turn in known if turn.seq < part[0].seq]
                segments.append(Segment(tuple(part), tuple(earlier[-CONTEXT_TURNS:])))
    return segments


def _by_session(turns: Sequence[Turn]) -> Iterator[tuple[str, list[Turn]]]:
    ordered = sorted(turns, key=lambda turn: (turn.session_id, turn.seq))
    for session_id, group in groupby(ordered, key=lambda turn: turn.session_id):
        yield session_id, list(group)


def _connected(turns: Sequence[Turn]) -> list[list[Turn]]:
    """The turns in runs without a silence or a missing turn in between."""
    runs: list[list[Turn]] = []
    for at, turn in enumerate(turns):
        if not at or _is_apart(turns[at - 1], turn):
            runs.append([])
        runs[-1].append(turn)
    return runs


def _is_apart(before: Turn, after: Turn) -> bool:
    # Turns that are told late have their own time: either way round they are apart.
    return after.seq - before.seq > 1 or abs(after.occurred_at - before.occurred_at) > MAX_GAP


def _run(
    turns: Sequence[Turn],
    count_tokens: Callable[[str], int],
    max_tokens: int,
    vectors: Vectors,
) -> _Run:
    tokens = [count_tokens(turn.content) for turn in turns]
    if sum(tokens) <= max_tokens * ENOUGH:
        return _Run(turns, tokens, frozenset(), [0.0] * (len(turns) - 1))
    ties = cohesion(turns, vectors).mean(axis=1)
    return _Run(turns, tokens, frozenset(boundaries(turns, vectors)), ties.tolist())


def _cut(run: _Run, max_tokens: int) -> Iterator[tuple[int, int]]:
    """Where each segment begins and ends, as places of turns."""
    start = filled = 0
    for at, tokens in enumerate(run.tokens):
        if at > start and at in run.topics and filled >= max_tokens * ENOUGH:
            yield start, at
            start, filled = at, 0
        while at > start and filled + tokens > max_tokens:
            cut = _best_cut(run, start, at)
            yield start, cut
            start, filled = cut, sum(run.tokens[cut:at])
        filled += tokens
    yield start, len(run.tokens)


def _best_cut(run: _Run, start: int, end: int) -> int:
    """Where to cut what is full: at a change of topic, else where the turns hold together least.

    The cut is in the later half, since what is left over is read in the next call.
    """
    half, passed = sum(run.tokens[start:end]) / 2, 0
    late = []
    for at in range(start + 1, end + 1):
        passed += run.tokens[at - 1]
        if passed >= half:
            late.append(at)
    changes = [at for at in late if at in run.topics]
    return changes[-1] if changes else min(late, key=lambda at: (run.ties[at - 1], -at))
