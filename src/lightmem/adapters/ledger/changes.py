"""The Writer's changes, applied one after the other within its transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, assert_never

from sqlalchemy import Column, Connection, select

from lightmem.adapters.ledger.database import slices
from lightmem.adapters.ledger.remembering import (
    add_sources,
    change_memory,
    load_memories,
    memories_of,
    store_memory,
)
from lightmem.adapters.ledger.tables import memories, turns
from lightmem.domain.ids import new_id
from lightmem.domain.utility import utility
from lightmem.errors import VersionConflict
from lightmem.model import (
    AddMemory,
    AddSuperseded,
    Memory,
    MemoryChange,
    MemoryStatus,
    Shortened,
    Source,
    SupersedeMemory,
    SupportMemory,
)

#: What may have overtaken a statement that is stored late.
_OVERTAKING = frozenset({MemoryStatus.ACTIVE, MemoryStatus.SUPERSEDED})


@dataclass(slots=True)
class Applied:
    """What came of the changes: the memories touched, in order, and by which turns."""

    memory_ids: dict[str, None] = field(default_factory=dict)
    by_turn: dict[str, dict[str, None]] = field(default_factory=dict)

    def touch(self, memory_id: str, sources: Sequence[Source] = ()) -> None:
        self.memory_ids[memory_id] = None
        for source in sources:
            self.by_turn.setdefault(source.turn_id, {})[memory_id] = None


class Changes:
    """Applies changes to one user's memories; the caller holds the user's lock.

    A quote counts only if its turn, as it now stands, holds it: turns may have been deleted
    since the Writer read them. Where a memory that says the same is there already, it stands for
    the one that was to be stored, also in the changes that follow.
    """

    def __init__(
        self, connection: Connection, tenant_id: str, user_id: str, *, now: datetime
    ) -> None:
        self._connection = connection
        self._tenant_id = tenant_id
        self._user_id = user_id
        self._now = now
        self._contents: dict[str, str] = {}
        self._standing_for: dict[str, str] = {}
        self._applied = Applied()

    def apply(self, changes: Sequence[MemoryChange]) -> Applied:
        """Apply all of them.

        Raises:
            VersionConflict: a memory to support or supersede is not what it was, or another
                memory holds the attribute of one to store.
        """
        self._contents = self._said_in({s.turn_id for c in changes for s in sources_of(c)})
        for change in changes:
            match change:
                case AddMemory():
                    self._add(change)
                case AddSuperseded():
                    self._add_superseded(change)
                case SupportMemory():
                    self._support(change)
                case SupersedeMemory():
                    self._supersede(change)
                case _:
                    assert_never(change)
        return self._applied

    def _said_in(self, turn_ids: set[str]) -> dict[str, str]:
        contents: dict[str, str] = {}
        for ids in slices(sorted(turn_ids)):
            query = select(turns.c.id, turns.c.content).where(
                turns.c.tenant_id == self._tenant_id,
                turns.c.user_id == self._user_id,
                turns.c.id.in_(ids),
            )
            contents.update((row.id, row.content) for row in self._connection.execute(query))
        return contents

    def _standing(self, sources: Sequence[Source]) -> list[Source]:
        return [
            source
            for source in sources
            if source.quote and source.quote in self._contents.get(source.turn_id, "")
        ]

    def _add(self, change: AddMemory) -> None:
        """Store the memory, or support the one that says the same; nothing without a quote."""
        sources = self._standing(change.statement.sources)
        if not sources:
            return
        existing = self._active_with(change.fingerprint)
        if existing is None:
            self._store(change, sources, memory_id=change.memory_id or new_id())
        else:
            self._support_instead(change, existing, sources)

    def _support_instead(self, change: AddMemory, existing: str, sources: Sequence[Source]) -> None:
        """Add to what says the same already."""
        if change.memory_id is not None:
            self._standing_for[change.memory_id] = existing
        self._add_sources(existing, sources)

    def _add_superseded(self, change: AddSuperseded) -> None:
        """Store what was overtaken already, unless nothing is left that overtook it."""
        sources = self._standing(change.added.statement.sources)
        if not sources:
            return
        ids = [self._standing_for.get(change.successor_id, change.successor_id)]
        known = load_memories(self._connection, self._tenant_id, ids, user_id=self._user_id)
        if not known or known[0].status not in _OVERTAKING:
            raise VersionConflict(f"memory {ids[0]!r} changed", memory_id=ids[0])
        memory = replace(
            self._memory(change.added, sources, change.added.memory_id or new_id()),
            status=MemoryStatus.SUPERSEDED,
            superseded_at=self._now,
            superseded_by=ids[0],
        )
        if change.shortened is not None:
            self._shorten(change.shortened, successor_id=memory.id)
        self._insert(_closed(memory, change.valid_to), change.added)
        # From when it holds is told by what it took the place of.
        self._applied.touch(ids[0])

    def _shorten(self, change: Shortened, *, successor_id: str) -> None:
        """End a closed memory earlier, in favour of what is known now to have followed it."""
        ids = [change.memory_id]
        found = load_memories(self._connection, self._tenant_id, ids, user_id=self._user_id)
        if (
            not found
            or found[0].status is not MemoryStatus.SUPERSEDED
            or found[0].version != change.expected_version
        ):
            raise VersionConflict(f"memory {ids[0]!r} changed", memory_id=ids[0])
        closed = _closed(found[0], change.valid_to)
        change_memory(self._connection, replace(closed, superseded_by=successor_id))
        self._applied.touch(found[0].id)

    def _support(self, change: SupportMemory) -> None:
        memory = self._active(change.memory_id)
        sources = self._standing(change.sources)
        if sources:
            self._add_sources(memory.id, sources)

    def _supersede(self, change: SupersedeMemory) -> None:
        """Close a memory in favour of its successor; without one that has a quote it stays."""
        memory = self._active(change.memory_id)
        is_as_read = change.memory_id in self._standing_for or (
            memory.version == change.expected_version
        )
        if not is_as_read:
            raise VersionConflict(f"memory {memory.id!r} changed", memory_id=memory.id)
        sources = self._standing(change.successor.statement.sources)
        if not sources:
            return
        existing = self._active_with(change.successor.fingerprint)
        is_new = existing is None or existing == memory.id
        new = change.successor.memory_id or new_id()
        successor_id = new if existing is None or existing == memory.id else existing
        self._close(memory, successor_id=successor_id, valid_to=change.valid_to)
        if is_new:
            self._store(change.successor, sources, memory_id=successor_id)
        else:
            self._support_instead(change.successor, successor_id, sources)

    def _close(self, memory: Memory, *, successor_id: str, valid_to: datetime | None) -> None:
        change_memory(
            self._connection,
            replace(
                _closed(memory, valid_to),
                status=MemoryStatus.SUPERSEDED,
                superseded_at=self._now,
                superseded_by=successor_id,
            ),
        )
        self._applied.touch(memory.id)

    def _store(self, change: AddMemory, sources: Sequence[Source], *, memory_id: str) -> None:
        """Store an active memory.

        Raises:
            VersionConflict: another active memory says of the same attribute.
        """
        holder = self._active_where(memories.c.attribute_key, change.attribute_key)
        if holder is not None:
            raise VersionConflict(f"memory {holder!r} holds the attribute", memory_id=holder)
        self._insert(self._memory(change, sources, memory_id), change)

    def _insert(self, memory: Memory, change: AddMemory) -> None:
        store_memory(
            self._connection,
            memory,
            fingerprint=change.fingerprint,
            attribute_key=change.attribute_key,
        )
        self._applied.touch(memory.id, memory.sources)

    def _memory(self, change: AddMemory, sources: Sequence[Source], memory_id: str) -> Memory:
        said = change.statement
        return Memory(
            id=memory_id,
            tenant_id=self._tenant_id,
            user_id=self._user_id,
            kind=said.kind,
            text=said.text,
            language=said.language,
            entities=said.entities,
            status=MemoryStatus.ACTIVE,
            version=1,
            recorded_at=self._now,
            sources=sources,
            valid_from=said.valid_from,
            valid_to=said.valid_to,
            valid_precision=said.valid_precision,
            utility=utility(
                now=self._now,
                learnt_at=self._now,
                used_at=None,
                accesses=0,
                quotes=len(sources),
            ),
        )

    def _add_sources(self, memory_id: str, sources: Sequence[Source]) -> None:
        add_sources(self._connection, self._tenant_id, memory_id, sources)
        self._applied.touch(memory_id, sources)

    def _active(self, memory_id: str) -> Memory:
        ids = [self._standing_for.get(memory_id, memory_id)]
        found = load_memories(self._connection, self._tenant_id, ids, user_id=self._user_id)
        if not found or found[0].status is not MemoryStatus.ACTIVE:
            raise VersionConflict(f"memory {memory_id!r} is not active", memory_id=memory_id)
        return found[0]

    def _active_with(self, fingerprint: str) -> str | None:
        return self._active_where(memories.c.fingerprint, fingerprint)

    def _active_where(self, column: Column[Any], value: str | None) -> str | None:
        """The user's active memory that has the value, which no two have; None for no value."""
        if value is None:
            return None
        query = select(memories.c.id).where(
            memories_of(self._tenant_id, self._user_id),
            column == value,
            memories.c.status == MemoryStatus.ACTIVE.value,
        )
        found = self._connection.execute(query).scalar_one_or_none()
        return None if found is None else str(found)


def _closed(memory: Memory, valid_to: datetime | None) -> Memory:
    """The memory, true until `valid_to` at the latest; without one it held at no time.

    A time without length stands for that where the memory has an end of its own.
    """
    start, end = memory.valid_from, memory.valid_to
    if valid_to is None:
        return replace(memory, valid_to=None if end is None else start)
    end = valid_to if end is None else min(end, valid_to)
    return replace(memory, valid_to=end if start is None else max(start, end))


def sources_of(change: MemoryChange) -> Sequence[Source]:
    """The quotes that a change rests on."""
    match change:
        case AddSuperseded(added=added):
            return added.statement.sources
        case AddMemory(statement=statement):
            return statement.sources
        case SupportMemory(sources=sources):
            return sources
        case SupersedeMemory(successor=successor):
            return successor.statement.sources
        case _:
            assert_never(change)
