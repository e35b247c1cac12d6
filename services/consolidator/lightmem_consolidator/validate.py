"""The validator: what of a plan may be done, and why the rest may not. Pure, and never generous.

A step passes when nothing can be lost or made up by it: its text is made of whole sentences of
the memories it replaces, the value that holds now stays, and what matters to people is kept. Each
reason says which rule was broken, in no word of the user's.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from lightmem.domain.grounding import Said, unsaid_names, unsaid_numbers
from lightmem.domain.language import UNKNOWN, detect_language, main_script
from lightmem.domain.limits import fault_of_text
from lightmem.model import DreamAction, PlannedStep, Verdict
from lightmem_consolidator.keeping import why_kept
from lightmem_consolidator.known import Known
from lightmem_consolidator.rules import has_same_time
from lightmem_consolidator.words import GLUE, is_made_of, keys_of

#: Distinct turns that something needs to become general knowledge.
PROMOTED_BY_TURNS = 2
_MARKUP = ("{", "}", "<<", ">>", '":', "```")


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a plan is held against.

    Args:
        known: The memories that the dream read, by id.
        active: How many active memories the user has.
        max_removed_fraction: How many of them may go, MERGE not counted.
        promoted: Memories that long-term memory rests on.
        forgotten: Memories and texts that say a value the user had forgotten.
    """

    known: Mapping[str, Known]
    active: int
    max_removed_fraction: float
    promoted: frozenset[str] = frozenset()
    forgotten: Collection[str] = frozenset()


#: Why a step has to wait for another dream.
NO_ROOM = "more would go than this dream may remove"


class _Refused(Exception):
    """A step that must not be done; its argument says why."""


def validate(steps: Sequence[PlannedStep], given: Circumstances) -> list[PlannedStep]:
    """The steps with their verdicts, in their order.

    What is promoted is judged first: what it rests on is not forgotten in the same dream.
    """
    promotes = [step for step in steps if step.action is DreamAction.PROMOTE]
    others = [step for step in steps if step.action is not DreamAction.PROMOTE]
    judging = _Judging(given)
    judged = {id(step): judging.judge(step) for step in (*promotes, *others)}
    return [judged[id(step)] for step in steps]


class _Judging:
    """Judges steps one after the other, knowing what those before may do."""

    def __init__(self, given: Circumstances) -> None:
        self._given = given
        self._taken: set[str] = set()
        self._promoted = set(given.promoted)
        self._room = int(given.max_removed_fraction * given.active)

    def judge(self, step: PlannedStep) -> PlannedStep:
        """The step with its verdict; what it takes is taken for the steps to come."""
        removes = _removes(step)
        given = replace(self._given, promoted=frozenset(self._promoted))
        try:
            _check(step, given, self._taken)
            if removes > self._room:
                raise _Refused(NO_ROOM)
        except _Refused as reason:
            return replace(step, verdict=Verdict.REJECTED, reason=str(reason))
        self._room -= removes
        ids = {one.memory_id for one in step.before}
        (self._promoted if step.action is DreamAction.PROMOTE else self._taken).update(ids)
        return replace(step, verdict=Verdict.ACCEPTED)


def _removes(step: PlannedStep) -> int:
    """How many memories a step takes away whose words nothing keeps."""
    match step.action:
        case DreamAction.FORGET:
            return len(step.before)
        case DreamAction.UPDATE:
            return max(0, len(step.before) - 1)
        case DreamAction.MERGE | DreamAction.PROMOTE:
            return 0


def _check(step: PlannedStep, given: Circumstances, taken: Collection[str]) -> None:
    before = _before(step, given)
    ids = [one.id for one in before]
    if step.action is not DreamAction.PROMOTE and any(each in taken for each in ids):
        raise _Refused("another step works on the same memory")
    if any(each in given.forgotten for each in ids) or (
        step.after is not None and step.after.text in given.forgotten
    ):
        raise _Refused("it rests on what was forgotten")
    match step.action:
        case DreamAction.MERGE:
            _check_text(step, before)
            _check_merge(step, before)
        case DreamAction.UPDATE:
            _check_text(step, before)
            _check_update(step, before)
        case DreamAction.FORGET:
            _check_forget(before, given)
        case DreamAction.PROMOTE:
            _check_promote(step, before)


def _before(step: PlannedStep, given: Circumstances) -> list[Known]:
    found = [given.known.get(one.memory_id) for one in step.before]
    least = 2 if step.action in {DreamAction.MERGE, DreamAction.UPDATE} else 1
    known = [one for one in found if one is not None]
    if len(known) != len(found):
        raise _Refused("it names a memory that was not read")
    if len({one.id for one in known}) != len(known) or len(known) < least:
        raise _Refused("it names too few memories")
    return known


# --- texts -------------------------------------------------------------------------------------


def _check_text(step: PlannedStep, before: Sequence[Known]) -> None:
    """Nothing in the text that the memories lack: no name, number, date, word or language."""
    after = step.after
    if after is None or fault_of_text(after.text) is not None:
        raise _Refused("it has no text")
    text = after.text
    if any(mark in text for mark in _MARKUP) and not any(
        mark in one.memory.text for one in before for mark in _MARKUP
    ):
        raise _Refused("markup in the text")
    if len(text) > sum(len(one.memory.text) for one in before) + len(before):
        raise _Refused("longer than the memories it replaces")
    _check_language(text, before)
    said = Said(one.memory.text for one in before)
    if unsaid_numbers(text, said):
        raise _Refused("a number or date that the memories lack")
    if unsaid_names(text, said):
        raise _Refused("a name that the memories lack")
    if not keys_of(text) - GLUE <= keys_of("\n".join(one.memory.text for one in before)):
        raise _Refused("a word that the memories lack")


def _check_language(text: str, before: Sequence[Known]) -> None:
    scripts = {main_script(one.memory.text) for one in before}
    if main_script(text) not in scripts:
        raise _Refused("another script")
    languages = {one.memory.language for one in before}
    written = detect_language(text)
    detected = {detect_language(one.memory.text) for one in before}
    if UNKNOWN not in languages | detected | {written} and written not in languages | detected:
        raise _Refused("another language")
    if len(languages - {UNKNOWN}) > 1:
        raise _Refused("memories in several languages")


def _check_merge(step: PlannedStep, before: Sequence[Known]) -> None:
    """All that each memory says is still said, by the same person, of the same time."""
    assert step.after is not None
    if len({(one.speaker, one.is_users) for one in before}) > 1:
        raise _Refused("said by different people")
    if not all(has_same_time(one, other) for one in before for other in before):
        raise _Refused("true at different times")
    kept = is_made_of(step.after.text, [one.told for one in before])
    if kept is None:
        raise _Refused("not made of what the memories say")
    for one in before:
        if not all(any(k.says_all_of(saying) for k in kept) for saying in one.told.sayings):
            raise _Refused("something that a memory says would be lost")


def _check_update(step: PlannedStep, before: Sequence[Known]) -> None:
    """Only what was said later changes what was said before, and it is kept as it was said."""
    assert step.after is not None
    *earlier, last = before
    if any(one.said_at > last.said_at for one in earlier):
        raise _Refused("an earlier memory may not change a later one")
    if len({one.speaker for one in before}) > 1:
        raise _Refused("said by different people")
    if any(one.is_users for one in earlier) and not last.is_users:
        raise _Refused("what an assistant said does not overrule the user")
    if step.after.text == last.memory.text:
        return
    kept = is_made_of(step.after.text, [one.told for one in before])
    if kept is None:
        raise _Refused("not made of what the memories say")
    if not all(any(k.says_all_of(saying) for k in kept) for saying in last.told.sayings):
        raise _Refused("the value that holds now would be lost")


# --- what goes ---------------------------------------------------------------------------------


def _check_forget(before: Sequence[Known], given: Circumstances) -> None:
    for one in before:
        reason = why_kept(one.memory, given.promoted)
        if reason is not None:
            raise _Refused(reason)


def _check_promote(step: PlannedStep, before: Sequence[Known]) -> None:
    if step.claim is None:
        raise _Refused(step.reason or "it claims nothing")
    quoted = {turn_id for one in before for turn_id in one.turn_ids}
    if not set(step.evidence) <= quoted:
        raise _Refused("it names turns that the memories do not quote")
    if len(set(step.evidence)) < PROMOTED_BY_TURNS:
        raise _Refused("too few turns say it")
