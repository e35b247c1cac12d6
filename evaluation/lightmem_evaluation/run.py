"""`python -m lightmem_evaluation.run`: evidence recall of LightMem and others in one run."""

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from lightmem.adapters.onnx import open_encoder
from lightmem.settings import Settings
from lightmem_evaluation.baselines import Bm25System, DenseSystem, FusedSystem
from lightmem_evaluation.datasets import load_dataset
from lightmem_evaluation.encoding import RememberingEncoder
from lightmem_evaluation.lightmem_system import LightMemSystem, sizes_of
from lightmem_evaluation.locomo import Conversation, Repairs
from lightmem_evaluation.measuring import (
    Measured,
    differences_to,
    measure,
    measure_context,
    summary,
)
from lightmem_evaluation.metadata import data, metadata
from lightmem_evaluation.opened import opened
from lightmem_evaluation.output import write_questions, write_results
from lightmem_evaluation.recalling import CrossValidatedSystem
from lightmem_evaluation.report import print_table, say
from lightmem_evaluation.rivals import RIVALS, open_rival
from lightmem_evaluation.systems import RetrievalSystem


async def measure_all(
    conversations: Sequence[Conversation],
    folder: Path,
    *,
    rivals: Sequence[str] = (),
    rivals_python: Path | None = None,
    cross_validate: bool = False,
) -> tuple[dict[str, Measured], dict[str, Any]]:
    """Build and ask every system, one after the other; the data go into `folder`.

    Returns:
        The measures by system, and what LightMem's Writer made.
    """
    settings = Settings(data_dir=folder / "lightmem")
    async with AsyncExitStack() as stack:
        encoder = open_encoder(settings.encoder, threads=settings.cpus)
        stack.callback(encoder.close)
        bm25, dense = Bm25System(), DenseSystem(encoder)
        systems: list[RetrievalSystem] = [bm25, dense, FusedSystem(bm25, dense)]
        for name in rivals:
            assert rivals_python is not None
            await asyncio.to_thread((folder / name).mkdir, parents=True)
            given = RememberingEncoder(encoder)
            rival = open_rival(name, rivals_python, given, folder / name)
            systems.append(await stack.enter_async_context(rival))
        measured = {system.name: await measure(system, conversations, say) for system in systems}
        system = await stack.enter_async_context(opened(settings))
        lightmem = LightMemSystem(system)
        measured[lightmem.name] = await measure(lightmem, conversations, say)
        await measure_context(lightmem, conversations, measured[lightmem.name])
        if cross_validate and len(conversations) > 1:
            trained = CrossValidatedSystem(system, lightmem, folder / "rankers")
            await trained.train(conversations)
            measured[trained.name] = await measure(trained, conversations, say)
            await measure_context(trained, conversations, measured[trained.name])
        written = {
            "memories_written": lightmem.memories,
            "turn_outcomes": lightmem.outcomes,
            "bytes": sizes_of(settings.data_dir),
        }
    return measured, written


def results(
    measured: dict[str, Measured], written: dict[str, Any], repairs: Repairs
) -> dict[str, Any]:
    """The measures as they are written to the file."""
    return {
        "systems": {name: summary(found) for name, found in measured.items()},
        "differences": differences_to("lightmem", measured),
        "evidence": dict(repairs.counts),
        **written,
        **metadata(),
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--data", type=Path, required=True, help="LoCoMo's format, or .jsonl of turns and questions"
    )
    parser.add_argument("--out", type=Path, required=True, help="where the JSON goes")
    parser.add_argument(
        "--audit", type=Path, help="right evidence; else audit_*.json beside the data, if any"
    )
    parser.add_argument("--rival", action="append", choices=RIVALS, default=[])
    parser.add_argument("--rivals-python", type=Path, help="python of the rivals' environment")
    parser.add_argument(
        "--cross-validate",
        action="store_true",
        help="also ask each conversation with a ranker trained on the others",
    )
    return parser.parse_args()


def main() -> None:
    """Measure, write the results and print the table."""
    arguments = _arguments()
    repairs = Repairs()
    conversations = load_dataset(arguments.data, arguments.audit, repairs)
    with tempfile.TemporaryDirectory(prefix="lightmem-eval-") as folder:
        measured, written = asyncio.run(
            measure_all(
                conversations,
                Path(folder),
                rivals=arguments.rival,
                rivals_python=arguments.rivals_python,
                cross_validate=arguments.cross_validate,
            )
        )
    found = results(measured, written, repairs)
    found["data"] = data(arguments.data, conversations)
    write_results(arguments.out, found)
    write_questions(arguments.out, measured)
    print_table(found)


if __name__ == "__main__":
    main()
