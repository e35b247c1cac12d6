"""LightMem opened in this process: its services, and a client of its HTTP routes over them."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

from lightmem.bootstrap import Services
from lightmem.client import AsyncClient
from lightmem.installation import open_installation
from lightmem.model import RecallFilters, View, ViewQuery
from lightmem.ports import Encoder, MemoryIndex
from lightmem.settings import Settings
from lightmem.warming import spare_the_collector

POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class Opened:
    """The embedded system and who asks it."""

    services: Services
    client: AsyncClient
    tenant_id: str

    async def settle(self) -> None:
        """Wait until the outbox is empty: everything is indexed, memories too."""
        while True:
            if not any((await self.services.ledger.pending_jobs()).values()):
                return
            await asyncio.sleep(POLL_S)


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Opened]:
    """Open the embedded system; its worker runs unless the settings leave it out."""
    from lightmem_gateway.app import create_app  # noqa: PLC0415  (keeps importing light)

    async with open_installation(settings) as (services, keys):
        app = create_app(services)
        transport = httpx.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            AsyncClient("http://measured", keys.tenant_key, transport=transport) as client,
        ):
            # As `lightmem serve` does.
            spare_the_collector()
            yield Opened(services, client, keys.tenant_id)


async def bare_search_ms(
    encoder: Encoder, index: MemoryIndex, tenant_id: str, user_id: str, query: str
) -> float:
    """What any vector store costs: encode the query, search once."""
    start = time.perf_counter()
    [vector] = await encoder.encode([query])
    search = ViewQuery(View.DENSE, vector.tolist(), limit=5)
    await index.search(tenant_id, user_id, [search], filters=RecallFilters())
    return (time.perf_counter() - start) * 1000
