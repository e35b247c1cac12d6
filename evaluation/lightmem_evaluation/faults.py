"""`python -m lightmem_evaluation.faults`: a thousand writes while every part is killed in turn.

Careful clients say one sentence a call, each its own, and send a call again until it is taken.
Meanwhile one part after the other is killed with SIGKILL and started again on what it left, round
and round, and in the distributed system Redis is emptied in the middle. Then everything that was
accepted is looked for: each turn stored once and ended once, each memory that an outcome names
there and there once, each turn found by a recall. Nothing that a client saw is believed but the
API's own answers.

    PYTHONPATH=scripts:evaluation:tests python -m lightmem_evaluation.faults --mode embedded
"""

import argparse
import asyncio
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from lightmem_evaluation.metadata import metadata
from lightmem_evaluation.output import write_results
from local_system.install import MODEL_NAME
from local_system.stack import Stack
from local_system.state import RunFolder
from local_system.system import System
from local_system.talking import FINAL, Conversation

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
#: What was lost with a worker or a queue falls due again soon; a slow model is given up soon.
SOON = {"LIGHTMEM_JOB_LEASE_S": "3", "LIGHTMEM_MODEL_TIMEOUT_S": "8"}
#: Seconds that a part stays down, that pass before the next one is killed, and of patience.
DOWN_S, BETWEEN_S, PATIENCE_S = 1.0, 1.5, 1800.0
WRITERS = 8


@dataclass(slots=True)
class Run:
    """What was done to the system, and what came of it."""

    kills: Counter[str] = field(default_factory=Counter)
    flushed: int = 0
    #: Problems found, each with a few ids.
    problems: dict[str, list[str]] = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)
    _killed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def killed(self, name: str) -> None:
        """Count a kill."""
        async with self._killed:
            self.kills[name] += 1
            self._killed.notify_all()

    async def after(self, kills: int) -> None:
        """Wait until so many parts were killed."""
        async with self._killed:
            await self._killed.wait_for(lambda: self.kills.total() >= kills)

    def blame(self, what: str, names: Sequence[str]) -> None:
        """Note what is wrong, if anything is."""
        if names:
            self.problems[what] = list(names)


@dataclass(frozen=True, slots=True)
class Victim:
    """A part that can be killed and started again."""

    name: str
    kill: Callable[[], Awaitable[None]]
    start: Callable[[], Awaitable[None]]


def sentence(number: int) -> str:
    """A fact that no other write states."""
    return (
        f"The boat number {number} lies in harbour {number + 10_000} and is called Vessel{number}."
    )


# --- killing ------------------------------------------------------------------------------------


async def kill_in_turn(victims: Sequence[Victim], rounds: int, run: Run) -> None:
    """Kill and start one part after the other, so many times round."""
    for victim in list(victims) * rounds:
        await victim.kill()
        await run.killed(victim.name)
        await asyncio.sleep(DOWN_S)
        await victim.start()
        await asyncio.sleep(BETWEEN_S)


async def flush_in_the_middle(system: System, run: Run, half: asyncio.Event) -> None:
    """Empty Redis, queue and all, once half was said."""
    import redis.asyncio as redis  # noqa: PLC0415  (a driver of one mode)

    await half.wait()
    client = redis.Redis.from_url(system.urls["redis"])
    while not run.flushed:
        try:
            await client.flushall()
            run.flushed += 1
        except redis.RedisError:
            await asyncio.sleep(0.1)
    await client.aclose()


# --- saying -------------------------------------------------------------------------------------


async def say_all(
    conversations: Sequence[Conversation], writes: int, half: asyncio.Event, *, run: Run, kills: int
) -> None:
    """Share the sentences out among the conversations, one call each, and over all the kills."""
    said = 0

    async def talk(place: int, conversation: Conversation) -> None:
        nonlocal said
        for number in range(place, writes, len(conversations)):
            await run.after(kills * number // writes)
            await conversation.say([sentence(number)], patience_s=PATIENCE_S)
            said += 1
            if 2 * said >= writes:
                half.set()

    await asyncio.gather(*[talk(place, one) for place, one in enumerate(conversations)])


# --- looking ------------------------------------------------------------------------------------


async def look_for_all(conversations: Sequence[Conversation], writes: int, run: Run) -> None:
    """Read everything back, each thing once."""
    turns: list[dict[str, Any]] = []
    memories: list[dict[str, Any]] = []
    operations: list[dict[str, Any]] = []
    for conversation in conversations:
        operations += await conversation.ended(patience_s=PATIENCE_S)
        turns += await conversation.turns()
        memories += await conversation.memories()
    expected = [sentence(number) for number in range(writes)]
    kept = Counter(turn["content"] for turn in turns)
    run.blame("turns lost", [words for words in expected if not kept[words]])
    run.blame("turns doubled", [words for words, count in kept.items() if count > 1])
    outcomes = [outcome for operation in operations for outcome in operation["outcomes"]]
    run.outcomes = Counter(outcome["outcome"] for outcome in outcomes)
    ended = Counter(one["turn_id"] for one in outcomes if one["outcome"] in FINAL)
    ids = {turn["id"] for turn in turns}
    run.blame("turns without an end", sorted(ids - ended.keys()))
    run.blame("turns with two ends", [name for name, count in ended.items() if count > 1])
    known = Counter(memory["id"] for memory in memories)
    named = {name for one in outcomes for name in one["memory_ids"]}
    run.blame("memories lost", sorted(named - known.keys()))
    texts = Counter(_about(memory["text"]) for memory in memories)
    run.blame("memories doubled", [text for text, count in texts.items() if count > 1])
    stored = {one["turn_id"] for one in outcomes if one["outcome"] == "stored"}
    quoted = {source["turn_id"] for memory in memories for source in memory["sources"]}
    run.blame("stored without a memory", sorted(stored - quoted))


def _about(text: str) -> str:
    """Which boat a memory is about: it is about one, whatever its words."""
    return text.rpartition("Vessel")[2].strip(" .")


async def recall_all(conversations: Sequence[Conversation], writes: int, run: Run) -> None:
    """Ask after every boat; the turn, or the memory of it, must be found."""
    missing = []
    for number in range(writes):
        conversation = conversations[number % len(conversations)]
        recalled = await conversation.recall(f"Where does Vessel{number} lie?")
        if not any(str(number + 10_000) in item["text"] for item in recalled["items"]):
            missing.append(sentence(number))
    run.blame("turns not found", missing)


# --- the whole ----------------------------------------------------------------------------------


async def measure(system: System, victims: Sequence[Victim], writes: int) -> dict[str, Any]:
    """Write under fire, wait until all has ended, and read it back."""
    tenant = await system.new_tenant("faults")
    run, begun = Run(), time.monotonic()
    async with system.client(tenant.key) as client:
        conversations = [Conversation(client, f"user-{number}") for number in range(WRITERS)]
        half, rounds = asyncio.Event(), ROUNDS[system.mode]
        killing = asyncio.create_task(kill_in_turn(victims, rounds, run))
        flushing = None
        if system.mode == DISTRIBUTED:
            flushing = asyncio.create_task(flush_in_the_middle(system, run, half))
        await say_all(conversations, writes, half, run=run, kills=rounds * len(victims))
        said_s = time.monotonic() - begun
        await killing
        if flushing is not None:
            await flushing
        await look_for_all(conversations, writes, run)
        ended_s = time.monotonic() - begun
        await settled(client)
        await recall_all(conversations, writes, run)
    return result(system.mode, writes, run, said_s=said_s, ended_s=ended_s)


async def settled(client: httpx.AsyncClient) -> None:
    """Give the index the time to take what is still in the outbox."""
    await asyncio.sleep(15.0)


def result(mode: str, writes: int, run: Run, *, said_s: float, ended_s: float) -> dict[str, Any]:
    """The measures as JSON: what the issue asks for first, then how it came to be."""
    lost = {"turns lost", "turns without an end", "memories lost", "stored without a memory"}
    doubled = {"turns doubled", "turns with two ends", "memories doubled"}
    found = {name: len(names) for name, names in run.problems.items()}
    return {
        "writes": writes,
        "terminal": sum(count for outcome, count in run.outcomes.items() if outcome in FINAL),
        "lost": sum(count for name, count in found.items() if name in lost),
        "doubled": sum(count for name, count in found.items() if name in doubled),
        "mode": mode,
        "not_found_by_recall": found.get("turns not found", 0),
        "outcomes": dict(run.outcomes),
        "kills": dict(run.kills),
        "redis_flushed": run.flushed,
        "writers_at_once": WRITERS,
        "seconds": {"said": round(said_s, 1), "ended": round(ended_s, 1)},
        "problems": {name: names[:10] for name, names in run.problems.items()},
        "metadata": metadata(),
    }


def victims_of(system: System, model: Stack | None) -> list[Victim]:
    """The parts to kill, in turn."""

    def of(name: str) -> Victim:
        if model is not None and name == "ollama":
            return Victim(
                name,
                lambda: asyncio.to_thread(model.kill_part, name),
                lambda: asyncio.to_thread(model.start_part, name),
            )
        return Victim(name, lambda: system.kill(name), lambda: system.start(name))

    return [of(name) for name in PARTS[system.mode]]


def main() -> None:
    """Run the system of a mode, measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mode", choices=PARTS, default=EMBEDDED)
    parser.add_argument("--writes", type=int, default=1000)
    parser.add_argument("--out", type=Path, required=True)
    wanted = parser.parse_args()
    # What was started is ended too when this is told to stop.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="lightmem-faults-") as folder:
        found = run_in(Path(folder), wanted.mode, wanted.writes)
    write_results(wanted.out, found)
    print(
        f"{found['writes']} writes: {found['terminal']} ended, {found['lost']} lost, "
        f"{found['doubled']} doubled, {found['not_found_by_recall']} not found"
    )


def run_in(folder: Path, mode: str, writes: int) -> dict[str, Any]:
    """Start what is needed, measure, and end it whatever happens."""
    model, env = None, dict(SOON)
    if mode == EMBEDDED:
        model = Stack(RunFolder(folder / "model"), parts=("ollama",), quiet=True)
        model.folder.path.mkdir(parents=True)
        model.start()
        port = model.folder.entries["ollama"].port
        env |= {
            "LIGHTMEM_MODEL_URL": f"ollama://127.0.0.1:{port}",
            "LIGHTMEM_MODEL_NAME": MODEL_NAME,
        }
    system = System(mode, folder / "run", env=env)
    try:
        system.start_all()
        return asyncio.run(measure(system, victims_of(system, model), writes))
    finally:
        system.end(keep_logs_in=Path(".lightmem/logs/faults"))
        if model is not None:
            model.kill_all()


if __name__ == "__main__":
    main()
