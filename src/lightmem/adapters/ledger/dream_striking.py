"""What dreams made of memories that are forgotten goes with them, and nothing else does.

A memory that a dream made says what those that it stands for say. Whoever names it for forgetting
means all of them. Whoever forgets one of them means that one: what was made of it is taken back,
and the others are what they were before the dream, unless one of them says the whole by itself.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, false, or_, select

from lightmem.adapters.ledger.remembering import (
    add_sources,
    change_memory,
    load_memories,
    memories_of,
    strike_memory,
)
from lightmem.adapters.ledger.tables import dream_memories, dream_steps, memories
from lightmem.domain.fingerprint import fingerprint
from lightmem.model import DreamAction, Memory, MemoryStatus


@dataclass(slots=True)
class Reached:
    """What else was forgotten, as it was, and the memories that stand for themselves again."""

    forgotten: list[Memory] = field(default_factory=list)
    restored: dict[str, None] = field(default_factory=dict)


def reach_dreams(
    connection: Connection,
    tenant_id: str,
    user_id: str,
    forgotten: Iterable[str],
    *,
    named: Iterable[str] = (),
    now: datetime,
) -> Reached:
    """Follow what was forgotten just now through what dreams made, both ways.

    Args:
        forgotten: Ids of the memories that were struck.
        named: Those of them that were meant as they are, with all that they stand for.
    """
    reaching = _Reaching(connection, tenant_id, user_id, now)
    reaching.follow(list(forgotten), set(named))
    return reaching.reached


class _Reaching:
    def __init__(self, connection: Connection, tenant_id: str, user_id: str, now: datetime) -> None:
        self._connection = connection
        self._whose = (tenant_id, user_id)
        self._now = now
        self._seen: set[str] = set()
        self.reached = Reached()

    def follow(self, waiting: list[str], whole: set[str]) -> None:
        """Follow the memories; of those that are forgotten whole, what they stand for too."""
        while waiting:
            memory_id = waiting.pop()
            if memory_id in self._seen:
                continue
            self._seen.add(memory_id)
            for step in self._steps(dream_steps.c.memory_id == memory_id):
                if memory_id in whole:
                    struck = self._strike(self._standing(step))
                    whole.update(struck)
                    waiting += struck
                else:
                    self._give_back(step, [])
            for step in self._steps(dream_steps.c.id.in_(self._changed_in(memory_id))):
                if step.memory_id not in whole:
                    waiting += self._take_back(step)

    def _take_back(self, step: Row[Any]) -> list[str]:
        """Forget what the step made unless something else says it; its id if it is forgotten."""
        found = self._load([step.memory_id])
        if not found or found[0].status is MemoryStatus.FORGOTTEN:
            return [str(step.memory_id)]
        made = found[0]
        others = self._standing(step)
        says = {fingerprint(one.text) for one in others}
        if fingerprint(made.text) in says or (not others and made.sources):
            return []
        struck = self._strike([made])
        self._give_back(step, [made])
        return struck

    def _give_back(self, step: Row[Any], made: Sequence[Memory]) -> None:
        """Let those that the step's memory stood for be active again, with the quotes it gained."""
        standing = [one for one in self._standing(step) if one.superseded_by == step.memory_id]
        if step.action == DreamAction.UPDATE.value:
            # What was replaced stays so; what replaced it holds.
            standing = standing[-1:]
        for memory in standing:
            if not self._is_told_by_another(memory):
                self._restore(step, memory)
        for one in made:
            if standing:
                known = {source for memory in standing for source in memory.sources}
                gained = [source for source in one.sources if source not in known]
                add_sources(self._connection, self._whose[0], standing[-1].id, gained)

    def _restore(self, step: Row[Any], memory: Memory) -> None:
        active = replace(memory, status=MemoryStatus.ACTIVE, superseded_at=None, superseded_by=None)
        change_memory(self._connection, active)
        # Undoing the dream has nothing left to do for it.
        row = dream_memories.update().filter_by(step_id=step.id, memory_id=memory.id)
        self._connection.execute(row.values(made_version=None))
        self.reached.restored[memory.id] = None

    def _is_told_by_another(self, memory: Memory) -> bool:
        """Whether another active memory has the words or the attribute, which only one may have."""
        mine = select(memories.c.fingerprint, memories.c.attribute_key).where(
            memories_of(*self._whose), memories.c.id == memory.id
        )
        row = self._connection.execute(mine).one()
        # A value that is not there is like no other.
        same = [memories.c[name] == value for name, value in row._asdict().items() if value]
        others = select(memories.c.id).where(
            memories_of(*self._whose),
            memories.c.status == MemoryStatus.ACTIVE.value,
            memories.c.id != memory.id,
            or_(false(), *same),
        )
        return self._connection.execute(others.limit(1)).first() is not None

    # --- reading ------------------------------------------------------------------------------

    def _steps(self, which: ColumnElement[bool]) -> Sequence[Row[Any]]:
        """The steps that were done and made a memory."""
        tenant_id, user_id = self._whose
        theirs = and_(dream_steps.c.tenant_id == tenant_id, dream_steps.c.user_id == user_id)
        done = and_(dream_steps.c.is_applied, dream_steps.c.is_made)
        query = select(dream_steps).where(theirs, done, which).order_by(dream_steps.c.id)
        return self._connection.execute(query).all()

    def _changed_in(self, memory_id: str) -> Select[tuple[str]]:
        """The steps that changed the memory."""
        tenant_id, user_id = self._whose
        return select(dream_memories.c.step_id).where(
            dream_memories.c.tenant_id == tenant_id,
            dream_memories.c.user_id == user_id,
            dream_memories.c.memory_id == memory_id,
        )

    def _standing(self, step: Row[Any]) -> list[Memory]:
        """The memories that the step changed, those forgotten since left out."""
        query = select(dream_memories.c.memory_id).where(
            dream_memories.c.step_id == step.id, dream_memories.c.made_version.is_not(None)
        )
        ids = self._connection.execute(query.order_by(dream_memories.c.position)).scalars()
        found = self._load([str(each) for each in ids])
        return [one for one in found if one.status is not MemoryStatus.FORGOTTEN]

    def _load(self, ids: Sequence[str]) -> list[Memory]:
        tenant_id, user_id = self._whose
        return load_memories(self._connection, tenant_id, ids, user_id=user_id)

    def _strike(self, found: Sequence[Memory]) -> list[str]:
        for memory in found:
            strike_memory(self._connection, memory, now=self._now)
        self.reached.forgotten += found
        return [memory.id for memory in found]
