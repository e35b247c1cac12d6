"""Jobs that are done together, and jobs that are taken apart."""

from collections.abc import Sequence
from typing import Any, Protocol

from lightmem.model import Backlog, Job


class GatheredWork(Protocol):
    """WRITE jobs of one conversation as one piece of work; jobs over too much in several."""

    async def backlog(self, job: Job) -> Backlog:
        """The WRITE job with those that wait behind it in its conversation, and what is pending.

        Beyond its first try it is alone.

        Raises:
            NotFound: its operation is gone.
        """
        ...

    async def split_job(
        self, job: Job, parts: Sequence[dict[str, Any]], *, attempts: int
    ) -> list[str]:
        """Put jobs with these payloads in the place of one, due at once; their ids.

        They count as tried `attempts` times. Nothing is put in the place of a job that is gone.
        """
        ...

    async def waiting(self, tenant_id: str, *, most: int) -> int:
        """How many calls of a tenant wait to be learnt from; counts no further than `most`."""
        ...
