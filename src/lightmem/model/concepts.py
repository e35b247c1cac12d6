"""Long-term memory: what a tenant's users share, and what one user adds to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lightmem.model.memories import Memory


class ConceptType(StrEnum):
    """What a node of the graph is: a thing that has a public name, or a notion."""

    ENTITY = "Entity"
    CONCEPT = "Concept"


class Relation(StrEnum):
    """How two nodes hang together."""

    IS_A = "IsA"
    HAS_PROPERTY = "HasProperty"
    RELATED_TO = "RelatedTo"
    IMPLIES = "Implies"


@dataclass(frozen=True, slots=True)
class Term:
    """An end of a claim: the node it means, and the words that were said for it.

    The two differ where the words were linked to a node of another name.
    """

    type: ConceptType
    name: str
    said: str

    @property
    def is_exact(self) -> bool:
        """Whether the node's own name was said."""
        return self.name == self.said


@dataclass(frozen=True, slots=True)
class Claim:
    """What a user's memories say in general, without a word about him: it supports the graph."""

    subject: Term
    relation: Relation
    target: Term


@dataclass(frozen=True, slots=True)
class SuggestedClaim:
    """A claim as a model suggests it, in words of its own choice: nothing about it is believed."""

    memories: Sequence[Memory]
    subject: str
    relation: Relation
    target: str


@dataclass(frozen=True, slots=True)
class Promotion:
    """A claim of one user, as the ledger keeps it. `at` is when his dream promoted it."""

    id: str
    dream_id: str
    step_id: str
    claim: Claim
    at: datetime


@dataclass(frozen=True, slots=True)
class NameSupport:
    """A user's support for a name of a node. `at` is when he last gave it."""

    id: str
    node_id: str
    type: ConceptType
    name: str
    at: datetime


@dataclass(frozen=True, slots=True)
class EdgeSupport:
    """A user's support for an edge; it counts where he said the names of both its ends."""

    id: str
    source_id: str
    relation: Relation
    target_id: str
    at: datetime
    is_exact: bool = True


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge that is served: enough users support it, and both its ends."""

    source_id: str
    relation: Relation
    target_id: str
    target_name: str
    weight: float
    support: int
    source_name: str = ""


@dataclass(frozen=True, slots=True)
class Concept:
    """A node of the graph as it is served. `support` counts distinct users.

    `name` is the name that most users give it, `aliases` are others that enough users give it.
    `description` says in words what its edges say.
    """

    id: str
    type: ConceptType
    name: str
    support: int
    weight: float
    aliases: Sequence[str] = ()
    edges: Sequence[Edge] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class Reached:
    """A concept that was reached from others: over how many edges, and how strongly, in (0, 1]."""

    concept: Concept
    depth: int
    strength: float
