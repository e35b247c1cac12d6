"""The steps of a dream, done to one user's memories within one transaction.

A memory is what the dream read if it is still active in the version that was read; a step of
which one is not is aborted, and the rest goes on. All that decides is read first, then it is
decided step by step, then all is written: so many statements, however many steps there are.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import assert_never

from sqlalchemy import Connection, bindparam

from lightmem.adapters.ledger.dream_state import Standing, read_standing
from lightmem.adapters.ledger.remembering import NewMemory, change_memories, store_memories
from lightmem.adapters.ledger.rows import Values
from lightmem.adapters.ledger.tables import dream_memories, dream_steps
from lightmem.domain.fingerprint import fingerprint
from lightmem.domain.ids import new_id
from lightmem.model import (
    Dream,
    DreamAction,
    DreamStep,
    DreamtMemory,
    Memory,
    MemoryStatus,
    Source,
    Verdict,
)

#: Why a step could not be done any more.
CHANGED = "a memory changed since the dream read it"
SAID_ALREADY = "another memory says this by now"


@dataclass(slots=True)
class Done:
    """What applying came to: memories to index anew, and whether the graph has to follow."""

    memory_ids: dict[str, None] = field(default_factory=dict)
    promotes: bool = False


class _Aborted(Exception):
    """A step that does not fit the memories as they are; its argument says why."""


class Applying:
    """Does steps one after the other; the caller holds the user's lock."""

    def __init__(self, connection: Connection, dream: Dream, *, now: datetime) -> None:
        self._connection = connection
        self._dream = dream
        self._now = now
        self._done = Done()
        self._retired: list[tuple[DreamStep, Memory]] = []
        self._made: list[NewMemory] = []
        #: What becomes of steps, by the columns that are set.
        self._noted: defaultdict[tuple[str, ...], list[Values]] = defaultdict(list)
        self._standing: Standing

    def apply(self, steps: Sequence[DreamStep]) -> Done:
        """Do these accepted steps; those that cannot be done are noted as aborted.

        What is promoted goes first: it changes no memory, and rests on them as they were read.
        """
        self._standing = read_standing(self._connection, self._dream, steps)
        for step in sorted(steps, key=lambda step: step.action is not DreamAction.PROMOTE):
            try:
                self._apply(step, self._as_read(step))
            except _Aborted as reason:
                self._note(step, verdict=Verdict.ABORTED.value, reason=str(reason))
        self._write()
        return self._done

    # --- what is decided ----------------------------------------------------------------------

    def _apply(self, step: DreamStep, before: Sequence[Memory]) -> None:
        match step.action:
            case DreamAction.MERGE | DreamAction.UPDATE:
                self._replace(step, before)
            case DreamAction.FORGET:
                for memory in before:
                    self._retire(step, memory, MemoryStatus.ARCHIVED)
                self._note(step, is_applied=True)
            case DreamAction.PROMOTE:
                self._done.promotes = True
                self._note(step, is_applied=True)
            case _:
                assert_never(step.action)

    def _as_read(self, step: DreamStep) -> list[Memory]:
        """The memories of a step, which are as they were read."""
        versions = {memory.id: memory.version for memory in step.before}
        known = self._standing.memories
        found = [known[each] for each in versions if each in known]
        is_same = {memory.id: memory.version for memory in found} == versions
        is_active = all(memory.status is MemoryStatus.ACTIVE for memory in found)
        counted = self._standing.counted.get(step.id, 0)
        if not found or not is_same or not is_active or counted != len(found):
            raise _Aborted(CHANGED)
        return found

    def _replace(self, step: DreamStep, before: Sequence[Memory]) -> None:
        """Let one memory stand for the others: the last of them if it says `after`, or a new one.

        An UPDATE closes what is over at the time from which the new value holds.
        """
        after = step.after
        if after is None:
            raise _Aborted(CHANGED)
        is_update = step.action is DreamAction.UPDATE
        keeps_last = is_update and after.text == before[-1].text
        standing = before[-1].id if keeps_last else new_id()
        retired = before[:-1] if keeps_last else before
        if not keeps_last and self._standing.is_said_by_others(after.text, retired):
            raise _Aborted(SAID_ALREADY)
        ends_at = after.valid_from if is_update else None
        for memory in retired:
            is_over = is_update and memory.id != before[-1].id
            self._retire(
                step,
                memory,
                MemoryStatus.SUPERSEDED,
                by=standing,
                valid_to=ends_at if is_over else None,
            )
        if not keeps_last:
            self._make(standing, after, retired)
        self._note(step, is_applied=True, memory_id=standing, is_made=not keeps_last)

    def _retire(
        self,
        step: DreamStep,
        memory: Memory,
        status: MemoryStatus,
        *,
        by: str | None = None,
        valid_to: datetime | None = None,
    ) -> None:
        retired = replace(
            memory,
            status=status,
            superseded_at=self._now,
            superseded_by=by,
            valid_to=memory.valid_to or valid_to,
        )
        self._retired.append((step, retired))
        self._standing.retire(retired)
        self._done.memory_ids[memory.id] = None

    def _make(self, memory_id: str, after: DreamtMemory, before: Sequence[Memory]) -> None:
        """A new memory with all quotes of those it stands for, and how they were used."""
        used = [memory.last_accessed_at for memory in before if memory.last_accessed_at]
        memory = Memory(
            id=memory_id,
            tenant_id=self._dream.tenant_id,
            user_id=self._dream.user_id,
            kind=after.kind,
            text=after.text,
            language=after.language,
            entities=after.entities,
            status=MemoryStatus.ACTIVE,
            version=1,
            recorded_at=self._now,
            sources=sources_of(before),
            valid_from=after.valid_from,
            valid_to=after.valid_to,
            valid_precision=after.valid_precision,
            utility=max(memory.utility for memory in before),
            access_count=sum(memory.access_count for memory in before),
            last_accessed_at=max(used, default=None),
        )
        words = fingerprint(memory.text)
        key = self._standing.attribute_key(before)
        self._made.append(NewMemory(memory, words, key))
        self._standing.make(memory_id, words)
        self._done.memory_ids[memory_id] = None

    def _note(self, step: DreamStep, **values: object) -> None:
        self._noted[tuple(values)].append({"of": step.id, **values})

    # --- what is written ----------------------------------------------------------------------

    def _write(self) -> None:
        """Retire, then make: of the same words, and of one attribute, there is one at a time."""
        changed = change_memories(self._connection, [memory for _, memory in self._retired])
        store_memories(self._connection, self._made)
        left: list[Values] = [
            {"of": step.id, "of_memory": memory.id, "made_version": memory.version}
            for (step, _), memory in zip(self._retired, changed, strict=True)
        ]
        read = dream_memories.update().where(
            dream_memories.c.step_id == bindparam("of"),
            dream_memories.c.memory_id == bindparam("of_memory"),
        )
        of = dream_steps.update().where(dream_steps.c.id == bindparam("of"))
        for statement, rows in [(read, left), *((of, rows) for rows in self._noted.values())]:
            if rows:
                self._connection.execute(statement, rows)


def sources_of(before: Sequence[Memory]) -> list[Source]:
    """The quotes of all memories, each once, in the order of the memories."""
    return list(dict.fromkeys(source for memory in before for source in memory.sources))
