"""The short-term buffer in this process: bounded for each session, each user and in all."""

from bisect import insort
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from lightmem.model import Health, Turn

#: Sessions of a user that are kept; together they may hold this many times `capacity` turns.
SESSIONS_AT_HAND = 4
MAX_USERS = 10_000


def by_time_recorded(turn: Turn) -> tuple[object, ...]:
    """Order of a buffer: as the ledger took the turns in, whatever order they come here."""
    return (turn.recorded_at, turn.session_id, turn.seq, turn.id)


def latest_of_each(turns: Sequence[Turn], most: int) -> list[Turn]:
    """Of each session the latest turns: of a large call, no more than can be at hand at all."""
    if len(turns) <= most:
        return list(turns)
    sessions: dict[str, list[Turn]] = {}
    for turn in sorted(turns, key=by_time_recorded):
        sessions.setdefault(turn.session_id, []).append(turn)
    return [turn for own in sessions.values() for turn in own[-most:]]


@dataclass(slots=True)
class _Kept:
    """What is at hand of one user; each list is ordered by `by_time_recorded`."""

    turns: list[Turn] = field(default_factory=list)
    sessions: dict[str, list[Turn]] = field(default_factory=dict)


class InProcessShortTermBuffer:
    """Latest turns in memory; the least recently written users make room for others.

    Args:
        capacity: Turns kept of one session.
        max_users: Users kept at hand.
    """

    def __init__(self, capacity: int, *, max_users: int = MAX_USERS) -> None:
        self._capacity = capacity
        self._max_users = max_users
        self._users: OrderedDict[tuple[str, str], _Kept] = OrderedDict()

    async def append(self, tenant_id: str, user_id: str, turns: Sequence[Turn]) -> None:
        if not turns or self._capacity == 0:
            return
        kept = self._users.setdefault((tenant_id, user_id), _Kept())
        self._users.move_to_end((tenant_id, user_id))
        for turn in latest_of_each(turns, self._capacity * SESSIONS_AT_HAND):
            _insert(kept.turns, turn, most=self._capacity * SESSIONS_AT_HAND)
            _insert(kept.sessions.setdefault(turn.session_id, []), turn, most=self._capacity)
        while len(kept.sessions) > SESSIONS_AT_HAND:
            oldest = min(kept.sessions, key=lambda name: by_time_recorded(kept.sessions[name][-1]))
            del kept.sessions[oldest]
        while len(self._users) > self._max_users:
            self._users.popitem(last=False)

    async def recent(
        self, tenant_id: str, user_id: str, *, session_id: str | None, limit: int
    ) -> list[Turn]:
        kept = self._users.get((tenant_id, user_id))
        if kept is None or limit <= 0:
            return []
        turns = kept.turns if session_id is None else kept.sessions.get(session_id, [])
        return turns[-limit:]

    async def remove(self, tenant_id: str, user_id: str, turn_ids: Sequence[str]) -> None:
        kept = self._users.get((tenant_id, user_id))
        if kept is None:
            return
        gone = set(turn_ids)
        kept.turns = [turn for turn in kept.turns if turn.id not in gone]
        left = {
            name: [turn for turn in turns if turn.id not in gone]
            for name, turns in kept.sessions.items()
        }
        kept.sessions = {name: turns for name, turns in left.items() if turns}

    async def ids(self, tenant_id: str, user_id: str) -> set[str]:
        kept = self._users.get((tenant_id, user_id))
        if kept is None:
            return set()
        return {turn.id for turns in (kept.turns, *kept.sessions.values()) for turn in turns}

    async def clear(self, tenant_id: str, user_id: str) -> None:
        self._users.pop((tenant_id, user_id), None)

    async def check(self) -> Health:
        return Health("short_term", "ok")

    async def close(self) -> None:
        self._users.clear()


def _insert(turns: list[Turn], turn: Turn, *, most: int) -> None:
    """Put a turn in its place unless it is there; the oldest leave when there are too many."""
    if all(known.id != turn.id for known in turns):
        insort(turns, turn, key=by_time_recorded)
    del turns[:-most]
