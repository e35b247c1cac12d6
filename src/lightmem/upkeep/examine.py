"""One user held against the ledger: what is missing, stale, or there and should not be."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field

from lightmem.domain.paging import every
from lightmem.domain.windows import is_indexed
from lightmem.indexing import INDEXED, Indexing
from lightmem.model import IndexEntry, ItemKind, Memory, Turn
from lightmem.ports import Ledger, MemoryIndex, ShortTermBuffer

#: Turns, memories and points that are read at a time.
PAGE = 500


@dataclass(slots=True)
class Findings:
    """Numbers over all users so far."""

    counts: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, number: int) -> None:
        """Add to a number."""
        self.counts[name] = self.counts.get(name, 0) + number

    def numbers(self, up: set[str]) -> list[tuple[str, tuple[int, int, int]]]:
        """By check: expected, found, repaired. Of a store that is down there is none."""
        get = self.counts.get
        checks = []
        if "index" in up:
            for kind in ("turns", "memories"):
                expected, missing = get(f"expected.{kind}", 0), get(f"missing.{kind}", 0)
                repaired = get(f"repaired.missing.{kind}", 0)
                checks.append((f"index.{kind}", (expected, expected - missing, repaired)))
            for name in ("stale", "unencoded", "surplus"):
                checks.append((f"index.{name}", (0, get(name, 0), get(f"repaired.{name}", 0))))
        if "short_term" in up:
            repaired = get("repaired.at_hand", 0)
            checks.append(("short_term.stale", (0, get("at_hand", 0), repaired)))
        return checks


@dataclass(frozen=True, slots=True)
class _Known:
    """What the ledger has of a user that can be found: its text by id."""

    turns: dict[str, str]
    memories: dict[str, str]


class Examination:
    """Looks at what the index and the short-term buffer have; one that is None is passed over."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        index: MemoryIndex | None,
        short_term: ShortTermBuffer | None,
        indexing: Indexing,
    ) -> None:
        self._ledger = ledger
        self._index = index
        self._short_term = short_term
        self._indexing = indexing

    async def user(self, tenant_id: str, user_id: str, found: Findings, *, repair: bool) -> None:
        """Add what is found of one user."""
        if self._index is not None:
            await self._user_index(tenant_id, user_id, found, repair=repair)
        if self._short_term is not None:
            await self._user_buffer(tenant_id, user_id, found, repair=repair)

    async def strangers(
        self, known: set[tuple[str, str]], found: Findings, *, repair: bool
    ) -> None:
        """Add the points of users whom the ledger does not have."""
        gone: dict[tuple[str, str], int] = {}
        async for entry in self._entries(None, None):
            owner = (entry.tenant_id, entry.user_id)
            if owner not in known:
                gone[owner] = gone.get(owner, 0) + 1
        for (tenant_id, user_id), number in gone.items():
            # Someone may have begun since.
            if await self._ledger.has_user(tenant_id, user_id):
                continue
            found.add("surplus", number)
            if repair:
                await self._opened().delete_user(tenant_id, user_id)
                found.add("repaired.surplus", number)

    # --- the index ----------------------------------------------------------------------------

    async def _user_index(
        self, tenant_id: str, user_id: str, found: Findings, *, repair: bool
    ) -> None:
        entries = {entry.id: entry async for entry in self._entries(tenant_id, user_id)}
        known = await self._known(tenant_id, user_id)
        texts = known.turns | known.memories
        under_way = await self._ledger.ids_under_way(tenant_id, user_id)
        sound = {id for id, entry in entries.items() if texts.get(id) == entry.text}
        wrong = {
            "missing.turns": known.turns.keys() - entries.keys(),
            "missing.memories": known.memories.keys() - entries.keys(),
            "stale": (entries.keys() & texts.keys()) - sound,
            "unencoded": {id for id in sound if not entries[id].is_encoded},
            "surplus": entries.keys() - texts.keys(),
        }
        found.add("expected.turns", len(known.turns))
        found.add("expected.memories", len(known.memories))
        for name, ids in wrong.items():
            ill = sorted(ids - under_way)
            found.add(name, len(ill))
            if repair and ill:
                await self._mend(name, tenant_id, user_id, ill, entries)
                found.add(f"repaired.{name}", len(ill))

    async def _mend(
        self,
        name: str,
        tenant_id: str,
        user_id: str,
        ids: Sequence[str],
        entries: Mapping[str, IndexEntry],
    ) -> None:
        """Put again what the ledger has, and take out what it does not have."""
        if name == "surplus":
            await self._opened().delete(tenant_id, user_id, ids)
            return
        is_memory = {
            id: name == "missing.memories"
            or (id in entries and entries[id].kind is ItemKind.MEMORY)
            for id in ids
        }
        turns = [id for id in ids if not is_memory[id]]
        memories = [id for id in ids if is_memory[id]]
        if turns:
            await self._indexing.index_turns(tenant_id, user_id, turns, anew=name == "stale")
        for start in range(0, len(memories), PAGE):
            piece = memories[start : start + PAGE]
            await self._indexing.index_memories(tenant_id, user_id, piece)

    async def _known(self, tenant_id: str, user_id: str) -> _Known:
        turns = {
            turn.id: turn.content
            async for turn in self._turns(tenant_id, user_id)
            if is_indexed(turn)
        }
        memories = {
            memory.id: memory.text
            async for memory in self._memories(tenant_id, user_id)
            if memory.status in INDEXED
        }
        return _Known(turns, memories)

    # --- the buffer ---------------------------------------------------------------------------

    async def _user_buffer(
        self, tenant_id: str, user_id: str, found: Findings, *, repair: bool
    ) -> None:
        """Turns at hand that the ledger does not have, or not in these words."""
        short_term = self._short_term
        assert short_term is not None
        ids = await short_term.ids(tenant_id, user_id)
        recent = await short_term.recent(
            tenant_id, user_id, session_id=None, limit=max(len(ids), 1)
        )
        kept = await self._ledger.get_turns(tenant_id, user_id, sorted(ids))
        contents = {turn.id: turn.content for turn in kept}
        stale = ids - contents.keys()
        stale |= {turn.id for turn in recent if contents.get(turn.id) != turn.content}
        found.add("at_hand", len(stale))
        if repair and stale:
            await short_term.remove(tenant_id, user_id, sorted(stale))
            found.add("repaired.at_hand", len(stale))

    def _opened(self) -> MemoryIndex:
        assert self._index is not None, "an index that is down is not looked at"
        return self._index

    # --- pages --------------------------------------------------------------------------------

    def _entries(self, tenant_id: str | None, user_id: str | None) -> AsyncIterator[IndexEntry]:
        return every(
            lambda cursor: self._opened().entries(tenant_id, user_id, limit=PAGE, cursor=cursor)
        )

    def _turns(self, tenant_id: str, user_id: str) -> AsyncIterator[Turn]:
        return every(
            lambda cursor: self._ledger.list_turns(
                tenant_id, user_id, session_id=None, limit=PAGE, cursor=cursor
            )
        )

    def _memories(self, tenant_id: str, user_id: str) -> AsyncIterator[Memory]:
        return every(
            lambda cursor: self._ledger.list_memories(
                tenant_id, user_id, status=None, kind=None, query=None, limit=PAGE, cursor=cursor
            )
        )
