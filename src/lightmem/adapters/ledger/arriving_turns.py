"""Sessions and turns of an import: put where they were, behind what is there if need be."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select, tuple_

from lightmem.adapters.ledger.arriving import Arrival, insert
from lightmem.adapters.ledger.database import slices
from lightmem.adapters.ledger.tables import sessions, turns
from lightmem.domain.portable import SessionLine, TurnLine, said_at
from lightmem.model import JobKind, Role
from lightmem.ports.portability import StagedLine


@dataclass(frozen=True, slots=True)
class _Declared:
    """What a session's line says of it."""

    number: int
    turns: int


class ArrivingTurns:
    """Makes rows of the lines of sessions and turns."""

    def __init__(self, arrival: Arrival) -> None:
        self._arrival = arrival
        self._connection = arrival.connection
        self._declared: dict[str, _Declared] = {}
        self._said: dict[str, int] = {}
        #: Where the next turn of a session goes that finds its place taken.
        self._last_seq: dict[str, int] = {}
        #: Turns that are new and could be learnt from.
        self.new_ids: list[str] = []

    def arrive(self) -> None:
        """Put all of them.

        Raises:
            InvalidInput: a turn without its session, or a session without its turns.
        """
        for piece in self._arrival.pieces("session"):
            self._put_sessions(piece)
        for piece in self._arrival.pieces("turn"):
            self._put_turns(piece)
        self._check_whole()
        for names in slices(list(self._declared)):
            self._recount(names)

    # --- sessions -----------------------------------------------------------------------------

    def _put_sessions(self, piece: Sequence[StagedLine]) -> None:
        lines = [(one.number, one.line) for one in piece if isinstance(one.line, SessionLine)]
        names = [line.session_id for _, line in lines]
        there = select(sessions.c.session_id, sessions.c.last_seq).filter_by(**self._arrival.whose)
        there = there.where(sessions.c.session_id.in_(names))
        known = {row.session_id: row.last_seq for row in self._connection.execute(there)}
        for number, line in lines:
            self._declared[line.session_id] = _Declared(number, line.turns)
            self._last_seq[line.session_id] = max(line.last_seq, known.get(line.session_id, 0))
        new = [line for _, line in lines if line.session_id not in known]
        insert(self._connection, sessions, [self._session_row(line) for line in new])
        self._arrival.count("sessions", len(new))
        self._arrival.count("sessions_present", len(lines) - len(new))

    def _session_row(self, line: SessionLine) -> dict[str, Any]:
        return {
            **self._arrival.whose,
            "session_id": line.session_id,
            "first_at": line.first_at,
            "last_at": line.last_at,
            "turns": line.turns,
            "last_seq": line.last_seq,
        }

    def _check_whole(self) -> None:
        """A file that was cut off, or put together wrongly, is no user's session."""
        for name, declared in self._declared.items():
            if declared.turns != self._said.get(name, 0):
                message = f"{self._said.get(name, 0)} turns of this session are in the import"
                self._arrival.refuse(declared.number, "turns", message)
        self._arrival.check()

    def _recount(self, names: Sequence[str]) -> None:
        """Let sessions show the turns they have now; one without any is none."""
        spans = (
            select(
                turns.c.session_id,
                func.min(turns.c.occurred_at).label("first_at"),
                func.max(turns.c.occurred_at).label("last_at"),
                func.count().label("turns"),
                func.max(turns.c.seq).label("last_seq"),
            )
            .filter_by(**self._arrival.whose)
            .where(turns.c.session_id.in_(names))
            .group_by(turns.c.session_id)
        )
        counted = {span.session_id: span for span in self._connection.execute(spans)}
        for name in names:
            if name not in counted:
                gone = sessions.delete().filter_by(**self._arrival.whose, session_id=name)
                self._connection.execute(gone)
        for span in counted.values():
            values = dict(span._mapping)
            values["last_seq"] = max(values["last_seq"], self._last_seq[span.session_id])
            one = {**self._arrival.whose, "session_id": values.pop("session_id")}
            self._connection.execute(sessions.update().filter_by(**one).values(values))

    # --- turns --------------------------------------------------------------------------------

    def _put_turns(self, piece: Sequence[StagedLine]) -> None:
        lines = [(one.number, one.line) for one in piece if isinstance(one.line, TurnLine)]
        for number, line in lines:
            if line.session_id not in self._declared:
                self._arrival.refuse(number, "session_id", "no line has this session")
            self._said[line.session_id] = self._said.get(line.session_id, 0) + 1
        self._arrival.check()
        ids = {line.id: self._arrival.id_of(line.id) for _, line in lines}
        present = self._arrival.known(turns, list(ids.values()))
        self._arrival.count("turns_present", len(present))
        new = [line for _, line in lines if ids[line.id] not in present]
        rows = self._without_duplicates([self._row(line, ids[line.id]) for line in new])
        self._find_places(rows)
        insert(self._connection, turns, rows)
        self._arrival.count("turns", len(rows))
        made = [row["id"] for row in rows]
        self._arrival.index_later(JobKind.INDEX_TURNS, "turn_ids", made)
        self.new_ids += [row["id"] for row in rows if row["role"] != Role.SYSTEM.value]

    def _row(self, line: TurnLine, own_id: str) -> dict[str, Any]:
        moment, offset = said_at(line)
        return {
            **self._arrival.whose,
            "id": own_id,
            "session_id": line.session_id,
            "seq": line.seq,
            "role": line.role.value,
            "content": line.content,
            "occurred_at": moment,
            "recorded_at": line.recorded_at,
            "client_id": line.client_id,
            "speaker": line.speaker,
            "metadata": line.metadata,
            "utc_offset_minutes": offset,
        }

    def _without_duplicates(self, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """What the user said before under the same client id is that turn, not another."""
        given = [row["client_id"] for row in rows if row["client_id"] is not None]
        there = select(turns).filter_by(**self._arrival.whose).where(turns.c.client_id.in_(given))
        known: dict[str, dict[str, Any]] = {
            row.client_id: dict(row._mapping) for row in self._connection.execute(there)
        }
        kept = []
        for row in rows:
            first = known.get(row["client_id"]) if row["client_id"] is not None else None
            if first is None:
                if row["client_id"] is not None:
                    known[row["client_id"]] = row
            elif _words(first) == _words(row):
                self._arrival.aliases[row["id"]] = first["id"]
                self._arrival.count("turns_present")
                continue
            else:
                self._arrival.count("client_ids_dropped")
                row["client_id"] = None
            kept.append(row)
        return kept

    def _find_places(self, rows: Sequence[dict[str, Any]]) -> None:
        """Keep each turn's place in its session; one that is taken goes behind the last."""
        wanted = [(row["session_id"], row["seq"]) for row in rows]
        there = select(turns.c.session_id, turns.c.seq).filter_by(**self._arrival.whose)
        taken: set[tuple[str, int]] = set()
        for some in slices(wanted):
            found = there.where(tuple_(turns.c.session_id, turns.c.seq).in_(some))
            taken.update((row.session_id, row.seq) for row in self._connection.execute(found))
        for row in rows:
            place = (row["session_id"], row["seq"])
            if place in taken or row["seq"] > self._last_seq[row["session_id"]]:
                self._last_seq[row["session_id"]] += 1
                row["seq"] = self._last_seq[row["session_id"]]
            taken.add((row["session_id"], row["seq"]))


def _words(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["content"], row["role"], row["speaker"]
