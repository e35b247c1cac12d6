"""Looking for a forgotten value in all that the ledger keeps of its user.

Turns are read once, and on a second look only those that came since. Words in order, numbers and
names are looked for in every one of them; nearness in meaning, which takes an encoder, in those
that the index finds near and in those it cannot find yet.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lightmem.domain.forgetting import (
    Matcher,
    Span,
    is_words,
    strings_in,
    struck,
    with_strings,
)
from lightmem.forgetting.spotting import spotted
from lightmem.model import (
    Forgetting,
    ItemKind,
    Marks,
    RecallFilters,
    Strike,
    Tombstone,
    Turn,
    VersionText,
    View,
    ViewQuery,
)
from lightmem.ports import Encoder, Ledger, MemoryIndex

#: Turns that are read and looked at in one piece.
PIECE = 500
#: Turns, and memories, nearest to each form of a value that are looked at by meaning.
NEAREST = 50
#: Cosine under which a whole turn or memory is not looked at by meaning.
FAR = 0.3
#: Texts of kept answers and the like that are looked at by meaning.
MOST_KEPT = 200

_NOWHERE = Marks(None, {}, {})


class Looking:
    """Plans one forgetting, again where others wrote meanwhile."""

    def __init__(
        self,
        tenant_id: str,
        user_id: str,
        memory_ids: Sequence[str],
        tombstones: Sequence[Tombstone],
        matcher: Matcher,
        *,
        ledger: Ledger,
        index: MemoryIndex,
        encoder: Encoder,
    ) -> None:
        self._whose = (tenant_id, user_id)
        self._memory_ids = memory_ids
        self._tombstones = tombstones
        self._matcher = matcher
        self._ledger = ledger
        self._index = index
        self._encoder = encoder
        self._seen = _NOWHERE
        self._strikes: dict[str, Strike] = {}

    async def plan(self) -> Forgetting:
        """What has to be struck as everything stands now."""
        marks = await self._ledger.marks(*self._whose)
        near = await self._nearest()
        await self._look_at_turns(marks, near)
        return Forgetting(
            marks=marks,
            memory_ids=self._memory_ids,
            tombstones=self._tombstones,
            strikes=list(self._strikes.values()),
            rewritten=await self._look_at_versions(near),
            strike=await self._strike_of_kept(),
        )

    # --- turns ----------------------------------------------------------------------------------

    async def _look_at_turns(self, marks: Marks, near: set[str]) -> None:
        """Look at the turns beyond what was seen, up to the marks or further."""
        is_first = self._seen is _NOWHERE
        seen = {
            session_id: place
            for session_id, place in self._seen.sessions.items()
            if place <= marks.sessions.get(session_id, 0)
        }
        while True:
            since = Marks(None, seen, {})
            turns = await self._ledger.turns_after(*self._whose, since, limit=PIECE)
            if not turns:
                break
            wanted = near if is_first else {turn.id for turn in turns}
            await self._look_at(turns, wanted)
            seen = {**seen, **{turn.session_id: turn.seq for turn in turns}}
            if len(turns) < PIECE:
                break
        self._seen = marks

    async def _look_at(self, turns: Sequence[Turn], near: set[str]) -> None:
        texts = [[turn.content, *strings_in(turn.metadata)] for turn in turns]
        flat = [
            (text, turn.id in near) for turn, own in zip(turns, texts, strict=True) for text in own
        ]
        spans = await self._spans([text for text, _ in flat], [is_near for _, is_near in flat])
        at = 0
        for turn, own in zip(turns, texts, strict=True):
            found = spans[at : at + len(own)]
            at += len(own)
            if any(found):
                changed = {
                    text: struck(text, one) for text, one in zip(own[1:], found[1:], strict=True)
                }
                metadata = with_strings(turn.metadata, Known(changed))
                self._strikes[turn.id] = Strike(turn, found[0], metadata)

    async def _nearest(self) -> set[str]:
        """Ids of what the index finds near any form, and of turns that it does not have yet."""
        waiting = await self._ledger.turns_to_index(*self._whose)
        forms = [form for one in self._tombstones for form in one.forms]
        filters = [RecallFilters(kinds=(kind,)) for kind in (ItemKind.TURN, ItemKind.MEMORY)]
        queries = [ViewQuery(View.DENSE, form.vector, NEAREST) for form in forms]
        found = set(waiting)
        if not queries:
            return found
        for chosen in filters:
            answers = await self._index.search(*self._whose, queries, filters=chosen)
            found |= {item.id for items in answers for item in items if item.score >= FAR}
        return found

    # --- memories and what else is kept ---------------------------------------------------------

    async def _look_at_versions(self, near: set[str]) -> list[VersionText]:
        versions = await self._ledger.version_texts(*self._whose)
        versions = [one for one in versions if one.memory_id not in self._memory_ids]
        texts = [one.text for one in versions]
        spans = await self._spans(texts, [one.memory_id in near for one in versions])
        return [
            VersionText(one.memory_id, one.version, struck(one.text, found))
            for one, found in zip(versions, spans, strict=True)
            if found
        ]

    async def _strike_of_kept(self) -> "Striker":
        kept = [text for text in await self._ledger.kept_texts(*self._whose) if is_words(text)]
        spans = await self._spans(kept, [len(kept) <= MOST_KEPT] * len(kept))
        known = {text: struck(text, found) for text, found in zip(kept, spans, strict=True)}
        return Striker(self._matcher, known)

    async def _spans(self, texts: Sequence[str], near: Sequence[bool]) -> list[list[Span]]:
        """Where each text says the value; by meaning too where it is to be looked at so."""
        return await spotted(self._matcher, self._encoder, texts, near=near)


@dataclass(frozen=True, slots=True)
class Known:
    """Changes the texts it knows, and no other."""

    changed: Mapping[str, str]

    def __call__(self, text: str) -> str:
        """The text as it reads now."""
        return self.changed.get(text, text)


@dataclass(frozen=True, slots=True)
class Striker:
    """Strikes a value from any text: as was found for those known, else by words alone."""

    matcher: Matcher
    known: Mapping[str, str]

    def __call__(self, text: str) -> str:
        """The text without the value."""
        if not is_words(text):
            return text
        if text in self.known:
            return self.known[text]
        return struck(text, self.matcher.look(text, near=False).spans)
