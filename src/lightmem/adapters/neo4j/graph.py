"""The port over Bolt. A read waits for nothing: no retries with pauses, short timeouts."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from lightmem.adapters.neo4j import reading, supporting
from lightmem.adapters.neo4j.driver import Bolt
from lightmem.adapters.neo4j.schema import EMBEDDING_DIM, MADE_MEANWHILE, embedding_index, schema
from lightmem.domain.concepts import concept_key, matching_first
from lightmem.errors import GraphUnavailable
from lightmem.model import Concept, Edge, EdgeSupport, Health, NameSupport

#: A tenant that is none, and names to look for: plans are kept by the length of each parameter.
NO_TENANT = "0" * 36
UNKNOWN = (["lisbon"], ["ana", "lisbon"], ["ana"] * 11)
#: Candidates asked of an index that knows no tenants.
MOST = 1_000


class Neo4jKnowledgeGraph:
    """Keeps `ports.KnowledgeGraph` in Neo4j.

    Args:
        dim: Length of the vectors that nodes are found by.
    """

    def __init__(
        self,
        url: str,
        *,
        user: str | None,
        password: str | None,
        timeout_s: float = 5.0,
        dim: int = EMBEDDING_DIM,
    ) -> None:
        self._bolt = Bolt(url, user=user, password=password, timeout_s=timeout_s)
        self._dim = dim

    async def ensure_schema(self) -> None:
        """Make the constraints and the indexes; a second call changes nothing.

        Then first searches are made: the server takes seconds to plan one, and plans it only once.
        """
        for statement in schema(self._dim):
            await self._bolt.define(statement, made_meanwhile=MADE_MEANWHILE)
        # An index that comes online makes the server plan anew.
        await self._bolt.run("CALL db.awaitIndexes(30)", {}, timeout_s=40.0)
        given: dict[str, Any] = {"tenant_id": NO_TENANT, "k": 3}
        for names in UNKNOWN:
            by_key = {**given, "keys": names, "limit": 5}
            await self._bolt.run(reading.BY_KEY, by_key, timeout_s=40.0)
            for query in (reading.BY_ID, reading.EDGES):
                await self._bolt.run(query, {**given, "ids": names}, timeout_s=40.0)
        await self._bolt.run(reading.ANY, given, timeout_s=40.0)

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
        await self._bolt.transact(
            lambda tx: supporting.replace_support(tx, tenant_id, supporter, names, edges, now=now)
        )

    async def withdraw_user(self, tenant_id: str, supporter: str) -> int:
        """See `ports.graph.GraphSupport.withdraw_user`."""
        return await self._bolt.transact(lambda tx: supporting.withdraw(tx, tenant_id, supporter))

    async def support_of(self, tenant_id: str, supporter: str) -> int:
        """See `ports.graph.GraphSupport.support_of`."""
        counted = (
            "MATCH (s:Support {tenant_id: $tenant_id, supporter: $supporter}) "
            "RETURN count(s) AS count"
        )
        found = await self._bolt.run(counted, {"tenant_id": tenant_id, "supporter": supporter})
        return int(found[0]["count"])

    async def supported_by(self, tenant_id: str, supporter: str) -> set[str]:
        """See `ports.graph.GraphSupport.supported_by`."""
        wanted = (
            "MATCH (s:Support {tenant_id: $tenant_id, supporter: $supporter}) "
            "RETURN s.element_id AS id"
        )
        found = await self._bolt.run(wanted, {"tenant_id": tenant_id, "supporter": supporter})
        return {row["id"] for row in found}

    async def supporters(self, tenant_id: str) -> dict[str, int]:
        """See `ports.graph.GraphSupport.supporters`."""
        counted = (
            "MATCH (s:Support {tenant_id: $tenant_id}) "
            "RETURN s.supporter AS supporter, count(s) AS count ORDER BY supporter"
        )
        found = await self._bolt.run(counted, {"tenant_id": tenant_id})
        return {row["supporter"]: int(row["count"]) for row in found}

    async def decay(self, *, now: datetime) -> int:
        """See `ports.graph.GraphSupport.decay`; one transaction a tenant."""
        tenants = await self._bolt.run("MATCH (t:GraphTenant) RETURN t.id AS id ORDER BY id", {})
        removed = 0
        for row in tenants:
            removed += await self._decay(row["id"], now)
        return removed

    async def _decay(self, tenant_id: str, now: datetime) -> int:
        return await self._bolt.transact(lambda tx: supporting.decay(tx, tenant_id, now=now))

    # --- vectors --------------------------------------------------------------------------

    async def without_embedding(
        self, tenant_id: str, encoder_id: str, *, limit: int
    ) -> dict[str, str]:
        """See `ports.graph.GraphEmbeddings.without_embedding`."""
        given = {"tenant_id": tenant_id, "encoder_id": encoder_id, "limit": limit}
        found = await self._bolt.run(reading.WITHOUT_EMBEDDING, given)
        return {row["id"]: row["name"] for row in found}

    async def embed(
        self, tenant_id: str, encoder_id: str, vectors: Mapping[str, Sequence[float]]
    ) -> None:
        """See `ports.graph.GraphEmbeddings.embed`."""
        given = [{"id": key, "vector": list(map(float, each))} for key, each in vectors.items()]
        parameters = {"tenant_id": tenant_id, "encoder_id": encoder_id, "vectors": given}
        await self._bolt.run(reading.EMBED, parameters)

    async def nearest(
        self,
        tenant_id: str,
        encoder_id: str,
        vector: Sequence[float],
        *,
        min_support: int,
        limit: int,
    ) -> list[tuple[Concept, float]]:
        """See `ports.graph.GraphEmbeddings.nearest`; all are compared where the index has few."""
        given = {
            "index": embedding_index(self._dim),
            "tenant_id": tenant_id,
            "encoder_id": encoder_id,
            "vector": list(map(float, vector)),
            "k": min_support,
            "most": MOST,
        }
        found = await self._bolt.run(reading.NEAREST_BY_INDEX, given)
        if len(found) < limit:
            found = await self._bolt.run(reading.NEAREST_OF_ALL, given)
        scores = {row["id"]: float(row["score"]) for row in found}
        concepts = await self.concepts(tenant_id, list(scores), min_support=min_support)
        ranked = sorted(concepts, key=lambda concept: (-scores[concept.id], concept.id))
        return [(concept, scores[concept.id]) for concept in ranked[:limit]]

    # --- what is served -------------------------------------------------------------------

    async def is_empty(self, tenant_id: str, *, min_support: int) -> bool:
        """See `ports.KnowledgeGraph.is_empty`."""
        return not await self._bolt.run(reading.ANY, {"tenant_id": tenant_id, "k": min_support})

    async def find(
        self, tenant_id: str, names: Sequence[str], *, min_support: int, limit: int
    ) -> list[Concept]:
        """See `ports.KnowledgeGraph.find`."""
        keys = sorted({concept_key(name) for name in names})
        given = {"tenant_id": tenant_id, "keys": keys, "k": min_support, "limit": limit}
        return [reading.to_concept(row) for row in await self._bolt.run(reading.BY_KEY, given)]

    async def matching(
        self, tenant_id: str, words: Sequence[str], *, min_support: int, limit: int
    ) -> list[Concept]:
        """See `ports.KnowledgeGraph.matching`."""
        given: dict[str, Any] = {"tenant_id": tenant_id, "k": min_support}
        query = reading.ALL
        if words:
            query = reading.BY_WORDS
            given |= {"query": reading.fulltext(tenant_id, words), "most": MOST}
        found = [reading.to_concept(row) for row in await self._bolt.run(query, given)]
        return matching_first(found, words)[:limit]

    async def concepts(
        self, tenant_id: str, ids: Sequence[str], *, min_support: int
    ) -> list[Concept]:
        """See `ports.KnowledgeGraph.concepts`."""
        given = {"tenant_id": tenant_id, "ids": sorted(set(ids)), "k": min_support}
        found = [reading.to_concept(row) for row in await self._bolt.run(reading.BY_ID, given)]
        place = {key: number for number, key in enumerate(ids)}
        return sorted(found, key=lambda concept: place[concept.id])

    async def edges_of(
        self, tenant_id: str, ids: Sequence[str], *, min_support: int, limit: int
    ) -> list[Edge]:
        """See `ports.KnowledgeGraph.edges_of`."""
        given = {"tenant_id": tenant_id, "ids": sorted(set(ids)), "k": min_support}
        found = await self._bolt.run(reading.EDGES, given)
        ends = [end for row in found for end in (row["source_id"], row["target_id"])]
        served = await self.concepts(tenant_id, ends, min_support=min_support)
        return reading.to_edges(found, {each.id: each.name for each in served})[:limit]

    async def check(self) -> Health:
        """Whether Neo4j answers a query."""
        try:
            await self._bolt.run("RETURN 1", {})
        except GraphUnavailable:
            return Health("graph", "down", "neo4j did not answer")
        return Health("graph", "ok")

    async def close(self) -> None:
        """Close every connection."""
        await self._bolt.close()
