"""What took the place of what, by what was known and true at a time.

A memory that was superseded is served
with the time until which it held, and instead of the turn that
says no more than it. What was put right, or said better, is not served at all.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lightmem.domain.text import says_no_more, tells_most_of
from lightmem.model import AsOf, Item, ItemKind
from lightmem_selector.filters import has_ended, is_superseded, was_true


@dataclass(frozen=True, slots=True)
class Succession:
    """What of a pool is served, and what comes before what.

    Args:
        kept: Items that may be served.
        current: By the id of what is out of date, the id of the memory that holds in its place.
        instead: By the id of a turn, the memory that says the same with its time, or rightly.
        fresh: By the id of a memory that holds in another's place, the turns that say so.
        ended: By the id of a turn, the memory of it that is out of date.
    """

    kept: Mapping[str, Item] = field(default_factory=dict)
    current: Mapping[str, str] = field(default_factory=dict)
    instead: Mapping[str, str] = field(default_factory=dict)
    fresh: Mapping[str, frozenset[str]] = field(default_factory=dict)
    ended: Mapping[str, Item] = field(default_factory=dict)

    @classmethod
    def of(cls, found: Mapping[str, Item], as_of: AsOf) -> "Succession":
        """How the items of a pool follow one another, by what was known and true then."""
        memories = [item for item in found.values() if item.kind is ItemKind.MEMORY]
        if not memories:
            return cls(dict(found))
        kept = {key: item for key, item in found.items() if was_true(as_of, item)}
        gone = [memory for memory in memories if memory.id not in kept]
        for memory in gone:
            for turn in _telling_only(memory, kept):
                if as_of.valid is not None and not is_superseded(as_of, memory):
                    del kept[turn.id]
        return _related(kept, memories, as_of)

    def asked_about(self, near: Mapping[str, float]) -> "Succession":
        """The same without the turns that are asked about for something else that they say.

        Args:
            near: How near to the question turns and memories are.
        """
        other = {
            turn_id
            for turn_id, memory in self.ended.items()
            if near.get(memory.id, math.inf) < near.get(turn_id, 0.0)
            and not tells_most_of(memory.text, self.kept[turn_id].text)
        }
        current = {key: holder for key, holder in self.current.items() if key not in other}
        return replace(self, current=current)


def missing_successors(found: Mapping[str, Item], as_of: AsOf) -> list[str]:
    """The ids of memories that took the place of found ones and were not found themselves."""
    followers = {
        item.superseded_by
        for item in found.values()
        if item.superseded_by is not None and is_superseded(as_of, item)
    }
    return sorted(follower for follower in followers if follower and follower not in found)


def _related(kept: dict[str, Item], memories: Sequence[Item], as_of: AsOf) -> Succession:
    by_id = {memory.id: memory for memory in memories}
    current: dict[str, str] = {}
    instead: dict[str, str] = {}
    fresh: dict[str, frozenset[str]] = {}
    ended: dict[str, Item] = {}
    for memory in memories:
        holder = _holder(memory, by_id, as_of) if is_superseded(as_of, memory) else None
        if holder is None or holder.id not in kept:
            continue
        own = frozenset(holder.source_turn_ids)
        said = memory if has_ended(memory) and memory.id in kept else holder
        current[memory.id] = holder.id
        for turn_id in memory.source_turn_ids:
            if turn_id in kept and (said is holder or turn_id not in own):
                current[turn_id] = holder.id
                ended[turn_id] = memory
                if says_no_more(kept[turn_id].text, f"{memory.text} {said.text}"):
                    instead[turn_id] = said.id
        fresh[holder.id] = own
    fresh = {key: turns - current.keys() for key, turns in fresh.items()}
    return Succession(kept, current, instead, fresh, ended)


def _holder(memory: Item, by_id: Mapping[str, Item], as_of: AsOf) -> Item | None:
    """The memory that holds in the place of a superseded one, through all that came between."""
    seen = {memory.id}
    while is_superseded(as_of, memory):
        follower = by_id.get(memory.superseded_by or "")
        if follower is None or follower.id in seen:
            return None
        seen.add(follower.id)
        memory = follower
    return memory


def _telling_only(memory: Item, kept: Mapping[str, Item]) -> Iterable[Item]:
    """The turns that say no more than a memory that is not served."""
    turns = [kept[turn_id] for turn_id in memory.source_turn_ids if turn_id in kept]
    return [turn for turn in turns if says_no_more(turn.text, memory.text)]
