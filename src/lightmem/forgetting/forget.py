"""Forget: every place where a user's value was said is found, struck, and held shut.

The value is looked for as it will be when it is said again: by its words in order, its numbers and
names, and its meaning. So what the ledger holds afterwards is what it would hold had the value
been forgotten from the first.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence

from lightmem.domain.forgetting import (
    Matcher,
    form_of,
    name_keys,
    says_nothing,
    texts_of_value,
)
from lightmem.domain.ids import new_id
from lightmem.errors import ForgottenMeanwhile, LedgerUnavailable, NotFound, Unavailable
from lightmem.forgetting.looking import Looking
from lightmem.forgetting.screening import ROUNDS, ForgottenValues
from lightmem.model import Forgot, Form, Memory, MemoryStatus, Tombstone
from lightmem.ports import Clock, Encoder, Ledger, MemoryIndex, Reindexing, ShortTermBuffer

logger = logging.getLogger(__name__)

#: Why a tombstone is there.
REQUESTED = "requested"


class ForgetMemories:
    """Forgets memories of one user, with all that says the same."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        index: MemoryIndex,
        encoder: Encoder,
        short_term: ShortTermBuffer,
        indexing: Reindexing,
        values: ForgottenValues,
        clock: Clock,
    ) -> None:
        self._ledger = ledger
        self._index = index
        self._encoder = encoder
        self._short_term = short_term
        self._indexing = indexing
        self._values = values
        self._clock = clock

    async def __call__(
        self,
        tenant_id: str,
        user_id: str,
        memory_ids: Sequence[str],
        *,
        actor: str,
        operation_id: Callable[[], str | None] | None = None,
        dry_run: bool = False,
    ) -> Forgot:
        """Forget them; gone from recall when it returns. What was forgotten before stays so.

        Args:
            operation_id: Tells the operation that ends with it, if there is one by then.
            dry_run: Find out what would be forgotten, and change nothing.

        Raises:
            NotFound: one of them is not this user's; nothing was forgotten.
        """
        memories = await self._memories(tenant_id, user_id, memory_ids)
        looking = await self._looking(tenant_id, user_id, memories)
        for _ in range(ROUNDS):
            forgetting = await looking.plan()
            try:
                done = await self._ledger.commit_forgetting(
                    tenant_id,
                    user_id,
                    forgetting,
                    actor=actor,
                    operation_id=operation_id() if operation_id is not None else None,
                    dry_run=dry_run,
                )
            except ForgottenMeanwhile:
                continue
            if not dry_run:
                await self.reach(tenant_id, user_id, done)
            return done
        raise LedgerUnavailable("this user's memory changes too fast to forget something")

    async def reach(self, tenant_id: str, user_id: str, done: Forgot) -> None:
        """Take out of the buffer and the index what left the ledger, as the jobs will again."""
        redacted, forgotten, changed = done.redacted_turns, done.forgotten, done.changed
        for part in (
            self._rebuffer(tenant_id, user_id, redacted),
            self._index.delete(tenant_id, user_id, forgotten),
            self._indexing.index_turns(tenant_id, user_id, redacted, anew=True),
            self._indexing.index_memories(tenant_id, user_id, changed, anew=True),
        ):
            await _now_or_by_job(part)

    async def _rebuffer(self, tenant_id: str, user_id: str, turn_ids: Sequence[str]) -> None:
        """Let the short-term buffer have these turns as they stand."""
        if not turn_ids:
            return
        await self._short_term.remove(tenant_id, user_id, turn_ids)
        turns = await self._ledger.get_turns(tenant_id, user_id, turn_ids)
        left = [turn for turn in turns if not says_nothing(turn.content)]
        await self._short_term.append(tenant_id, user_id, left)

    # --- what is forgotten ----------------------------------------------------------------------

    async def _memories(
        self, tenant_id: str, user_id: str, memory_ids: Sequence[str]
    ) -> list[Memory]:
        wanted = list(dict.fromkeys(memory_ids))
        found = await self._ledger.get_memories(tenant_id, user_id, wanted)
        missing = set(wanted) - {memory.id for memory in found}
        if missing:
            first = next(one for one in wanted if one in missing)
            raise NotFound(f"no memory {first!r}", memory_id=first)
        return [memory for memory in found if memory.status is not MemoryStatus.FORGOTTEN]

    async def _looking(self, tenant_id: str, user_id: str, memories: Sequence[Memory]) -> Looking:
        tombstones = [await self._tombstone(memory) for memory in memories]
        hasher = self._values.hasher(tenant_id, user_id)
        return Looking(
            tenant_id,
            user_id,
            [memory.id for memory in memories],
            tombstones,
            Matcher(tombstones, hasher, encoder_id=self._encoder.encoder_id),
            ledger=self._ledger,
            index=self._index,
            encoder=self._encoder,
        )

    async def _tombstone(self, memory: Memory) -> Tombstone:
        """What is left of a memory: every way in which it, or a turn it quotes, said its value."""
        tenant_id, user_id = memory.tenant_id, memory.user_id
        history = await self._ledger.memory_history(tenant_id, memory.id, user_id=user_id)
        quotes = [source.quote for source in memory.sources]
        texts = texts_of_value([*quotes, memory.text, *(version.text for version in history)])
        turn_ids = [source.turn_id for source in memory.sources]
        turns = await self._ledger.get_turns(tenant_id, user_id, turn_ids)
        speakers = name_keys(turn.speaker for turn in turns if turn.speaker)
        vectors = await self._encoder.encode(texts)
        hasher = self._values.hasher(tenant_id, user_id)
        forms: list[Form | None] = [
            form_of(text, vector.tolist(), hasher, entities=memory.entities, common=speakers)
            for text, vector in zip(texts, vectors, strict=True)
        ]
        return Tombstone(
            id=new_id(),
            tenant_id=tenant_id,
            user_id=user_id,
            created_at=self._clock.now(),
            reason=REQUESTED,
            encoder_id=self._encoder.encoder_id,
            forms=[form for form in forms if form is not None],
        )


async def _now_or_by_job(work: Awaitable[object]) -> None:
    """Do it now; where something is down the outbox has a job for it, or it is a cache."""
    try:
        await work
    except Unavailable as exc:
        logger.warning("what was forgotten leaves later: %s", exc.code)
