"""`python -m lightmem_evaluation.bench`: what a recall and a write cost, beside a bare search.

Absolute times depend on the machine and on who else uses it, so the measure is a ratio: blocks of
recalls take turns with blocks of "encode the query, one vector search" over the same stores, as
many at a time.
"""

import argparse
import asyncio
import random
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lightmem.client import SaidTurn
from lightmem_evaluation.made_up import PEOPLE, questions, said, sentence
from lightmem_evaluation.metadata import metadata
from lightmem_evaluation.output import write_results
from lightmem_evaluation.report import console, pair, table
from lightmem_evaluation.scoring import SEED, percentiles
from lightmem_evaluation.targets import EMBEDDED, MODES, Target, open_target

SESSION_TURNS = 200
#: Turns encoded without being stored, to compare with, and how many at a time.
ENCODED_ALONE, ENCODED_AT_ONCE = 400, 200
#: Recalls of a block for each that runs at a time.
BLOCK = 4
#: Recalls that are not counted.
WARMING_UP = 5
#: Turns of each user where there are many.
TURNS_OF_ONE = 10
CONCURRENCY = (1, 8, 32)


@dataclass(slots=True)
class AtOnce:
    """Recalls and bare searches, so many at a time, in milliseconds; the walls in seconds."""

    recall_ms: list[float] = field(default_factory=list)
    answered_ms: list[float] = field(default_factory=list)
    stages_ms: dict[str, list[float]] = field(default_factory=dict)
    bare_ms: list[float] = field(default_factory=list)
    recall_wall_s: float = 0.0
    bare_wall_s: float = 0.0

    def body(self) -> dict[str, Any]:
        """The measures as JSON."""
        recall, bare = percentiles(self.recall_ms), percentiles(self.bare_ms)
        return {
            "recall_ms": recall,
            "answered_ms": percentiles(self.answered_ms),
            "stages_ms": {name: percentiles(times) for name, times in self.stages_ms.items()},
            "bare_search_ms": bare,
            "ratio_to_bare": {name: round(recall[name] / bare[name], 2) for name in recall},
            "recalls_per_s": round(len(self.recall_ms) / self.recall_wall_s, 1),
            "bare_searches_per_s": round(len(self.bare_ms) / self.bare_wall_s, 1),
        }


async def bench(
    target: Target, sizes: Sequence[int], asked: int, *, users: int
) -> list[dict[str, Any]]:
    """Fill one user's memory to each size in turn, then many users', and measure at each."""
    done = []
    stored = 0
    turns = said(max(sizes))
    for size in sorted(sizes):
        filled_per_s = await _fill(target, "one", turns[stored:size], stored)
        stored = size
        done.append(
            {
                "turns": size,
                "users": 1,
                "bulk_turns_per_s": round(filled_per_s, 1),
                "encoder_alone_turns_per_s": round(await _encode(target, turns), 1),
                "write_accepted_ms": percentiles(await _writes(target, asked, size)),
                "at_once": await _recalls(target, ["one"], asked),
            }
        )
    if users:
        names = [f"user-{number}" for number in range(users)]
        for name in names:
            await _fill(target, name, turns[:TURNS_OF_ONE], 0)
        at_once = await _recalls(target, names, asked)
        done.append({"turns": TURNS_OF_ONE, "users": users, "at_once": at_once})
    return done


async def _fill(target: Target, user_id: str, turns: Sequence[SaidTurn], before: int) -> float:
    """Write turns, so many a call; how many were durable and indexed in a second."""
    start = time.perf_counter()
    for place in range(0, len(turns), target.turns_per_call):
        session = f"s{(before + place) // SESSION_TURNS}"
        await target.client.remember(
            user_id, session, turns[place : place + target.turns_per_call], wait="indexed"
        )
    return len(turns) / (time.perf_counter() - start)


async def _encode(target: Target, turns: Sequence[SaidTurn]) -> float:
    """What the encoder alone does in a second with turns like those: no index can beat it."""
    texts = [turn.content for turn in turns[:ENCODED_ALONE]]
    start = time.perf_counter()
    for place in range(0, len(texts), ENCODED_AT_ONCE):
        await target.encoder.encode(texts[place : place + ENCODED_AT_ONCE])
    return len(texts) / (time.perf_counter() - start)


async def _writes(target: Target, count: int, seed: int) -> list[float]:
    """One turn at a time, each durable and findable when it is answered."""
    chance = random.Random(SEED + seed)
    accepted_ms = []
    for place in range(count):
        turn = SaidTurn(sentence(chance), speaker=chance.choice(PEOPLE))
        start = time.perf_counter()
        await target.client.remember("writes", f"w{seed}-{place // SESSION_TURNS}", [turn])
        accepted_ms.append((time.perf_counter() - start) * 1000)
    return accepted_ms


async def _recalls(target: Target, users: Sequence[str], asked: int) -> dict[str, Any]:
    """At each concurrency: blocks of recalls and blocks of bare searches in turn."""
    bodies = {}
    chance = random.Random(SEED)
    for at_once in CONCURRENCY:
        asks = [(chance.choice(users), query) for query in questions(asked + WARMING_UP)]
        for user_id, query in asks[:WARMING_UP]:
            await target.client.recall(user_id, query)
        measured = AtOnce()
        block = at_once * BLOCK
        for place in range(WARMING_UP, len(asks), block):
            await _block(target, asks[place : place + block], at_once, measured)
        bodies[str(at_once)] = measured.body()
    return bodies


async def _block(
    target: Target, asks: Sequence[tuple[str, str]], at_once: int, measured: AtOnce
) -> None:
    async def recall(user_id: str, query: str) -> None:
        start = time.perf_counter()
        answer = await target.client.recall(user_id, query)
        measured.answered_ms.append((time.perf_counter() - start) * 1000)
        if answer.degraded:
            raise RuntimeError(f"a measure of a degraded recall is none: {answer.degraded}")
        measured.recall_ms.append(answer.timings_ms["total"])
        for stage, time_ms in answer.timings_ms.items():
            measured.stages_ms.setdefault(stage, []).append(time_ms)

    async def bare(user_id: str, query: str) -> None:
        measured.bare_ms.append(await target.bare_ms(user_id, query))

    measured.recall_wall_s += await _together(recall, asks, at_once)
    measured.bare_wall_s += await _together(bare, asks, at_once)


async def _together(
    action: Callable[[str, str], Awaitable[None]], asks: Sequence[tuple[str, str]], at_once: int
) -> float:
    """Do all, so many at a time; how many seconds it took."""
    waiting = iter(asks)

    async def work() -> None:
        for user_id, query in waiting:
            await action(user_id, query)

    start = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(at_once)))
    return time.perf_counter() - start


async def bench_modes(
    modes: Sequence[str], sizes: Sequence[int], asked: int, *, users: int, folder: Path
) -> dict[str, Any]:
    """Each mode in turn."""
    found = {}
    for mode in modes:
        async with open_target(mode, folder / mode) as target:
            found[mode] = await bench(target, sizes, asked, users=users)
    return found


def _print(modes: dict[str, Any]) -> None:
    made = table(
        "ms, p50 / p95; the ratio is of recall to bare search",
        "mode", "users x turns", "at once", "recall", "bare search", "ratio", "recalls/s",
    )  # fmt: skip
    writes = table(
        "Writing", "mode", "turns", "one turn accepted, ms", "bulk turns/s", "encoder alone"
    )
    for mode, sizes in modes.items():
        for size in sizes:
            for at_once, body in size["at_once"].items():
                made.add_row(
                    mode,
                    f"{size['users']:,} x {size['turns']:,}",
                    at_once,
                    pair(body["recall_ms"]),
                    pair(body["bare_search_ms"]),
                    pair(body["ratio_to_bare"]),
                    str(body["recalls_per_s"]),
                )
            if "write_accepted_ms" in size:
                writes.add_row(
                    mode,
                    f"{size['turns']:,}",
                    pair(size["write_accepted_ms"]),
                    str(size["bulk_turns_per_s"]),
                    str(size["encoder_alone_turns_per_s"]),
                )
    console().print(made)
    console().print(writes)


def main() -> None:
    """Measure, write the results and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="where the JSON goes")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--asked", type=int, default=160, help="recalls and writes at each size")
    parser.add_argument("--users", type=int, default=0, help="also measure so many small users")
    parser.add_argument("--mode", action="append", choices=MODES, help="default: embedded")
    arguments = parser.parse_args()
    modes = arguments.mode or [EMBEDDED]
    with tempfile.TemporaryDirectory(prefix="lightmem-bench-") as folder:
        found = asyncio.run(
            bench_modes(
                modes, arguments.sizes, arguments.asked, users=arguments.users, folder=Path(folder)
            )
        )
    write_results(arguments.out, {"modes": found, "asked": arguments.asked, **metadata()})
    _print(found)


if __name__ == "__main__":
    main()
