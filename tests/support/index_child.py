"""A process that fills an edge index and waits to be killed: `python -m support.index_child DIR N`.

It prints one line after each point that `upsert` has returned for.
"""

import asyncio
import sys
from pathlib import Path

from lightmem.adapters.embedded.qdrant_edge import QdrantEdgeIndex
from support.indexes import ENCODER, Said, points_of


async def main() -> None:
    """Put N points one by one, say so, and wait."""
    index = QdrantEdgeIndex(Path(sys.argv[1]))
    await index.open(ENCODER.encoder_id, ENCODER.dim, ENCODER.token_dim)
    for number in range(int(sys.argv[2])):
        await index.upsert("acme", "u1", points_of(Said(id=str(number), text=f"tea {number}")))
        print(number, flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
