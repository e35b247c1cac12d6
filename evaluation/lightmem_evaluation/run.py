"""`python -m lightmem_evaluation.run`: evidence recall of LightMem, BM25 and dense in one run."""

import argparse
import asyncio
import json
import os
import platform
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lightmem.adapters.onnx import open_encoder
from lightmem.client import AsyncClient
from lightmem.settings import Settings
from lightmem_evaluation.baselines import Bm25System, DenseSystem
from lightmem_evaluation.lightmem_system import LightMemSystem
from lightmem_evaluation.locomo import Conversation, Repairs, load
from lightmem_evaluation.report import print_table
from lightmem_evaluation.scoring import (
    CUTS,
    RESAMPLES,
    SEED,
    Ranked,
    by_category,
    percentiles,
    ranked,
)
from lightmem_evaluation.systems import Found, RetrievalSystem

PACKAGES = ("lightmem-slm", "onnxruntime", "qdrant-edge-py", "numpy", "snowballstemmer")


@dataclass(slots=True)
class Measured:
    """What one system did."""

    rankings: list[Ranked] = field(default_factory=list)
    latencies_ms: list[Found] = field(default_factory=list)
    build_s: float = 0.0
    at_five: list[Ranked] = field(default_factory=list)


async def measure(
    conversations: Sequence[Conversation], folder: Path
) -> tuple[dict[str, Measured], LightMemSystem]:
    """Build and ask every system, one after the other; the data go into `folder`."""
    async with AsyncExitStack() as stack:
        encoder = open_encoder("minilm", threads=_settings(folder).cpus)
        stack.callback(encoder.close)
        client = await stack.enter_async_context(AsyncClient.embedded(_settings(folder)))
        lightmem = LightMemSystem(client)
        systems: list[RetrievalSystem] = [Bm25System(), DenseSystem(encoder), lightmem]
        measured = {}
        for system in systems:
            measured[system.name] = await _measure(system, conversations)
        await _measure_context(lightmem, conversations, measured[lightmem.name])
    return measured, lightmem


def results(
    measured: dict[str, Measured], lightmem: LightMemSystem, repairs: Repairs
) -> dict[str, Any]:
    """The measures as they are written to the file."""
    systems = {name: _system(found) for name, found in measured.items()}
    return {
        "systems": systems,
        "evidence": dict(repairs.counts),
        "memories_written": lightmem.memories,
        "turn_outcomes": lightmem.outcomes,
        "bootstrap": {"resamples": RESAMPLES, "seed": SEED, "level": 0.95},
        "versions": {name: version(name) for name in PACKAGES},
        "machine": {
            "cores": os.cpu_count(),
            "architecture": platform.machine(),
            "python": platform.python_version(),
            "load_at_end": round(os.getloadavg()[0], 2),
        },
    }


def question_lines(measured: dict[str, Measured]) -> list[str]:
    """One line of JSON for each question: ids and ranks, no words."""
    lines = []
    for rankings in zip(*(found.rankings for found in measured.values()), strict=True):
        question = rankings[0].question
        entry = {
            "id": question.id,
            "category": question.category,
            "evidence": question.evidence,
            "audited": question.audited,
            "ranks": {name: result.ranks for name, result in zip(measured, rankings, strict=True)},
        }
        lines.append(json.dumps(entry, separators=(",", ":")))
    return lines


async def _measure(system: RetrievalSystem, conversations: Sequence[Conversation]) -> Measured:
    measured = Measured()
    start = time.perf_counter()
    for conversation in conversations:
        await system.build(conversation)
    measured.build_s = time.perf_counter() - start
    for conversation in conversations:
        for question in conversation.questions:
            found = await system.search(conversation, question, k=max(CUTS))
            measured.rankings.append(ranked(question, found))
            measured.latencies_ms.append(found)
    return measured


async def _measure_context(
    lightmem: LightMemSystem, conversations: Sequence[Conversation], measured: Measured
) -> None:
    measured.latencies_ms = []
    for conversation in conversations:
        for question in conversation.questions:
            found = await lightmem.context(conversation, question)
            measured.latencies_ms.append(found)
            measured.at_five.append(ranked(question, found))


def _system(found: Measured) -> dict[str, Any]:
    stages = sorted({stage for each in found.latencies_ms for stage in each.timings_ms})
    tokens = [each.context_tokens for each in found.latencies_ms]
    system: dict[str, Any] = {
        "categories": by_category(found.rankings, lambda question: question.evidence),
        "audited": by_category(found.rankings, lambda question: question.audited),
        "context_tokens": round(sum(tokens) / max(1, len(tokens)), 1),
        "latency_ms": {
            stage: percentiles([each.timings_ms.get(stage, 0.0) for each in found.latencies_ms])
            for stage in stages
        },
        "build_s": round(found.build_s, 1),
    }
    if found.at_five:
        system["context_tokens_max"] = max(tokens)
        asked = by_category(found.at_five, lambda question: question.evidence)
        system["as_applications_ask"] = {
            name: {"n": group["n"], "recall@5": group["recall@5"]} for name, group in asked.items()
        }
    return system


def _settings(folder: Path) -> Settings:
    return Settings(data_dir=folder)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a file of LoCoMo's format")
    parser.add_argument("--out", type=Path, required=True, help="where the JSON goes")
    parser.add_argument(
        "--audit", type=Path, help="right evidence; else audit_*.json beside the data, if any"
    )
    return parser.parse_args()


def _audit_beside(data: Path) -> Path | None:
    beside = data.with_name(data.name.replace("locomo_", "audit_"))
    return beside if beside != data and beside.exists() else None


def main() -> None:
    """Measure, write the results and print the table."""
    arguments = _arguments()
    repairs = Repairs()
    conversations = load(arguments.data, arguments.audit or _audit_beside(arguments.data), repairs)
    with tempfile.TemporaryDirectory(prefix="lightmem-eval-") as folder:
        measured, lightmem = asyncio.run(measure(conversations, Path(folder)))
    found = results(measured, lightmem, repairs)
    found["data"] = {
        "file": arguments.data.name,
        "conversations": len(conversations),
        "turns": sum(len(conversation.turns) for conversation in conversations),
        "questions": sum(len(conversation.questions) for conversation in conversations),
    }
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    lines = question_lines(measured)
    arguments.out.with_suffix(".questions.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    print_table(found)


if __name__ == "__main__":
    main()
