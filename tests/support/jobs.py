"""Doubles of what jobs work on, and of the queue they go through."""

import asyncio
from collections.abc import Sequence

from lightmem.errors import IndexUnavailable, QueueUnavailable
from lightmem.model import Health, Job, JobEnd


class RecordingIndexing:
    """Remembers what it was given to index; `fails_with` is raised instead, as often as told."""

    def __init__(self, *fails_with: Exception) -> None:
        self._failures = list(fails_with)
        self.indexed: list[str] = []

    async def index_turns(
        self, tenant_id: str, user_id: str, turn_ids: Sequence[str], *, anew: bool = False
    ) -> None:
        self._take(turn_ids)

    async def index_memories(
        self, tenant_id: str, user_id: str, memory_ids: Sequence[str], *, anew: bool = False
    ) -> None:
        self._take(memory_ids)

    def _take(self, ids: Sequence[str]) -> None:
        if self._failures:
            raise self._failures.pop(0)
        self.indexed += ids


class RecordingPoints:
    """An index that only remembers what was deleted from it."""

    def __init__(self, *, is_up: bool = True) -> None:
        self.is_up = is_up
        self.deleted: list[str] = []

    async def delete(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> None:
        if not self.is_up:
            raise IndexUnavailable("the index did not answer")
        self.deleted += ids


class SlowLearning:
    """Learns until it is let go."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.let_go = asyncio.Event()
        self.jobs: list[str] = []

    async def run(self, job: Job) -> JobEnd:
        self.jobs.append(job.id)
        self.begun.set()
        await self.let_go.wait()
        return JobEnd.DONE


class HeldQueue:
    """A queue in process whose messages nobody takes; it can be down, and lose what it holds."""

    def __init__(self) -> None:
        self.held: list[Job] = []
        self.is_up = True

    async def send(self, jobs: Sequence[Job]) -> None:
        self._check_up()
        self.held += jobs

    async def waiting(self) -> int:
        self._check_up()
        return len(self.held)

    async def check(self) -> Health:
        return Health("queue", "ok" if self.is_up else "down")

    async def close(self) -> None:
        return None

    def _check_up(self) -> None:
        if not self.is_up:
            raise QueueUnavailable("the job queue did not answer")
