"""`python -m lightmem_evaluation.closings`: which memories does the Writer close in real talk?

Friends who talk for a year change few things and say the same things often, so what is closed
there has to be read: each is printed with what took its place. Only counts are written to a file.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lightmem.client import Memory
from lightmem.model import MemoryStatus
from lightmem.settings import Settings
from lightmem_evaluation.datasets import load_dataset
from lightmem_evaluation.lightmem_system import LightMemSystem
from lightmem_evaluation.locomo import Conversation, Repairs
from lightmem_evaluation.metadata import data, metadata
from lightmem_evaluation.opened import Opened, opened
from lightmem_evaluation.output import write_results
from lightmem_evaluation.report import console, say

_PAGE = 200


@dataclass(frozen=True, slots=True)
class Closed:
    """A memory that was closed, and what took its place."""

    older: str
    newer: str


async def closings(settings: Settings, conversations: Sequence[Conversation]) -> dict[str, Any]:
    """What is closed of how many, in a fresh system that learns all conversations."""
    found: list[Closed] = []
    stored = 0
    with tempfile.TemporaryDirectory(prefix="lightmem-closings-") as folder:
        # A dream closes what it joins; here only what is said later counts.
        own = settings.model_copy(update={"data_dir": Path(folder), "dreams": "off"})
        async with opened(own) as system:
            lightmem = LightMemSystem(system)
            for conversation in conversations:
                await lightmem.build(conversation)
                memories = await _all(system, conversation.id)
                stored += len(memories)
                found += _closed(memories)
                say(f"{conversation.id}: learnt")
    return {"memories": stored, "closed": len(found), "pairs": found}


async def _all(system: Opened, user_id: str) -> list[Memory]:
    memories: list[Memory] = []
    for status in (MemoryStatus.ACTIVE, MemoryStatus.SUPERSEDED):
        cursor: str | None = None
        while True:
            page = await system.client.memories(user_id, status=status, limit=_PAGE, cursor=cursor)
            memories += page.items
            cursor = page.next_cursor
            if cursor is None:
                break
    return memories


def _closed(memories: Sequence[Memory]) -> list[Closed]:
    by_id = {memory.id: memory for memory in memories}
    return [
        Closed(memory.text, by_id[memory.superseded_by].text if memory.superseded_by else "")
        for memory in memories
        if memory.status is MemoryStatus.SUPERSEDED
    ]


def main() -> None:
    """Measure by rules alone and with the model, print what is closed, write the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="conversations")
    parser.add_argument("--out", type=Path, required=True, help="where the JSON goes")
    arguments = parser.parse_args()
    conversations = load_dataset(arguments.data, None, Repairs())
    counts: dict[str, Any] = {}
    told: set[Closed] = set()
    for name, settings in (("rules", Settings(changes="off")), ("rules and model", Settings())):
        found = asyncio.run(closings(settings, conversations))
        for pair in found.pop("pairs"):
            if pair not in told:
                console().print(f"[{name}] {pair.older}\n    → {pair.newer}", markup=False)
            told.add(pair)
        counts[name] = found
    console().print(counts)
    write_results(
        arguments.out,
        {"systems": counts, "data": data(arguments.data, conversations), **metadata()},
    )


if __name__ == "__main__":
    main()
