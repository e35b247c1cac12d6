"""Which tables hold a user's rows: what an erasure removes and an export carries.

Every table is in exactly one of the two lists below; a test fails for one that is not. A table of
a user's rows needs one line in `OF_USERS`: that alone makes erasures empty it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import Column, ColumnElement, Connection, Table, and_, func, select

from lightmem.adapters.ledger import tables
from lightmem.model import JobKind, OperationKind


@dataclass(frozen=True, slots=True)
class OfUser:
    """A table with rows of users.

    Args:
        parent: Where the rows have no `user_id`: their column, and the column of another table of
            users' rows that it refers to.
        line: The type of line that carries a row through an export; None: it does not travel.
        stays: Rows that an erasure leaves: what proves it.
    """

    table: Table
    parent: tuple[Column[str], Column[str]] | None = None
    line: str | None = None
    stays: ColumnElement[bool] | None = None

    def rows(self, tenant_id: str, user_id: str) -> ColumnElement[bool]:
        """The rows of one user that an erasure removes."""
        theirs = self.table.c.tenant_id == tenant_id
        if self.parent is None:
            theirs = and_(theirs, self.table.c.user_id == user_id)
        else:
            own, referred = self.parent
            owner = OF_USERS[referred.table.name]
            theirs = and_(theirs, own.in_(select(referred).where(owner.rows(tenant_id, user_id))))
        return theirs if self.stays is None else and_(theirs, ~self.stays)


_OF_ERASURES = (JobKind.ERASE.value, JobKind.SWEEP.value)

#: Tables with rows of users, by name.
OF_USERS: Mapping[str, OfUser] = {
    one.table.name: one
    for one in (
        OfUser(tables.users),
        OfUser(tables.sessions, line="session"),
        OfUser(tables.turns, line="turn"),
        # The receipt of an erasure outlasts it.
        OfUser(tables.operations, stays=tables.operations.c.kind == OperationKind.ERASE.value),
        OfUser(tables.outcomes, parent=(tables.outcomes.c.operation_id, tables.operations.c.id)),
        # What is still to be done for the erasure itself.
        OfUser(tables.outbox, stays=tables.outbox.c.kind.in_(_OF_ERASURES)),
        OfUser(tables.memories, line="memory"),
        OfUser(
            tables.memory_versions,
            parent=(tables.memory_versions.c.memory_id, tables.memories.c.id),
            line="memory_version",
        ),
        # Travels within the line of its memory.
        OfUser(
            tables.memory_sources,
            parent=(tables.memory_sources.c.memory_id, tables.memories.c.id),
            line="memory",
        ),
        OfUser(tables.import_lines),
        OfUser(tables.tombstones, line="tombstone"),
        OfUser(tables.dreams),
        OfUser(tables.dream_steps),
        OfUser(tables.dream_memories),
    )
}

#: Tables that an erasure does not empty, and why.
NOT_OF_USERS: Mapping[str, str] = {
    "tenants": "belongs to the installation",
    "api_keys": "a tenant's way in: who may ask for a user stays as it was until a key is deleted",
    "idempotency": "kept answers about an erased user are struck, and say so for their 7 days",
    "audit": "who did what to which thing, by ids of things; no user's id and no words",
    "audit_heads": "the end of each chain",
    "meta": "facts of the installation",
}

#: Work to be done is told of by itself in a receipt.
WORK = frozenset({"outbox"})


def children_first() -> Iterator[OfUser]:
    """The tables of users' rows in an order in which they can be emptied."""
    for table in reversed(tables.metadata.sorted_tables):
        if table.name in OF_USERS:
            yield OF_USERS[table.name]


def count_rows(connection: Connection, tenant_id: str, user_id: str) -> dict[str, int]:
    """How many rows of the user each table has that an erasure would remove."""
    return {
        one.table.name: connection.execute(
            select(func.count()).select_from(one.table).where(one.rows(tenant_id, user_id))
        ).scalar_one()
        for one in children_first()
    }
