"""Dreams over users of an opened system, and what they came to."""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copytree
from typing import Any

from lightmem.client import AsyncClient, Dream
from lightmem.model import DreamPolicy, DreamStatus, MemoryStatus
from lightmem_evaluation.opened import POLL_S, Opened

#: Dreams of a user after which no more are asked for, whatever is left to do.
MOST_DREAMS = 100


@dataclass(slots=True)
class Dreamt:
    """What the dreams of some users came to."""

    active_before: dict[str, int] = field(default_factory=dict)
    active_after: dict[str, int] = field(default_factory=dict)
    steps: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    dreams: int = 0
    seconds: float = 0.0
    model_calls: int = 0
    tokens: Counter[str] = field(default_factory=Counter)

    def body(self) -> dict[str, Any]:
        """It as JSON."""
        before, after = sum(self.active_before.values()), sum(self.active_after.values())
        return {
            "users": len(self.active_before),
            "active_before": before,
            "active_after": after,
            "fewer": round(1 - after / before, 4) if before else 0.0,
            "dreams": self.dreams,
            "steps": dict(sorted(self.steps.items())),
            "refused": dict(self.refused.most_common()),
            "seconds": round(self.seconds, 2),
            "seconds_a_dream": round(self.seconds / max(1, self.dreams), 3),
            "model_calls": self.model_calls,
            "tokens": dict(self.tokens),
        }


async def dream_over(system: Opened, users: Sequence[str]) -> Dreamt:
    """Dream over each user until nothing is left to do, and wait until all of it is indexed."""
    found = Dreamt()
    for user_id in users:
        found.active_before[user_id] = await active(system, user_id)
        for _ in range(MOST_DREAMS):
            if not await _dream(system.client, user_id, found):
                break
        found.active_after[user_id] = await active(system, user_id)
    await system.settle()
    return found


async def _dream(client: AsyncClient, user_id: str, found: Dreamt) -> bool:
    """One dream; whether it did anything."""
    start = time.perf_counter()
    asked = await client.request_dream(user_id, policy=DreamPolicy.AUTO)
    dream = await client.dream(asked.dream_id)
    while dream.status is DreamStatus.PLANNING:
        await asyncio.sleep(POLL_S)
        dream = await client.dream(asked.dream_id)
    found.seconds += time.perf_counter() - start
    if dream.status is not DreamStatus.APPLIED:
        raise RuntimeError(f"a dream ended {dream.status}: {dream.reason}")
    found.dreams += 1
    _count(dream, found)
    return any(step.verdict == "accepted" for step in dream.steps)


def _count(dream: Dream, found: Dreamt) -> None:
    found.steps.update(f"{step.action} {step.verdict}" for step in dream.steps)
    found.refused.update(str(step.reason) for step in dream.steps if step.verdict != "accepted")
    found.model_calls += dream.model_calls
    found.tokens.update(dream.tokens.model_dump())


async def active(system: Opened, user_id: str) -> int:
    """How many active memories a user has."""
    ledger, count, cursor = system.services.ledger, 0, None
    while True:
        page = await ledger.list_memories(
            system.tenant_id,
            user_id,
            status=MemoryStatus.ACTIVE,
            kind=None,
            query=None,
            limit=200,
            cursor=cursor,
        )
        count += len(page.items)
        cursor = page.next_cursor
        if cursor is None:
            return count


def copied(folder: Path, name: str) -> Path:
    """A data folder's copy beside it: two systems that begin alike."""
    return Path(copytree(folder, folder.with_name(name)))
