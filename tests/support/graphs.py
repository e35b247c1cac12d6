"""What users support in a graph, written as triples, for tests."""

from collections.abc import Sequence
from datetime import datetime

from lightmem.domain.concepts import node_id, supporter_of
from lightmem.domain.supporting import support_from
from lightmem.model import (
    Claim,
    ConceptType,
    Promotion,
    Relation,
    Term,
)
from lightmem.ports import KnowledgeGraph
from support.indexes import NOON

SECRET = b"a secret of tests"
IS_A, HAS, RELATED, IMPLIES = tuple(Relation)

Triple = tuple[str, Relation, str]


def term(name: str, *, said: str | None = None, type_: ConceptType = ConceptType.CONCEPT) -> Term:
    """A concept, by its own name unless another was said."""
    return Term(type_, name, said or name)


def claim(subject: str | Term, relation: Relation, target: str | Term) -> Claim:
    """A claim of terms, or of the names of concepts."""
    ends = [each if isinstance(each, Term) else term(each) for each in (subject, target)]
    return Claim(ends[0], relation, ends[1])


def promotions(*claims: Claim, at: datetime = NOON, dream_id: str = "d1") -> list[Promotion]:
    """The claims as the ledger keeps them."""
    return [Promotion(f"p{number}", dream_id, "s1", each, at) for number, each in enumerate(claims)]


def id_of(tenant_id: str, name: str, type_: ConceptType = ConceptType.CONCEPT) -> str:
    """The id of a node."""
    return node_id(SECRET, tenant_id, type_, name)


async def supported(
    graph: KnowledgeGraph,
    tenant_id: str,
    users: Sequence[str],
    *claims: Claim,
    at: datetime = NOON,
    now: datetime | None = None,
) -> None:
    """Let each of the users support exactly these claims."""
    names, edges = support_from(SECRET, tenant_id, promotions(*claims, at=at))
    for user_id in users:
        supporter = supporter_of(SECRET, tenant_id, user_id)
        await graph.replace_support(tenant_id, supporter, names, edges, now=now or at)
