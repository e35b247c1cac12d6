"""Reconciliation: what to do with statements, held against each other and against what is known.

The same words are one memory, whoever repeats them and however often: their sources add up. Of an
attribute one value holds: the newest that the user said supersedes the one before, which stays,
closed at the time of the change. What was said earlier and is learnt later is stored closed. A
correction closes what never held. What an assistant or tool said overrules nobody.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from lightmem.domain.attributes import ANSWER, Claim, Mode, claims_of
from lightmem.domain.fingerprint import fingerprint
from lightmem.domain.ids import new_id
from lightmem.model import (
    AddMemory,
    AddSuperseded,
    MemoryChange,
    Shortened,
    Source,
    SupersedeMemory,
    SupportMemory,
)
from lightmem_writer.changing import ENOUGH
from lightmem_writer.contradiction import Said, Verdict, change, verdict
from lightmem_writer.drafting import Draft, with_sources
from lightmem_writer.known import Known, said_in
from lightmem_writer.proposing import Proposals
from lightmem_writer.slips import puts_right


@dataclass(slots=True)
class Reconciliation:
    """Decides on drafts one after the other; each sees what was decided on those before.

    Args:
        chains: What was said of each attribute so far, by its key.
        recent: The latest memories of the conversation, newest last: what a correction is about.
        alike: Memories that may be about the same as a draft of which no attribute tells, by its
            fingerprint.
        proposed: What a model proposes where rules tell nothing.
    """

    chains: dict[str, list[Known]] = field(default_factory=dict)
    recent: list[Known] = field(default_factory=list)
    alike: dict[str, list[Known]] = field(default_factory=dict)
    proposed: Proposals = field(default_factory=dict)
    changes: list[MemoryChange] = field(default_factory=list)
    #: Until when each held that was closed just now.
    _gone: dict[str, datetime | None] = field(default_factory=dict)

    def decide(self, drafts: Iterable[Draft]) -> list[MemoryChange]:
        """The changes for the drafts, in their order."""
        for draft in drafts:
            self._decide(draft)
        return self.changes

    def _decide(self, draft: Draft) -> None:
        if not draft.is_users:
            self._add(draft)
            return
        target = self._target(draft)
        if target is not None:
            self._put_right(draft, target)
        elif draft.claim is not None:
            self._decide_on_claim(draft, draft.claim)
        elif not (draft.is_fragment and draft.is_bare):
            # What puts right what nobody knows says nothing by itself.
            self._decide_by_words(draft)

    # --- corrections ------------------------------------------------------------------------------

    def _target(self, draft: Draft) -> Known | None:
        """What "No, I meant Lisbon" puts right: what the same person said right before."""
        if draft.claim is not None:
            return None
        said = [
            known
            for known in self.recent
            if known.speaker == draft.speaker
            and draft.session_id in known.session_ids
            and known.said_first <= draft.said_at
            and known.id not in self._gone
        ]
        if not draft.is_fragment:
            last, language = said[-1:], draft.statement.language
            right = (puts_right(draft.words, one.words, language=language) for one in last)
            return last[0] if any(right) else None
        claimed = [known for known in said if known.claim is not None] or said
        return claimed[-1] if claimed else None

    def _put_right(self, draft: Draft, target: Known) -> None:
        """Both together say what is right; what was said first never held."""
        text = f"{target.text}{ANSWER}{draft.words}"
        statement = replace(with_sources(draft.statement, target.sources), text=text)
        statement = replace(statement, kind=target.kind)
        claims = claims_of(text, language=statement.language, speaker=draft.speaker)
        joined = replace(draft, statement=statement, claim=claims[0] if claims else None)
        key = None if target.claim is None else target.claim.key
        self._supersede([target], joined, key=key, at=None)

    # --- by claim ---------------------------------------------------------------------------------

    def _decide_on_claim(self, draft: Draft, claim: Claim) -> None:
        chain = self._chain(claim.key)
        current = next((one for one in chain if one.is_active), None)
        plans = self._plans_met(claim)
        if claim.mode is Mode.ENDS and not (current is None or _ends(claim, current)):
            # It ends what is not known to hold; what holds stays.
            self._supersede(plans or self._changed(draft), draft, key=None, at=draft.starts)
        elif current is None:
            changed = plans or self._changed(draft)
            self._supersede(changed, draft, key=claim.key, at=draft.starts)
        elif _says_same(claim, current):
            self._support(draft, current, plans)
        elif draft.said_at < current.said_last and not draft.is_correction:
            self._add_late(draft, claim, chain)
        else:
            at = None if self._is_slip(draft, current) else max(draft.starts, current.starts)
            self._supersede([current, *plans], draft, key=claim.key, at=at)

    def _plans_met(self, claim: Claim) -> list[Known]:
        """The plan that came to pass with what is claimed, or was given up."""
        if claim.mode is Mode.PLANNED:
            return []
        plans = [one for one in self._chain(claim.plan_key) if one.is_active]
        return [one for one in plans if one.claim is not None and claim.agrees(one.claim)]

    def _support(self, draft: Draft, current: Known, plans: Sequence[Known]) -> None:
        """The same again: its sources add up, unless it is said with a date for the first time."""
        says_more = draft.statement.valid_from is not None and current.valid_from is None
        if says_more and draft.fingerprint != fingerprint(current.text):
            whole = replace(draft, statement=with_sources(draft.statement, current.sources))
            key = current.claim.key if current.claim is not None else None
            self._supersede([current], whole, key=key, at=None)
            return
        self.changes.append(SupportMemory(current.id, draft.statement.sources))
        for plan in plans:
            again = AddMemory(
                replace(draft.statement, text=current.text), fingerprint(current.text)
            )
            self._close(plan, again, at=draft.starts)

    def _add_late(self, draft: Draft, claim: Claim, chain: Sequence[Known]) -> None:
        """Store what a later turn had overtaken already, closed where that one begins."""
        later = [one for one in chain if one.said_last > draft.said_at]
        successor = min(later, key=lambda one: one.said_first)
        memory_id = new_id()
        added = AddMemory(draft.statement, draft.fingerprint, claim.key, memory_id)
        until = max(successor.starts, draft.starts)
        shortened = _shortened(draft, claim, chain)
        self.changes.append(AddSuperseded(added, successor.id, until, shortened))
        self._chain(claim.key).append(Known.of_draft(draft, memory_id, is_active=False))

    def _is_slip(self, draft: Draft, current: Known) -> bool:
        """Whether what holds was only misspoken, and is put right in the same conversation."""
        return draft.is_correction and draft.session_id in current.session_ids

    # --- by words ---------------------------------------------------------------------------------

    def _decide_by_words(self, draft: Draft) -> None:
        new = said_in(draft)
        overtaken: list[Known] = []
        for known in self._like(draft):
            if known.claim is not None and known.claim.mode is not Mode.PLANNED:
                # What has a key of its own is overtaken by that, or by a change told firmly.
                continue
            decided = verdict(new, known.as_said)
            if decided is Verdict.SAME:
                self.changes.append(SupportMemory(known.id, draft.statement.sources))
                return
            if decided is not None and known.said_last <= draft.said_at:
                overtaken.append(known)
        overtaken = overtaken[:1] or self._changed(draft)
        at = None if overtaken and self._is_slip(draft, overtaken[0]) else draft.starts
        claims = [one.claim for one in overtaken if one.claim is not None]
        key = claims[0].key if claims and claims[0].mode is Mode.HOLDS else None
        self._supersede(overtaken, draft, key=key, at=at)

    def _changed(self, draft: Draft) -> list[Known]:
        """What the draft tells a change of in words of its own, the likeliest alone."""
        new = said_in(draft)
        weighed = [
            (weight, known)
            for known in self._like(draft)
            if known.said_last <= draft.said_at and (weight := self._weight(new, known)) > 0
        ]
        return [max(weighed, key=lambda each: each[0])[1]] if weighed else self._proposed(draft)

    def _proposed(self, draft: Draft) -> list[Known]:
        """What a model proposes that the draft overtakes, the likeliest alone."""
        likely = [
            (share, known)
            for known in self._like(draft)
            if known.said_last <= draft.said_at
            and (share := self.proposed.get((draft.words, known.words), 0)) > 0
        ]
        return [max(likely, key=lambda each: each[0])[1]] if likely else []

    def _weight(self, new: Said, known: Known) -> int:
        weight = change(new, known.as_said)
        is_claimed = known.claim is not None and known.claim.mode is not Mode.PLANNED
        return weight - is_claimed if weight - is_claimed >= ENOUGH else 0

    def _like(self, draft: Draft) -> list[Known]:
        """What may be about the same: the likest memories, then the latest of the conversation."""
        found = {(one.id, one.words): one for one in self.alike.get(draft.fingerprint, ())}
        found |= {(one.id, one.words): one for one in reversed(self.recent)}
        return [
            one
            for one in found.values()
            if one.is_active and one.id not in self._gone and one.speaker == draft.speaker
        ]

    # --- changes ----------------------------------------------------------------------------------

    def _chain(self, key: str) -> list[Known]:
        """What is known of an attribute, without what was superseded just now."""
        chain = self.chains.setdefault(key, [])
        chain[:] = [self._as_it_is(one) for one in chain]
        return chain

    def _as_it_is(self, known: Known) -> Known:
        """The memory with what was decided on it just now."""
        if known.id not in self._gone or not known.is_active:
            return known
        until, version = self._gone[known.id], known.version + 1
        return replace(known, is_active=False, valid_to=until, version=version)

    def _add(self, draft: Draft, *, key: str | None = None, memory_id: str | None = None) -> str:
        memory_id = memory_id or new_id()
        self.changes.append(AddMemory(draft.statement, draft.fingerprint, key, memory_id))
        self._remember(draft, key, memory_id)
        return memory_id

    def _supersede(
        self, closed: Sequence[Known], draft: Draft, *, key: str | None, at: datetime | None
    ) -> None:
        """Store the draft in the place of what it closes; with nothing to close it is added."""
        memory_id = new_id()
        if not closed:
            self._add(draft, key=key, memory_id=memory_id)
            return
        successor = AddMemory(draft.statement, draft.fingerprint, key, memory_id)
        for known in closed:
            is_plan = known.claim is not None and known.claim.mode is Mode.PLANNED
            self._close(known, successor, at=at or (draft.starts if is_plan else None))
        self._remember(draft, key, memory_id)

    def _close(self, known: Known, successor: AddMemory, *, at: datetime | None) -> None:
        self.changes.append(SupersedeMemory(known.id, known.version, successor, at))
        self.changes += [AddMemory(one, fingerprint(one.text)) for one in known.beside]
        self._gone[known.id] = at

    def _remember(self, draft: Draft, key: str | None, memory_id: str) -> None:
        known = Known.of_draft(draft, memory_id)
        self.recent.append(known)
        if key is not None:
            self._chain(key).append(known)


def _shortened(draft: Draft, claim: Claim, chain: Sequence[Known]) -> Shortened | None:
    """What held right before a late statement, and longer than that says; None for the same."""
    before = [
        one
        for one in chain
        if not one.is_active and one.valid_to is not None and one.said_first < draft.said_at
    ]
    last = max(before, key=lambda one: one.said_first, default=None)
    if last is None or last.valid_to is None or last.valid_to <= draft.starts:
        return None
    if last.claim is None or _says_same(claim, last):
        return None
    return Shortened(last.id, last.version, draft.starts)


def sources_of(change: MemoryChange) -> Sequence[Source]:
    """The quotes that a change rests on."""
    if isinstance(change, SupportMemory):
        return change.sources
    if isinstance(change, AddMemory):
        return change.statement.sources
    if isinstance(change, AddSuperseded):
        return change.added.statement.sources
    return change.successor.statement.sources


def _ends(claim: Claim, current: Known) -> bool:
    """Whether a claimed end is that of the value that holds."""
    return current.claim is not None and claim.agrees(current.claim)


def _says_same(claim: Claim, current: Known) -> bool:
    known = current.claim
    return known is not None and known.mode is claim.mode and claim.agrees(known)
