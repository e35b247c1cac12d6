"""A process of its own that works on a ledger: `python -m support.ledger_child COMMAND URL …`."""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable

from sqlalchemy import Connection, Engine, event

from lightmem.adapters.ledger import SqlLedger, open_ledger
from lightmem.domain.clock import SystemClock
from lightmem.model import Idempotency, JobKind, NewTurn, Role
from lightmem.ports import Clock


async def lease(ledger: SqlLedger) -> None:
    """Lease jobs, a few at a time, until none is due; print their ids."""
    while jobs := await ledger.lease_jobs(list(JobKind), limit=3, lease_s=60.0):
        for job in jobs:
            print(job.id)


async def append(ledger: SqlLedger, tenant_id: str, key: str) -> None:
    """Append the same turn ten times at once under one idempotency key; print the operations."""
    answers = await asyncio.gather(*[_append(ledger, tenant_id, key) for _ in range(10)])
    for operation_id in answers:
        print(operation_id)


async def die(ledger: SqlLedger, tenant_id: str) -> None:
    """Append a turn and be killed when all is written and nothing yet committed."""
    event.listen(Engine, "commit", _kill_this_process)
    await _append(ledger, tenant_id, "key")


async def migrate(ledger: SqlLedger) -> None:
    """Bring the schema to the newest revision."""
    await ledger.migrate()


async def _append(ledger: SqlLedger, tenant_id: str, key: str) -> str:
    accepted = await ledger.append_turns(
        tenant_id,
        "ana",
        "s1",
        [NewTurn(Role.USER, "We moved to Lisbon.", _CLOCK.now())],
        actor="child",
        idempotency=Idempotency("turns", key, "body"),
    )
    return accepted.operation.id


def _kill_this_process(connection: Connection) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


_CLOCK: Clock = SystemClock()
_COMMANDS: dict[str, Callable[..., Awaitable[None]]] = {
    "lease": lease,
    "append": append,
    "die": die,
    "migrate": migrate,
}


async def main(command: str, url: str, *arguments: str) -> None:
    ledger = open_ledger(url, clock=_CLOCK)
    await _COMMANDS[command](ledger, *arguments)
    await ledger.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
