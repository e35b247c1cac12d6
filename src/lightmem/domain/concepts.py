"""The rules of the long-term graph: whose support counts, when two names are one, what fades."""

import hmac
import math
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

from lightmem.domain.text import words_of
from lightmem.model import Concept, ConceptType, Edge, Relation

#: A user's support halves in weight after so long, and lapses after four times that: what nobody
#: says any more fades, and what is left of it is removed.
HALF_LIFE = timedelta(days=180)
LAPSE = 4 * HALF_LIFE
#: Fresh supporters that make a weight of one half.
HALF_WEIGHT = 3.0

_ID_BYTES = 16


def concept_key(name: str) -> str:
    """The name as it is compared: compatibility forms, case and spacing do not count.

    >>> concept_key("  Green\u00a0TEA ")
    'green tea'
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def supporter_of(secret: bytes, tenant_id: str, user_id: str) -> str:
    """Who supports, for counting alone: a keyed hash, another one in each tenant.

    Without the installation's secret nobody can tell whose it is.
    """
    return _keyed(secret, "supporter", tenant_id, user_id).hex()


def node_id(secret: bytes, tenant_id: str, type_: ConceptType, name: str) -> str:
    """The id of the node of a name: the same whoever makes it and after any rebuilding.

    It is keyed, so that it cannot be made from the name without the installation's secret, and it
    tells no time.
    """
    return _uuid(_keyed(secret, "node", tenant_id, type_, concept_key(name)))


def name_id(secret: bytes, tenant_id: str, node: str, said: str) -> str:
    """The id of a name of a node."""
    return _uuid(_keyed(secret, "name", tenant_id, node, concept_key(said)))


def edge_id(secret: bytes, tenant_id: str, source: str, relation: Relation, target: str) -> str:
    """The id of an edge; the two ends of `RelatedTo` come in order, since it has no direction."""
    if relation is Relation.RELATED_TO:
        source, target = sorted((source, target))
    return _uuid(_keyed(secret, "edge", tenant_id, source, relation, target))


def recency(age_s: float) -> float:
    """How much a user's support counts by its age, in (0, 1]; it halves every `HALF_LIFE`."""
    return float(2.0 ** (-max(age_s, 0.0) / HALF_LIFE.total_seconds()))


def weight_of(ages_s: Iterable[float]) -> float:
    """The weight of what users support, in [0, 1): each adds by his recency, ever less."""
    strength = math.fsum(recency(age) for age in ages_s)
    return strength / (strength + HALF_WEIGHT)


def lapsed_before(now: datetime) -> datetime:
    """Support given before then counts no more."""
    return now - LAPSE


def matching_first(concepts: Sequence[Concept], words: Sequence[str]) -> list[Concept]:
    """Concepts with one of the words in a name: by how many of them, then strongest first.

    No words match every concept.
    """
    wanted = frozenset(concept_key(word) for word in words)

    def found(concept: Concept) -> int:
        return max(len(wanted & words_of(name)) for name in (concept.name, *concept.aliases))

    matching = [concept for concept in concepts if not wanted or found(concept)]
    return sorted(matching, key=lambda each: (-found(each), -each.weight, each.id))


#: What a relation says of its source, before the names of its targets.
_SAYS = {
    Relation.IS_A: "a kind of",
    Relation.HAS_PROPERTY: "is",
    Relation.IMPLIES: "leads to",
    Relation.RELATED_TO: "goes with",
}


def described(edges: Sequence[Edge]) -> str:
    """What the edges of a concept say of it, in words; empty without edges.

    It is made of what is served when it is served, so that it needs no support of its own.
    """
    parts = []
    for relation, says in _SAYS.items():
        names = [edge.target_name for edge in edges if edge.relation is relation]
        if names:
            parts.append(f"{says} {', '.join(names)}")
    return "; ".join(parts)


def _keyed(secret: bytes, *parts: str) -> bytes:
    # The lengths keep ("ab", "c") and ("a", "bc") apart.
    message = b"".join(len(part.encode()).to_bytes(4) + part.encode() for part in parts)
    return hmac.new(secret, message, sha256).digest()


def _uuid(digest: bytes) -> str:
    """A UUID of version 8, which says nothing of how it was made."""
    value = int.from_bytes(digest[:_ID_BYTES])
    value &= ~(0xF << 76) & ~(0b11 << 62)
    return str(UUID(int=value | 8 << 76 | 0b10 << 62))
