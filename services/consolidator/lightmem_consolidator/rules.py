"""What is certain without a model: what is said twice, or in pieces, or was replaced later.

MERGE where one memory says all that another says, and of the sentences of one turn; UPDATE where
a later memory gives another value to what can have but one. What may leave is in `leaving`.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from lightmem.domain.attributes import Claim, Mode, claims_of
from lightmem.domain.sentences import split_sentences
from lightmem.model import DreamAction, DreamtMemory, MemoryKind, PlannedStep
from lightmem_consolidator.group import Group
from lightmem_consolidator.known import Known, in_order

#: Characters up to which fragments are joined: more would blur what a memory is about.
MOST_JOINED = 320
_PLAIN = frozenset({MemoryKind.FACT, MemoryKind.OTHER})


def certain_steps(group: Group) -> list[PlannedStep]:
    """The steps of a group that need no model; none touches a memory of another."""
    left = list(group.memories)
    steps: list[PlannedStep] = []
    while (found := _first_update(left)) or (found := _first_merge(left)):
        step, used = found
        steps.append(step)
        left = [one for one in left if one not in used]
    return steps


def fragment_steps(
    known: Iterable[Known], busy: Collection[str], *, new: Collection[str] | None = None
) -> list[PlannedStep]:
    """MERGE for the sentences that one turn said of one time, each a memory by itself until now.

    What claims an attribute stays alone, for a later word may replace it and nothing beside it.

    Args:
        new: Ids of the memories that the dream reads, all unless told: where none is among them,
            the dream before has done what there is to do.
    """
    said: dict[tuple[object, ...], list[Known]] = {}
    for one in in_order([one for one in known if one.id not in busy]):
        memory = one.memory
        if len(one.turn_ids) == 1 and one.told.sayings and not _claims(one):
            time = (memory.valid_from, memory.valid_to, memory.valid_precision)
            whose = (one.turn_ids[0], one.told.opening, memory.language)
            said.setdefault((*whose, *time), []).append(one)
    runs = [run for some in said.values() for run in _runs(some) if len(run) > 1]
    return [_whole(run) for run in runs if new is None or any(one.id in new for one in run)]


def _runs(fragments: Sequence[Known]) -> list[list[Known]]:
    """Those that follow each other, of one kind, no longer together than a memory should be."""
    runs: list[list[Known]] = []
    for one in fragments:
        if runs and _fits([*runs[-1], one]):
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs


def _fits(run: Sequence[Known]) -> bool:
    return len(_joined(run)) <= MOST_JOINED and len(_kinds(run)) <= 1


def _kinds(run: Sequence[Known]) -> set[MemoryKind]:
    """What kinds they are of; a mere fact goes with any but a plan, which is fulfilled alone."""
    kinds = {one.memory.kind for one in run}
    return kinds if MemoryKind.PLAN in kinds else kinds - _PLAIN


def _whole(run: Sequence[Known]) -> PlannedStep:
    step = merged(run, _joined(run))
    assert step.after is not None
    kind = next(iter(_kinds(run)), run[0].memory.kind)
    return replace(step, after=replace(step.after, kind=kind))


def _joined(fragments: Sequence[Known]) -> str:
    """Their sentences behind the opening that they share, each with a stop."""
    words = [one.words.strip() for one in fragments]
    ended = [each if split_sentences(f"{each} x")[1:] else f"{each}." for each in words]
    return fragments[0].told.opening + " ".join(ended)


def merged(before: Sequence[Known], text: str) -> PlannedStep:
    """A MERGE into this text, which has what all of them are known by."""
    before = in_order(before)
    dated = [one.memory for one in before if one.memory.valid_from or one.memory.valid_to]
    last = (dated or [one.memory for one in before])[-1]
    after = DreamtMemory(
        text=text,
        kind=before[-1].memory.kind,
        language=before[-1].memory.language,
        entities=_entities(before),
        valid_from=last.valid_from,
        valid_to=last.valid_to,
        valid_precision=last.valid_precision,
    )
    return PlannedStep(DreamAction.MERGE, [one.ref for one in before], after, None, _turns(before))


def updated(before: Sequence[Known], text: str | None = None) -> PlannedStep:
    """An UPDATE by the memory that was said last, in its own words unless others are given."""
    before = in_order(before)
    last = before[-1].memory
    after = DreamtMemory(
        text=text or last.text,
        kind=last.kind,
        language=last.language,
        entities=_entities(before) if text else tuple(last.entities),
        valid_from=last.valid_from,
        valid_to=last.valid_to,
        valid_precision=last.valid_precision,
    )
    return PlannedStep(DreamAction.UPDATE, [one.ref for one in before], after, None, _turns(before))


def says_all_of(one: Known, other: Known) -> bool:
    """Whether the first memory says all that the other says, of the same time."""
    if one.memory.language != other.memory.language or not has_same_time(one, other):
        return False
    return bool(other.told.sayings) and all(
        any(mine.says_all_of(theirs) for mine in one.told.sayings) for theirs in other.told.sayings
    )


def has_same_time(one: Known, other: Known) -> bool:
    """Whether two memories are not true at different times."""
    mine = (one.memory.valid_from, one.memory.valid_to)
    theirs = (other.memory.valid_from, other.memory.valid_to)
    return mine == theirs or (None, None) in (mine, theirs)


def _first_merge(left: Sequence[Known]) -> tuple[PlannedStep, list[Known]] | None:
    """The memory that says most of the others, and those; the latest of those alike."""
    best: tuple[Known, list[Known]] | None = None
    for one in reversed(left):
        said = [other for other in left if other is not one and says_all_of(one, other)]
        if said and (best is None or len(said) > len(best[1])):
            best = (one, said)
    if best is None:
        return None
    used = [best[0], *best[1]]
    return merged(used, best[0].memory.text), used


def _first_update(left: Sequence[Known]) -> tuple[PlannedStep, list[Known]] | None:
    """The earliest memory whose one claim a later one gives another value, and that one."""
    for place, earlier in enumerate(left):
        for later in reversed(left[place + 1 :]):
            if _replaces(later, earlier):
                used = [earlier, later]
                return updated(used), used
    return None


def _replaces(later: Known, earlier: Known) -> bool:
    """Whether all that the earlier memory claims holds no more by the later one's word."""
    if later.said_at <= earlier.said_at or earlier.memory.valid_to is not None:
        return False
    mine = {claim.key: claim for claim in _claims(later)}
    theirs = _claims(earlier)
    if len(earlier.told.sayings) != 1 or len(theirs) != 1:
        return False
    was = theirs[0]
    now = mine.get(was.key)
    return (
        now is not None
        and was.mode is Mode.HOLDS
        and now.mode is Mode.HOLDS
        and not now.agrees(was)
    )


def _claims(one: Known) -> list[Claim]:
    return claims_of(one.memory.text, language=one.memory.language, speaker=one.speaker)


def _entities(before: Sequence[Known]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for one in before for name in one.memory.entities))


def _turns(before: Sequence[Known]) -> list[str]:
    return list(dict.fromkeys(turn_id for one in before for turn_id in one.turn_ids))
