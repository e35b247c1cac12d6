"""How the memories of a dream's steps stand while they are done, one after the other.

All of it is read at once; what a step does is noted here, so that the next one sees it.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, func, select

from lightmem.adapters.ledger.database import slices
from lightmem.adapters.ledger.remembering import load_memories, memories_of
from lightmem.adapters.ledger.tables import dream_memories, memories
from lightmem.domain.fingerprint import fingerprint
from lightmem.model import Dream, DreamStep, Memory, MemoryStatus


@dataclass(slots=True)
class Standing:
    """The memories as they stand.

    Args:
        memories: Those that the steps were planned on, by id.
        counted: How many memories each step was planned on, by its id.
        words: The fingerprints of active memories that say what a step would make, by id.
        keys: What each memory says of, where only one value holds at a time.
    """

    memories: dict[str, Memory]
    counted: dict[str, int]
    words: dict[str, str]
    keys: dict[str, str]
    _holders: defaultdict[str, set[str]] = field(init=False)

    def __post_init__(self) -> None:
        self._holders = defaultdict(set)
        for memory_id, words in self.words.items():
            self._holders[words].add(memory_id)

    def is_said_by_others(self, text: str, before: Sequence[Memory]) -> bool:
        """Whether an active memory says just this, but for these."""
        return bool(self._holders[fingerprint(text)] - {memory.id for memory in before})

    def attribute_key(self, before: Sequence[Memory]) -> str | None:
        """What the latest of them is about, of those of which it is known."""
        known = [self.keys[memory.id] for memory in before if memory.id in self.keys]
        return known[-1] if known else None

    def retire(self, memory: Memory) -> None:
        """Let a memory be active no more."""
        self.memories[memory.id] = memory
        if memory.id in self.words:
            self._holders[self.words[memory.id]].discard(memory.id)

    def make(self, memory_id: str, words: str) -> None:
        """Let a new memory say what has this fingerprint."""
        self._holders[words].add(memory_id)


def read_standing(connection: Connection, dream: Dream, steps: Sequence[DreamStep]) -> Standing:
    """The memories of these steps, and those that say what they would make."""
    ids = list(dict.fromkeys(memory.id for step in steps for memory in step.before))
    found = load_memories(connection, dream.tenant_id, ids, user_id=dream.user_id)
    made = {fingerprint(step.after.text) for step in steps if step.after is not None}
    return Standing(
        memories={memory.id: memory for memory in found},
        counted=_counted(connection, [step.id for step in steps]),
        words=_words(connection, dream, sorted(made)),
        keys=_keys(connection, dream, ids),
    )


def _counted(connection: Connection, step_ids: Sequence[str]) -> dict[str, int]:
    counted: dict[str, int] = {}
    for ids in slices(step_ids):
        query = (
            select(dream_memories.c.step_id, func.count().label("memories"))
            .where(dream_memories.c.step_id.in_(ids))
            .group_by(dream_memories.c.step_id)
        )
        counted.update((row.step_id, row.memories) for row in connection.execute(query))
    return counted


def _words(connection: Connection, dream: Dream, made: Sequence[str]) -> dict[str, str]:
    words: dict[str, str] = {}
    for some in slices(made):
        query = select(memories.c.id, memories.c.fingerprint).where(
            memories_of(dream.tenant_id, dream.user_id),
            memories.c.fingerprint.in_(some),
            memories.c.status == MemoryStatus.ACTIVE.value,
        )
        words.update((row.id, row.fingerprint) for row in connection.execute(query))
    return words


def _keys(connection: Connection, dream: Dream, memory_ids: Sequence[str]) -> dict[str, str]:
    keys: dict[str, str] = {}
    for ids in slices(memory_ids):
        query = select(memories.c.id, memories.c.attribute_key).where(
            memories_of(dream.tenant_id, dream.user_id),
            memories.c.id.in_(ids),
            memories.c.attribute_key.is_not(None),
        )
        keys.update((row.id, row.attribute_key) for row in connection.execute(query))
    return keys
