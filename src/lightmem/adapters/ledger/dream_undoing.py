"""Taking a dream back: the memories are what they were, versions and all.

The versions that the dream made are removed, and so are the memories. What was forgotten since
stays forgotten; what was said since is not lost: quotes that a made memory gained go back to the
memory it stood for. No memory is in two steps, so all of them are read, decided on and written
together: so many statements, however many steps there are.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select

from lightmem.adapters.ledger.database import slices
from lightmem.adapters.ledger.dream_applying import sources_of
from lightmem.adapters.ledger.remembering import (
    add_sources,
    change_memories,
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


@dataclass(frozen=True, slots=True)
class _Gained:
    """Quotes that a made memory gained since, and the memory that they go back to."""

    memory_id: str
    made_id: str
    sources: Sequence[Source]


class Undoing:
    """Takes back the applied steps of a dream; the caller holds the user's lock."""

    def __init__(self, connection: Connection, dream: Dream, *, now: datetime) -> None:
        self._connection = connection
        self._dream = dream
        self._now = now
        self._undone = Undone()

    def undo(self) -> Undone:
        """Take back every applied step.

        Raises:
            WrongState: a memory changed since in another way than by being forgotten.
            AttributeTaken: what one told, another active memory tells by now.
        """
        applied = [step for step in self._dream.steps if step.is_applied]
        self._undone.promotes = any(step.action is DreamAction.PROMOTE for step in applied)
        changing = [step for step in applied if step.action is not DreamAction.PROMOTE]
        touched = self._touched([step.id for step in changing])
        now = self._known([row.memory_id for rows in touched.values() for row in rows])
        standing = {
            step.id: [row for row in touched[step.id] if _stands(row, now)] for step in changing
        }
        gained = self._remove_made(changing, standing, now)
        self._restore([row for rows in standing.values() for row in rows])
        for each in gained:
            self._hand_back(each)
        if applied:
            of = dream_steps.update().where(dream_steps.c.id == bindparam("of"))
            self._connection.execute(of, [{"of": one.id, "is_applied": False} for one in applied])
        return self._undone

    def _touched(self, step_ids: Sequence[str]) -> dict[str, list[Row[Any]]]:
        """The memories that each step changed, in order."""
        found: dict[str, list[Row[Any]]] = {step_id: [] for step_id in step_ids}
        for ids in slices(step_ids):
            query = select(dream_memories).where(
                dream_memories.c.step_id.in_(ids), dream_memories.c.made_version.is_not(None)
            )
            for row in self._connection.execute(query.order_by(dream_memories.c.position)):
                found[row.step_id].append(row)
        return found

    # --- what the dream made ------------------------------------------------------------------

    def _remove_made(
        self,
        steps: Sequence[DreamStep],
        standing: dict[str, list[Row[Any]]],
        now: dict[str, Memory],
    ) -> list[_Gained]:
        """Remove the memories that the steps made; the quotes that they gained since."""
        made = self._made_by([step.id for step in steps])
        known = self._known(made.values())
        gained = []
        for step_id, memory_id in made.items():
            memory, rows = known.get(memory_id), standing[step_id]
            if memory is None or memory.status is MemoryStatus.FORGOTTEN:
                continue
            if memory.status is not MemoryStatus.ACTIVE or memory.version != 1:
                raise _changed(memory.id)
            self._undone.removed.append(memory.id)
            quoted = set(sources_of([now[row.memory_id] for row in rows]))
            more = [source for source in memory.sources if source not in quoted]
            if more and rows:
                gained.append(_Gained(rows[-1].memory_id, memory.id, more))
        self._delete(self._undone.removed)
        return gained

    def _made_by(self, step_ids: Sequence[str]) -> dict[str, str]:
        """The memory that each step made, where it made one, by the step's id."""
        made: dict[str, str] = {}
        for ids in slices(step_ids):
            query = select(dream_steps.c.id, dream_steps.c.memory_id).where(
                dream_steps.c.id.in_(ids), dream_steps.c.is_made
            )
            made.update((row.id, row.memory_id) for row in self._connection.execute(query))
        return made

    def _delete(self, memory_ids: Sequence[str]) -> None:
        for ids in slices(memory_ids):
            for table in (memory_sources, memory_versions):
                theirs = table.c.tenant_id == self._dream.tenant_id, table.c.memory_id.in_(ids)
                self._connection.execute(table.delete().where(*theirs))
            rows = memories.c.tenant_id == self._dream.tenant_id, memories.c.id.in_(ids)
            self._connection.execute(memories.delete().where(*rows))

    # --- what it took the place of ------------------------------------------------------------

    def _restore(self, rows: Sequence[Row[Any]]) -> None:
        """Let memories be what they were before; later versions are removed."""
        if not rows:
            return
        ids = [row.memory_id for row in rows]
        was = self._versions({row.memory_id: row.version for row in rows})
        self._make_room(ids)
        self._refuse_if_replaced(ids)
        values = [
            {
                **{name: getattr(was[each], name) for name in _VERSIONED},
                "folded": folded(was[each].text),
                "of": each,
            }
            for each in ids
        ]
        whose = memories.c.tenant_id == self._dream.tenant_id, memories.c.id == bindparam("of")
        self._connection.execute(memories.update().where(*whose), values)
        later = memory_versions.delete().where(
            memory_versions.c.tenant_id == self._dream.tenant_id,
            memory_versions.c.memory_id == bindparam("of"),
            memory_versions.c.version > bindparam("was"),
        )
        before = [{"of": row.memory_id, "was": row.version} for row in rows]
        self._connection.execute(later, before)
        self._undone.restored.update(dict.fromkeys(ids))

    def _versions(self, wanted: dict[str, int]) -> dict[str, Row[Any]]:
        """The version of each memory that is wanted, by its id."""
        found: dict[str, Row[Any]] = {}
        for ids in slices(list(wanted)):
            query = select(memory_versions).where(
                memory_versions.c.tenant_id == self._dream.tenant_id,
                memory_versions.c.memory_id.in_(ids),
            )
            for row in self._connection.execute(query):
                if row.version == wanted[row.memory_id]:
                    found[row.memory_id] = row
        return found

    def _make_room(self, memory_ids: Sequence[str]) -> None:
        """Let memories that say the same by now give way: they point to the restored ones."""
        said = self._keyed(memory_ids, "fingerprint")
        holders = self._active_with("fingerprint", list(said), but=memory_ids)
        others = self._known([memory_id for memory_id, _ in holders])
        change_memories(
            self._connection,
            [
                replace(
                    others[memory_id],
                    status=MemoryStatus.SUPERSEDED,
                    superseded_at=self._now,
                    superseded_by=said[words],
                )
                for memory_id, words in holders
            ],
        )
        for memory_id, words in holders:
            sources = others[memory_id].sources
            add_sources(self._connection, self._dream.tenant_id, said[words], sources)
            self._undone.restored[memory_id] = None

    def _refuse_if_replaced(self, memory_ids: Sequence[str]) -> None:
        """Of one attribute one value holds at a time: what was learnt since is not overruled."""
        told = self._keyed(memory_ids, "attribute_key")
        for holder, key in self._active_with("attribute_key", list(told), but=memory_ids):
            raise AttributeTaken(
                f"memory {holder!r} tells by now what memory {told[key]!r} told", memory_id=holder
            )

    def _keyed(self, memory_ids: Sequence[str], column: str) -> dict[str, str]:
        """The memories by what they have in a column, where they have anything."""
        found: dict[str, str] = {}
        for ids in slices(memory_ids):
            query = select(memories.c.id, memories.c[column]).where(
                memories.c.tenant_id == self._dream.tenant_id, memories.c.id.in_(ids)
            )
            found.update((row[1], row[0]) for row in self._connection.execute(query) if row[1])
        return found

    def _active_with(
        self, column: str, values: Sequence[str], *, but: Sequence[str]
    ) -> list[tuple[str, str]]:
        """Active memories that have one of the values in a column, with it; not these memories."""
        found: list[tuple[str, str]] = []
        for some in slices(values):
            query = select(memories.c.id, memories.c[column]).where(
                memories_of(self._dream.tenant_id, self._dream.user_id),
                memories.c[column].in_(some),
                memories.c.status == MemoryStatus.ACTIVE.value,
            )
            found += [(row[0], row[1]) for row in self._connection.execute(query)]
        left = set(but)
        return [pair for pair in found if pair[0] not in left]

    def _hand_back(self, gained: _Gained) -> None:
        """Give the quotes that a made memory gained to one it stood for, and tell their turns."""
        add_sources(self._connection, self._dream.tenant_id, gained.memory_id, gained.sources)
        turn_ids = {source.turn_id for source in gained.sources}
        theirs = select(outcomes).where(
            outcomes.c.tenant_id == self._dream.tenant_id, outcomes.c.turn_id.in_(sorted(turn_ids))
        )
        for row in self._connection.execute(theirs).all():
            if gained.made_id in row.memory_ids:
                named = [
                    gained.memory_id if one == gained.made_id else one for one in row.memory_ids
                ]
                ended = outcomes.update().filter_by(
                    operation_id=row.operation_id, position=row.position
                )
                self._connection.execute(ended.values(memory_ids=named))

    def _known(self, memory_ids: Iterable[str]) -> dict[str, Memory]:
        found = load_memories(
            self._connection,
            self._dream.tenant_id,
            list(memory_ids),
            user_id=self._dream.user_id,
        )
        return {memory.id: memory for memory in found}


def _stands(row: Row[Any], now: dict[str, Memory]) -> bool:
    """Whether a memory is as the step left it; one that was forgotten since stays so.

    Raises:
        WrongState: it changed in another way.
    """
    memory = now.get(row.memory_id)
    if memory is None or memory.status is MemoryStatus.FORGOTTEN:
        return False
    if memory.version != row.made_version:
        raise _changed(memory.id)
    return True


def _changed(memory_id: str) -> WrongState:
    return WrongState(
        f"memory {memory_id!r} changed since: undo what changed it first", memory_id=memory_id
    )
