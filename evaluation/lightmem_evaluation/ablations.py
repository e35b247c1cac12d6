"""`python -m lightmem_evaluation.ablations`: what each part is worth, each built once."""

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lightmem.bootstrap import Services
from lightmem.model import RecallMode
from lightmem.ports import Encoder
from lightmem.settings import Settings
from lightmem_controller import PlanRecall
from lightmem_evaluation.datasets import load_dataset
from lightmem_evaluation.encoding import RememberingEncoder
from lightmem_evaluation.lightmem_system import LightMemSystem
from lightmem_evaluation.locomo import Conversation, Question, Repairs
from lightmem_evaluation.measuring import Measured
from lightmem_evaluation.metadata import data, metadata
from lightmem_evaluation.opened import Opened, opened
from lightmem_evaluation.output import write_questions, write_results
from lightmem_evaluation.recalling import LINEAR, ask, ranker_of, recall_over
from lightmem_evaluation.report import change, console, say, table, three
from lightmem_evaluation.scoring import (
    ADVERSARIAL,
    CUTS,
    by_category,
    differences,
    given,
    ranked,
)
from lightmem_evaluation.switches import ChangedPlans, Switch, all_switches, lying, narrowed
from lightmem_gateway.recalling import RecallMemory

#: Statements that are put in the place of hypothetical queries are of such a length.
STATEMENT = range(40, 120)


async def measure_switches(
    conversations: Sequence[Conversation], folder: Path, irrelevant: Sequence[str]
) -> dict[Switch, Measured]:
    """Build LightMem once, then ask every answerable question under each switch."""
    async with opened(Settings(data_dir=folder)) as system:
        lightmem = LightMemSystem(system)
        for conversation in conversations:
            await lightmem.build(conversation)
        encoder = RememberingEncoder(system.services.encoder)
        measured = {}
        for switch in all_switches(irrelevant):
            recall = _recall(system.services, encoder, switch, irrelevant)
            measured[switch] = await _ask_all(system, lightmem, recall, switch, conversations)
            say(f"{switch.name}: asked")
    return measured


def _recall(
    services: Services, encoder: Encoder, switch: Switch, irrelevant: Sequence[str]
) -> RecallMemory:
    """The gateway's own use case over the switched ports."""
    controller = services.controller
    if switch.mode is RecallMode.DEEP:
        controller = PlanRecall(model=lying(irrelevant) if switch.has_lying_model else None)
    if switch.change is not None:
        controller = ChangedPlans(controller, switch.change)
    return recall_over(
        services,
        ranker=ranker_of(LINEAR if switch.without_ranker else services.settings.ranker),
        controller=controller,
        index=narrowed(services.index, switch),
        encoder=encoder,
    )


async def _ask_all(
    system: Opened,
    lightmem: LightMemSystem,
    recall: RecallMemory,
    switch: Switch,
    conversations: Sequence[Conversation],
) -> Measured:
    measured = Measured()
    for conversation in conversations:
        for question in filter(_is_asked, conversation.questions):
            found = await ask(
                recall, system, lightmem, conversation, question, k=max(CUTS), mode=switch.mode
            )
            measured.rankings.append(ranked(question, found))
            measured.answers.append(found)
    return measured


def _is_asked(question: Question) -> bool:
    return bool(question.evidence) and question.category != ADVERSARIAL


def irrelevant_statements(conversations: Sequence[Conversation]) -> list[str]:
    """Statements of the length of a hypothetical query, from conversations not asked about."""
    texts = [turn.content for conversation in conversations for turn in conversation.turns]
    return [text for text in texts if len(text) in STATEMENT and not text.endswith("?")]


def results(measured: dict[Switch, Measured]) -> dict[str, Any]:
    """Every switch beside the system as it is."""
    whole = next(iter(measured.values()))
    return {
        "switches": {
            switch.name: {
                "what": switch.what,
                "questions_changed": sum(
                    one.items != other.items
                    for one, other in zip(whole.answers, found.answers, strict=True)
                ),
                "categories": by_category(found.rankings, given),
                "difference": differences(found.rankings, whole.rankings, given),
            }
            for switch, found in measured.items()
        },
        **metadata(),
    }


def _print(found: dict[str, Any]) -> None:
    made = table(
        "Answerable questions (1-4): recall @5 / @10 / @20, and the difference, points",
        "switch", "recall", "changed", "@5 [95 % interval]", "@10 [95 % interval]",
    )  # fmt: skip
    for name, switch in found["switches"].items():
        whole = switch["difference"]["1-4"]
        cells = [change(whole, f"recall@{k}") for k in (5, 10)]
        recall = three(switch["categories"]["1-4"])
        made.add_row(name, recall, str(switch["questions_changed"]), *cells)
    console().print(made)


def main() -> None:
    """Measure, write the results and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="conversations and questions")
    parser.add_argument("--noise", type=Path, required=True, help="conversations not asked about")
    parser.add_argument("--out", type=Path, required=True, help="where the JSON goes")
    arguments = parser.parse_args()
    conversations = load_dataset(arguments.data, None, Repairs())
    irrelevant = irrelevant_statements(load_dataset(arguments.noise, None, Repairs()))
    with tempfile.TemporaryDirectory(prefix="lightmem-ablations-") as folder:
        measured = asyncio.run(measure_switches(conversations, Path(folder), irrelevant))
    found = results(measured)
    found["data"] = data(arguments.data, conversations)
    write_results(arguments.out, found)
    write_questions(arguments.out, {switch.name: m for switch, m in measured.items()})
    _print(found)


if __name__ == "__main__":
    main()
