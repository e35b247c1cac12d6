"""Dreams over a memory that grows: what they take, and whether it finds as before.

One user has a conversation that is asked about, and memories of other conversations in growing
number, each a sentence of a turn. Memories alone are searched, so that dreams have all the say.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any

from lightmem.client import Limits, SaidTurn
from lightmem.model import ItemKind
from lightmem.settings import Settings
from lightmem_evaluation.dream_sentences import drawn, learn_sentences
from lightmem_evaluation.dreaming import active, copied, dream_over
from lightmem_evaluation.lightmem_system import LightMemSystem
from lightmem_evaluation.locomo import Conversation, Question
from lightmem_evaluation.opened import Opened, opened
from lightmem_evaluation.report import say
from lightmem_evaluation.scoring import (
    ADVERSARIAL,
    Ranked,
    by_category,
    differences,
    given,
    percentiles,
    ranked,
)
from lightmem_evaluation.systems import Found

#: From here on one seed alone, for what encoding it takes.
LARGE_FROM = 5_000
#: Memories that one dream reads.
A_DREAM = 500


@dataclass(frozen=True, slots=True)
class Growth:
    """What is to grow: a conversation that is asked about, and what is said besides."""

    conversation: Conversation
    noise: Sequence[SaidTurn]
    sizes: Sequence[int]
    seeds: Sequence[int]


async def growth(given_: Growth, folder: Path) -> list[dict[str, Any]]:
    """Every size with every seed; the largest with one, for what encoding it takes."""
    settings = Settings(data_dir=folder / "built", dreams="off", dream_memories=A_DREAM)
    async with opened(settings) as system:
        built = LightMemSystem(system)
        await built.build(given_.conversation)
    steps = []
    for size in given_.sizes:
        for seed in given_.seeds if size < LARGE_FROM else given_.seeds[:1]:
            steps.append(await _step(given_, built, settings, size, seed))
            say(f"growth: {size:,} memories, seed {seed}")
    return steps


async def _step(
    grown: Growth, built: LightMemSystem, settings: Settings, size: int, seed: int
) -> dict[str, Any]:
    awake = settings.model_copy(update={"data_dir": copied(settings.data_dir, "awake")})
    user_id = grown.conversation.id
    # Without a worker: what is added is learnt here, and its turns are not searched.
    async with opened(awake.model_copy(update={"worker_threads": 0})) as system:
        more = drawn(grown.noise, size - await active(system, user_id), seed)
        await learn_sentences(system, user_id, more, indexed=True)
    dreaming = settings.model_copy(update={"data_dir": copied(awake.data_dir, "dreamt")})
    async with opened(awake) as system:
        without, before_ms = await _ask(built.over(system), system, grown.conversation)
    async with opened(dreaming) as system:
        dreamt = await dream_over(system, [user_id])
        having, after_ms = await _ask(built.over(system), system, grown.conversation)
    for used in (awake, dreaming):
        rmtree(used.data_dir)
    return {
        "memories": sum(dreamt.active_before.values()),
        "seed": seed,
        "dreams": dreamt.body(),
        "recall_ms": {"without": before_ms, "with": after_ms},
        "without": by_category(without, given)["1-4"],
        "with": by_category(having, given)["1-4"],
        "difference": differences(having, without, given)["1-4"],
    }


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
