"""Correct a memory: a new version in the words of its owner; where it came from stays."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from lightmem.domain.fingerprint import fingerprint
from lightmem.domain.grounding import name_phrases
from lightmem.domain.language import detect_language
from lightmem.errors import (
    Forgotten,
    ForgottenMeanwhile,
    InvalidInput,
    LedgerUnavailable,
    Unavailable,
    VersionConflict,
    WrongState,
)
from lightmem.forgetting import ROUNDS, ForgottenValues
from lightmem.model import Memory, MemoryPatch, MemoryStatus, Precision
from lightmem.ports import Ledger, Reindexing
from lightmem_gateway.remembering import Notify


@dataclass(frozen=True, slots=True)
class Correction:
    """What changes: values by the name of their field. A time that is None is taken away."""

    changed: Mapping[str, Any]
    #: How exactly the new `valid_from`, else `valid_to`, was given.
    precision: Precision | None = None


class CorrectMemory:
    """Makes the next version of a memory, and indexes it."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        forgotten: ForgottenValues,
        indexing: Reindexing,
        notify: Notify,
    ) -> None:
        self._ledger = ledger
        self._forgotten = forgotten
        self._indexing = indexing
        self._notify = notify

    async def __call__(
        self,
        tenant_id: str,
        memory_id: str,
        correction: Correction,
        *,
        user_id: str | None,
        actor: str,
    ) -> Memory:
        """The memory as it is now; one that would not change stays as it is.

        Args:
            user_id: The one user that the caller reaches, if it is one.

        Raises:
            NotFound: no such memory, or it is not the caller's.
            WrongState: it is not active.
            Forgotten: it would say a value that its user had forgotten.
            AttributeTaken: another memory says what holds of what it would claim.
            Conflict: another memory says the same.
        """
        for _ in range(ROUNDS):
            before = await self._ledger.get_memory(tenant_id, memory_id, user_id=user_id)
            if before.status is not MemoryStatus.ACTIVE:
                raise WrongState(f"memory {memory_id!r} is {before.status}", memory_id=memory_id)
            after = _corrected(before, correction)
            if after == before:
                return before
            screened = await self._forgotten.screen(tenant_id, before.user_id, [after.text])
            if screened.texts[0].is_struck and after.text != before.text:
                raise Forgotten("the text says a value that was forgotten", memory_id=memory_id)
            patch = MemoryPatch(before, after, fingerprint(after.text))
            try:
                stored = await self._ledger.patch_memory(
                    tenant_id,
                    before.user_id,
                    patch,
                    forgetting_state=screened.state,
                    actor=actor,
                )
            except (ForgottenMeanwhile, VersionConflict):
                continue
            await self._index(stored)
            return stored
        raise LedgerUnavailable(f"memory {memory_id!r} changes too fast to correct")

    async def _index(self, memory: Memory) -> None:
        self._notify()
        try:
            await self._indexing.index_memories(memory.tenant_id, memory.user_id, [memory.id])
        except Unavailable:
            # The ledger has left a job for it.
            return


def _corrected(before: Memory, correction: Correction) -> Memory:
    """The memory with the changes; what its words show follows from the new ones."""
    after = replace(before, **correction.changed)
    if after.text != before.text:
        after = replace(
            after,
            language=detect_language(after.text, expected=before.language),
            entities=tuple(name_phrases(after.text, known=before.entities)),
        )
    if {"valid_from", "valid_to"} & correction.changed.keys():
        _check_order(after.valid_from, after.valid_to)
        is_dated = after.valid_from is not None or after.valid_to is not None
        precision = correction.precision or before.valid_precision or Precision.INSTANT
        after = replace(after, valid_precision=precision if is_dated else None)
    return after


def _check_order(valid_from: datetime | None, valid_to: datetime | None) -> None:
    if valid_from is not None and valid_to is not None and valid_to <= valid_from:
        raise InvalidInput.of("valid_to", "must be later than valid_from")
