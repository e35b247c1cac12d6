"""One system over one data set: built, asked every question, and summed up."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from lightmem_evaluation.locomo import Conversation, Question
from lightmem_evaluation.scoring import (
    ADVERSARIAL,
    CUTS,
    Ranked,
    audited,
    by_category,
    by_kind,
    differences,
    given,
    percentiles,
    ranked,
)
from lightmem_evaluation.systems import Found, RetrievalSystem


@dataclass(slots=True)
class Measured:
    """What one system did. `answers` are those that time and context are taken from."""

    rankings: list[Ranked] = field(default_factory=list)
    answers: list[Found] = field(default_factory=list)
    build_s: float = 0.0
    size_bytes: int = 0
    at_five: list[Ranked] = field(default_factory=list)


async def measure(
    system: RetrievalSystem,
    conversations: Sequence[Conversation],
    tell: Callable[[str], None] = lambda text: None,
) -> Measured:
    """Build the system and ask it every question; `tell` hears how far it is."""
    measured = Measured()
    start = time.perf_counter()
    for conversation in conversations:
        await system.build(conversation)
    measured.build_s = time.perf_counter() - start
    measured.size_bytes = system.size_bytes()
    tell(f"{system.name}: built in {measured.build_s:.0f} s")
    start = time.perf_counter()
    for conversation in conversations:
        for question in conversation.questions:
            found = await system.search(conversation, question, k=max(CUTS))
            measured.rankings.append(ranked(question, found))
            measured.answers.append(found)
    tell(f"{system.name}: asked in {time.perf_counter() - start:.0f} s")
    return measured


class AskedByApplications(Protocol):
    """A system that makes a context for a model."""

    async def context(self, conversation: Conversation, question: Question) -> Found:
        """Answer as an application asks: five items, within a budget of tokens."""
        ...


async def measure_context(
    system: AskedByApplications, conversations: Sequence[Conversation], measured: Measured
) -> None:
    """Ask again as applications do, which time and context are then taken from."""
    measured.answers = []
    for conversation in conversations:
        for question in conversation.questions:
            found = await system.context(conversation, question)
            measured.answers.append(found)
            measured.at_five.append(ranked(question, found))


def summary(found: Measured) -> dict[str, Any]:
    """The measures of one system as JSON."""
    tokens = [each.context_tokens for each in found.answers]
    system: dict[str, Any] = {
        "categories": by_category(found.rankings, given),
        "audited": by_category(found.rankings, audited),
        "context_tokens": round(sum(tokens) / max(1, len(tokens)), 1),
        "latency_ms": stages(found.answers),
        "build_s": round(found.build_s, 1),
        "size_bytes": found.size_bytes,
    }
    if kinds := by_kind(found.rankings, given):
        system["kinds"] = kinds
    if any(each.shown for each in found.answers):
        system["evidence_in_context"] = evidence_in_context(found)
    if found.at_five:
        system["context_tokens_max"] = max(tokens)
        system["as_applications_ask"] = {
            name: {
                metric: value
                for metric, value in group.items()
                if not metric.endswith(("@10", "@20", "@10_interval", "@20_interval"))
            }
            for name, group in by_category(found.at_five, given).items()
        }
    return system


def evidence_in_context(found: Measured) -> dict[str, float]:
    """Share of the evidence that stands in the context, as an item or beside one, by category."""
    shares: dict[str, list[float]] = {}
    for result, answer in zip(found.at_five, found.answers, strict=True):
        question = result.question
        if question.evidence:
            share = len(answer.shown & set(question.evidence)) / len(question.evidence)
            groups = ["1-4"] if question.category != ADVERSARIAL else []
            for group in (*groups, str(question.category)):
                shares.setdefault(group, []).append(share)
    return {name: round(sum(values) / len(values), 4) for name, values in sorted(shares.items())}


def stages(answers: Sequence[Found]) -> dict[str, dict[str, float]]:
    """Median and 95th percentile of each stage."""
    names = sorted({stage for each in answers for stage in each.timings_ms})
    return {
        stage: percentiles([each.timings_ms.get(stage, 0.0) for each in answers]) for stage in names
    }


def differences_to(ours: str, measured: dict[str, Measured]) -> dict[str, Any]:
    """One system's metrics less each other's, on the given evidence."""
    mine = measured[ours].rankings
    return {
        name: differences(mine, other.rankings, given)
        for name, other in measured.items()
        if name != ours
    }
