"""Learning from turns that something ends the worker over: in pieces that are noted beforehand.

A worker that is killed cannot say over which turns. So once a job has had its tries without an
end, each piece is noted in the outcomes of its turns before it is tried: a note of an earlier try
that is still there tells that this piece was in hand when the worker died. Such a piece is halved,
down to the turn that is to be quarantined.
"""

import re
from collections.abc import Sequence, Set
from itertools import groupby

from lightmem.model import Outcome, Turn, TurnOutcome
from lightmem_writer.segment import CONTEXT_TURNS, Segment

_NOTE = "in hand at try {}"
_NOTED = re.compile(_NOTE.format(r"(\d+)"))


def noted(turns: Sequence[Turn], attempts: int) -> list[TurnOutcome]:
    """Outcomes that note the turns as being in hand at this try; they stay pending."""
    reason = _NOTE.format(attempts)
    return [TurnOutcome(turn.id, Outcome.PENDING, reason=reason) for turn in turns]


def suspects(outcomes: Sequence[TurnOutcome], attempts: int) -> frozenset[str]:
    """The turns of the piece that was in hand when the last try so noted ended without a word."""
    noted_at: dict[int, set[str]] = {}
    for each in outcomes:
        match = _NOTED.fullmatch(each.reason or "")
        if each.outcome is Outcome.PENDING and match and int(match[1]) < attempts:
            noted_at.setdefault(int(match[1]), set()).add(each.turn_id)
    return frozenset(noted_at[max(noted_at)]) if noted_at else frozenset()


def pieces(segments: Sequence[Segment], suspected: Set[str]) -> list[Segment]:
    """The segments halved, suspected turns parted from the others first."""
    cut: list[Segment] = []
    for segment in segments:
        start = 0
        for _, run in groupby(segment.turns, key=lambda turn: turn.id in suspected):
            turns = tuple(run)
            before = (*segment.context, *segment.turns[:start])[-CONTEXT_TURNS:]
            cut += halves(Segment(turns, before))
            start += len(turns)
    return cut


def halves(segment: Segment) -> list[Segment]:
    """A segment in two, the second read with the end of the first; one turn stays as it is."""
    turns = segment.turns
    if len(turns) < 2:
        return [segment]
    middle = len(turns) // 2
    earlier = (*segment.context, *turns[:middle])[-CONTEXT_TURNS:]
    return [Segment(turns[:middle], segment.context), Segment(turns[middle:], earlier)]
