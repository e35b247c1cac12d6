"""From a user's promotions to what he supports in the graph."""

from collections.abc import Iterable

from lightmem.domain.concepts import edge_id, name_id, node_id
from lightmem.model import EdgeSupport, NameSupport, Promotion, Relation, Term


def support_from(
    secret: bytes, tenant_id: str, promotions: Iterable[Promotion]
) -> tuple[list[NameSupport], list[EdgeSupport]]:
    """Each name and each edge once, as of its latest promotion.

    The graph of a tenant follows from the promotions of its users alone, ids included, so that it
    can be built anew.
    """
    names: dict[str, NameSupport] = {}
    edges: dict[str, EdgeSupport] = {}
    for promotion in sorted(promotions, key=lambda each: each.at):
        claim = promotion.claim
        ends = []
        for end in (claim.subject, claim.target):
            name = _name(secret, tenant_id, end, promotion)
            names[name.id] = name
            ends.append(name.node_id)
        edge = _edge(secret, tenant_id, ends[0], ends[1], promotion)
        was_exact = edge.id in edges and edges[edge.id].is_exact
        edges[edge.id] = edge if edge.is_exact or not was_exact else _exactly(edge)
    return list(names.values()), list(edges.values())


def _name(secret: bytes, tenant_id: str, end: Term, promotion: Promotion) -> NameSupport:
    node = node_id(secret, tenant_id, end.type, end.name)
    return NameSupport(
        id=name_id(secret, tenant_id, node, end.said),
        node_id=node,
        type=end.type,
        name=end.said,
        at=promotion.at,
    )


def _edge(
    secret: bytes, tenant_id: str, source: str, target: str, promotion: Promotion
) -> EdgeSupport:
    claim = promotion.claim
    if claim.relation is Relation.RELATED_TO:
        source, target = sorted((source, target))
    return EdgeSupport(
        id=edge_id(secret, tenant_id, source, claim.relation, target),
        source_id=source,
        relation=claim.relation,
        target_id=target,
        at=promotion.at,
        is_exact=claim.subject.is_exact and claim.target.is_exact,
    )


def _exactly(edge: EdgeSupport) -> EdgeSupport:
    return EdgeSupport(
        edge.id, edge.source_id, edge.relation, edge.target_id, edge.at, is_exact=True
    )
