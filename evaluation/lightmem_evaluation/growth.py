"""`python -m lightmem_evaluation.growth`: does a memory that grows still find, and how fast?

One user holds the conversations that are asked about; turns of other conversations are mixed in,
more at each step, and the same questions are asked again. The noise is first what the data has
besides, then conversations of the noise file.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from pathlib import Path
from typing import Any

from lightmem.ingest import SessionTurns
from lightmem.settings import Settings
from lightmem_evaluation.datasets import load_dataset
from lightmem_evaluation.lightmem_system import LightMemSystem, sizes_of
from lightmem_evaluation.locomo import Conversation, Question, Repairs, dialogue_id
from lightmem_evaluation.measuring import stages
from lightmem_evaluation.metadata import data, metadata, sha256
from lightmem_evaluation.opened import Opened, bare_search_ms, opened
from lightmem_evaluation.output import question_lines, write_results
from lightmem_evaluation.report import change, console, pair, say, table, three
from lightmem_evaluation.scoring import (
    ADVERSARIAL,
    CUTS,
    Ranked,
    by_category,
    differences,
    given,
    percentiles,
    ranked,
)
from lightmem_evaluation.systems import Found

USER = "grown"
#: Conversations of the data that are asked about; the others are noise.
ASKED_ABOUT = 3
#: Questions after which the bare search is timed too.
BARE = 100


@dataclass(slots=True)
class Step:
    """What was measured with so much noise."""

    noise: int
    turns: int
    build_s: float
    bytes: dict[str, int]
    rankings: list[Ranked] = field(default_factory=list)
    answers: list[Found] = field(default_factory=list)
    bare_ms: list[float] = field(default_factory=list)


def merged(conversations: Sequence[Conversation]) -> Conversation:
    """Conversations as one user's, with ids that keep them apart."""
    sessions = [_apart(session, one.id) for one in conversations for session in one.sessions]
    questions = [
        replace(question, evidence=_named(one.id, question.evidence), audited=())
        for one in conversations
        for question in one.questions
        if question.evidence and question.category != ADVERSARIAL
    ]
    return Conversation(USER, sessions, questions)


def noise_steps(
    conversations: Sequence[Conversation], sizes: Sequence[int]
) -> Iterator[Conversation]:
    """For each size what is to be added to have so much noise: whole sessions, the last one cut.

    Raises:
        ValueError: there is not so much noise.
    """
    sessions = (_apart(session, one.id) for one in conversations for session in one.sessions)
    waiting: Iterator[SessionTurns] = iter(sessions)
    done = 0
    for size in sizes:
        added = []
        while done < size:
            session = next(waiting, None)
            if session is None:
                raise ValueError(f"there are {done:,} turns of noise, not {size:,}")
            taken, left = session.turns[: size - done], session.turns[size - done :]
            added.append(replace(session, turns=taken))
            done += len(taken)
            if left:
                waiting = chain([replace(session, turns=left)], waiting)
        yield Conversation(USER, added, [])


def _apart(session: SessionTurns, name: str) -> SessionTurns:
    turns = [
        replace(turn, metadata={**turn.metadata, "dia_id": f"{name}/{dialogue_id(turn)}"})
        for turn in session.turns
    ]
    return SessionTurns(USER, f"{name}/{session.session_id}", turns)


def _named(name: str, turn_ids: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{name}/{turn_id}" for turn_id in turn_ids)


async def measure_growth(
    asked: Conversation, noise: Sequence[Conversation], sizes: Sequence[int], folder: Path
) -> list[Step]:
    """Ask without noise, then with each size of it."""
    async with opened(Settings(data_dir=folder)) as system:
        lightmem = LightMemSystem(system)
        await lightmem.build(asked)
        steps = []
        turns = len(asked.turns)
        for size, added in zip(sizes, noise_steps(noise, sizes), strict=True):
            start = time.perf_counter()
            await lightmem.build(added)
            turns += len(added.turns)
            build_s = time.perf_counter() - start
            step = Step(size, turns, build_s, await asyncio.to_thread(sizes_of, folder))
            for place, question in zip(count(), asked.questions, strict=False):
                await _ask(system, lightmem, asked, question, step, has_bare=place < BARE)
            steps.append(step)
            say(f"{size:,} turns of noise: built in {build_s:.0f} s and asked")
    return steps


async def _ask(
    system: Opened,
    lightmem: LightMemSystem,
    asked: Conversation,
    question: Question,
    step: Step,
    *,
    has_bare: bool,
) -> None:
    found = await lightmem.search(asked, question, k=max(CUTS))
    step.rankings.append(ranked(question, found))
    if has_bare:
        # As applications ask, and beside it what any vector store costs.
        step.answers.append(await lightmem.context(asked, question))
        services = system.services
        step.bare_ms.append(
            await bare_search_ms(
                services.encoder, services.index, system.tenant_id, USER, question.text
            )
        )


def results(steps: Sequence[Step]) -> dict[str, Any]:
    """Every step beside the one without noise."""
    return {"steps": [_body(step, steps[0]) for step in steps], **metadata()}


def _body(step: Step, first: Step) -> dict[str, Any]:
    latency, bare = stages(step.answers), percentiles(step.bare_ms)
    return {
        "noise_turns": step.noise,
        "turns": step.turns,
        "categories": by_category(step.rankings, given),
        "difference": differences(step.rankings, first.rankings, given),
        "latency_ms": latency,
        "bare_search_ms": bare,
        "ratio_to_bare": {name: round(latency["total"][name] / bare[name], 2) for name in bare},
        "build_s": round(step.build_s, 1),
        "bytes": step.bytes,
    }


def _print(found: dict[str, Any]) -> None:
    made = table(
        "One user, answerable questions (1-4), points; ms p50 / p95",
        "noise turns", "turns", "@5 @10 @20", "@5 [95 % interval]", "@10 [95 % interval]",
        "recall ms", "ratio", "index MB",
    )  # fmt: skip
    for step in found["steps"]:
        whole = step["difference"]["1-4"]
        made.add_row(
            f"{step['noise_turns']:,}",
            f"{step['turns']:,}",
            three(step["categories"]["1-4"]),
            *(change(whole, f"recall@{k}") for k in (5, 10)),
            pair(step["latency_ms"]["total"]),
            str(step["ratio_to_bare"]["p50"]),
            f"{step['bytes']['index'] / 1e6:.0f}",
        )
    console().print(made)


def main() -> None:
    """Measure, write the results and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="conversations and questions")
    parser.add_argument("--noise", type=Path, required=True, help="more conversations")
    parser.add_argument("--out", type=Path, required=True, help="where the JSON goes")
    parser.add_argument("--sizes", type=int, nargs="+", default=[0, 100, 1_000, 10_000])
    parser.add_argument("--asked-about", type=int, default=ASKED_ABOUT, help="conversations")
    arguments = parser.parse_args()
    conversations = load_dataset(arguments.data, None, Repairs())
    asked = merged(conversations[: arguments.asked_about])
    others = conversations[arguments.asked_about :]
    noise = [*others, *load_dataset(arguments.noise, None, Repairs())]
    with tempfile.TemporaryDirectory(prefix="lightmem-growth-") as folder:
        steps = asyncio.run(measure_growth(asked, noise, sorted(arguments.sizes), Path(folder)))
    found = results(steps)
    found["data"] = {
        **data(arguments.data, conversations),
        "asked_about": arguments.asked_about,
        "questions_asked": len(asked.questions),
        "noise": {"file": arguments.noise.name, "sha256": sha256(arguments.noise)[:16]},
    }
    write_results(arguments.out, found)
    lines = question_lines({f"{step.noise} turns of noise": step.rankings for step in steps})
    arguments.out.with_suffix(".questions.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    _print(found)


if __name__ == "__main__":
    main()
