"""The ledger's part in forgetting: tombstones, striking, and memories corrected by their owner."""

from collections.abc import Sequence
from typing import Protocol

from lightmem.model import (
    Forgetting,
    Forgot,
    Marks,
    Memory,
    MemoryPatch,
    Page,
    Tombstone,
    Tombstones,
    Turn,
    VersionText,
)


class Reindexing(Protocol):
    """Brings turns and memories from the ledger into the index."""

    async def index_turns(
        self, tenant_id: str, user_id: str, turn_ids: Sequence[str], *, anew: bool = False
    ) -> None:
        """Index them; `anew` where words were struck from them, so that nothing of these stays."""
        ...

    async def index_memories(
        self, tenant_id: str, user_id: str, memory_ids: Sequence[str], *, anew: bool = False
    ) -> None: ...


class ForgettingLedger(Protocol):
    """What a user had forgotten.

    The state of forgetting is the id of the last change of a user's tombstones. `append_turns`
    and `commit_writing` take the state that their words were held against.
    """

    async def forgetting_state(self, tenant_id: str, user_id: str) -> str | None:
        """The user's state of forgetting; None for who never forgot anything. Cheap."""
        ...

    async def tombstones(self, tenant_id: str, user_id: str) -> Tombstones:
        """All of a user's tombstones and the state, at one moment."""
        ...

    async def list_tombstones(
        self, tenant_id: str, user_id: str, *, limit: int, cursor: str | None
    ) -> Page[Tombstone]:
        """Latest first."""
        ...

    async def get_tombstone(self, tenant_id: str, user_id: str, tombstone_id: str) -> Tombstone: ...

    async def lift_tombstone(
        self, tenant_id: str, user_id: str, tombstone_id: str, *, actor: str
    ) -> None:
        """Let the value be learnt again; nothing is restored."""
        ...

    async def marks(self, tenant_id: str, user_id: str) -> Marks:
        """How far the user's turns and memories have come."""
        ...

    async def turns_after(
        self, tenant_id: str, user_id: str, marks: Marks, *, limit: int
    ) -> list[Turn]:
        """Turns beyond the marks of their sessions, by session and place, as they now stand."""
        ...

    async def version_texts(self, tenant_id: str, user_id: str) -> list[VersionText]:
        """Every version of every memory that still has words."""
        ...

    async def kept_texts(self, tenant_id: str, user_id: str) -> list[str]:
        """Texts of the user in kept answers, results, jobs and dreams, each once."""
        ...

    async def turns_to_index(self, tenant_id: str, user_id: str) -> list[str]:
        """Ids of turns that are still to be indexed: no search by meaning finds them."""
        ...

    async def commit_forgetting(
        self,
        tenant_id: str,
        user_id: str,
        forgetting: Forgetting,
        *,
        actor: str,
        operation_id: str | None = None,
        dry_run: bool = False,
    ) -> Forgot:
        """Strike the words, forget the memories and leave the tombstones, in one transaction.

        Words leave turns, their quotes, versions of memories, kept answers, results of
        operations and jobs; what the index has to change is put in the outbox. A memory whose
        every quote was struck is forgotten with them. With an operation it ends that too.
        A dry run returns the same and changes nothing.

        Raises:
            ForgottenMeanwhile: turns, memories or tombstones are not as marked; nothing was done.
            NotFound: one of the memories is not this user's; nothing was done.
        """
        ...

    async def begin_forgetting(
        self, tenant_id: str, user_id: str, memory_ids: Sequence[str], *, actor: str
    ) -> str:
        """The id of a new operation of kind `forget`, whose job goes on where the caller ends."""
        ...

    async def end_forgetting(
        self,
        tenant_id: str,
        operation_id: str,
        *,
        done: Forgot | None = None,
        failed: str | None = None,
    ) -> None:
        """End the operation, unless it has ended: with what came of it, or with why it failed."""
        ...

    async def patch_memory(
        self,
        tenant_id: str,
        user_id: str,
        change: MemoryPatch,
        *,
        forgetting_state: str | None,
        actor: str,
    ) -> Memory:
        """Store what a memory became as its next version and put INDEX_MEMORIES in the outbox.

        Raises:
            VersionConflict: it changed since it was read.
            ForgottenMeanwhile: its words were held against older tombstones.
            AttributeTaken: another active memory holds the attribute that the words claim.
            Conflict: another active memory says the same.
        """
        ...
