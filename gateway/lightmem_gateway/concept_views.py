"""Answers about long-term memory: values of the domain as JSON."""

from lightmem.model import Concept, Edge, Reached
from lightmem_gateway.views import View


class EdgeView(View):
    """How a concept hangs together with another; `support` counts distinct users."""

    relation: str
    target_id: str
    target_name: str
    weight: float
    support: int

    @classmethod
    def of(cls, edge: Edge) -> "EdgeView":
        """The view of an edge."""
        return cls(
            relation=edge.relation,
            target_id=edge.target_id,
            target_name=edge.target_name,
            weight=edge.weight,
            support=edge.support,
        )


class ConceptView(View):
    """Something that enough users of the tenant say; `support` counts distinct users."""

    id: str
    type: str
    name: str
    description: str
    support: int
    weight: float
    edges: list[EdgeView]

    @classmethod
    def of(cls, concept: Concept) -> "ConceptView":
        """The view of a concept."""
        return cls(
            id=concept.id,
            type=concept.type,
            name=concept.name,
            description=concept.description,
            support=concept.support,
            weight=concept.weight,
            edges=[EdgeView.of(edge) for edge in concept.edges],
        )


class NeighbourView(ConceptView):
    """A concept of a neighbourhood: over how many edges it was reached, and how strongly."""

    depth: int
    strength: float

    @classmethod
    def reached(cls, found: Reached) -> "NeighbourView":
        """The view of a concept that was reached."""
        plain = ConceptView.of(found.concept)
        return cls(
            **{name: getattr(plain, name) for name in ConceptView.model_fields},
            depth=found.depth,
            strength=found.strength,
        )
