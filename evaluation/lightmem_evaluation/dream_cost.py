"""What dreams cost: calls, tokens and seconds a batch, and what more workers are worth."""

import asyncio
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any

from lightmem.client import SaidTurn
from lightmem.model import DreamPolicy
from lightmem.ports.dreams import DreamWish
from lightmem.settings import Settings
from lightmem_evaluation.dream_sentences import first, learn_sentences
from lightmem_evaluation.dreaming import copied, dream_over
from lightmem_evaluation.opened import opened
from lightmem_evaluation.report import say
from lightmem_evaluation.slow_model import NAME, slow_model

MODEL_S = 1.0
#: Sentences of the user whose dream is timed, and the tokens of a dream with a real model.
SENTENCES, REAL_TOKENS = 400, 4_000
REAL_TIMEOUT_S = 120.0
#: Of the measure of workers: users with a dream each, and sentences of each.
USERS, SENTENCES_EACH = 8, 60
WORKERS = (1, 2, 4)
REPEATS = 3
USER = "dreamer"


@dataclass(frozen=True, slots=True)
class _Way:
    """How one dream proposes."""

    name: str
    url: str = ""
    model: str = ""
    concurrency: int = 1
    tokens: int = 50_000


async def costs(
    noise: Sequence[SaidTurn], folder: Path, *, model_url: str | None, model_name: str
) -> list[dict[str, Any]]:
    """One dream over the same memories: by rules, with a model of one second, with a real one."""
    settings = Settings(data_dir=folder / "awake", dreams="off", worker_threads=0)
    async with opened(settings) as system:
        await learn_sentences(system, USER, first(noise, SENTENCES), indexed=True)
    with slow_model(MODEL_S) as model:
        ways = [_Way("rules alone")]
        ways += [
            _Way(
                f"a model of {MODEL_S:.0f} s, {together} batches at a time",
                model.url,
                NAME,
                together,
            )
            for together in WORKERS
        ]
        if model_url:
            ways.append(_Way(model_name, model_url, model_name, tokens=REAL_TOKENS))
        return [await _cost(way, settings) for way in ways]


async def _cost(way: _Way, settings: Settings) -> dict[str, Any]:
    folder = copied(settings.data_dir, "dreamt")
    chosen = settings.model_copy(
        update={
            "data_dir": folder,
            "worker_threads": 1,
            "dream_model_url": way.url,
            "dream_model_name": way.model,
            "dream_concurrency": way.concurrency,
            "dream_tokens": way.tokens,
            "model_timeout_s": REAL_TIMEOUT_S,
        }
    )
    async with opened(chosen) as system:
        dreamt = await dream_over(system, [USER])
    await asyncio.to_thread(rmtree, folder)
    body = dreamt.body()
    calls = max(1, dreamt.model_calls)
    say(f"cost: {way.name}: {dreamt.model_calls} calls, {dreamt.seconds:.1f} s")
    return {
        "way": way.name,
        **body,
        "tokens_a_call": {name: round(count / calls, 1) for name, count in dreamt.tokens.items()},
        "seconds_a_call": round(dreamt.seconds / calls, 2) if dreamt.model_calls else None,
        "load": round(os.getloadavg()[0], 1),
    }


# --- workers ----------------------------------------------------------------------------------


async def speed_up(noise: Sequence[SaidTurn], folder: Path) -> dict[str, Any]:
    """Seconds that 1, 2 and 4 processes take for the dreams of some users, and their ratio."""
    settings = Settings(data_dir=folder / "awake", dreams="off", worker_threads=0)
    async with opened(settings) as system:
        for number in range(USERS):
            turns = first(noise[number * SENTENCES_EACH :], SENTENCES_EACH)
            await learn_sentences(system, f"user-{number}", turns, indexed=False)
    with slow_model(MODEL_S) as model:
        ways = {"rules alone": [], f"a model of {MODEL_S:.0f} s": [model.url, NAME]}
        return {name: await _by_workers(name, args, settings) for name, args in ways.items()}


async def _by_workers(name: str, model: Sequence[str], settings: Settings) -> dict[str, Any]:
    seconds: dict[int, list[float]] = {count: [] for count in WORKERS}
    # In turns, so that a busy minute of the machine meets each number of workers alike.
    for _ in range(REPEATS):
        for count in WORKERS:
            seconds[count].append(await _dream_with(count, model, settings))
            say(f"speed-up: {name}, {count} workers: {seconds[count][-1]:.1f} s")
    best = {count: min(some) for count, some in seconds.items()}
    return {
        "users": USERS,
        "seconds": {str(count): [round(one, 2) for one in some] for count, some in seconds.items()},
        "speed_up": {str(count): round(best[1] / best[count], 2) for count in WORKERS},
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }


async def _dream_with(workers: int, model: Sequence[str], settings: Settings) -> float:
    folder = copied(settings.data_dir, "dreamt")
    copy = settings.model_copy(update={"data_dir": folder})
    async with opened(copy) as system:
        for number in range(USERS):
            wish = DreamWish(DreamPolicy.AUTO)
            await system.services.ledger.request_dream(
                system.tenant_id, f"user-{number}", wish, actor="measure"
            )
    seconds = await _timed(workers, [f"sqlite:///{folder}/ledger.db", *model])
    await asyncio.to_thread(rmtree, folder)
    return seconds


async def _timed(workers: int, arguments: Sequence[str]) -> float:
    """From the word to begin, when all are ready, until the last has ended."""
    command = [sys.executable, "-m", "lightmem_evaluation.dream_worker", *arguments]
    pipe = asyncio.subprocess.PIPE
    processes = [
        await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
        for _ in range(workers)
    ]
    for process in processes:
        assert process.stdout is not None
        if (await process.stdout.readline()).strip() != b"ready":
            raise RuntimeError("a worker did not begin")
    start = time.perf_counter()
    ended = await asyncio.gather(*[process.communicate(b"\n") for process in processes])
    seconds = time.perf_counter() - start
    done = sum(int(out) for out, _ in ended)
    if done != USERS:
        raise RuntimeError(f"{done} dreams were done, not {USERS}")
    return seconds
