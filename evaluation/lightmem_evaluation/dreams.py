"""`python -m lightmem_evaluation.dreams`: do dreams help, do they harm, and what do they cost?"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lightmem.client import SaidTurn
from lightmem_evaluation.datasets import load_dataset
from lightmem_evaluation.dream_cost import costs, speed_up
from lightmem_evaluation.dream_growth import Growth, growth
from lightmem_evaluation.dream_layers import update_gap
from lightmem_evaluation.dream_quality import quality, stories
from lightmem_evaluation.dream_tables import print_tables
from lightmem_evaluation.locomo import Conversation, Repairs
from lightmem_evaluation.metadata import data, metadata, sha256
from lightmem_evaluation.output import write_results
from lightmem_evaluation.report import say
from lightmem_evaluation.update_cases import UNSEEN, Story, load_stories

SEEDS = (1, 2, 3)
SIZES = (100, 1_000, 10_000)


@dataclass(frozen=True, slots=True)
class Given:
    """What is measured on."""

    conversations: Sequence[Conversation]
    noise: Sequence[SaidTurn]
    sizes: Sequence[int]
    model_url: str | None
    model_name: str

    @property
    def smallest(self) -> Conversation:
        """The conversation with the fewest turns, which is to grow."""
        return min(self.conversations, key=lambda one: len(one.turns))

    @property
    def stories(self) -> list[Story]:
        """Stories told in English, as the noise is."""
        return [story for story in load_stories() if story.language == "en"]


Part = Callable[[Given, Path], Coroutine[Any, Any, Any]]

PARTS: dict[str, Part] = {
    "quality": lambda given, folder: quality(given.conversations, folder),
    "updates": lambda given, folder: stories(load_stories(), folder),
    "unseen-updates": lambda given, folder: stories(load_stories(UNSEEN["unseen"]), folder),
    "update-gap": lambda given, folder: update_gap(given.stories, given.noise, SEEDS, folder),
    "growth": lambda given, folder: growth(
        Growth(given.smallest, given.noise, given.sizes, SEEDS), folder
    ),
    "cost": lambda given, folder: costs(
        given.noise, folder, model_url=given.model_url, model_name=given.model_name
    ),
    "speed-up": lambda given, folder: speed_up(given.noise, folder),
}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="conversations and questions")
    parser.add_argument("--noise", type=Path, required=True, help="other conversations")
    parser.add_argument("--out", type=Path, required=True, help="where the JSON goes")
    parser.add_argument("--part", action="append", choices=PARTS, help="only these; all else stays")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--model-url", help="a real model for the cost, ollama://HOST:PORT")
    parser.add_argument("--model-name", default="smollm2:135m")
    return parser.parse_args()


def main() -> None:
    """Measure each part, write the results after each, and print the tables."""
    arguments = _arguments()
    conversations = load_dataset(arguments.data, None, Repairs())
    others = load_dataset(arguments.noise, None, Repairs())
    given = Given(
        conversations,
        [turn for one in others for turn in one.turns],
        arguments.sizes,
        arguments.model_url,
        arguments.model_name,
    )
    found: dict[str, Any] = {}
    if arguments.part and arguments.out.exists():
        found = json.loads(arguments.out.read_text("utf-8"))
    for name in arguments.part or PARTS:
        with tempfile.TemporaryDirectory(prefix="lightmem-dreams-") as folder:
            found[name] = asyncio.run(PARTS[name](given, Path(folder)))
        say(f"{name}: done")
        told = {
            "data": data(arguments.data, conversations),
            "noise": {"file": arguments.noise.name, "sha256": sha256(arguments.noise)[:16]},
            "seeds": SEEDS,
            **metadata(),
        }
        write_results(arguments.out, {**found, **told})
    print_tables(found)


if __name__ == "__main__":
    main()
