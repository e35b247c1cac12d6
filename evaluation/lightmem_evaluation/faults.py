"""`python -m lightmem_evaluation.faults`: a thousand writes while every part is killed in turn.

Careful clients say one sentence a call, each its own, and send a call again until it is taken.
Meanwhile one part after the other is killed with SIGKILL and started again on what it left, round
and round, and in the distributed system Redis is emptied in the middle. A part that ends of itself
because another is down is a fault too. Then everything that was accepted is looked for: each turn
stored once and ended once, each memory that an outcome names there and there once, each turn found
by a recall. Nothing that a client saw is believed but the API's own answers.

    PYTHONPATH=scripts:evaluation:tests python -m lightmem_evaluation.faults --mode embedded
"""

import argparse
import asyncio
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lightmem_evaluation.faults_killing import (
    DISTRIBUTED,
    EMBEDDED,
    PARTS,
    ROUNDS,
    Killing,
    Victim,
    flush_in_the_middle,
    victims_of,
)
from lightmem_evaluation.faults_looking import Found, look_for_all, recall_all, sentence
from lightmem_evaluation.metadata import metadata
from lightmem_evaluation.output import write_results
from local_system.install import MODEL_NAME
from local_system.stack import Stack
from local_system.state import RunFolder
from local_system.system import System
from local_system.talking import FINAL, Conversation

#: What was lost with a worker or a queue falls due again soon; a slow model is given up soon.
SOON = {"LIGHTMEM_JOB_LEASE_S": "3", "LIGHTMEM_MODEL_TIMEOUT_S": "8"}
#: Seconds until a call must have been taken, and all writes must have ended.
PATIENCE_S = 600.0
WRITERS = 8


async def say_all(
    conversations: Sequence[Conversation], writes: int, half: asyncio.Event, killing: Killing
) -> None:
    """Share the sentences out among the conversations, one call each, and over all the kills."""
    said = 0

    async def talk(place: int, conversation: Conversation) -> None:
        nonlocal said
        for number in range(place, writes, len(conversations)):
            await killing.come_to(number / writes)
            await conversation.say([sentence(number)], patience_s=PATIENCE_S)
            said += 1
            if 2 * said >= writes:
                half.set()

    await asyncio.gather(*[talk(place, one) for place, one in enumerate(conversations)])


async def measure(system: System, victims: Sequence[Victim], writes: int) -> dict[str, Any]:
    """Write under fire, wait until all has ended, and read it back."""
    tenant = await system.new_tenant("faults")
    killing, begun = Killing(ROUNDS[system.mode] * len(victims)), time.monotonic()
    seconds: dict[str, float] = {}

    def note(what: str) -> None:
        seconds[what] = round(time.monotonic() - begun, 1)

    async with system.client(tenant.key) as client:
        conversations = [Conversation(client, f"user-{number}") for number in range(WRITERS)]
        half = asyncio.Event()
        # Whatever fails ends the whole: nobody waits for kills that do not come.
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(killing.in_turn(victims))
            if system.mode == DISTRIBUTED:
                tasks.create_task(flush_in_the_middle(system, killing, half))
            await say_all(conversations, writes, half, killing)
            note("said")
        killing.crashed += [victim.name for victim in victims if not victim.runs()]
        found = await look_for_all(conversations, writes, patience_s=PATIENCE_S)
        note("ended")
        await recall_all(conversations, writes, found)
        note("recalled")
    return result(system.mode, writes, killing, found) | {"seconds": seconds}


def result(mode: str, writes: int, killing: Killing, found: Found) -> dict[str, Any]:
    """The measures as JSON: what matters first, then how it came to be."""
    return {
        "writes": writes,
        "terminal": sum(count for outcome, count in found.outcomes.items() if outcome in FINAL),
        "lost": found.count(
            "turns lost", "turns without an end", "memories lost", "stored without a memory"
        ),
        "doubled": found.count("turns doubled", "turns with two ends", "memories doubled"),
        "mode": mode,
        "not_found_by_recall": found.count("turns not found"),
        "ended_of_themselves": killing.crashed,
        "outcomes": dict(found.outcomes),
        "kills": dict(killing.kills),
        "killing_s": round(killing.seconds, 1),
        "redis_flushed": killing.flushed,
        "writers_at_once": WRITERS,
        "problems": {name: names[:10] for name, names in found.problems.items()},
        "metadata": metadata(),
    }


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
        f"{found['doubled']} doubled, {found['not_found_by_recall']} not found, "
        f"{len(found['ended_of_themselves'])} parts ended of themselves"
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
