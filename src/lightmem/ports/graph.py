"""The long-term graph of a tenant: who supports what, and what of it may be served."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from lightmem.model import Concept, Edge, EdgeSupport, Health, NameSupport


class GraphSupport(Protocol):
    """What users add to the graph, and how it is taken back. Each call is one transaction."""

    async def replace_support(
        self,
        tenant_id: str,
        supporter: str,
        names: Sequence[NameSupport],
        edges: Sequence[EdgeSupport],
        *,
        now: datetime,
    ) -> None:
        """Let exactly this be what the supporter supports; what nobody supports then is gone.

        Idempotent. Support older than `domain.concepts.LAPSE` is left out. The ends of the edges
        must be among the nodes of the names.
        """
        ...

    async def withdraw_user(self, tenant_id: str, supporter: str) -> int:
        """Take all support of a user away; returns how many elements he supported.

        `supporter` is `domain.concepts.supporter_of` of the user. What nobody else supports is
        removed with it.
        """
        ...

    async def support_of(self, tenant_id: str, supporter: str) -> int:
        """How many nodes, names and edges the user supports."""
        ...

    async def supported_by(self, tenant_id: str, supporter: str) -> set[str]:
        """The ids of the nodes, names and edges that the user supports."""
        ...

    async def supporters(self, tenant_id: str) -> dict[str, int]:
        """Everyone who supports something, and how many elements."""
        ...

    async def decay(self, *, now: datetime) -> int:
        """Weigh everything anew as of `now`, in every tenant, and let old support lapse.

        Returns how many nodes and edges were removed, since nobody supports them any more.
        """
        ...


class GraphEmbeddings(Protocol):
    """Vectors of nodes, each by the encoder that made it."""

    async def without_embedding(
        self, tenant_id: str, encoder_id: str, *, limit: int
    ) -> dict[str, str]:
        """Nodes that this encoder did not encode yet, by id: the name to encode."""
        ...

    async def embed(
        self, tenant_id: str, encoder_id: str, vectors: Mapping[str, Sequence[float]]
    ) -> None:
        """Store vectors by the id of their node; a node that is gone stays gone."""
        ...

    async def nearest(
        self,
        tenant_id: str,
        encoder_id: str,
        vector: Sequence[float],
        *,
        min_support: int,
        limit: int,
    ) -> list[tuple[Concept, float]]:
        """The served concepts nearest to a unit vector, with their cosine, best first."""
        ...


class KnowledgeGraph(GraphSupport, GraphEmbeddings, Protocol):
    """Long-term memory: the tenant's shared, de-identified graph.

    Nothing under `min_support` distinct users is served, at any depth: a node needs as many, and
    a name that so many gave it; an edge needs as many, and both its ends to be served. Names
    compare by `domain.concepts.concept_key`. Equal weights are ordered by id.
    """

    async def ensure_schema(self) -> None: ...

    async def is_empty(self, tenant_id: str, *, min_support: int) -> bool:
        """Whether nothing of the tenant is served."""
        ...

    async def find(
        self, tenant_id: str, names: Sequence[str], *, min_support: int, limit: int
    ) -> list[Concept]:
        """Concepts with one of these names, strongest first, without their edges."""
        ...

    async def matching(
        self, tenant_id: str, words: Sequence[str], *, min_support: int, limit: int
    ) -> list[Concept]:
        """Concepts with one of these words in a name, by how many of them, then strongest first.

        No words match every concept.
        """
        ...

    async def concepts(
        self, tenant_id: str, ids: Sequence[str], *, min_support: int
    ) -> list[Concept]:
        """Those of the concepts that are served, without their edges, in the order asked for."""
        ...

    async def edges_of(
        self, tenant_id: str, ids: Sequence[str], *, min_support: int, limit: int
    ) -> list[Edge]:
        """Edges at any of these concepts, strongest first, each once."""
        ...

    async def check(self) -> Health: ...

    async def close(self) -> None: ...
