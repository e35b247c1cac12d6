"""Looking up what statements are held against, and deciding on them.

By attribute where a statement claims one, in the ledger, which has every memory that was ever
committed; else by likeness in the index, which may lag behind by a moment, and among the latest
memories of the conversation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lightmem.domain.attributes import Claim, claims_of, kin_keys, named_alone, with_subject
from lightmem.domain.attributes import words_said as start_of_words
from lightmem.errors import Unavailable
from lightmem.model import (
    Item,
    ItemKind,
    Memory,
    MemoryChange,
    MemoryStatus,
    RecallFilters,
    Statement,
    Turn,
    View,
    ViewQuery,
)
from lightmem.ports import ChangeProposer, Encoder, Ledger, MemoryIndex
from lightmem_writer.contradiction import Said
from lightmem_writer.drafting import Draft, drafts_of
from lightmem_writer.joined import by_quote
from lightmem_writer.known import Known, said_in
from lightmem_writer.proposing import proposals
from lightmem_writer.reconcile import Reconciliation

#: Memories that a statement without a claim is held against.
NEAREST = 8
#: Cosine below which two statements are about other things.
FAR = 0.3
#: Turns before a statement in whose memories a correction finds what it is about.
TURNS_BEFORE = 6


class ReconcileStatements:
    """Decides what becomes of the statements of a segment.

    Args:
        index: Finds memories that may be about the same; without it, and while it is down, only
            attributes and the conversation itself tell.
        encoder: That of the index.
        changes: Proposes what is overtaken where rules tell nothing; without it rules alone tell.
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        index: MemoryIndex | None = None,
        encoder: Encoder | None = None,
        changes: ChangeProposer | None = None,
    ) -> None:
        self._changes = changes
        self._ledger = ledger
        self._index = index
        self._encoder = encoder

    async def __call__(
        self,
        tenant_id: str,
        user_id: str,
        statements: Sequence[Statement],
        turns: Sequence[Turn],
    ) -> list[MemoryChange]:
        """The changes for these statements of these turns, in their order.

        Raises:
            Unavailable: the ledger does not answer.
        """
        by_id = {turn.id: turn for turn in turns}
        drafts = drafts_of(statements, by_id)
        if not drafts:
            return []
        chains = await self._chains(tenant_id, user_id, drafts)
        drafts = [_with_known_subject(draft, chains) for draft in drafts]
        told = [draft for draft in drafts if draft.is_users and not _has_current(draft, chains)]
        recent, alike = await self._by_words(tenant_id, user_id, told, turns)
        known = await self._known(
            tenant_id,
            user_id,
            [*(one for chain in chains.values() for one in chain), *recent]
            + [one for found in alike.values() for one in found],
        )
        latest = _parts(recent, known)
        likest = {key: _parts(found, known) for key, found in alike.items()}
        return Reconciliation(
            chains={key: _sorted(chain, known, key) for key, chain in chains.items()},
            recent=latest,
            alike=likest,
            proposed=await proposals(self._changes, _held(told, latest, likest)),
        ).decide(drafts)

    async def _chains(
        self, tenant_id: str, user_id: str, drafts: Sequence[Draft]
    ) -> dict[str, list[Memory]]:
        """Memories of every attribute that is claimed, and of the plans for it, by key."""
        claims = [draft.claim for draft in drafts if draft.claim is not None]
        keys = [key for claim in claims for key in (claim.key, claim.plan_key)]
        keys += [key for claim in claims if named_alone(claim) for key in kin_keys(claim)]
        if not keys:
            return {}
        return await self._ledger.memories_of_attributes(tenant_id, user_id, keys)

    # --- by words ---------------------------------------------------------------------------------

    async def _by_words(
        self, tenant_id: str, user_id: str, drafts: Sequence[Draft], turns: Sequence[Turn]
    ) -> tuple[list[Memory], dict[str, list[Memory]]]:
        """The latest memories of the conversation, and those like each draft."""
        if not drafts:
            return [], {}
        before = await self._ledger.get_turns(
            tenant_id, user_id, [turns[0].id], neighbours=TURNS_BEFORE
        )
        ids = [turn.id for turn in before if turn.seq < turns[0].seq]
        recent = await self._ledger.memories_quoting(tenant_id, user_id, ids) if ids else []
        return recent, await self._alike(tenant_id, user_id, drafts)

    async def _alike(
        self, tenant_id: str, user_id: str, drafts: Sequence[Draft]
    ) -> dict[str, list[Memory]]:
        """Memories that may be about the same as each draft, likest first, by its fingerprint."""
        if self._index is None or self._encoder is None:
            return {}
        try:
            vectors = await self._encoder.encode([draft.statement.text for draft in drafts])
            queries = [ViewQuery(View.DENSE, vector.tolist(), NEAREST) for vector in vectors]
            filters = RecallFilters(kinds=(ItemKind.MEMORY,))
            found = await self._index.search(tenant_id, user_id, queries, filters=filters)
        except Unavailable:
            return {}
        near = [_found(items) for items in found]
        ids = list(dict.fromkeys(each for one in near for each in one))
        memories = {
            memory.id: memory
            for memory in await self._ledger.get_memories(tenant_id, user_id, ids)
            if memory.status is MemoryStatus.ACTIVE
        }
        return {
            draft.fingerprint: [memories[each] for each in one if each in memories]
            for draft, one in zip(drafts, near, strict=True)
        }

    # --- known memories ---------------------------------------------------------------------------

    async def _known(
        self, tenant_id: str, user_id: str, memories: Sequence[Memory]
    ) -> dict[str, Known]:
        """The memories as statements are held against them, by id, with who said them when."""
        turn_ids = sorted({source.turn_id for one in memories for source in one.sources})
        if not turn_ids:
            return {}
        turns = await self._ledger.get_turns(tenant_id, user_id, turn_ids)
        by_id = {turn.id: turn for turn in turns}
        return {one.id: known for one in memories if (known := _known(one, by_id)) is not None}


def _found(items: Sequence[Item]) -> list[str]:
    """The ids of what is like a draft, with those of what it became a part of."""
    near = [item for item in items if item.score >= FAR]
    return list(dict.fromkeys(one for item in near for one in (item.id, item.superseded_by) if one))


def _parts(memories: Sequence[Memory], known: Mapping[str, Known]) -> list[Known]:
    """The memories as statements are held against them: what was joined part by part."""
    return [part for one in memories if one.id in known for part in by_quote(known[one.id])]


def _held(
    drafts: Sequence[Draft], recent: Sequence[Known], alike: Mapping[str, Sequence[Known]]
) -> list[tuple[Said, list[Said]]]:
    """Each draft with what it is held against: the likest first, then what was said before."""
    held = []
    for place, draft in enumerate(drafts):
        before = [said_in(one) for one in drafts[:place] if one.speaker == draft.speaker]
        latest = [known.as_said for known in recent if known.speaker == draft.speaker]
        likest = [
            known.as_said
            for known in alike.get(draft.fingerprint, ())
            if known.speaker == draft.speaker and known.is_active
        ]
        held.append((said_in(draft), [*likest, *reversed(before), *reversed(latest)]))
    return held


def _has_current(draft: Draft, chains: Mapping[str, Sequence[Memory]]) -> bool:
    """Whether what the draft claims is known already, so that its attribute decides."""
    chain = chains.get(draft.claim.key, ()) if draft.claim is not None else ()
    return any(memory.status is MemoryStatus.ACTIVE for memory in chain)


def _known(memory: Memory, turns: Mapping[str, Turn]) -> Known | None:
    """None for a memory none of whose turns is left."""
    quoted = [turns[one.turn_id] for one in memory.sources if one.turn_id in turns]
    if not quoted:
        return None
    speaker = quoted[0].speaker
    claims = claims_of(memory.text, language=memory.language, speaker=speaker)
    return Known(
        id=memory.id,
        version=memory.version,
        text=memory.text,
        words=memory.text[start_of_words(memory.text, speaker) :],
        kind=memory.kind,
        language=memory.language,
        claim=claims[0] if claims else None,
        said_first=min(turn.occurred_at for turn in quoted),
        said_last=max(turn.occurred_at for turn in quoted),
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
        speaker=speaker,
        session_ids=frozenset(turn.session_id for turn in quoted),
        sources=memory.sources,
        is_active=memory.status is MemoryStatus.ACTIVE,
        entities=memory.entities,
        valid_precision=memory.valid_precision,
    )


def _sorted(chain: Sequence[Memory], known: Mapping[str, Known], key: str) -> list[Known]:
    """The memories of an attribute by when they were said, each with its claim of it."""
    found = [known[one.id] for one in chain if one.id in known]
    return sorted((_claiming(one, key) for one in found), key=lambda one: one.said_first)


def _claiming(known: Known, key: str) -> Known:
    """The memory with its claim of this attribute, of whoever the key says it is."""
    claims = claims_of(known.text, language=known.language, speaker=known.speaker)
    subject = key.rpartition(":")[2]
    for claim in claims:
        if with_subject(claim, subject).key == key:
            return replace(known, claim=with_subject(claim, subject))
    return known


def _with_known_subject(draft: Draft, chains: Mapping[str, Sequence[Memory]]) -> Draft:
    """The draft about the one person of that name of whom the same was said before, if any."""
    claim: Claim | None = draft.claim
    if claim is None or not named_alone(claim):
        return draft
    subjects = {
        subject
        for key, subject in kin_keys(claim).items()
        if any(memory.status is MemoryStatus.ACTIVE for memory in chains.get(key, ()))
    }
    if len(subjects) != 1:
        return draft
    return replace(draft, claim=with_subject(claim, subjects.pop()))
