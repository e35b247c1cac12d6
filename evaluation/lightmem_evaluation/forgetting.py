"""`python -m lightmem_evaluation.forgetting`: what forgetting costs, and what it costs a write.

One user with many turns and memories forgets some of these; each time it is asked first what would
go. Writes of one turn take turns between a system that looks for forgotten values and one that
does not, for a user who never forgot and for one who did: absolute times depend on the machine,
differences within one run do less so.
"""

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lightmem.bootstrap import Services, open_services
from lightmem.client import SaidTurn
from lightmem.model import (
    AddMemory,
    Extraction,
    JobKind,
    MemoryKind,
    NewTurn,
    Outcome,
    Role,
    Source,
    Statement,
    TurnOutcome,
)
from lightmem.settings import Settings
from lightmem_evaluation.made_up import PEOPLE, said, sentence
from lightmem_evaluation.metadata import metadata
from lightmem_evaluation.output import write_results
from lightmem_evaluation.report import console, pair, say, table
from lightmem_evaluation.scoring import SEED, percentiles
from lightmem_gateway.remembering import Remember

ACTOR = "measure"
CALL_TURNS = 500
#: Of these turns one is learnt, so that there are memories to forget.
LEARNT_EVERY = 10
#: What the user who is to have forgotten something forgets.
SECRET = "My locker at the gym is number 55-0142."
NEVER, FORGOT, BARE = "never forgot", "forgot", "not looked for"


@dataclass(frozen=True, slots=True)
class Measuring:
    """A system and the tenant that is measured."""

    services: Services
    tenant_id: str

    async def fill(self, user_id: str, turns: list[SaidTurn]) -> list[str]:
        """Store, index and learn turns; the ids of the memories."""
        learnt: list[str] = []
        for start in range(0, len(turns), CALL_TURNS):
            given = [_turn(turn) for turn in turns[start : start + CALL_TURNS]]
            learnt += await self._fill_call(user_id, f"s{start // CALL_TURNS}", given)
            say(f"{start + len(given):,} turns")
        return learnt

    async def _fill_call(self, user_id: str, session_id: str, given: list[NewTurn]) -> list[str]:
        ledger, indexing = self.services.ledger, self.services.indexing
        accepted = await ledger.append_turns(
            self.tenant_id, user_id, session_id, given, actor=ACTOR
        )
        await indexing.index_turns(self.tenant_id, user_id, accepted.turn_ids)
        memories = await ledger.commit_writing(
            self.tenant_id,
            user_id,
            accepted.operation.id,
            changes=[_statement(turn.id, turn.content) for turn in accepted.turns[::LEARNT_EVERY]],
            outcomes=[TurnOutcome(turn.id, Outcome.STORED) for turn in accepted.turns],
            extraction=Extraction(()),
        )
        await indexing.index_memories(self.tenant_id, user_id, [one.id for one in memories])
        while jobs := await ledger.lease_jobs(list(JobKind), limit=200, lease_s=60.0):
            for job in jobs:
                await ledger.complete_job(job.id)
        if accepted.index_job_id is not None:
            await ledger.complete_job(accepted.index_job_id)
        return [memory.id for memory in memories]

    async def forgetting(self, user_id: str, memory_ids: list[str]) -> dict[str, Any]:
        """What it takes to ask what would go, and to let it go, one memory at a time."""
        dry_ms, forget_ms, redacted = [], [], []
        for memory_id in memory_ids:
            options: dict[str, Any] = {"actor": ACTOR}
            forget = self.services.forget
            one = (self.tenant_id, user_id, [memory_id])
            ms, _ = await _timed(forget(*one, dry_run=True, **options))
            dry_ms.append(ms)
            ms, done = await _timed(forget(*one, **options))
            forget_ms.append(ms)
            redacted.append(len(done.redacted_turns))
        return {
            "dry_run_ms": percentiles(dry_ms),
            "forget_ms": percentiles(forget_ms),
            "redacted_turns": redacted,
        }

    async def writes(self, count: int) -> dict[str, Any]:
        """Writes of one turn: with and without looking for forgotten values, in turn."""
        with_it, without = self._remember(looks=True), self._remember(looks=False)
        times: dict[str, list[float]] = {NEVER: [], FORGOT: [], BARE: []}
        chance = random.Random(SEED)
        for place in range(count):
            ways = [(NEVER, with_it, "never"), (FORGOT, with_it, "forgot")]
            ways.append((BARE, without, "bare"))
            chance.shuffle(ways)
            for name, remember, user_id in ways:
                turn = _turn(SaidTurn(sentence(chance), speaker=chance.choice(PEOPLE)))
                session = f"w{place // 100}"
                ms, _ = await _timed(
                    remember(self.tenant_id, user_id, session, [turn], actor=ACTOR)
                )
                times[name].append(ms)
        await with_it.settle()
        await without.settle()
        return _body(times)

    async def reads(self, count: int) -> dict[str, Any]:
        """The reads that looking adds, by themselves: the state, and the turns once stored."""
        ledger, whose = self.services.ledger, (self.tenant_id, "never")
        page = await ledger.list_turns(*whose, session_id=None, limit=1, cursor=None)
        state_ms, turns_ms = [], []
        for _ in range(count):
            state_ms.append((await _timed(ledger.forgetting_state(*whose)))[0])
            ids = [turn.id for turn in page.items]
            turns_ms.append((await _timed(ledger.get_turns(*whose, ids)))[0])
        return {"state_ms": percentiles(state_ms), "turns_ms": percentiles(turns_ms)}

    def _remember(self, *, looks: bool) -> Remember:
        return Remember(
            ledger=self.services.ledger,
            short_term=self.services.short_term,
            indexing=self.services.indexing,
            notify=lambda: None,
            forgotten=self.services.forgotten if looks else None,
        )


def _body(times: dict[str, list[float]]) -> dict[str, Any]:
    bare = times[BARE]
    differences = {
        name: [ms - other for ms, other in zip(times[name], bare, strict=True)]
        for name in (NEVER, FORGOT)
    }
    return {
        "accepted_ms": {name: percentiles(values) for name, values in times.items()},
        "more_than_not_looked_for_ms": {
            name: round(statistics.median(values), 3) for name, values in differences.items()
        },
        "ratio": {
            name: round(statistics.median(times[name]) / statistics.median(bare), 3)
            for name in (NEVER, FORGOT)
        },
    }


async def _timed(work: Awaitable[Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    done = await work
    return (time.perf_counter() - start) * 1000, done


def _turn(turn: SaidTurn) -> NewTurn:
    moment = turn.occurred_at if isinstance(turn.occurred_at, datetime) else datetime.now(UTC)
    return NewTurn(Role.USER, turn.content, moment, speaker=turn.speaker)


def _statement(turn_id: str, text: str) -> AddMemory:
    source = Source(turn_id, text)
    return AddMemory(Statement(text, MemoryKind.FACT, "en", [], [source]), f"{turn_id} {text}")


@asynccontextmanager
async def _measuring(folder: Path, ledger_url: str) -> AsyncIterator[Measuring]:
    settings = Settings(
        data_dir=folder, model_url="", worker_threads=0, dreams="off", ledger_url=ledger_url
    )
    async with open_services(settings) as services:
        tenant = await services.ledger.create_tenant("measured", k_anonymity=3, actor=ACTOR)
        yield Measuring(services, tenant.id)


async def measure(
    folder: Path, *, turns: int, forgets: int, writes: int, ledger_url: str = ""
) -> dict[str, Any]:
    """All measures over one fresh system."""
    async with _measuring(folder, ledger_url) as system:
        [secret] = await system.fill("forgot", [SaidTurn(SECRET)])
        await system.services.forget(system.tenant_id, "forgot", [secret], actor=ACTOR)
        await system.writes(5)
        written = await system.writes(writes)
        read = await system.reads(writes)
        memories = await system.fill("one", said(turns))
        chosen = random.Random(SEED).sample(memories, min(forgets, len(memories)))
        return {
            "turns": turns,
            "memories": len(memories),
            "forgetting": await system.forgetting("one", chosen),
            "writes": written,
            "reads": read,
        }


def _print(found: dict[str, Any]) -> None:
    made = table("ms, p50 / p95", "what", "time", "more than where nobody looks")
    forgetting, writes = found["forgetting"], found["writes"]
    made.add_row("asking what would go", pair(forgetting["dry_run_ms"]), "")
    made.add_row("forgetting a memory", pair(forgetting["forget_ms"]), "")
    for name, times in writes["accepted_ms"].items():
        more = writes["more_than_not_looked_for_ms"].get(name)
        made.add_row(f"one turn written: {name}", pair(times), "" if more is None else f"{more}")
    for name, times in found["reads"].items():
        made.add_row(f"a read of the {name.removesuffix('_ms')} by itself", pair(times), "")
    console().print(made)


def main() -> None:
    """Measure, write the results and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="where the JSON goes")
    parser.add_argument("--turns", type=int, default=10_000, help="turns of the user who forgets")
    parser.add_argument("--forgets", type=int, default=10, help="memories that are forgotten")
    parser.add_argument("--writes", type=int, default=200, help="writes of each kind")
    parser.add_argument("--ledger-url", default="", help="default: SQLite in a fresh folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lightmem-forgetting-") as folder:
        found = asyncio.run(
            measure(
                Path(folder),
                turns=arguments.turns,
                forgets=arguments.forgets,
                writes=arguments.writes,
                ledger_url=arguments.ledger_url,
            )
        )
    write_results(arguments.out, {**found, **metadata()})
    _print(found)


if __name__ == "__main__":
    main()
