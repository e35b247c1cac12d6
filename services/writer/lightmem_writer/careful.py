"""Learning from turns that something ends the worker or the Writer over.

Who is killed cannot say over which turns. So notes are kept in the outcomes of turns that are
still pending, and what a note tells is halved, down to the turn that is to be quarantined.

The worker: once a job has had its tries without an end, each piece is noted before it is tried; a
note of an earlier try that is still there tells that this piece was in hand when the worker died.

A Writer in a process of its own: when it goes away amid a call, or does not come to an end, the
turns are noted afterwards, with how often. It is asked about noted turns only while it says that
it is up, so an outage, however long, adds to no note.
"""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby

from lightmem.model import Outcome, Turn, TurnOutcome
from lightmem_writer.segment import CONTEXT_TURNS, Segment

_NOTE = "in hand at try {}"
_NOTED = re.compile(_NOTE.format(r"(\d+)"))
_AWAY = "the Writer went away over {} turns, {} times"
_WENT_AWAY = re.compile(_AWAY.format(r"(\d+)", r"(\d+)"))


# --- the worker ---------------------------------------------------------------------------------


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


# --- the Writer ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Away:
    """That the Writer went away over a piece of so many turns, so often."""

    size: int
    times: int


def went_away(outcomes: Sequence[TurnOutcome]) -> dict[str, Away]:
    """The turns over which the Writer went away."""
    found = {}
    for each in outcomes:
        match = _WENT_AWAY.fullmatch(each.reason or "")
        if each.outcome is Outcome.PENDING and match:
            found[each.turn_id] = Away(int(match[1]), int(match[2]))
    return found


def noted_away(turns: Sequence[Turn], known: Mapping[str, Away]) -> list[TurnOutcome]:
    """Outcomes that note once more that the Writer went away over these turns together."""
    return [
        TurnOutcome(
            turn.id,
            Outcome.PENDING,
            reason=_AWAY.format(len(turns), 1 + (known[turn.id].times if turn.id in known else 0)),
        )
        for turn in turns
    ]


def worst(turns: Sequence[Turn], known: Mapping[str, Away]) -> frozenset[str]:
    """Those of the turns over which the Writer went away most often; empty when it never did."""
    times = {turn.id: known[turn.id].times for turn in turns if turn.id in known}
    most = max(times.values(), default=0)
    return frozenset(turn_id for turn_id, count in times.items() if count == most)


# --- both ---------------------------------------------------------------------------------------


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
