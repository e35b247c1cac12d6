"""What the bench measures: LightMem in this process, or as services with the real servers.

No Writer runs in either: its load is no part of what a recall or an accepted write costs.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from lightmem.adapters.onnx import open_encoder
from lightmem.client import AsyncClient
from lightmem.ports import Encoder, MemoryIndex
from lightmem.settings import Settings
from lightmem_evaluation.opened import bare_search_ms, opened

EMBEDDED, DISTRIBUTED = "embedded", "distributed"
MODES = (EMBEDDED, DISTRIBUTED)
#: A call of no more turns is indexed before it is answered, by the gateway itself.
TURNS_INDEXED_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Target:
    """A running system, and the parts of it that a bare search needs.

    `turns_per_call` is how many turns are written at a time when memory is filled.
    """

    mode: str
    client: AsyncClient
    tenant_id: str
    encoder: Encoder
    index: MemoryIndex
    turns_per_call: int

    async def bare_ms(self, user_id: str, query: str) -> float:
        """What any vector store costs, over the same stores."""
        return await bare_search_ms(self.encoder, self.index, self.tenant_id, user_id, query)


@asynccontextmanager
async def open_target(mode: str, folder: Path) -> AsyncIterator[Target]:
    """The system of a mode, embedded with its data in `folder`."""
    if mode == DISTRIBUTED:
        async with _distributed() as target:
            yield target
        return
    async with opened(Settings(data_dir=folder, worker_threads=0)) as system:
        services = system.services
        yield Target(mode, system.client, system.tenant_id, services.encoder, services.index, 200)


@asynccontextmanager
async def _distributed() -> AsyncIterator[Target]:
    """Every service in a process of its own; the write workers are stopped again."""
    # Of this repository's scripts, which are not installed.
    from local_system.services import REPOSITORY, installation_keys  # noqa: PLC0415
    from local_system.stack import Stack  # noqa: PLC0415
    from local_system.state import RunFolder  # noqa: PLC0415

    run = RunFolder(REPOSITORY / ".lightmem" / "bench")
    with run.locked():
        stack = Stack(run)
        try:
            await asyncio.to_thread(stack.start)
            for part in ("relay", "worker", "writer", "ollama"):
                await asyncio.to_thread(stack.stop_part, part)
            keys = installation_keys(run)
            settings = Settings(index_url=stack.urls()["qdrant"])
            async with (
                _finding(settings) as (encoder, index),
                AsyncClient(stack.url, keys["tenant_key"]) as client,
            ):
                yield Target(
                    DISTRIBUTED, client, keys["tenant_id"], encoder, index, TURNS_INDEXED_AT_ONCE
                )
        finally:
            await asyncio.to_thread(stack.stop)
            await asyncio.to_thread(stack.remove)


@asynccontextmanager
async def _finding(settings: Settings) -> AsyncIterator[tuple[Encoder, MemoryIndex]]:
    """An encoder of our own and the services' index."""
    from lightmem.adapters.qdrant import QdrantIndex  # noqa: PLC0415  (a driver)

    encoder = open_encoder(settings.encoder, threads=settings.cpus)
    index = QdrantIndex(settings.index_url, api_key=settings.index_api_key)
    try:
        await index.open(encoder.encoder_id, encoder.dim, encoder.token_dim)
        yield encoder, index
    finally:
        await index.close()
        encoder.close()
