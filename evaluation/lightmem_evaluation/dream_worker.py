"""A process that dreams: `python -m lightmem_evaluation.dream_worker LEDGER_URL [MODEL_URL NAME]`.

It says `ready`, waits for a line, does DREAM jobs until there are none, and says how many it did.
Its index is empty: what is dreamt over is new, so that it is compared with itself.
"""

import asyncio
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

from lightmem.adapters.embedded.qdrant_edge import QdrantEdgeIndex
from lightmem.adapters.ledger import open_ledger
from lightmem.adapters.ollama import OllamaLanguageModel
from lightmem.adapters.onnx import open_encoder
from lightmem.domain.clock import SystemClock
from lightmem.model import JobKind
from lightmem.settings import Settings
from lightmem_consolidator import DreamLimits, DreamMemories, FindNear, ProposeSteps

LEASE_S = 300.0


async def dream_all(ledger_url: str, model_url: str | None, name: str) -> int:
    """Do the jobs there are, as soon as it is told to begin; how many it did."""
    async with AsyncExitStack() as stack:
        ledger = open_ledger(ledger_url, clock=SystemClock(), busy_timeout_s=60.0)
        stack.push_async_callback(ledger.close)
        encoder = open_encoder(Settings().encoder, threads=1)
        stack.callback(encoder.close)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        index = QdrantEdgeIndex(folder / "index")
        await index.open(encoder.encoder_id, encoder.dim, encoder.token_dim)
        stack.push_async_callback(index.close)
        model = None
        if model_url:
            model = OllamaLanguageModel(model_url, name)
            stack.push_async_callback(model.close)
        dream = DreamMemories(
            ledger=ledger,
            near=FindNear(index=index, encoder=encoder),
            propose=ProposeSteps(model, count_tokens=lambda text: len(text.split())),
            limits=DreamLimits(),
        )
        await encoder.encode(["warm"])
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        done = 0
        while jobs := await ledger.lease_jobs([JobKind.DREAM], limit=1, lease_s=LEASE_S):
            await dream.run(jobs[0])
            done += 1
        return done


def main() -> None:
    """Dream as the arguments say."""
    ledger_url, *model = sys.argv[1:]
    url, name = model or ("", "")
    print(asyncio.run(dream_all(ledger_url, url or None, name)), flush=True)


if __name__ == "__main__":
    main()
