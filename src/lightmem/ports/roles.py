"""The roles, each kept by its use case and by its gRPC client; and the way to the workers."""

from collections.abc import Sequence
from typing import Protocol

from lightmem.model import Extraction, Health, Job, Plan, RecallRequest, Selection, Turn


class Controller(Protocol):
    """Plans a recall."""

    async def plan(self, tenant_id: str, user_id: str, request: RecallRequest) -> Plan: ...


class Selector(Protocol):
    """Finds candidates and chooses at most `top_k`; never rewrites or adds."""

    async def select(
        self, tenant_id: str, user_id: str, request: RecallRequest, plan: Plan
    ) -> Selection: ...


class Writer(Protocol):
    """Draws statements from the turns of one segment."""

    async def extract(
        self, tenant_id: str, user_id: str, turns: Sequence[Turn], context: Sequence[Turn] = ()
    ) -> Extraction:
        """Statements with verbatim quotes of `turns`; `context` is read but never quoted."""
        ...


class JobQueue(Protocol):
    """Hands leased jobs to workers. May lose what it holds: the outbox is the truth."""

    async def send(self, jobs: Sequence[Job]) -> None: ...

    async def waiting(self) -> int:
        """How many jobs no worker has taken up yet."""
        ...

    async def check(self) -> Health: ...

    async def close(self) -> None: ...
