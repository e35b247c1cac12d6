"""Erasing a user from the system of record, in two steps with the other stores between them."""

from collections.abc import Mapping
from typing import Protocol

from lightmem.model import Operation

#: What a receipt calls the stores, in its order.
STORES = ("ledger", "qdrant", "neo4j", "redis", "jobs")


class UserErasure(Protocol):
    """Removes all rows of a user, and tells when the other stores are empty of them too."""

    async def begin_erasure(self, tenant_id: str, user_id: str, *, actor: str) -> Operation:
        """Remove the user's rows and let nobody write for them until the erasure has ended.

        Strikes the kept answers about them, and puts an ERASE job in the outbox, which is to end
        what its caller does not. An erasure under way is joined: its operation is returned. A
        user who was never there is erased too, of nothing.
        """
        ...

    async def note_erased(self, tenant_id: str, operation_id: str, store: str, count: int) -> None:
        """Write down how much a store held before it was emptied; the greatest count stays."""
        ...

    async def end_erasure(
        self, tenant_id: str, operation_id: str, *, remaining: Mapping[str, int]
    ) -> Operation:
        """End the erasure with its receipt; ended already, that receipt is returned.

        Counts what the ledger still has of the user. From here on they may begin anew. A SWEEP
        job looks once more, later, for what a process that died may have put back.

        Args:
            remaining: What each other store was found to hold, by its name.
        """
        ...
