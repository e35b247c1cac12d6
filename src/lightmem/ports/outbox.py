"""The ledger's part in work that must follow a transaction."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from lightmem.model import (
    Job,
    JobKind,
)


class Outbox(Protocol):
    """Work that must follow a transaction; the truth about what is still to do."""

    async def lease_jobs(
        self, kinds: Sequence[JobKind], *, limit: int, lease_s: float, begun: bool = True
    ) -> list[Job]:
        """Due jobs, oldest first, one tenant never ahead of all others; leased to the caller.

        A job that is neither completed nor failed within `lease_s` becomes due again. `begun`
        counts a try of each; without it they are only handed on to a worker, which counts its own.
        """
        ...

    async def get_job(self, job_id: str) -> Job | None:
        """The job if it is still to be done."""
        ...

    async def complete_job(self, job_id: str) -> None:
        """Take the job out. Completing twice is no error."""
        ...

    async def defer_job(self, job_id: str, *, delay_s: float, reason: str, tries: int = 0) -> None:
        """Make the job due again after `delay_s`, keeping why it failed.

        `tries` is added to its attempts: 1 as a worker begins what was handed on to it, -1 to
        give a try back that something else than the job put an end to.
        """
        ...

    async def pending_jobs(self) -> Mapping[JobKind, int]:
        """How many jobs of each kind are still to be done, leased ones included."""
        ...
