"""The long-term graph in Neo4j, through its own async driver over Bolt.

A read waits for nothing: no retries with pauses, short timeouts. A connection that the server
has dropped meanwhile fails at once and is tried a second time on a fresh one.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from neo4j import AsyncDriver, AsyncGraphDatabase
from neo4j.exceptions import (
    AuthError,
    ClientError,
    DatabaseError,
    DriverError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from lightmem.domain.concepts import concept_key
from lightmem.errors import GraphUnavailable
from lightmem.model import Concept, Health

#: Dimensions of the vectors that concepts will be found by: those of the default encoder.
EMBEDDING_DIM = 384
CONNECT_TIMEOUT_S = 1.0

MADE_MEANWHILE = {
    f"Neo.ClientError.Schema.{what}AlreadyExists"
    for what in ("EquivalentSchemaRule", "Index", "Constraint")
}

SCHEMA = (
    # MERGE alone can race into two nodes; the uniqueness constraint makes it safe.
    "CREATE CONSTRAINT concept_identity IF NOT EXISTS "
    "FOR (c:Concept) REQUIRE (c.tenant_id, c.id) IS UNIQUE",
    "CREATE INDEX concept_key IF NOT EXISTS FOR (c:Concept) ON (c.tenant_id, c.key)",
    "CREATE FULLTEXT INDEX concept_text IF NOT EXISTS "
    "FOR (c:Concept) ON EACH [c.name, c.description]",
    "CREATE VECTOR INDEX concept_embedding IF NOT EXISTS FOR (c:Concept) ON (c.embedding) "
    "OPTIONS {indexConfig: {"
    f"`vector.dimensions`: {EMBEDDING_DIM}, `vector.similarity_function`: 'cosine'}}}}",
)

FIND = """
MATCH (c:Concept)
WHERE c.tenant_id = $tenant_id AND c.key IN $keys AND c.support >= $min_support
RETURN c.id AS id, c.type AS type, c.name AS name, c.description AS description,
       c.support AS support, c.weight AS weight
ORDER BY weight DESC, id LIMIT $limit
"""

#: A tenant that is none, and names to look for: plans are kept by the length of each parameter.
NO_TENANT = "0" * 36
UNKNOWN = (["lisbon"], ["ana", "lisbon"], ["ana"] * 11)

UPSERT = """
UNWIND $concepts AS concept
MERGE (c:Concept {tenant_id: $tenant_id, id: concept.id})
SET c += concept
"""


@contextmanager
def neo4j_errors() -> Iterator[None]:
    """The driver's errors as ours; a query that is wrong in itself stays what it is."""
    try:
        yield
    except (DriverError, TransientError, DatabaseError, AuthError, OSError, TimeoutError) as exc:
        raise GraphUnavailable("Neo4j did not answer") from exc


class Neo4jKnowledgeGraph:
    """Concepts as nodes `(:Concept)`, unique by tenant and id."""

    def __init__(
        self, url: str, *, user: str | None, password: str | None, timeout_s: float = 5.0
    ) -> None:
        self._driver: AsyncDriver = AsyncGraphDatabase.driver(
            url,
            auth=(user, password or "") if user else None,
            connection_timeout=CONNECT_TIMEOUT_S,
            connection_acquisition_timeout=timeout_s,
            keep_alive=True,
            notifications_min_severity="OFF",
            user_agent="lightmem",
        )
        self._timeout_s = timeout_s

    async def ensure_schema(self) -> None:
        """Make the constraint and the indexes; a second call changes nothing.

        Then first searches are made: the server takes seconds to plan one, and plans it only once.
        """
        for statement in SCHEMA:
            try:
                await self._run(statement, {}, timeout_s=30.0)
            except ClientError as exc:
                # IF NOT EXISTS does not hold against another process that makes it right now.
                if exc.code not in MADE_MEANWHILE:
                    raise
        # An index that comes online makes the server plan anew.
        await self._run("CALL db.awaitIndexes(30)", {}, timeout_s=40.0)
        for names in UNKNOWN:
            parameters = {"tenant_id": NO_TENANT, "keys": names, "min_support": 3, "limit": 5}
            await self._run(FIND, parameters, timeout_s=40.0)

    async def find(
        self, tenant_id: str, names: Sequence[str], *, min_support: int, limit: int
    ) -> list[Concept]:
        """See `ports.KnowledgeGraph.find`."""
        keys = sorted({concept_key(name) for name in names})
        parameters = {
            "tenant_id": tenant_id,
            "keys": keys,
            "min_support": min_support,
            "limit": limit,
        }
        return [Concept(**row) for row in await self._run(FIND, parameters)]

    async def upsert_concepts(self, tenant_id: str, concepts: Sequence[Concept]) -> None:
        """See `ports.KnowledgeGraph.upsert_concepts`."""
        rows = [{**asdict(concept), "key": concept_key(concept.name)} for concept in concepts]
        await self._run(UPSERT, {"tenant_id": tenant_id, "concepts": rows})

    async def check(self) -> Health:
        """Whether Neo4j answers a query."""
        try:
            await self._run("RETURN 1", {})
        except GraphUnavailable:
            return Health("graph", "down", "neo4j did not answer")
        return Health("graph", "ok")

    async def close(self) -> None:
        """Close every connection."""
        await self._driver.close()

    async def _run(
        self, query: str, parameters: Mapping[str, Any], *, timeout_s: float | None = None
    ) -> list[dict[str, Any]]:
        """Run one idempotent statement; a second time when its connection had gone stale."""
        with neo4j_errors():
            async with asyncio.timeout(timeout_s or self._timeout_s):
                try:
                    return await self._once(query, parameters)
                except (ServiceUnavailable, SessionExpired):
                    return await self._once(query, parameters)

    async def _once(self, query: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        async with self._driver.session() as session:
            result = await session.run(query, dict(parameters))
            return [record.data() async for record in result]
