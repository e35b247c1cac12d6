"""`python -m lightmem_evaluation.deep`: is `deep` below `fast`, with a small model or a lying one?

A sample of the questions, each asked in every way: a small model takes seconds for each.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lightmem.bootstrap.models import open_model
from lightmem.model import RecallMode
from lightmem.ports import LanguageModel
from lightmem.settings import Settings
from lightmem_controller import PlanRecall
from lightmem_evaluation.ablations import irrelevant_statements
from lightmem_evaluation.datasets import load_dataset
from lightmem_evaluation.encoding import RememberingEncoder
from lightmem_evaluation.lightmem_system import LightMemSystem
from lightmem_evaluation.locomo import Conversation, Question, Repairs
from lightmem_evaluation.measuring import Measured, stages
from lightmem_evaluation.metadata import data, metadata
from lightmem_evaluation.opened import Opened, opened
from lightmem_evaluation.output import write_questions, write_results
from lightmem_evaluation.recalling import ask, ranker_of, recall_over
from lightmem_evaluation.report import change, console, pair, say, table, three
from lightmem_evaluation.scoring import (
    ADVERSARIAL,
    CUTS,
    by_category,
    differences,
    given,
    ranked,
)
from lightmem_evaluation.switches import lying

#: Quality is measured here and not time, so a slow machine may take it.
MODEL_S = 60.0


@dataclass(frozen=True, slots=True)
class Way:
    """One way to ask."""

    name: str
    mode: RecallMode
    model: LanguageModel | None = None


async def measure_ways(
    conversations: Sequence[Conversation],
    folder: Path,
    irrelevant: Sequence[str],
    *,
    model: Settings | None,
    questions: int,
) -> dict[str, Measured]:
    """Build once, then ask the same questions in each way.

    Args:
        model: Settings that name the small model; None leaves it out.
        questions: How many are asked, spread evenly over all that can be answered.
    """
    async with AsyncExitStack() as stack:
        system = await stack.enter_async_context(opened(Settings(data_dir=folder)))
        ways = [
            Way("fast", RecallMode.FAST),
            Way("deep, no model", RecallMode.DEEP),
            Way("deep, the model lies", RecallMode.DEEP, lying(irrelevant)),
        ]
        if model is not None:
            small = open_model(stack, model)
            ways.append(Way(f"deep, {model.model_name}", RecallMode.DEEP, small))
        lightmem = LightMemSystem(system)
        for conversation in conversations:
            await lightmem.build(conversation)
        asked = sample(conversations, questions)
        encoder = RememberingEncoder(system.services.encoder)
        measured = {}
        for way in ways:
            measured[way.name] = await _ask_all(system, lightmem, encoder, way, asked)
            say(f"{way.name}: asked")
    return measured


def sample(
    conversations: Sequence[Conversation], questions: int
) -> list[tuple[Conversation, Question]]:
    """So many answerable questions, spread evenly over all of them."""
    every = [
        (conversation, question)
        for conversation in conversations
        for question in conversation.questions
        if question.evidence and question.category != ADVERSARIAL
    ]
    count = min(questions, len(every))
    return [every[place * len(every) // count] for place in range(count)]


async def _ask_all(
    system: Opened,
    lightmem: LightMemSystem,
    encoder: RememberingEncoder,
    way: Way,
    asked: Sequence[tuple[Conversation, Question]],
) -> Measured:
    recall = recall_over(
        system.services,
        ranker=ranker_of(system.services.settings.ranker),
        controller=PlanRecall(model=way.model, model_timeout_s=MODEL_S),
        encoder=encoder,
    )
    measured = Measured()
    for conversation, question in asked:
        found = await ask(
            recall, system, lightmem, conversation, question, k=max(CUTS), mode=way.mode
        )
        measured.rankings.append(ranked(question, found))
        measured.answers.append(found)
    return measured


def results(measured: dict[str, Measured]) -> dict[str, Any]:
    """Every way beside `fast`."""
    fast = measured["fast"]
    return {
        "ways": {
            name: {
                "categories": by_category(found.rankings, given),
                "difference": differences(found.rankings, fast.rankings, given),
                "latency_ms": stages(found.answers),
            }
            for name, found in measured.items()
        },
        **metadata(),
    }


def _print(found: dict[str, Any]) -> None:
    made = table(
        "Deep beside fast (1-4): recall @5 / @10 / @20, and the difference, points",
        "way", "recall", "@5 [95 % interval]", "@10 [95 % interval]", "plan ms",
    )  # fmt: skip
    for name, way in found["ways"].items():
        cells = [change(way["difference"]["1-4"], f"recall@{k}") for k in (5, 10)]
        made.add_row(name, three(way["categories"]["1-4"]), *cells, pair(way["latency_ms"]["plan"]))
    console().print(made)


def main() -> None:
    """Measure, write the results and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="conversations and questions")
    parser.add_argument("--noise", type=Path, required=True, help="conversations not asked about")
    parser.add_argument("--out", type=Path, required=True, help="where the JSON goes")
    parser.add_argument("--model-url", default="", help="the small model, such as ollama://HOST")
    parser.add_argument("--model-name", default="smollm2:135m")
    parser.add_argument("--questions", type=int, default=100)
    arguments = parser.parse_args()
    conversations = load_dataset(arguments.data, None, Repairs())
    irrelevant = irrelevant_statements(load_dataset(arguments.noise, None, Repairs()))
    model = (
        Settings(model_url=arguments.model_url, model_name=arguments.model_name)
        if arguments.model_url
        else None
    )
    with tempfile.TemporaryDirectory(prefix="lightmem-deep-") as folder:
        measured = asyncio.run(
            measure_ways(
                conversations,
                Path(folder),
                irrelevant,
                model=model,
                questions=arguments.questions,
            )
        )
    found = results(measured)
    found["data"] = data(arguments.data, conversations)
    write_results(arguments.out, found)
    write_questions(arguments.out, measured)
    _print(found)


if __name__ == "__main__":
    main()
