"""How often memories serve, and which leave the index when there are too many."""

from collections.abc import Sequence
from typing import Protocol

from lightmem.model import Use


class UsageLedger(Protocol):
    """Access statistics, utility and capacity."""

    async def note_uses(self, uses: Sequence[Use]) -> None:
        """Add up what was served since the last call, in one transaction.

        A turn that was served counts for the active memories that quote it. Memories and turns
        that are no more are passed over.
        """
        ...

    async def ask_for_archiving(self, tenant_id: str, user_id: str, *, capacity: int) -> bool:
        """Put an ARCHIVE job in the outbox if the user has more indexed memories than that.

        Returns whether there is one now. A second job is not put while one waits.
        """
        ...

    async def archive_surplus(self, tenant_id: str, user_id: str, *, capacity: int) -> list[str]:
        """Archive the least useful memories beyond the capacity; returns their ids.

        Of a large capacity a hundredth more goes, so that this is seldom done.

        They stay in the ledger and its history, and leave the index: a DELETE_POINTS job is put
        in the outbox. Of equal utility those learnt first go first.
        """
        ...
