"""Taking a dream back: the memories are what they were, versions and all.

The versions that the dream made are removed, and so are the memories. What was forgotten since
stays forgotten; what was said since is not lost: quotes that a made memory gained go back to the
memory it stood for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select

from lightmem.adapters.ledger.dream_applying import sources_of
from lightmem.adapters.ledger.remembering import (
    add_sources,
    change_memory,
    load_memories,
    memories_of,
)
from lightmem.adapters.ledger.rows import folded
from lightmem.adapters.ledger.tables import (
    dream_memories,
    dream_steps,
    memories,
    memory_sources,
    memory_versions,
    outcomes,
)
from lightmem.errors import AttributeTaken, WrongState
from lightmem.model import Dream, DreamAction, DreamStep, Memory, MemoryStatus, Source

#: What a version keeps of a memory.
_VERSIONED = [column.name for column in memory_versions.c if column.name in memories.c]


@dataclass(slots=True)
class Undone:
    """What undoing came to."""

    restored: dict[str, None] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)
    promotes: bool = False


class Undoing:
    """Takes back the applied steps of a dream; the caller holds the user's lock."""

    def __init__(self, connection: Connection, dream: Dream, *, now: datetime) -> None:
        self._connection = connection
        self._dream = dream
        self._now = now
        self._undone = Undone()

    def undo(self) -> Undone:
        """Take back every applied step, the last one first.

        Raises:
            WrongState: a memory changed since in another way than by being forgotten.
            AttributeTaken: what one told, another active memory tells by now.
        """
        for step in reversed([step for step in self._dream.steps if step.is_applied]):
            if step.action is DreamAction.PROMOTE:
                self._undone.promotes = True
            else:
                self._take_back(step)
            row = dream_steps.update().where(dream_steps.c.id == step.id)
            self._connection.execute(row.values(is_applied=False))
        return self._undone

    def _take_back(self, step: DreamStep) -> None:
        touched = self._touched(step)
        now = {memory.id: memory for memory in self._load([row.memory_id for row in touched])}
        standing = [
            row
            for row in touched
            if row.memory_id in now and now[row.memory_id].status is not MemoryStatus.FORGOTTEN
        ]
        for row in standing:
            if now[row.memory_id].version != row.made_version:
                raise _changed(row.memory_id)
        gained = self._remove_made(step, [now[row.memory_id] for row in standing])
        for row in standing:
            self._restore(row.memory_id, row.version)
        if gained and standing:
            self._hand_back(standing[-1].memory_id, step.memory_id, gained)

    def _touched(self, step: DreamStep) -> Sequence[Row[Any]]:
        """The memories that the step changed, in order."""
        query = select(dream_memories).where(
            dream_memories.c.step_id == step.id, dream_memories.c.made_version.is_not(None)
        )
        return self._connection.execute(query.order_by(dream_memories.c.position)).all()

    def _remove_made(self, step: DreamStep, before: Sequence[Memory]) -> list[Source]:
        """Remove the memory that the step made, if it made one; the quotes it gained since."""
        is_made = self._connection.execute(
            select(dream_steps.c.is_made).where(dream_steps.c.id == step.id)
        ).scalar_one()
        found = self._load([step.memory_id]) if is_made and step.memory_id else []
        if not found:
            return []
        (made,) = found
        if made.status is MemoryStatus.FORGOTTEN:
            return []
        if made.status is not MemoryStatus.ACTIVE or made.version != 1:
            raise _changed(made.id)
        whose = {"tenant_id": self._dream.tenant_id, "memory_id": made.id}
        for table in (memory_sources, memory_versions):
            self._connection.execute(table.delete().filter_by(**whose))
        self._connection.execute(
            memories.delete().filter_by(tenant_id=self._dream.tenant_id, id=made.id)
        )
        self._undone.removed.append(made.id)
        known = set(sources_of(before))
        return [source for source in made.sources if source not in known]

    def _restore(self, memory_id: str, version: int) -> None:
        """Let a memory be what it was in an earlier version; later versions are removed."""
        whose = {"tenant_id": self._dream.tenant_id, "memory_id": memory_id}
        query = select(memory_versions).filter_by(**whose, version=version)
        was = self._connection.execute(query).one()
        self._make_room(memory_id)
        self._refuse_if_replaced(memory_id)
        values = {name: getattr(was, name) for name in _VERSIONED}
        row = memories.update().filter_by(tenant_id=self._dream.tenant_id, id=memory_id)
        self._connection.execute(row.values(**values, folded=folded(was.text)))
        later = memory_versions.delete().filter_by(**whose)
        self._connection.execute(later.where(memory_versions.c.version > version))
        self._undone.restored[memory_id] = None

    def _make_room(self, memory_id: str) -> None:
        """Let a memory that says the same by now give way: it points to the restored one."""
        words = select(memories.c.fingerprint).where(
            memories.c.tenant_id == self._dream.tenant_id, memories.c.id == memory_id
        )
        query = select(memories.c.id).where(
            memories_of(self._dream.tenant_id, self._dream.user_id),
            memories.c.fingerprint == words.scalar_subquery(),
            memories.c.status == MemoryStatus.ACTIVE.value,
            memories.c.id != memory_id,
        )
        for other in self._load(list(self._connection.execute(query).scalars())):
            change_memory(
                self._connection,
                replace(
                    other,
                    status=MemoryStatus.SUPERSEDED,
                    superseded_at=self._now,
                    superseded_by=memory_id,
                ),
            )
            add_sources(self._connection, self._dream.tenant_id, memory_id, other.sources)
            self._undone.restored[other.id] = None

    def _refuse_if_replaced(self, memory_id: str) -> None:
        """Of one attribute one value holds at a time: what was learnt since is not overruled."""
        key = select(memories.c.attribute_key).where(
            memories.c.tenant_id == self._dream.tenant_id, memories.c.id == memory_id
        )
        query = select(memories.c.id).where(
            memories_of(self._dream.tenant_id, self._dream.user_id),
            memories.c.attribute_key == key.scalar_subquery(),
            memories.c.status == MemoryStatus.ACTIVE.value,
            memories.c.id != memory_id,
        )
        holder = self._connection.execute(query).scalar_one_or_none()
        if holder is not None:
            raise AttributeTaken(
                f"memory {holder!r} tells by now what memory {memory_id!r} told", memory_id=holder
            )

    def _hand_back(self, memory_id: str, made_id: str | None, gained: Sequence[Source]) -> None:
        """Give the quotes that the made memory gained to one it stood for, and tell their turns."""
        add_sources(self._connection, self._dream.tenant_id, memory_id, gained)
        turn_ids = {source.turn_id for source in gained}
        theirs = select(outcomes).where(
            outcomes.c.tenant_id == self._dream.tenant_id, outcomes.c.turn_id.in_(sorted(turn_ids))
        )
        for row in self._connection.execute(theirs).all():
            if made_id in row.memory_ids:
                named = [memory_id if one == made_id else one for one in row.memory_ids]
                ended = outcomes.update().filter_by(
                    operation_id=row.operation_id, position=row.position
                )
                self._connection.execute(ended.values(memory_ids=named))

    def _load(self, memory_ids: Sequence[str]) -> list[Memory]:
        return load_memories(
            self._connection, self._dream.tenant_id, memory_ids, user_id=self._dream.user_id
        )


def _changed(memory_id: str) -> WrongState:
    return WrongState(
        f"memory {memory_id!r} changed since: undo what changed it first", memory_id=memory_id
    )
