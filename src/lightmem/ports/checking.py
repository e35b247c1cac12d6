"""What a look over the whole system reads of the ledger."""

from typing import Protocol


class Inventory(Protocol):
    """Everybody, and what is on its way to the other stores."""

    async def list_users(
        self, *, after: tuple[str, str] | None, limit: int
    ) -> list[tuple[str, str]]:
        """(tenant_id, user_id) of all users in order; `after` excluded."""
        ...

    async def has_user(self, tenant_id: str, user_id: str) -> bool:
        """Whether there is such a user, one who is being erased included."""
        ...

    async def ids_under_way(self, tenant_id: str, user_id: str) -> set[str]:
        """Turns and memories of the user that a job is to index or to take out of the index."""
        ...

    async def is_promoting(self, tenant_id: str, user_id: str) -> bool:
        """Whether a job is to bring the graph in step with the user's promotions."""
        ...

    async def overdue_jobs(self, *, by_s: float) -> int:
        """Jobs that were due so long ago and that nobody has taken up."""
        ...
