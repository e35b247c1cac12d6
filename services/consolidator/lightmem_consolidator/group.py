"""Which memories are looked at together: groups that share none, so that they run in parallel.

Each memory has a queue of those that may change it: only what was said later may change what was
said before. Queues that touch are one group, up to a size; what is left over waits for another
dream.

Source: the update queues of Fang et al. 2025 (arXiv:2510.18866), section 3.3.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lightmem_consolidator.known import Known, in_order

#: Cosine from which two memories may be about the same, by themselves and with a name in common.
#: Low on purpose: what is done is decided by what they say, and this only by where to look.
ALIKE, ALIKE_WITH_NAME = 0.5, 0.4
#: Memories of one group: as many as a small model keeps apart.
MOST_IN_GROUP = 6


@dataclass(frozen=True, slots=True)
class Tie:
    """Two memories and their cosine."""

    one: str
    other: str
    similarity: float


@dataclass(frozen=True, slots=True)
class UpdateQueue:
    """A memory, and those said later that may change it, the nearest first."""

    target: str
    later: Sequence[str]


@dataclass(frozen=True, slots=True)
class Group:
    """Memories about one thing, those said earlier first, and how near the nearest two are."""

    memories: Sequence[Known]
    nearness: float


def queues_of(known: Mapping[str, Known], ties: Iterable[Tie]) -> list[UpdateQueue]:
    """The queue of each memory that something said later may change."""
    later: dict[str, dict[str, float]] = {}
    for tie in ties:
        if tie.one not in known or tie.other not in known or not is_tie(known, tie):
            continue
        earlier, after = in_order([known[tie.one], known[tie.other]])
        later.setdefault(earlier.id, {})[after.id] = tie.similarity
    return [
        UpdateQueue(target, sorted(found, key=lambda one: (-found[one], one)))
        for target, found in sorted(later.items())
    ]


def is_tie(known: Mapping[str, Known], tie: Tie) -> bool:
    """Whether two memories are of one speaker and about the same thing."""
    one, other = known[tie.one], known[tie.other]
    if one.id == other.id or one.speaker != other.speaker or one.is_users != other.is_users:
        return False
    if tie.similarity >= ALIKE:
        return True
    shared = _names(one) & _names(other)
    return bool(shared) and tie.similarity >= ALIKE_WITH_NAME


def groups_of(
    known: Mapping[str, Known], ties: Sequence[Tie], *, most: int = MOST_IN_GROUP
) -> list[Group]:
    """Groups that share no memory, made of the nearest first; each memory is in at most one."""
    nearness = {frozenset((tie.one, tie.other)): tie.similarity for tie in ties}
    pairs = [
        (nearness[frozenset((queue.target, after))], queue.target, after)
        for queue in queues_of(known, ties)
        for after in queue.later
    ]
    member: dict[str, set[str]] = {}
    nearest: dict[int, float] = {}
    for similarity, one, other in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
        mine, theirs = member.get(one, {one}), member.get(other, {other})
        if mine is theirs or len(mine | theirs) > most:
            continue
        joined = mine | theirs
        nearest[id(joined)] = max(
            similarity, nearest.get(id(mine), 0.0), nearest.get(id(theirs), 0.0)
        )
        for each in joined:
            member[each] = joined
    found = {id(group): group for group in member.values()}
    groups = [
        Group(in_order([known[one] for one in group]), nearest[key]) for key, group in found.items()
    ]
    return sorted(groups, key=lambda group: (-group.nearness, group.memories[0].id))


def _names(known: Known) -> set[str]:
    """The names in a memory but for its speaker's."""
    own = (known.speaker or "").casefold()
    return {name.casefold() for name in known.memory.entities} - {own}
