"""Versions of the memories of an import, and the memories that they gave way to."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from lightmem.adapters.ledger.arriving import Arrival, insert
from lightmem.adapters.ledger.database import slices
from lightmem.adapters.ledger.tables import memories, memory_versions
from lightmem.domain.portable import NOTHING_SAID, MemoryLine, VersionLine
from lightmem.model import MemoryStatus
from lightmem.ports.portability import StagedLine

if TYPE_CHECKING:
    from lightmem.adapters.ledger.arriving_memories import Learnt

STATEMENT = (
    "kind",
    "text",
    "language",
    "entities",
    "status",
    "version",
    "recorded_at",
    "valid_from",
    "valid_to",
    "valid_precision",
    "superseded_at",
)


def statement_of(arrival: Arrival, line: MemoryLine | VersionLine) -> dict[str, Any]:
    """The columns that a memory and its version share."""
    values = {name: getattr(line, name) for name in STATEMENT}
    values["kind"], values["status"] = line.kind.value, line.status.value
    values["valid_precision"] = line.valid_precision.value if line.valid_precision else None
    successor = line.superseded_by
    values["superseded_by"] = None if successor is None else arrival.id_of(successor)
    return values


class ArrivingVersions:
    """Makes rows of the lines of versions, and checks what memories say of each other."""

    def __init__(self, arrival: Arrival, learnt: "Learnt") -> None:
        self._arrival = arrival
        self._connection = arrival.connection
        self._learnt = learnt

    def arrive(self) -> None:
        """Put all of them.

        Raises:
            InvalidInput: a memory without its versions, or one that gave way to itself.
        """
        for piece in self._arrival.pieces("memory_version"):
            self._put(piece)
        self._check_versions()
        self._check_successors()
        self._arrival.check()
        self._close_overtaken()

    def _put(self, piece: Sequence[StagedLine]) -> None:
        rows = []
        for staged in piece:
            assert isinstance(staged.line, VersionLine)
            own_id = self._arrival.id_of(staged.line.memory_id)
            if own_id not in self._learnt.new:
                continue
            if staged.line.version > self._learnt.new[own_id][1]:
                message = "is beyond the version that its memory stands at"
                self._arrival.refuse(staged.number, "version", message)
            rows.append(self._version_row(staged.line, own_id))
        self._arrival.check()
        insert(self._connection, memory_versions, rows)
        self._arrival.count("memory_versions", len(rows))
        self._arrival.count("memory_versions_present", len(piece) - len(rows))

    def _version_row(self, line: VersionLine, own_id: str) -> dict[str, Any]:
        row = {
            **statement_of(self._arrival, line),
            "memory_id": own_id,
            "tenant_id": self._arrival.whose["tenant_id"],
        }
        if own_id in self._learnt.forgotten:
            row.update(NOTHING_SAID)
            if line.version == self._learnt.new[own_id][1]:
                row["status"] = MemoryStatus.FORGOTTEN.value
        return row

    def _check_versions(self) -> None:
        """Each new memory has all its versions, the last of which says what it says."""
        last, count = memory_versions.alias(), func.count().label("versions")
        for ids in slices(list(self._learnt.new)):
            of_each = select(memory_versions.c.memory_id, count).group_by(
                memory_versions.c.memory_id
            )
            counted = self._connection.execute(of_each.where(memory_versions.c.memory_id.in_(ids)))
            has: dict[str, int] = {row.memory_id: row.versions for row in counted}
            says = select(memories.c.id).join(last, last.c.memory_id == memories.c.id)
            says = says.where(memories.c.id.in_(ids), last.c.text == memories.c.text)
            agree = set(self._connection.execute(says.distinct()).scalars())
            for memory_id in ids:
                number, version = self._learnt.new[memory_id]
                if has.get(memory_id, 0) != version:
                    message = f"{has.get(memory_id, 0)} of its versions are in the import"
                    self._arrival.refuse(number, "version", message)
                elif memory_id not in agree:
                    self._arrival.refuse(number, "text", "none of its versions says this")

    def _check_successors(self) -> None:
        """What a memory gave way to is there, and did not give way to that memory in turn."""
        after = {own: self._arrival.id_of(given) for own, given in self._learnt.successors.items()}
        known = self._arrival.known(memories, list(dict.fromkeys(after.values())))
        turning = _turning(after)
        for own_id, successor in after.items():
            number = self._learnt.new[own_id][0]
            if successor not in known:
                self._arrival.refuse(number, "superseded_by", "there is no such memory")
            elif own_id in turning:
                self._arrival.refuse(number, "superseded_by", "leads back to itself")
        self._arrival.check()
        standing_in = set(self._arrival.aliases.values())
        for own_id, successor in after.items():
            if successor in standing_in:
                # What came after this in the file is here already, as another memory.
                one = memories.update().filter_by(**self._arrival.whose, id=own_id)
                self._connection.execute(one.values(superseded_by=successor))

    def _close_overtaken(self) -> None:
        names = [*STATEMENT, "superseded_by"]
        rows = [
            {
                **{name: row[name] for name in names},
                "memory_id": row["id"],
                "tenant_id": row["tenant_id"],
            }
            for row in self._learnt.overtaken
        ]
        insert(self._connection, memory_versions, rows)


def _turning(after: Mapping[str, str]) -> set[str]:
    """The memories from which what followed leads back to them; each is looked at once."""
    turning: set[str] = set()
    done: set[str] = set()
    for start in after:
        path: dict[str, int] = {}
        at: str | None = start
        while at is not None and at not in done and at not in path:
            path[at] = len(path)
            at = after.get(at)
        if at is not None and at in path:
            turning.update(list(path)[path[at] :])
        done.update(path)
    return turning
