"""Killing the parts of a running system in turn, round and round, and starting them again."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import redis.asyncio as redis

from local_system.stack import Stack
from local_system.system import System

EMBEDDED, DISTRIBUTED = "embedded", "distributed"
#: Killed in turn. Of the embedded system one process is ledger, index, worker and gateway.
PARTS = {
    EMBEDDED: ("gateway", "ollama"),
    DISTRIBUTED: (
        *("writer", "ollama", "qdrant", "redis", "postgres", "worker", "relay", "gateway"),
        *("controller", "selector", "neo4j"),
    ),
}
#: How often each is killed.
ROUNDS = {EMBEDDED: 10, DISTRIBUTED: 3}
#: Seconds that a part stays down, and that pass before the next one is killed.
DOWN_S, BETWEEN_S = 1.0, 1.5
#: After so many seconds a round is gone on with, and no other one is begun.
KILLING_S = 300.0


@dataclass(frozen=True, slots=True)
class Victim:
    """A part that can be killed and started again."""

    name: str
    runs: Callable[[], bool]
    kill: Callable[[], Awaitable[None]]
    start: Callable[[], Awaitable[None]]


@dataclass(slots=True)
class Killing:
    """What was killed, and how far the killing has come.

    Args:
        planned: Kills, unless time is up before.
    """

    planned: int
    kills: Counter[str] = field(default_factory=Counter)
    #: Parts that were found ended though nobody had killed them.
    crashed: list[str] = field(default_factory=list)
    flushed: int = 0
    seconds: float = 0.0
    _is_over: bool = False
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def in_turn(self, victims: Sequence[Victim]) -> None:
        """Kill and start one part after the other, round by round; each of them once at least."""
        begun, rounds = time.monotonic(), self.planned // len(victims)
        for number in range(rounds):
            if number and time.monotonic() - begun > KILLING_S:
                break
            for victim in victims:
                await self._kill(victim)
                await asyncio.sleep(BETWEEN_S)
        self.seconds = time.monotonic() - begun
        await self._change(is_over=True)

    async def come_to(self, share: float) -> None:
        """Wait until that share of the kills is done, or all that are to be."""
        async with self._changed:
            await self._changed.wait_for(
                lambda: self._is_over or self.kills.total() >= share * self.planned
            )

    async def _kill(self, victim: Victim) -> None:
        if victim.runs():
            await victim.kill()
        else:
            self.crashed.append(victim.name)
        self.kills[victim.name] += 1
        await self._change()
        await asyncio.sleep(DOWN_S)
        await victim.start()

    async def _change(self, *, is_over: bool = False) -> None:
        async with self._changed:
            self._is_over = self._is_over or is_over
            self._changed.notify_all()


async def flush_in_the_middle(system: System, killing: Killing, half: asyncio.Event) -> None:
    """Empty Redis, queue and all, once half was said."""
    await half.wait()
    client = redis.Redis.from_url(system.urls["redis"])
    while not killing.flushed:
        try:
            await client.flushall()
            killing.flushed += 1
        except redis.RedisError:
            await asyncio.sleep(0.1)
    await client.aclose()


def victims_of(system: System, model: Stack | None) -> list[Victim]:
    """The parts to kill, in turn.

    Args:
        model: Where the small language model runs that the embedded system asks.
    """
    return [_victim(name, system, model) for name in PARTS[system.mode]]


def _victim(name: str, system: System, model: Stack | None) -> Victim:
    if model is None or name not in model.parts:
        return Victim(
            name,
            lambda: system.runs(name),
            lambda: system.kill(name),
            lambda: system.start(name),
        )
    return Victim(
        name,
        lambda: model.folder.entries[name].runs,
        lambda: asyncio.to_thread(model.kill_part, name),
        lambda: asyncio.to_thread(model.start_part, name),
    )
