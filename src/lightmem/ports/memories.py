"""The ledger's part in what was learnt."""

from collections.abc import Sequence
from typing import Protocol

from lightmem.model import (
    Extraction,
    Memory,
    MemoryChange,
    MemoryKind,
    MemoryStatus,
    Page,
    TurnOutcome,
)


class MemoryLedger(Protocol):
    """What was learnt, with its versions and sources."""

    async def commit_writing(
        self,
        tenant_id: str,
        user_id: str,
        operation_id: str,
        *,
        changes: Sequence[MemoryChange],
        outcomes: Sequence[TurnOutcome],
        extraction: Extraction,
        forgetting_state: str | None = None,
    ) -> list[Memory]:
        """Apply what the Writer decided, in one transaction; returns the memories it touched.

        Sets the outcome of each turn named (only those still `pending`), filling in the memory
        ids; the turns may be of several operations, each of which ends once none of its turns is
        pending. A change whose turns have all ended already is left out: another worker learnt
        it. Adds the cost to the operation named; puts INDEX_MEMORIES in the outbox. Two writers
        of the same fingerprint end in one memory with the sources of both. Turns that were
        deleted meanwhile give none.

        Raises:
            VersionConflict: a memory to supersede changed; nothing was applied.
            ForgottenMeanwhile: the changes were held against another state of forgetting.
        """
        ...

    async def get_memory(
        self, tenant_id: str, memory_id: str, *, user_id: str | None = None
    ) -> Memory: ...

    async def get_memories(
        self, tenant_id: str, user_id: str, memory_ids: Sequence[str]
    ) -> list[Memory]:
        """Those of the memories that exist, in the order asked for."""
        ...

    async def list_memories(
        self,
        tenant_id: str,
        user_id: str,
        *,
        status: MemoryStatus | None,
        kind: MemoryKind | None,
        query: str | None,
        limit: int,
        cursor: str | None,
    ) -> Page[Memory]:
        """Latest recorded first; `query` is a case-insensitive substring of the text."""
        ...

    async def memory_history(
        self, tenant_id: str, memory_id: str, *, user_id: str | None = None
    ) -> list[Memory]:
        """Every version, newest first."""
        ...
