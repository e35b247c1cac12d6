"""A memory as a dream looks at it: with when it was said, by whom, and its sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from lightmem.model import Memory, MemoryRef, Role, Turn
from lightmem_consolidator.words import Told, told


@dataclass(frozen=True, slots=True)
class Known:
    """A memory and the circumstances of its saying.

    Args:
        said_at: When the last of the turns it quotes was said.
        speaker: Who said it, where he has a name.
        is_users: Whether the user himself said it, and no assistant or tool.
        told: What it says, by sentences.
    """

    memory: Memory
    said_at: datetime
    speaker: str | None
    is_users: bool
    told: Told

    @property
    def id(self) -> str:
        return self.memory.id

    @property
    def words(self) -> str:
        """What was said, without who said it and when."""
        return self.memory.text[len(self.told.opening) :] or self.memory.text

    @property
    def ref(self) -> MemoryRef:
        """It as the dream read it."""
        return MemoryRef(self.memory.id, self.memory.version)

    @property
    def turn_ids(self) -> Sequence[str]:
        """The turns it quotes, each once."""
        return list(dict.fromkeys(source.turn_id for source in self.memory.sources))


def known_of(memories: Sequence[Memory], turns: Mapping[str, Turn]) -> dict[str, Known]:
    """The memories by id; one none of whose turns is left says nothing certain and is left out."""
    found: dict[str, Known] = {}
    for memory in memories:
        quoted = [turns[one.turn_id] for one in memory.sources if one.turn_id in turns]
        if not quoted:
            continue
        speaker = quoted[0].speaker
        found[memory.id] = Known(
            memory=memory,
            said_at=max(turn.occurred_at for turn in quoted),
            speaker=speaker,
            is_users=any(turn.role is Role.USER for turn in quoted),
            told=told(memory.text, speaker),
        )
    return found


def in_order(memories: Sequence[Known]) -> list[Known]:
    """Those said earlier first; of those said at once, by id."""
    return sorted(memories, key=lambda one: (one.said_at, one.id))
