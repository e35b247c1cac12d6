"""Around a concept: its edges, and what they lead to, by weight. Only what is served is walked."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from lightmem.domain.concepts import described
from lightmem.model import Concept, Edge, Reached, Relation
from lightmem.ports import KnowledgeGraph

#: Edges that are read at one step, strongest first: hubs have thousands.
BREADTH = 100


async def with_edges(
    graph: KnowledgeGraph,
    tenant_id: str,
    concepts: Sequence[Concept],
    *,
    min_support: int,
    limit: int = BREADTH,
) -> list[Concept]:
    """The concepts with their edges and a description, in the same order.

    `RelatedTo` is an edge of both its ends; of the others an end has those that begin at it.
    """
    ids = [concept.id for concept in concepts]
    edges = await graph.edges_of(tenant_id, ids, min_support=min_support, limit=limit)
    return _complete(concepts, edges)


async def around(
    graph: KnowledgeGraph,
    tenant_id: str,
    seeds: Sequence[Concept],
    *,
    depth: int,
    min_support: int,
    limit: int,
) -> list[Reached]:
    """The seeds and what is reached from them over at most `depth` edges, strongest first.

    How strongly something is reached is the greatest product of weights along a way to it.

    Args:
        limit: Most concepts that are reached, the seeds not counted.
    """
    strength = {seed.id: 1.0 for seed in seeds}
    depths = dict.fromkeys(strength, 0)
    edges: dict[tuple[str, Relation, str], Edge] = {}
    frontier = list(strength)
    for step in range(1, depth + 1):
        if not frontier:
            break
        found = await graph.edges_of(tenant_id, frontier, min_support=min_support, limit=BREADTH)
        edges |= {(edge.source_id, edge.relation, edge.target_id): edge for edge in found}
        reached = _reached(found, strength)
        left = limit + len(seeds) - len(depths)
        frontier = sorted(reached, key=lambda key: (-reached[key], key))[:left]
        strength |= {key: reached[key] for key in frontier}
        depths |= dict.fromkeys(frontier, step)
    others = [key for key in depths if depths[key]]
    nodes = await graph.concepts(tenant_id, others, min_support=min_support) if others else []
    complete = _complete([*seeds, *nodes], list(edges.values()))
    walked = [Reached(each, depths[each.id], strength[each.id]) for each in complete]
    return sorted(walked, key=lambda each: (-each.strength, each.depth, each.concept.id))


def _reached(edges: Iterable[Edge], strength: Mapping[str, float]) -> dict[str, float]:
    """What the edges lead to that was not reached before, each by its strongest way."""
    found: dict[str, float] = {}
    for edge in edges:
        ends = ((edge.source_id, edge.target_id), (edge.target_id, edge.source_id))
        for begin, end in ends:
            if begin in strength and end not in strength:
                found[end] = max(found.get(end, 0.0), strength[begin] * edge.weight)
    return found


def _complete(concepts: Sequence[Concept], edges: Sequence[Edge]) -> list[Concept]:
    """The concepts with those of the edges that are theirs, and the words for them."""
    of: defaultdict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        of[edge.source_id].append(edge)
        if edge.relation is Relation.RELATED_TO:
            of[edge.target_id].append(_turned(edge))
    return [
        replace(concept, edges=tuple(of[concept.id]), description=described(of[concept.id]))
        for concept in concepts
    ]


def _turned(edge: Edge) -> Edge:
    return replace(
        edge,
        source_id=edge.target_id,
        source_name=edge.target_name,
        target_id=edge.source_id,
        target_name=edge.source_name,
    )
