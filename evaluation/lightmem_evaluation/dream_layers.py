"""The update-gap table, as far as it can be done without an answer model.

Each story's question is asked of long-term memory alone, of mid-term memory alone, and of both,
after dreams; then again where as many turns again are about something else. What is told is
whether the value that holds now is among the items, whether it comes before the old one, and
whether the old one is served as if it held. No model answers: these are bounds of what one could.

Source: Zhang et al. 2026 (arXiv:2604.07798), table on update gaps.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from lightmem.client import RecalledItem, SaidTurn
from lightmem.model import ItemKind, Layer
from lightmem.settings import Settings
from lightmem_evaluation.dreaming import dream_over
from lightmem_evaluation.opened import Opened, opened
from lightmem_evaluation.report import say
from lightmem_evaluation.scoring import interval
from lightmem_evaluation.update_cases import Session, Story
from lightmem_evaluation.updates import tell_all

LAYERS: Mapping[str, Sequence[Layer]] = {
    "long-term alone": [Layer.LONG_TERM],
    "mid-term alone": [Layer.MID_TERM],
    "both": [Layer.MID_TERM, Layer.LONG_TERM],
}
TOP_K = 5
NOISE = "50 % noise"


@dataclass(frozen=True, slots=True)
class Served:
    """What came back to one question."""

    is_found: bool
    is_first: bool
    is_outdated: bool


async def update_gap(
    stories: Sequence[Story], noise: Sequence[SaidTurn], seeds: Sequence[int], folder: Path
) -> dict[str, Any]:
    """The table: each row of layers, without noise and with it, over all seeds."""
    rows = {"no noise": [await _run(stories, folder / "plain")]}
    rows[NOISE] = [
        await _run([_noisy(story, noise, seed) for story in stories], folder / f"noise-{seed}")
        for seed in seeds
    ]
    return {
        name: {layers: _body([run[layers] for run in runs]) for layers in LAYERS}
        for name, runs in rows.items()
    }


async def _run(stories: Sequence[Story], folder: Path) -> dict[str, list[Served]]:
    async with opened(Settings(data_dir=folder, dreams="off")) as system:
        await tell_all(system, stories)
        await dream_over(system, [story.id for story in stories])
        found = {
            name: [await _ask(system, story, layers) for story in stories]
            for name, layers in LAYERS.items()
        }
    say(f"update gap: asked {folder.name}")
    return found


async def _ask(system: Opened, story: Story, layers: Sequence[Layer]) -> Served:
    recall = await system.client.recall(
        story.id, story.question, top_k=TOP_K, now=story.asked_at, layers=layers
    )
    right = _first(recall.items, story.right)
    old = _first(recall.items, story.outdated)
    return Served(
        is_found=right is not None,
        is_first=right is not None and (old is None or right <= old),
        is_outdated=any(_is_outdated(story, item) for item in recall.items),
    )


def _first(items: Sequence[RecalledItem], value: str | None) -> int | None:
    """The place of the first item that tells a value."""
    if value is None:
        return None
    return next((at for at, item in enumerate(items) if _tells(item.text, value)), None)


def _is_outdated(story: Story, item: RecalledItem) -> bool:
    """Whether an item gives the old value as if it held."""
    if story.outdated is None or not _tells(item.text, story.outdated):
        return False
    if _tells(item.text, story.right):
        return False
    return item.kind is not ItemKind.MEMORY or item.valid_to is None


def _tells(text: str, value: str) -> bool:
    return value.casefold() in text.casefold()


def _noisy(story: Story, noise: Sequence[SaidTurn], seed: int) -> Story:
    """The story with as many turns about something else, spread over its sessions."""
    rng = random.Random(f"{seed}/{story.id}")
    return replace(story, sessions=[_with_noise(session, noise, rng) for session in story.sessions])


def _with_noise(session: Session, noise: Sequence[SaidTurn], rng: random.Random) -> Session:
    turns = []
    for turn, other in zip(session.turns, rng.sample(noise, len(session.turns)), strict=True):
        at = turn.occurred_at
        assert at is not None
        turns += [turn, replace(other, occurred_at=at + timedelta(seconds=30), metadata={})]
    return Session(session.name, turns)


def _body(runs: Sequence[Sequence[Served]]) -> dict[str, Any]:
    served = [one for run in runs for one in run]
    body: dict[str, Any] = {"questions": len(runs[0]), "seeds": len(runs)}
    for part in ("is_found", "is_first", "is_outdated"):
        values = [float(getattr(one, part)) for one in served]
        body[part] = round(sum(values) / len(values), 4)
        body[f"{part}_interval"] = interval(values)
        means = [sum(getattr(one, part) for one in run) / len(run) for run in runs]
        body[f"{part}_by_seed"] = [round(mean, 4) for mean in means]
    return body
