"""`python -m lightmem_evaluation.bench`: what a recall and a write cost, beside a bare search.

Absolute times depend on the machine and on who else uses it, so the measure is a ratio: each
recall is followed at once by "encode the query, one vector search" over the same stores.
"""

import argparse
import asyncio
import json
import os
import platform
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from rich.table import Table

from lightmem.bootstrap import Services
from lightmem.client import AsyncClient, SaidTurn
from lightmem.installation import open_installation
from lightmem.model import RecallFilters, View, ViewQuery
from lightmem.settings import Settings
from lightmem_evaluation.scoring import percentiles

SEED = 20_240_508
USER = "bench"
SESSION_TURNS = 40
TURNS_PER_CALL = 200
#: Turns encoded without being stored, to compare with.
ENCODED_ALONE = 400

PEOPLE = ("Ana", "Bruno", "Chika", "Dmitri", "Esma", "Farid", "Greta", "Hana", "Ivo", "Jun")
PLACES = ("Porto", "Nagoya", "Tartu", "Cusco", "Oran", "Gdansk", "Bergen", "Lyon", "Accra", "Pune")
THINGS = ("kiln", "violin", "greenhouse", "boat", "bakery", "thesis", "garden", "loom", "telescope")
DEEDS = ("bought", "sold", "repaired", "lost", "painted", "moved", "borrowed", "inherited")
MOODS = ("happily", "by mistake", "after years of waiting", "with a friend", "against all advice")
TEMPLATES = (
    "{person} {deed} a {thing} in {place} {mood}, I heard it {days} days ago.",
    "Did I tell you that {person} wants to show the {thing} in {place} next month?",
    "We talked about the {thing} again and {person} laughed, it was {deed} {mood}.",
    "I will be in {place} for {days} days, {person} lends me the {thing}.",
)


@dataclass(slots=True)
class Bench:
    """Times of one size, in milliseconds."""

    turns: int
    accepted_ms: list[float] = field(default_factory=list)
    recall_ms: list[float] = field(default_factory=list)
    bare_ms: list[float] = field(default_factory=list)
    stages_ms: dict[str, list[float]] = field(default_factory=dict)
    stored_turns_per_s: float = 0.0
    encoded_turns_per_s: float = 0.0

    def body(self) -> dict[str, Any]:
        """The measures of this size as JSON."""
        recall, bare = percentiles(self.recall_ms), percentiles(self.bare_ms)
        return {
            "turns": self.turns,
            "recall_ms": recall,
            "stages_ms": {name: percentiles(times) for name, times in self.stages_ms.items()},
            "bare_search_ms": bare,
            "ratio_to_bare": {name: round(recall[name] / bare[name], 2) for name in recall},
            "write_accepted_ms": percentiles(self.accepted_ms),
            "bulk_turns_per_s": round(self.stored_turns_per_s, 1),
            "encoder_alone_turns_per_s": round(self.encoded_turns_per_s, 1),
        }


def said(count: int) -> list[SaidTurn]:
    """Made-up turns, the same at every run."""
    chance = random.Random(SEED)
    start = datetime(2024, 1, 1, 9, tzinfo=UTC)
    return [
        SaidTurn(
            sentence(chance),
            speaker=chance.choice(PEOPLE),
            occurred_at=start + timedelta(minutes=45 * place),
        )
        for place in range(count)
    ]


def sentence(chance: random.Random) -> str:
    """One of the sentences that the templates can make."""
    return chance.choice(TEMPLATES).format(
        person=chance.choice(PEOPLE),
        place=chance.choice(PLACES),
        thing=chance.choice(THINGS),
        deed=chance.choice(DEEDS),
        mood=chance.choice(MOODS),
        days=chance.randint(2, 60),
    )


def questions(count: int) -> list[str]:
    """Made-up questions, the same at every run."""
    chance = random.Random(SEED + 1)
    return [
        f"What did {chance.choice(PEOPLE)} do with the {chance.choice(THINGS)} "
        f"in {chance.choice(PLACES)}?"
        for _ in range(count)
    ]


async def bench(sizes: Sequence[int], asked: int, folder: Path) -> list[Bench]:
    """Fill one user's memory to each size in turn, and measure at each."""
    from lightmem_gateway.app import create_app  # noqa: PLC0415

    # No worker: the Writer's own load is no part of what a recall costs.
    settings = Settings(data_dir=folder, worker_threads=0)
    async with open_installation(settings) as (services, keys):
        app = create_app(services)
        transport = httpx.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            AsyncClient("http://bench", keys.tenant_key, transport=transport) as client,
        ):
            done = []
            stored = 0
            turns = said(max(sizes))
            for size in sorted(sizes):
                measured = Bench(size)
                await _fill(client, turns[stored:size], stored, measured)
                await _encode(services, turns[:ENCODED_ALONE], measured)
                await _writes(client, asked, measured)
                await _recalls(client, services, keys.tenant_id, questions(asked), measured)
                done.append(measured)
                stored = size
    return done


async def _fill(
    client: AsyncClient, turns: Sequence[SaidTurn], before: int, measured: Bench
) -> None:
    start = time.perf_counter()
    for place in range(0, len(turns), TURNS_PER_CALL):
        session = f"s{(before + place) // TURNS_PER_CALL}"
        await client.remember(USER, session, turns[place : place + TURNS_PER_CALL])
    measured.stored_turns_per_s = len(turns) / (time.perf_counter() - start)


async def _encode(services: Services, turns: Sequence[SaidTurn], measured: Bench) -> None:
    """What the encoder alone does with turns like those, which no index can beat."""
    start = time.perf_counter()
    for place in range(0, len(turns), TURNS_PER_CALL):
        await services.encoder.encode([turn.content for turn in turns[place:][:TURNS_PER_CALL]])
    measured.encoded_turns_per_s = len(turns) / (time.perf_counter() - start)


async def _writes(client: AsyncClient, count: int, measured: Bench) -> None:
    """One turn at a time, each durable and findable when it is answered."""
    chance = random.Random(SEED + measured.turns)
    for place in range(count):
        turn = SaidTurn(sentence(chance), speaker=chance.choice(PEOPLE))
        start = time.perf_counter()
        await client.remember(f"{USER}-writes", f"w{place // SESSION_TURNS}", [turn])
        measured.accepted_ms.append((time.perf_counter() - start) * 1000)


async def _recalls(
    client: AsyncClient,
    services: Services,
    tenant_id: str,
    asked: Sequence[str],
    measured: Bench,
) -> None:
    for place, query in enumerate(asked):
        recall = await client.recall(USER, query)
        bare_ms = await _bare(services, tenant_id, query)
        if place < 5:
            continue  # warming up
        measured.bare_ms.append(bare_ms)
        measured.recall_ms.append(recall.timings_ms["total"])
        for stage, time_ms in recall.timings_ms.items():
            measured.stages_ms.setdefault(stage, []).append(time_ms)


async def _bare(services: Services, tenant_id: str, query: str) -> float:
    """What any vector store costs: encode the query, search once."""
    start = time.perf_counter()
    [vector] = await services.encoder.encode([query])
    search = ViewQuery(View.DENSE, vector.tolist(), limit=5)
    await services.index.search(tenant_id, USER, [search], filters=RecallFilters())
    return (time.perf_counter() - start) * 1000


def _print(found: dict[str, Any]) -> None:
    table = Table(title="ms, p50 / p95", title_justify="left")
    for name in (
        "turns",
        "recall",
        "bare search",
        "ratio p50",
        "write accepted",
        "turns/s",
        "encoder",
    ):
        table.add_column(name, justify="right")
    for size in found["sizes"]:
        table.add_row(
            f"{size['turns']:,}",
            _pair(size["recall_ms"]),
            _pair(size["bare_search_ms"]),
            str(size["ratio_to_bare"]["p50"]),
            _pair(size["write_accepted_ms"]),
            str(size["bulk_turns_per_s"]),
            str(size["encoder_alone_turns_per_s"]),
        )
    Console(highlight=False, width=110).print(table)


def _pair(times: dict[str, float]) -> str:
    return f"{times['p50']:.1f} / {times['p95']:.1f}"


def main() -> None:
    """Measure, write the results and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="where the JSON goes")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--asked", type=int, default=200, help="recalls and writes at each size")
    arguments = parser.parse_args()
    load_before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="lightmem-bench-") as folder:
        done = asyncio.run(bench(arguments.sizes, arguments.asked, Path(folder)))
    found = {
        "sizes": [measured.body() for measured in done],
        "asked": arguments.asked,
        "machine": {
            "cores": os.cpu_count(),
            "architecture": platform.machine(),
            "load_before": round(load_before, 2),
        },
    }
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    _print(found)


if __name__ == "__main__":
    main()
