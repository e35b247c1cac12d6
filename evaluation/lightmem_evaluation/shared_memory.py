"""`python -m lightmem_evaluation.shared_memory`: does a full graph disturb personal questions?

One conversation is built; then a tenant's users share a thousand concepts, the very nouns of its
questions among them. Each question is asked twice in turn, with and without long-term memory: the
answers to it are held against each other, and so is the time that they take.
"""

import argparse
import asyncio
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lightmem.adapters.vocabulary import open_vocabulary
from lightmem.client import Recall
from lightmem.domain.concepts import supporter_of
from lightmem.domain.supporting import support_from
from lightmem.domain.text import words_of
from lightmem.model import Claim, ConceptType, Layer, Promotion, Relation, Term
from lightmem.settings import Settings
from lightmem_evaluation.datasets import load_dataset
from lightmem_evaluation.lightmem_system import LightMemSystem
from lightmem_evaluation.locomo import Conversation, Question, Repairs
from lightmem_evaluation.metadata import metadata
from lightmem_evaluation.opened import Opened, opened
from lightmem_evaluation.output import write_results
from lightmem_evaluation.scoring import SEED, percentiles

CONCEPTS, EDGES_EACH = 1_000, 4
SUPPORTERS = ("ana", "ben", "cho")
TOP_K = 5
#: Questions that are asked once before any is counted.
WARMING_UP = 10
OWN = (Layer.SHORT_TERM, Layer.MID_TERM)
ALL = (*OWN, Layer.LONG_TERM)


@dataclass(frozen=True, slots=True)
class Pair:
    """One question, asked with and without what is shared."""

    question: Question
    alone: Recall
    shared: Recall

    @property
    def is_hit(self) -> bool:
        """Whether it names something that is shared."""
        return len(self.shared.plan["queries"]) > len(self.alone.plan["queries"])


async def fill(system: Opened, conversation: Conversation) -> int:
    """Let three users share concepts that the questions name, and others; how many are served."""
    services, tenant_id = system.services, system.tenant_id
    chance = random.Random(SEED)
    vocabulary = open_vocabulary()
    asked = {word for question in conversation.questions for word in words_of(question.text)}
    named = sorted({noun for word in asked if (noun := vocabulary.noun(word)) is not None})
    others = sorted({word for word in vocabulary.words if vocabulary.noun(word)} - set(named))
    nouns = [*named, *chance.sample(others, CONCEPTS)][:CONCEPTS]
    now = services.clock.now()
    promotions = [
        Promotion(
            "p", "d", "s", Claim(_term(noun), chance.choice(list(Relation)), _term(other)), now
        )
        for noun in nouns
        for other in chance.sample(nouns, EDGES_EACH)
        if noun != other
    ]
    names, edges = support_from(services.secret, tenant_id, promotions)
    for user_id in SUPPORTERS:
        supporter = supporter_of(services.secret, tenant_id, user_id)
        await services.graph.replace_support(tenant_id, supporter, names, edges, now=now)
    k = (await services.ledger.get_tenant(tenant_id)).k_anonymity
    served = await services.graph.matching(tenant_id, [], min_support=k, limit=2 * CONCEPTS)
    return len(served)


def _term(name: str) -> Term:
    return Term(ConceptType.CONCEPT, name, name)


async def ask(system: Opened, conversation: Conversation, *, most: int | None = None) -> list[Pair]:
    """All questions, or at most so many, the two ways taking turns at being first."""
    pairs = []
    for number, question in enumerate(conversation.questions[:most]):
        ways = [OWN, ALL] if number % 2 else [ALL, OWN]
        answers = {
            layers: await system.client.recall(
                conversation.id,
                question.text,
                top_k=TOP_K,
                layers=layers,
                now=conversation.ended_at,
            )
            for layers in ways
        }
        pairs.append(Pair(question, answers[OWN], answers[ALL]))
    return pairs


def compared(pairs: Sequence[Pair], lightmem: LightMemSystem) -> dict[str, Any]:
    """How often the items are the same, what is found of the evidence, and the times."""
    times = {
        "without": percentiles([pair.alone.timings_ms["total"] for pair in pairs]),
        "with": percentiles([pair.shared.timings_ms["total"] for pair in pairs]),
    }
    hit = [pair for pair in pairs if pair.is_hit]
    return {
        "questions": len(pairs),
        "that_name_a_concept": len(hit),
        "same_items": sum(_ids(pair.alone) == _ids(pair.shared) for pair in pairs),
        "concepts_shown": sum(
            item.layer is Layer.LONG_TERM for pair in pairs for item in pair.shared.items
        ),
        "answered_by_concepts_alone": sum(_is_generic(pair.shared) for pair in pairs),
        "evidence_recall_at_5": {
            "without": _evidence(lightmem, [(pair.question, pair.alone) for pair in pairs]),
            "with": _evidence(lightmem, [(pair.question, pair.shared) for pair in pairs]),
        },
        "recall_ms": times,
        "ratio": {
            name: round(times["with"][name] / times["without"][name], 2) for name in ("p50", "p95")
        },
    }


def _ids(recall: Recall) -> list[str]:
    return [item.id for item in recall.items]


def _is_generic(recall: Recall) -> bool:
    return bool(recall.items) and all(item.layer is Layer.LONG_TERM for item in recall.items)


def _evidence(lightmem: LightMemSystem, asked: Sequence[tuple[Question, Recall]]) -> float:
    """The mean share of the evidence that the items rest on."""
    shares = []
    for question, recall in asked:
        found = {place for item in recall.items for place in lightmem.places(item.source_turn_ids)}
        if question.evidence:
            shares.append(len(found & set(question.evidence)) / len(set(question.evidence)))
    return round(sum(shares) / len(shares), 4)


async def measure(conversation: Conversation, folder: Path) -> dict[str, Any]:
    """Build, fill, ask."""
    settings = Settings(data_dir=folder, model_url="", dreams="off")
    async with opened(settings) as system:
        lightmem = LightMemSystem(system)
        await lightmem.build(conversation)
        served = await fill(system, conversation)
        await ask(system, conversation, most=WARMING_UP)
        pairs = await ask(system, conversation)
    return {"concepts_served": served, **compared(pairs, lightmem)}


def main() -> None:
    """Measure with one conversation of a data set and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--conversation", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    conversation = load_dataset(given.data, None, Repairs())[given.conversation]
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(measure(conversation, Path(folder)))
    write_results(given.out, {**found, "data": given.data.stem, "metadata": metadata()})
    print(found)


if __name__ == "__main__":
    main()
