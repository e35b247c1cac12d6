"""`python -m lightmem_evaluation.updates`: does recall know what holds now, and what held once?"""

import argparse
import asyncio
import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from lightmem.client import AsyncClient, Memory, Recall, RecalledItem
from lightmem.model import ItemKind, MemoryStatus
from lightmem.settings import Settings
from lightmem_evaluation.metadata import metadata, sha256
from lightmem_evaluation.opened import Opened, opened
from lightmem_evaluation.output import write_results
from lightmem_evaluation.report import console, say, table
from lightmem_evaluation.scoring import interval
from lightmem_evaluation.update_cases import (
    FOLDER,
    KINDS,
    LANGUAGES,
    UNSEEN,
    Story,
    load_stories,
)

MODEL_URL, MODEL_NAME = "LIGHTMEM_TEST_OLLAMA_URL", "LIGHTMEM_TEST_OLLAMA_MODEL"
TOP_K = 5


@dataclass(frozen=True, slots=True)
class Answered:
    """How one story came out. `is_right` is all of it together.

    Args:
        is_first: Of what is served, the first that tells either value tells the right one.
        is_dated: Nothing outdated is served without the time until which it held.
        is_one: No outdated value is active; of two people, both are.
    """

    id: str
    language: str
    kind: str
    is_first: bool
    is_dated: bool
    is_one: bool

    @property
    def is_right(self) -> bool:
        return self.is_first and self.is_dated and self.is_one


async def live(system: Opened, stories: Sequence[Story]) -> list[Answered]:
    """Let every story be lived by a user of its own, then ask all the questions."""
    await tell_all(system, stories)
    return await ask_all(system, stories)


async def tell_all(system: Opened, stories: Sequence[Story]) -> None:
    """Say what each story says and wait until all of it is learnt."""
    for story in stories:
        for session in story.sessions:
            await system.client.remember(story.id, session.name, list(session.turns))
    await system.settle()


async def ask_all(system: Opened, stories: Sequence[Story]) -> list[Answered]:
    """Ask the questions of stories that were told."""
    return [await _ask(system.client, story) for story in stories]


async def _ask(client: AsyncClient, story: Story) -> Answered:
    recall = await client.recall(story.id, story.question, top_k=TOP_K, now=story.asked_at)
    active = await client.memories(story.id, status=MemoryStatus.ACTIVE, limit=200)
    return Answered(
        id=story.id,
        language=story.language,
        kind=story.kind,
        is_first=_is_first(story, recall),
        is_dated=not any(_is_undated(story, item) for item in recall.items),
        is_one=_is_one(story, active.items),
    )


def _is_first(story: Story, recall: Recall) -> bool:
    wrong = [value for value in (story.outdated, story.other) if value]
    for item in recall.items:
        if _has(item.text, story.right):
            return True
        if any(_has(item.text, value) for value in wrong):
            return False
    return False


def _is_undated(story: Story, item: RecalledItem) -> bool:
    """Whether an item gives the outdated value as if it held."""
    if story.outdated is None or not _has(item.text, story.outdated):
        return False
    if _has(item.text, story.right):
        return False
    return item.kind is not ItemKind.MEMORY or item.valid_to is None


def _is_one(story: Story, active: Iterable[Memory]) -> bool:
    texts = [memory.text for memory in active]
    if story.other is not None:
        return all(any(_has(text, value) for text in texts) for value in (story.right, story.other))
    outdated = story.outdated
    return outdated is None or not any(
        _has(text, outdated) and not _has(text, story.right) for text in texts
    )


def _has(text: str, value: str) -> bool:
    return value.casefold() in text.casefold()


async def measure(stories: Sequence[Story], settings: Settings) -> list[Answered]:
    """Live the stories in a fresh system."""
    with tempfile.TemporaryDirectory(prefix="lightmem-updates-") as folder:
        async with opened(settings.model_copy(update={"data_dir": Path(folder)})) as system:
            return await live(system, stories)


def summed_up(answered: Sequence[Answered]) -> dict[str, Any]:
    """Shares by kind and language, each with its interval, and what came out wrong."""
    groups = {"all": answered}
    groups |= {kind: [one for one in answered if one.kind == kind] for kind in KINDS}
    groups |= {code: [one for one in answered if one.language == code] for code in LANGUAGES}
    wrong = [one for one in answered if not one.is_right]
    return {
        "groups": {name: _shares(group) for name, group in groups.items() if group},
        "wrong": [asdict(one) for one in wrong],
    }


def _shares(group: Sequence[Answered]) -> dict[str, Any]:
    right = [float(one.is_right) for one in group]
    return {
        "n": len(group),
        "right": round(sum(right) / len(right), 4),
        "right_interval": interval(right),
        "newest_first": round(sum(one.is_first for one in group) / len(group), 4),
        "older_dated": round(sum(one.is_dated for one in group) / len(group), 4),
        "one_active": round(sum(one.is_one for one in group) / len(group), 4),
    }


def _few_of_each(stories: Sequence[Story], count: int) -> list[Story]:
    """The first stories of each kind and language."""
    taken: dict[tuple[str, str], int] = {}
    few = []
    for story in stories:
        key = (story.language, story.kind)
        taken[key] = taken.get(key, 0) + 1
        if taken[key] <= count:
            few.append(replace(story))
    return few


def model_settings() -> Settings | None:
    """Settings with the small model that the environment names; None where it names none."""
    url = os.environ.get(MODEL_URL)
    if not url:
        return None
    name = os.environ.get(MODEL_NAME, "smollm2:135m")
    return Settings(model_url=url.replace("http://", "ollama://"), model_name=name)


def _print(found: dict[str, Any]) -> None:
    for name, system in found["systems"].items():
        made = table(
            f"Updates, {name}: share of stories, %",
            "group", "n", "right [95 % interval]", "newest first", "older dated", "one active",
        )  # fmt: skip
        for group, shares in system["groups"].items():
            low, high = (100 * edge for edge in shares["right_interval"])
            cells = [shares[part] for part in ("newest_first", "older_dated", "one_active")]
            made.add_row(
                group,
                str(shares["n"]),
                f"{100 * shares['right']:.1f} [{low:.1f}, {high:.1f}]",
                *[f"{100 * cell:.1f}" for cell in cells],
            )
        console().print(made)


def main() -> None:
    """Measure, write the results and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="where the JSON goes")
    parser.add_argument(
        "--model-stories", type=int, default=2, help="of each kind and language, for the model too"
    )
    arguments = parser.parse_args()
    stories = load_stories()
    systems = {}
    ways = {"rules": Settings(changes="off"), "rules and model of changes": Settings()}
    for way, settings in ways.items():
        systems[way] = summed_up(asyncio.run(measure(stories, settings)))
        for name, folder in UNSEEN.items():
            answered = asyncio.run(measure(load_stories(folder), settings))
            systems[f"{way}, {name} stories"] = summed_up(answered)
        say(f"{way}: asked")
    with_model = model_settings()
    if with_model is not None and arguments.model_stories:
        few = _few_of_each(stories, arguments.model_stories)
        answered = asyncio.run(measure(few, with_model))
        systems[f"small model {with_model.model_name}"] = summed_up(answered)
        answered = asyncio.run(measure(few, Settings()))
        systems["rules and model of changes, the same stories"] = summed_up(answered)
    files = {
        str(file.relative_to(FOLDER)): sha256(file)[:16] for file in sorted(FOLDER.rglob("*.tsv"))
    }
    found = {"systems": systems, "data": files, **metadata()}
    write_results(arguments.out, found)
    _print(found)


if __name__ == "__main__":
    main()
