"""The port over the file: each call is one transaction of functions of a connection."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from lightmem.adapters.embedded.sqlite_graph import reading, supporting
from lightmem.adapters.embedded.sqlite_graph.file import GraphFile
from lightmem.domain.concepts import matching_first
from lightmem.errors import GraphUnavailable
from lightmem.model import Concept, Edge, EdgeSupport, Health, NameSupport


class SqliteKnowledgeGraph:
    """Keeps `ports.KnowledgeGraph` in a file that is opened on first use."""

    def __init__(self, path: Path) -> None:
        self._file = GraphFile(path)

    async def ensure_schema(self) -> None:
        """Make the file and its tables; a second call changes nothing."""
        await self._file.make_schema()

    # --- who supports what ----------------------------------------------------------------

    async def replace_support(
        self,
        tenant_id: str,
        supporter: str,
        names: Sequence[NameSupport],
        edges: Sequence[EdgeSupport],
        *,
        now: datetime,
    ) -> None:
        """See `ports.graph.GraphSupport.replace_support`."""
        await self._file.write(
            lambda connection: supporting.replace_support(
                connection, tenant_id, supporter, names, edges, now=now
            )
        )

    async def withdraw_user(self, tenant_id: str, supporter: str) -> int:
        """See `ports.graph.GraphSupport.withdraw_user`."""
        return await self._file.write(
            lambda connection: supporting.withdraw(connection, tenant_id, supporter)
        )

    async def support_of(self, tenant_id: str, supporter: str) -> int:
        """See `ports.graph.GraphSupport.support_of`."""
        return await self._file.read(
            lambda connection: len(supporting.elements_of(connection, tenant_id, supporter))
        )

    async def supported_by(self, tenant_id: str, supporter: str) -> set[str]:
        """See `ports.graph.GraphSupport.supported_by`."""
        return await self._file.read(
            lambda connection: set(supporting.elements_of(connection, tenant_id, supporter))
        )

    async def supporters(self, tenant_id: str) -> dict[str, int]:
        """See `ports.graph.GraphSupport.supporters`."""
        counted = (
            "SELECT supporter, count(*) FROM support WHERE tenant_id = ? "
            "GROUP BY supporter ORDER BY supporter"
        )
        return await self._file.read(
            lambda connection: dict(connection.execute(counted, (tenant_id,)).fetchall())
        )

    async def decay(self, *, now: datetime) -> int:
        """See `ports.graph.GraphSupport.decay`."""
        return await self._file.write(lambda connection: supporting.decay(connection, now=now))

    # --- vectors --------------------------------------------------------------------------

    async def without_embedding(
        self, tenant_id: str, encoder_id: str, *, limit: int
    ) -> dict[str, str]:
        """See `ports.graph.GraphEmbeddings.without_embedding`."""
        return await self._file.read(
            lambda connection: reading.without_embedding(
                connection, tenant_id, encoder_id, limit=limit
            )
        )

    async def embed(
        self, tenant_id: str, encoder_id: str, vectors: Mapping[str, Sequence[float]]
    ) -> None:
        """See `ports.graph.GraphEmbeddings.embed`."""
        await self._file.write(
            lambda connection: reading.embed(connection, tenant_id, encoder_id, vectors)
        )

    async def nearest(
        self,
        tenant_id: str,
        encoder_id: str,
        vector: Sequence[float],
        *,
        min_support: int,
        limit: int,
    ) -> list[tuple[Concept, float]]:
        """See `ports.graph.GraphEmbeddings.nearest`."""
        return await self._file.read(
            lambda connection: reading.nearest(
                connection, tenant_id, encoder_id, vector, k=min_support, limit=limit
            )
        )

    # --- what is served -------------------------------------------------------------------

    async def is_empty(self, tenant_id: str, *, min_support: int) -> bool:
        """See `ports.KnowledgeGraph.is_empty`."""
        return await self._file.read(
            lambda connection: reading.is_empty(connection, tenant_id, k=min_support)
        )

    async def find(
        self, tenant_id: str, names: Sequence[str], *, min_support: int, limit: int
    ) -> list[Concept]:
        """See `ports.KnowledgeGraph.find`."""
        return await self._file.read(
            lambda connection: reading.named(
                connection, tenant_id, names, k=min_support, limit=limit
            )
        )

    async def matching(
        self, tenant_id: str, words: Sequence[str], *, min_support: int, limit: int
    ) -> list[Concept]:
        """See `ports.KnowledgeGraph.matching`."""
        found = await self._file.read(
            lambda connection: reading.served(connection, tenant_id, k=min_support)
        )
        return matching_first(found, words)[:limit]

    async def concepts(
        self, tenant_id: str, ids: Sequence[str], *, min_support: int
    ) -> list[Concept]:
        """See `ports.KnowledgeGraph.concepts`."""
        found = await self._file.read(
            lambda connection: reading.served(connection, tenant_id, k=min_support, ids=ids)
        )
        place = {key: number for number, key in enumerate(ids)}
        return sorted(found, key=lambda concept: place[concept.id])

    async def edges_of(
        self, tenant_id: str, ids: Sequence[str], *, min_support: int, limit: int
    ) -> list[Edge]:
        """See `ports.KnowledgeGraph.edges_of`."""
        return await self._file.read(
            lambda connection: reading.edges_of(
                connection, tenant_id, ids, k=min_support, limit=limit
            )
        )

    async def check(self) -> Health:
        """Whether the file can be read."""
        try:
            await self._file.read(
                lambda connection: connection.execute("SELECT 1 FROM node LIMIT 1").fetchall()
            )
        except GraphUnavailable:
            return Health("graph", "down", "the graph file cannot be used")
        return Health("graph", "ok")

    async def close(self) -> None:
        """Close the file; a later call would open it again."""
        await self._file.close()
