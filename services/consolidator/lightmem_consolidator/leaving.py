"""What may leave the index: passing remarks that nobody recalled, and the least useful when room
is scarce.

Only what no other rule keeps is proposed, so that a memory that stays is not proposed, and refused,
by every dream again.
"""

from collections.abc import Collection, Sequence

from lightmem.model import DreamAction, Memory, PlannedStep
from lightmem_consolidator.chatter import is_passing_remark
from lightmem_consolidator.keeping import why_kept
from lightmem_consolidator.known import Known
from lightmem_consolidator.validate import NO_ROOM

#: Why a memory goes, as the diff tells it.
UNUSED = "a passing remark that nobody recalled"
PRESSED = "room is scarce, and this was of the least use"
#: Most passing remarks that one dream lets go.
MOST = 50


def unused_steps(unused: Sequence[Known], busy: Collection[str]) -> list[PlannedStep]:
    """FORGET for the passing remarks among memories that nobody recalled, one step each."""
    found = [one for one in unused if one.id not in busy and is_passing_remark(one)]
    return [_forget(one, UNUSED) for one in found[:MOST]]


def pressed_steps(
    pressed: Sequence[Known],
    busy: Collection[str],
    *,
    promoted: frozenset[str] = frozenset(),
    most: int,
) -> list[PlannedStep]:
    """FORGET for the least useful that may go and that no other step works on; checked later."""
    free = [one for one in pressed if one.id not in busy and why_kept(one.memory, promoted) is None]
    return [_forget(one, PRESSED) for one in free[:most]]


def looked_up_to(unused: Sequence[Memory], judged: Sequence[PlannedStep]) -> str | None:
    """The last of the unused memories that no later dream has to look at; None for none.

    Args:
        unused: In the order of their ids, as they were looked at.
        judged: The steps of the plan: what there was no room for has to wait, and so has what
            comes behind it or behind the most that one dream lets go.
    """
    ids = [memory.id for memory in unused]
    verdicts = {
        one.memory_id: step.reason
        for step in judged
        if step.action is DreamAction.FORGET
        for one in step.before
    }
    proposed = [place for place, each in enumerate(ids) if each in verdicts]
    if len(proposed) >= MOST:
        ids = ids[: proposed[-1] + 1]
    waiting = [place for place, each in enumerate(ids) if verdicts.get(each) == NO_ROOM]
    ids = ids[: waiting[0]] if waiting else ids
    return ids[-1] if ids else None


def _forget(one: Known, reason: str) -> PlannedStep:
    return PlannedStep(DreamAction.FORGET, [one.ref], evidence=one.turn_ids, reason=reason)
