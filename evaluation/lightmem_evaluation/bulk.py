"""`python -m lightmem_evaluation.bulk`: turns a second accepted and indexed, beside the encoder.

Calls of a thousand turns to the embedded system, whose worker indexes and learns nothing. After
each the same turns go through the encoder alone, so that both meet the same machine: what counts
is the ratio, and of what was accepted the processor's time, which others change less.
"""

import argparse
import asyncio
import random
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx

from lightmem.bootstrap import Services
from lightmem.client import AsyncClient, SaidTurn
from lightmem.installation import open_installation
from lightmem.jobs import OutboxWorker
from lightmem.model import JobKind
from lightmem.settings import Settings
from lightmem_evaluation.made_up import PEOPLE, said, sentence
from lightmem_evaluation.metadata import metadata
from lightmem_evaluation.output import write_results
from lightmem_evaluation.report import console, pair, table
from lightmem_evaluation.scoring import SEED, percentiles

TURNS_PER_CALL, ENCODED_AT_ONCE = 1_000, 200
SESSION_TURNS = 40
#: Writes that are not counted.
WARMING_UP = 10
POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class Call:
    """What a call of a thousand turns took, in seconds; `cpu_s` until it was accepted."""

    accepted_s: float
    cpu_s: float
    indexed_s: float
    encoder_s: float

    def body(self) -> dict[str, float]:
        """As turns a second; indexing is what followed the answer."""
        job_s = self.indexed_s - self.accepted_s
        return {
            "accepted_per_s": round(TURNS_PER_CALL / self.accepted_s, 1),
            "accepted_per_cpu_s": round(TURNS_PER_CALL / self.cpu_s, 1),
            "indexed_per_s": round(TURNS_PER_CALL / job_s, 1),
            "encoder_alone_per_s": round(TURNS_PER_CALL / self.encoder_s, 1),
            "ratio_to_encoder": round(self.encoder_s / job_s, 3),
        }


@dataclass(slots=True)
class Bulk:
    """All that was measured; milliseconds of one-turn writes."""

    one_turn_ms: list[float] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)

    def body(self) -> dict[str, Any]:
        """The measures as JSON."""
        return {
            "one_turn_accepted_ms": percentiles(self.one_turn_ms),
            "calls": [call.body() for call in self.calls],
        }


@asynccontextmanager
async def indexing_alone(folder: Path) -> AsyncIterator[tuple[Services, AsyncClient]]:
    """The embedded system with a worker that indexes and does not learn."""
    from lightmem_gateway.app import create_app  # noqa: PLC0415

    settings = Settings(data_dir=folder, worker_threads=0)
    async with open_installation(settings) as (services, keys):
        worker = OutboxWorker(
            ledger=services.ledger,
            runner=services.runner,
            lease_s=settings.job_lease_s,
            concurrency=0,
        )
        app = create_app(replace(services, worker=worker))
        async with (
            app.router.lifespan_context(app),
            AsyncClient(
                "http://bulk", keys.tenant_key, transport=httpx.ASGITransport(app)
            ) as client,
        ):
            yield services, client


async def measure(folder: Path, *, calls: int, asked: int) -> Bulk:
    """One-turn writes first, then the calls of a thousand."""
    measured = Bulk()
    async with indexing_alone(folder) as (services, client):
        await _writes(client, asked, measured)
        turns = said(calls * TURNS_PER_CALL)
        for number in range(calls):
            batch = turns[number * TURNS_PER_CALL :][:TURNS_PER_CALL]
            measured.calls.append(await _call(services, client, f"s{number}", batch))
    return measured


async def _writes(client: AsyncClient, count: int, measured: Bulk) -> None:
    chance = random.Random(SEED)
    for place in range(count + WARMING_UP):
        turn = SaidTurn(sentence(chance), speaker=chance.choice(PEOPLE))
        start = time.perf_counter()
        await client.remember("writes", f"w{place // SESSION_TURNS}", [turn])
        if place >= WARMING_UP:
            measured.one_turn_ms.append((time.perf_counter() - start) * 1000)


async def _call(
    services: Services, client: AsyncClient, session: str, turns: Sequence[SaidTurn]
) -> Call:
    start, cpu = time.perf_counter(), time.process_time()
    await client.remember("bulk", session, turns)
    accepted_s, cpu_s = time.perf_counter() - start, time.process_time() - cpu
    await _until_indexed(services)
    indexed_s = time.perf_counter() - start
    texts = [turn.content for turn in turns]
    start = time.perf_counter()
    for place in range(0, len(texts), ENCODED_AT_ONCE):
        await services.encoder.encode(texts[place : place + ENCODED_AT_ONCE])
    return Call(accepted_s, cpu_s, indexed_s, time.perf_counter() - start)


async def _until_indexed(services: Services) -> None:
    while True:
        if not (await services.ledger.pending_jobs())[JobKind.INDEX_TURNS]:
            return
        await asyncio.sleep(POLL_S)


def _print(found: dict[str, Any]) -> None:
    console().print(f"one turn accepted, ms p50 / p95: {pair(found['one_turn_accepted_ms'])}")
    made = table(
        "Calls of 1,000 turns, turns/s",
        "call", "accepted", "accepted / CPU s", "indexed", "encoder alone", "ratio",
    )  # fmt: skip
    for number, call in enumerate(found["calls"], start=1):
        made.add_row(str(number), *(str(value) for value in call.values()))
    console().print(made)


def main() -> None:
    """Measure, write the results and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="where the JSON goes")
    parser.add_argument("--calls", type=int, default=3, help="calls of a thousand turns")
    parser.add_argument("--asked", type=int, default=160, help="one-turn writes")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lightmem-bulk-") as folder:
        measured = asyncio.run(measure(Path(folder), calls=arguments.calls, asked=arguments.asked))
    found = measured.body()
    write_results(arguments.out, {**found, **metadata()})
    _print(found)


if __name__ == "__main__":
    main()
