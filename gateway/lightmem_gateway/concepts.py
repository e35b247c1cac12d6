"""Long-term memory over HTTP: what a tenant's users share, and nothing that too few support."""

from collections.abc import Sequence

from lightmem.domain.text import words_of
from lightmem.errors import InvalidInput, NotFound, Unavailable
from lightmem.knowledge import Anonymity, around, with_edges
from lightmem.model import Concept, Page, Reached
from lightmem.ports import Encoder, KnowledgeGraph
from lightmem_gateway.paging import number_of, numbered

#: Cosine from which a concept that shares no word with what is looked for is shown too.
NEAR = 0.6
#: Concepts that a list goes through at most.
MOST = 2_000
#: Edges that are shown of each concept in a list, on average; all of a concept by itself.
EDGES_EACH, EDGES_OF_ONE = 20, 1_000
MAX_NEIGHBOURS = 200


class Concepts:
    """Lists, reads and walks what is served.

    Args:
        anonymity: How many users of a tenant must support what is served.
    """

    def __init__(self, graph: KnowledgeGraph, encoder: Encoder, anonymity: Anonymity) -> None:
        self._graph = graph
        self._encoder = encoder
        self._anonymity = anonymity

    async def search(
        self, tenant_id: str, query: str | None, *, limit: int, cursor: str | None
    ) -> Page[Concept]:
        """A page of the concepts, strongest first; with a query, those that fit it best first."""
        k = await self._anonymity(tenant_id)
        start = number_of("concepts", cursor) or 0
        if start >= MOST:
            raise InvalidInput.of("cursor", "is not a cursor of this list")
        wanted = min(start + limit + 1, MOST)
        found = await self._found(tenant_id, query, k=k, limit=wanted)
        page = await with_edges(
            self._graph,
            tenant_id,
            found[start : start + limit],
            min_support=k,
            limit=EDGES_EACH * limit,
        )
        more = len(found) > start + limit
        return Page(page, numbered("concepts", start + limit) if more else None)

    async def get(self, tenant_id: str, concept_id: str) -> Concept:
        """A concept with its edges.

        Raises:
            NotFound: there is none, or too few support it: the same answer for both.
        """
        k = await self._anonymity(tenant_id)
        seeds = await self._one(tenant_id, concept_id, k)
        found = await with_edges(self._graph, tenant_id, seeds, min_support=k, limit=EDGES_OF_ONE)
        return found[0]

    async def neighbourhood(self, tenant_id: str, concept_id: str, *, depth: int) -> list[Reached]:
        """The concept and what is around it, strongest first.

        Raises:
            NotFound: as `get` does.
        """
        k = await self._anonymity(tenant_id)
        seeds = await self._one(tenant_id, concept_id, k)
        return await around(
            self._graph, tenant_id, seeds, depth=depth, min_support=k, limit=MAX_NEIGHBOURS
        )

    async def _one(self, tenant_id: str, concept_id: str, k: int) -> list[Concept]:
        found = await self._graph.concepts(tenant_id, [concept_id], min_support=k)
        if not found:
            raise NotFound(f"no concept {concept_id!r}", concept_id=concept_id)
        return found

    async def _found(
        self, tenant_id: str, query: str | None, *, k: int, limit: int
    ) -> list[Concept]:
        words = sorted(words_of(query)) if query else []
        if query and not words:
            return []
        found = await self._graph.matching(tenant_id, words, min_support=k, limit=limit)
        if query and len(found) < limit:
            known = {concept.id for concept in found}
            near = await self._near(tenant_id, query, k=k, limit=limit)
            found += [concept for concept in near if concept.id not in known]
        return found[:limit]

    async def _near(self, tenant_id: str, query: str, *, k: int, limit: int) -> Sequence[Concept]:
        """Concepts of a similar meaning; none while nothing can be encoded."""
        try:
            [vector] = await self._encoder.encode([query])
        except Unavailable:
            return []
        found = await self._graph.nearest(
            tenant_id, self._encoder.encoder_id, vector.tolist(), min_support=k, limit=limit
        )
        return [concept for concept, score in found if score >= NEAR]
