"""A process that dreams over a ledger until it is killed: `python -m support.dream_child URL …`.

It imports once and forks: each fork applies a dream and takes it back, over and over. Once it has
done so it is killed after a time drawn by chance, in the middle of whatever it does. After each
kill this prints how the dream and the memories are.
"""

import asyncio
import json
import os
import random
import signal
import sys
import threading
from typing import Any

from lightmem.adapters.ledger import SqlLedger, open_ledger
from lightmem.domain.clock import SystemClock
from lightmem.model import DreamPlan, DreamPolicy, MemoryStatus
from lightmem.ports.dreams import DreamWish
from support.dreams import forget, merge

USER = "ana"
#: Longer than applying and undoing take together, so that each moment of both is hit.
LONGEST_S = 0.08


async def dream_for_ever(
    ledger: SqlLedger, tenant_id: str, memory_ids: list[str], *, ready: int
) -> None:
    """Plan and apply one dream after the other, and take each back; tell of each by a byte."""
    while True:
        await take_back(ledger, tenant_id)
        os.write(ready, b".")
        memories = await ledger.get_memories(tenant_id, USER, memory_ids)
        dream = await ledger.request_dream(
            tenant_id, USER, DreamWish(DreamPolicy.AUTO), actor="child"
        )
        assert dream is not None
        *merged, dull = memories
        plan = DreamPlan([merge("All of it.", *merged), forget(dull)])
        await ledger.commit_plan(tenant_id, USER, dream.id, plan)


async def take_back(ledger: SqlLedger, tenant_id: str) -> None:
    """Undo the last dream if it stands applied."""
    for dream in (await ledger.list_dreams(tenant_id, USER, limit=1, cursor=None)).items:
        if dream.status == "applied":
            await ledger.undo_dream(tenant_id, dream.id, user_id=None, actor="child")


async def state(ledger: SqlLedger, tenant_id: str) -> dict[str, Any]:
    """The last dream's status, whether its steps are done, and the texts of the memories."""
    last = (await ledger.list_dreams(tenant_id, USER, limit=1, cursor=None)).items[0]
    page = await ledger.list_memories(
        tenant_id,
        USER,
        status=MemoryStatus.ACTIVE,
        kind=None,
        query=None,
        limit=200,
        cursor=None,
    )
    return {
        "status": last.status,
        "applied": [step.is_applied for step in last.steps],
        "active": sorted(memory.text for memory in page.items),
    }


def main(url: str, tenant_id: str, times: str, *memory_ids: str) -> None:
    """Fork, kill and look, so many times."""
    chance = random.Random(11)
    for _ in range(int(times)):
        told, ready = os.pipe()
        child = os.fork()
        if child == 0:
            ledger = open_ledger(url, clock=SystemClock())
            asyncio.run(dream_for_ever(ledger, tenant_id, [*memory_ids], ready=ready))
        os.close(ready)
        # It has dreamt once when the second byte comes; by then it is quick.
        if os.read(told, 1) + os.read(told, 1) != b"..":
            raise RuntimeError("the fork ended by itself")
        threading.Event().wait(chance.uniform(0.0, LONGEST_S))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(told)
        print(json.dumps(asyncio.run(looked(url, tenant_id))))


async def looked(url: str, tenant_id: str) -> dict[str, Any]:
    """The state as another process finds it."""
    ledger = open_ledger(url, clock=SystemClock())
    found = await state(ledger, tenant_id)
    await ledger.close()
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
