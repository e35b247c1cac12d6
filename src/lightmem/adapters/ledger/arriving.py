"""What an import under way has come to: whose ids it brings, what it found, what it made."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Table, and_, not_, select

from lightmem.adapters.ledger.database import slices
from lightmem.adapters.ledger.outbox import BULK, JOB_IDS, NewJob, put_jobs
from lightmem.adapters.ledger.staging import read_staged, staged_of
from lightmem.adapters.ledger.tables import import_lines, memories, tombstones, turns
from lightmem.domain.owners import Owner
from lightmem.errors import FieldError, InvalidInput
from lightmem.model import JobKind, Operation
from lightmem.ports.portability import StagedLine

#: Lines in hand at a time.
PIECE = 500
#: Errors after which the rest is not looked for.
MOST_ERRORS = 50

_TABLES: dict[str, Table] = {"turn": turns, "memory": memories, "tombstone": tombstones}


@dataclass(slots=True)
class Arrival:
    """One import within its transaction; the caller holds the user's lock.

    `is_own`: the lines are an export of this very user, so that their ids stay.
    """

    connection: Connection
    operation: Operation
    owner: Owner
    now: datetime
    is_own: bool = False
    #: Ids of this export that somebody else has, so that they are not these things.
    taken: frozenset[str] = frozenset()
    #: Ids of things that are here already under another id: they stand for what came.
    aliases: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    errors: list[FieldError] = field(default_factory=list)

    @property
    def whose(self) -> dict[str, str]:
        """The owner's columns."""
        return {"tenant_id": self.operation.tenant_id, "user_id": self.operation.user_id}

    def open(self) -> None:
        """Find out whose export it is; all lines have one owner.

        Raises:
            InvalidInput: they have several.
        """
        first: StagedLine | None = None
        for piece in self.pieces():
            for staged in piece:
                first = first or staged
                if staged.line.owner != first.line.owner:
                    message = f"is not the owner of line {first.number}"
                    self.refuse(staged.number, "owner", message)
        self.check()
        self.is_own = first is not None and first.line.owner == self.owner.mark
        if self.is_own:
            self.taken = frozenset(self._taken())

    def pieces(self, *kinds: str) -> Iterator[list[StagedLine]]:
        """The lines of these types in order, of all types if none is named."""
        tenant_id, operation_id = self.operation.tenant_id, self.operation.id
        after = 0
        wanted = kinds or ("session", "turn", "memory", "memory_version", "tombstone")
        while piece := read_staged(
            self.connection, tenant_id, operation_id, wanted, after=after, limit=PIECE
        ):
            yield piece
            after = piece[-1].number

    def id_of(self, given: str) -> str:
        """The id under which this user has what came as `given`."""
        is_kept = self.is_own and given not in self.taken
        own = given if is_kept else self.owner.own_id(given)
        return self.aliases.get(own, own)

    def known(self, table: Table, ids: Sequence[str]) -> set[str]:
        """Those of the ids that the user has already."""
        found: set[str] = set()
        for some in slices(ids):
            theirs = select(table.c.id).filter_by(**self.whose).where(table.c.id.in_(some))
            found.update(self.connection.execute(theirs).scalars())
        return found

    def count(self, name: str, number: int = 1) -> None:
        """Count something for the result."""
        self.counts[name] = self.counts.get(name, 0) + number

    def refuse(self, number: int, path: str, message: str) -> None:
        """Note what is wrong with a line; the first fault of many is enough of them."""
        self.errors.append(FieldError(f"lines.{number}.{path}", message))
        if len(self.errors) >= MOST_ERRORS:
            self.check()

    def check(self) -> None:
        """Raise `InvalidInput` if anything was wrong."""
        if self.errors:
            detail = f"{self.errors[0].field}: {self.errors[0].message}"
            raise InvalidInput(detail, errors=self.errors)

    def index_later(self, kind: JobKind, name: str, ids: Sequence[str]) -> None:
        """Leave jobs that index what was made; they give way to what is said right now."""
        jobs = [NewJob(kind, {name: list(some)}, priority=BULK) for some in slices(ids, JOB_IDS)]
        put_jobs(self.connection, **self.whose, jobs=jobs, now=self.now)

    def _taken(self) -> Iterator[str]:
        for kind, table in _TABLES.items():
            theirs = and_(
                table.c.tenant_id == self.whose["tenant_id"],
                table.c.user_id == self.whose["user_id"],
            )
            others = (
                select(table.c.id)
                .join(import_lines, import_lines.c.name == table.c.id)
                .where(staged_of(self.operation.tenant_id, self.operation.id))
                .where(import_lines.c.kind == kind, not_(theirs))
            )
            yield from self.connection.execute(others).scalars()


def insert(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert rows, if there are any."""
    if rows:
        connection.execute(table.insert(), list(rows))
