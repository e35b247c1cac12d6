"""Long-term memory: its answers, its calls, and the methods of both clients."""

from lightmem.client.answers import Answer, Page
from lightmem.client.calls import Call, params_of, part_of
from lightmem.client.sending import AsyncSends, Sends
from lightmem.model import ConceptType, Relation

# --- answers ---------------------------------------------------------------------------------


class ConceptEdge(Answer):
    """How a concept hangs together with another; `support` counts distinct users."""

    relation: Relation
    target_id: str
    target_name: str = ""
    weight: float
    support: int


class Concept(Answer):
    """Something that enough users of the tenant say; `support` counts distinct users."""

    id: str
    type: ConceptType
    name: str
    description: str = ""
    support: int
    weight: float
    edges: tuple[ConceptEdge, ...] = ()


class Neighbour(Concept):
    """A concept of a neighbourhood: over how many edges it was reached, and how strongly."""

    depth: int
    strength: float


# --- calls -----------------------------------------------------------------------------------


def concepts(*, query: str | None, limit: int, cursor: str | None) -> Call[Page[Concept]]:
    """List concepts, strongest first, or what fits a query."""
    params = params_of(query=query, limit=limit, cursor=cursor)
    return Call("GET", "/v1/concepts", Page[Concept].model_validate, params=params)


def concept(concept_id: str) -> Call[Concept]:
    """Read a concept."""
    return Call("GET", f"/v1/concepts/{part_of(concept_id)}", Concept.model_validate)


def neighbourhood(concept_id: str, *, depth: int) -> Call[Page[Neighbour]]:
    """Read what is around a concept."""
    path = f"/v1/concepts/{part_of(concept_id)}/neighbourhood"
    params = params_of(depth=depth)
    return Call("GET", path, Page[Neighbour].model_validate, params=params)


# --- clients ---------------------------------------------------------------------------------


class AsyncConcepts:
    """What an asyncio client does with what users share."""

    async def concepts(
        self: AsyncSends,
        query: str | None = None,
        *,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Concept]:
        """What enough users of the tenant say, strongest first, or what fits a query."""
        return await self.send(concepts(query=query, limit=limit, cursor=cursor))

    async def concept(self: AsyncSends, concept_id: str) -> Concept:
        """A concept by its id, with its edges."""
        return await self.send(concept(concept_id))

    async def neighbourhood(
        self: AsyncSends, concept_id: str, *, depth: int = 1
    ) -> Page[Neighbour]:
        """A concept and what is around it over one edge or two, strongest first."""
        return await self.send(neighbourhood(concept_id, depth=depth))


class Concepts:
    """What a client does with what users share."""

    def concepts(
        self: Sends, query: str | None = None, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Concept]:
        """What enough users of the tenant say, strongest first, or what fits a query."""
        return self.send(concepts(query=query, limit=limit, cursor=cursor))

    def concept(self: Sends, concept_id: str) -> Concept:
        """A concept by its id, with its edges."""
        return self.send(concept(concept_id))

    def neighbourhood(self: Sends, concept_id: str, *, depth: int = 1) -> Page[Neighbour]:
        """A concept and what is around it over one edge or two, strongest first."""
        return self.send(neighbourhood(concept_id, depth=depth))
