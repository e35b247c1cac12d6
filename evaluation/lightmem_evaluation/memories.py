"""`python -m lightmem_evaluation.memories`: is recall with memories worth more than turns alone?

Both are asked as applications ask: the same question, items and budget, over the same stores.
"""

import argparse
import asyncio
import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lightmem.domain.text import content_words, words_of
from lightmem.model import ItemKind, RecallRequest
from lightmem.settings import Settings
from lightmem_evaluation.datasets import load_dataset
from lightmem_evaluation.encoding import RememberingEncoder
from lightmem_evaluation.lightmem_system import BUDGET, LightMemSystem, shown_in
from lightmem_evaluation.locomo import Conversation, Question, Repairs
from lightmem_evaluation.metadata import data, metadata
from lightmem_evaluation.opened import Opened, opened
from lightmem_evaluation.output import write_results
from lightmem_evaluation.recalling import ranker_of, recall_over
from lightmem_evaluation.report import console, say, table
from lightmem_evaluation.scoring import ADVERSARIAL, interval, ranked
from lightmem_evaluation.switches import Switch, narrowed
from lightmem_evaluation.systems import Found
from lightmem_gateway.recalling import RecallMemory

TOP_K = 5
BOTH = Switch("memories and turns", "as it is")
TURNS = Switch("turns alone", "no memories are found", without_memories=True)
#: What is counted of each answer: evidence among the items; evidence turns that stand whole in the
#: text; words of the right answer in the text, NaN where none is given; and tokens of the text.
MEASURES = ("recall@5", "evidence_in_context", "answer_words", "context_tokens")
Row = tuple[float, float, float, float]


@dataclass(slots=True)
class Asked:
    """What one way to recall gave: a row of `MEASURES` for each question, and items in all that
    were memories.
    """

    questions: list[Question] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    memories: int = 0

    def of(self, category: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The rows of a category, or of all that have an answer."""
        kept = [
            row
            for question, row in zip(self.questions, self.rows, strict=True)
            if (question.category != ADVERSARIAL if category == "1-4" else False)
            or str(question.category) == category
        ]
        return np.asarray(kept, dtype=np.float64)  # (questions, measures)

    @property
    def categories(self) -> list[str]:
        return ["1-4", *sorted({str(question.category) for question in self.questions})]


async def ask_both(
    system: Opened, lightmem: LightMemSystem, conversations: Sequence[Conversation]
) -> dict[str, Asked]:
    """Ask every question that has evidence, with memories and without."""
    encoder = RememberingEncoder(system.services.encoder)
    asked = {}
    for switch in (BOTH, TURNS):
        recall = recall_over(
            system.services,
            ranker=ranker_of(system.services.settings.ranker),
            index=narrowed(system.services.index, switch),
            encoder=encoder,
        )
        asked[switch.name] = await _ask_all(recall, system, lightmem, conversations)
        say(f"{switch.name}: asked")
    return asked


async def _ask_all(
    recall: RecallMemory,
    system: Opened,
    lightmem: LightMemSystem,
    conversations: Sequence[Conversation],
) -> Asked:
    asked = Asked()
    for conversation in conversations:
        now = conversation.ended_at or system.services.clock.now()
        for question in conversation.questions:
            if not question.evidence:
                continue
            request = RecallRequest(query=question.text, now=now, top_k=TOP_K, budget_tokens=BUDGET)
            answer = await recall(system.tenant_id, conversation.id, request)
            items = [lightmem.places(item.source_turn_ids) for item in answer.items]
            evidence = question.evidence
            among = ranked(question, Found(items, {}, 0)).recall(evidence, TOP_K)
            shown = shown_in(answer.context, conversation)
            in_text = sum(turn in shown for turn in evidence) / len(evidence)
            words = answer_words(question, answer.context)
            asked.questions.append(question)
            asked.rows.append((among, in_text, words, float(answer.context_tokens)))
            asked.memories += sum(item.kind is ItemKind.MEMORY for item in answer.items)
    return asked


def answer_words(question: Question, context: str) -> float:
    """The share of the right answer's telling words that stand in a context."""
    if not question.answer:
        return math.nan
    told = content_words(question.answer)
    return len(told & words_of(context)) / len(told) if told else math.nan


def results(asked: dict[str, Asked]) -> dict[str, Any]:
    """Each measure with and without memories and their difference, with 95 % intervals."""
    both, turns = asked[BOTH.name], asked[TURNS.name]
    categories = {
        category: _compared(both.of(category), turns.of(category)) for category in both.categories
    }
    asked_of = len(both.questions)
    return {
        "categories": categories,
        "memories_an_answer": round(both.memories / asked_of, 2) if asked_of else 0.0,
    }


def _compared(
    both: np.ndarray[Any, np.dtype[np.float64]], turns: np.ndarray[Any, np.dtype[np.float64]]
) -> dict[str, Any]:
    compared: dict[str, Any] = {"n": len(both)}
    for column, measure in enumerate(MEASURES):
        known = ~np.isnan(both[:, column])
        ours, theirs = both[known, column], turns[known, column]
        if not len(ours):
            continue
        compared[measure] = {
            BOTH.name: round(float(ours.mean()), 4),
            TURNS.name: round(float(theirs.mean()), 4),
            "difference": round(float((ours - theirs).mean()), 4),
            "difference_interval": interval(ours - theirs),
        }
    return compared


def _print(categories: dict[str, Any]) -> None:
    made = table(
        "Memories and turns beside turns alone, as applications ask",
        "category", "n", *(f"{measure}: both, turns, difference" for measure in MEASURES),
    )  # fmt: skip
    for name, compared in categories.items():
        cells = []
        for measure in MEASURES:
            found = compared.get(measure)
            if found is None:
                cells.append("")
                continue
            low, high = found["difference_interval"]
            both, turns = found[BOTH.name], found[TURNS.name]
            cells.append(
                f"{both:.3f} {turns:.3f} {found['difference']:+.3f} [{low:.3f}, {high:.3f}]"
            )
        made.add_row(name, str(compared["n"]), *cells)
    console().print(made)


async def measure(conversations: Sequence[Conversation], folder: Path) -> dict[str, Any]:
    """Build the conversations once, then ask about them both ways."""
    async with opened(Settings(data_dir=folder)) as system:
        lightmem = LightMemSystem(system)
        for conversation in conversations:
            await lightmem.build(conversation)
        say("built")
        return results(await ask_both(system, lightmem, conversations))


def main() -> None:
    """Measure, write the results and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="conversations and questions")
    parser.add_argument("--out", type=Path, required=True, help="where the JSON goes")
    arguments = parser.parse_args()
    conversations = load_dataset(arguments.data, None, Repairs())
    with tempfile.TemporaryDirectory(prefix="lightmem-memories-") as folder:
        found = asyncio.run(measure(conversations, Path(folder)))
    write_results(
        arguments.out,
        {**found, "data": data(arguments.data, conversations), **metadata()},
    )
    _print(found["categories"])


if __name__ == "__main__":
    main()
