"""Dreams over a memory that grows: what they take, and whether it finds as before.

One user has a conversation that is asked about, and memories of other conversations in growing
number, each a sentence of a turn. Memories alone are searched, so that dreams have all the say.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np

from lightmem.client import Limits, SaidTurn
from lightmem.model import ItemKind
from lightmem.settings import Settings
from lightmem_evaluation.dream_sentences import drawn, learn_sentences
from lightmem_evaluation.dreaming import Dreamt, active, copied, dream_over
from lightmem_evaluation.lightmem_system import LightMemSystem
from lightmem_evaluation.locomo import Conversation, Question, dialogue_id
from lightmem_evaluation.opened import Opened, opened
from lightmem_evaluation.report import say
from lightmem_evaluation.scoring import (
    ADVERSARIAL,
    Ranked,
    by_category,
    differences,
    given,
    interval,
    percentiles,
    ranked,
)
from lightmem_evaluation.systems import Found

#: Memories that one dream reads.
A_DREAM = 500


@dataclass(frozen=True, slots=True)
class Growth:
    """What is to grow: a conversation that is asked about, and what is said besides."""

    conversation: Conversation
    noise: Sequence[SaidTurn]
    sizes: Sequence[int]
    seeds: Sequence[int]


@dataclass(frozen=True, slots=True)
class _Built:
    """A conversation that was learnt, the folder it is in and how many memories it has."""

    conversation: Conversation
    lightmem: LightMemSystem
    settings: Settings
    memories: int


@dataclass(frozen=True, slots=True)
class _Step:
    """A size with a seed: what dreams did, and what was found before and after."""

    seed: int
    dreamt: Dreamt
    without: Sequence[Ranked]
    having: Sequence[Ranked]
    before_ms: dict[str, float]
    after_ms: dict[str, float]

    def body(self) -> dict[str, Any]:
        """It as JSON."""
        return {
            "memories": sum(self.dreamt.active_before.values()),
            "seed": self.seed,
            "dreams": self.dreamt.body(),
            "recall_ms": {"without": self.before_ms, "with": self.after_ms},
            "without": by_category(self.without, given)["1-4"],
            "with": by_category(self.having, given)["1-4"],
            "difference": differences(self.having, self.without, given)["1-4"],
        }


async def growth(given_: Growth, folder: Path) -> list[dict[str, Any]]:
    """Every size with every seed, and each size over all seeds."""
    whole = await _built(given_.conversation, folder / "whole")
    rows = []
    for size in given_.sizes:
        built = whole
        if size < whole.memories:
            part = beginning(whole.conversation, size / whole.memories)
            built = await _built(part, folder / f"part-{size}")
        steps = []
        for seed in given_.seeds:
            steps.append(await _step(given_.noise, built, size, seed))
            say(f"growth: {size:,} memories, seed {seed}")
            rows.append(steps[-1].body())
        rows.append(over_seeds(size, rows[-len(steps) :], steps))
    return rows


def beginning(conversation: Conversation, share: float) -> Conversation:
    """The first sessions of a conversation, and the questions whose evidence is in them."""
    count = max(1, round(len(conversation.sessions) * share))
    part = replace(conversation, sessions=conversation.sessions[:count])
    said = {dialogue_id(turn) for turn in part.turns}
    questions = [
        one for one in conversation.questions if one.evidence and said.issuperset(one.evidence)
    ]
    return replace(part, questions=questions)


def over_seeds(size: int, rows: Sequence[dict[str, Any]], steps: Sequence[_Step]) -> dict[str, Any]:
    """What a size came to over all seeds: each question counts once, with its mean."""
    dreams = [row["dreams"] for row in rows]
    body: dict[str, Any] = {
        "memories": round(float(np.mean([row["memories"] for row in rows]))),
        "size": size,
        "seed": "all",
        "dreams": {
            name: round(float(np.mean([one[name] for one in dreams])), 4)
            for name in ("active_before", "active_after", "fewer", "dreams", "seconds_a_dream")
        },
    }
    changes = list(_changes(steps))
    for metric in ("recall@5", "recall@10", "recall@20"):
        for way in ("without", "with"):
            mean = float(np.mean([row[way][metric] for row in rows]))
            body.setdefault(way, {})[metric] = round(mean, 4)
        values = [change[metric] for change in changes]
        difference = body.setdefault("difference", {"n": len(values)})
        difference[metric] = round(float(np.mean(values)), 4)
        difference[f"{metric}_interval"] = interval(values)
    return body


def _changes(steps: Sequence[_Step]) -> Iterator[dict[str, float]]:
    """For each question what dreams changed of it, in the mean of the seeds."""
    for number, first in enumerate(steps[0].having):
        evidence = given(first.question)
        having = [step.having[number].metrics(evidence) for step in steps]
        without = [step.without[number].metrics(evidence) for step in steps]
        pairs = list(zip(having, without, strict=True))
        yield {
            metric: float(np.mean([a[metric] - b[metric] for a, b in pairs]))
            for metric in having[0]
        }


async def _built(conversation: Conversation, folder: Path) -> _Built:
    settings = Settings(data_dir=folder, dreams="off", dream_memories=A_DREAM)
    async with opened(settings) as system:
        lightmem = LightMemSystem(system)
        await lightmem.build(conversation)
        return _Built(conversation, lightmem, settings, await active(system, conversation.id))


async def _step(noise: Sequence[SaidTurn], built: _Built, size: int, seed: int) -> _Step:
    awake = built.settings.model_copy(update={"data_dir": copied(built.settings.data_dir, "awake")})
    user_id = built.conversation.id
    # Without a worker: what is added is learnt here, and its turns are not searched.
    async with opened(awake.model_copy(update={"worker_threads": 0})) as system:
        more = drawn(noise, size - built.memories, seed)
        await learn_sentences(system, user_id, more, indexed=True)
    say(f"growth: learnt {size:,}")
    dreaming = awake.model_copy(update={"data_dir": copied(awake.data_dir, "dreamt")})
    async with opened(awake) as system:
        without, before_ms = await _ask(built.lightmem.over(system), system, built.conversation)
    async with opened(dreaming) as system:
        dreamt = await dream_over(system, [user_id])
        having, after_ms = await _ask(built.lightmem.over(system), system, built.conversation)
    for used in (awake, dreaming):
        rmtree(used.data_dir)
    return _Step(seed, dreamt, without, having, before_ms, after_ms)


async def _ask(
    lightmem: LightMemSystem, system: Opened, conversation: Conversation
) -> tuple[list[Ranked], dict[str, float]]:
    questions = [
        one for one in conversation.questions if one.evidence and one.category != ADVERSARIAL
    ]
    rankings, times = [], []
    for question in questions:
        start = time.perf_counter()
        found = await _recall(lightmem, system, conversation, question)
        times.append((time.perf_counter() - start) * 1000)
        rankings.append(ranked(question, found))
    return rankings, percentiles(times)


async def _recall(
    lightmem: LightMemSystem, system: Opened, conversation: Conversation, question: Question
) -> Found:
    """Memories alone, each standing for the turns that it quotes."""
    recall = await system.client.recall(
        conversation.id,
        question.text,
        top_k=20,
        budget_tokens=8_000,
        now=conversation.ended_at,
        limits=Limits(kinds=[ItemKind.MEMORY]),
    )
    return Found([lightmem.places_known(item.source_turn_ids) for item in recall.items])
