"""Who supports what: nodes of support, and the counts and weights that follow from them."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from neo4j import AsyncTransaction

from lightmem.adapters.neo4j.driver import rows
from lightmem.domain.concepts import HALF_LIFE, HALF_WEIGHT, concept_key, lapsed_before
from lightmem.model import EdgeSupport, NameSupport, Relation

#: Writes of one tenant happen one after the other, so that no count misses a neighbour's change.
_LOCK = "MERGE (t:GraphTenant {id: $tenant_id}) SET t.writes = coalesce(t.writes, 0) + 1"

_DROP_SUPPORT = """
MATCH (s:Support {tenant_id: $tenant_id, supporter: $supporter})
WITH s, s.element_id AS id, s.source_id AS source_id DELETE s RETURN id, source_id
"""
_PUT_NAMES = """
UNWIND $names AS given
MERGE (c:Knowledge {tenant_id: $tenant_id, id: given.node_id})
ON CREATE SET c.type = given.type, c.support = 0, c.weight = 0.0
FOREACH (_ IN CASE given.type WHEN 'Entity' THEN [1] ELSE [] END | SET c:Entity)
FOREACH (_ IN CASE given.type WHEN 'Concept' THEN [1] ELSE [] END | SET c:Concept)
MERGE (n:Name {tenant_id: $tenant_id, id: given.id})
ON CREATE SET n.key = given.key, n.name = given.name, n.support = 0
MERGE (n)-[:NAMES]->(c)
"""
_PUT_EDGES = """
UNWIND $edges AS given
MATCH (a:Knowledge {{tenant_id: $tenant_id, id: given.source_id}})
MATCH (b:Knowledge {{tenant_id: $tenant_id, id: given.target_id}})
MERGE (a)-[r:{relation} {{tenant_id: $tenant_id, id: given.id}}]->(b)
ON CREATE SET r.support = 0, r.weight = 0.0
"""
_PUT_SUPPORT = """
UNWIND $given AS given
MERGE (s:Support {
  tenant_id: $tenant_id, element_id: given.element_id, supporter: $supporter
})
SET s.at = given.at, s.is_exact = given.is_exact, s.source_id = given.source_id
"""

_COUNTED = """
OPTIONAL MATCH (s:Support {tenant_id: $tenant_id, element_id: x.id})
WITH x, count(CASE WHEN s.is_exact THEN 1 END) AS support, count(s) AS all,
     sum(2.0 ^ (-(CASE WHEN coalesce($now, x.weighed_at) > s.at
                  THEN coalesce($now, x.weighed_at) - s.at ELSE 0 END) / $half_life)) AS strength
SET x.support = support, x.weight = strength / (strength + $half_weight),
    x.weighed_at = coalesce($now, x.weighed_at)
WITH x, all WHERE all = 0
"""
_WEIGH_EDGES = f"""
UNWIND $edges AS given
MATCH (:Knowledge {{tenant_id: $tenant_id, id: given.source_id}})
      -[x:{"|".join(Relation)} {{id: given.id}}]->()
{_COUNTED}
DELETE x RETURN count(*) AS removed
"""
_WEIGH_NAMES = f"""
UNWIND $ids AS id
MATCH (x:Name {{tenant_id: $tenant_id, id: id}})
{_COUNTED}
DETACH DELETE x RETURN count(*) AS removed
"""
_WEIGH_NODES = _WEIGH_NAMES.replace(":Name", ":Knowledge")

_LAPSE = "MATCH (s:Support {tenant_id: $tenant_id}) WHERE s.at < $limit DELETE s"
_ALL_IDS = """
MATCH (c:Knowledge {tenant_id: $tenant_id}) RETURN c.id AS id, null AS source_id
UNION ALL
MATCH (n:Name) WHERE n.tenant_id = $tenant_id RETURN n.id AS id, null AS source_id
"""
_ALL_EDGES = f"""
MATCH (c:Knowledge {{tenant_id: $tenant_id}})-[r:{"|".join(Relation)}]->()
RETURN r.id AS id, c.id AS source_id
"""

Elements = list[dict[str, Any]]


async def replace_support(
    tx: AsyncTransaction,
    tenant_id: str,
    supporter: str,
    names: Sequence[NameSupport],
    edges: Sequence[EdgeSupport],
    *,
    now: datetime,
) -> None:
    """Let exactly these be what the supporter supports."""
    await rows(tx, _LOCK, tenant_id=tenant_id)
    before = await rows(tx, _DROP_SUPPORT, tenant_id=tenant_id, supporter=supporter)
    limit = lapsed_before(now)
    kept = [name for name in names if name.at >= limit]
    nodes = {name.node_id for name in kept}
    joined = [
        edge for edge in edges if edge.at >= limit and {edge.source_id, edge.target_id} <= nodes
    ]
    await rows(tx, _PUT_NAMES, tenant_id=tenant_id, names=[_name(name) for name in kept])
    for relation in Relation:
        given = [_edge(edge) for edge in joined if edge.relation is relation]
        if given:
            put = _PUT_EDGES.format(relation=relation.value)
            await rows(tx, put, tenant_id=tenant_id, edges=given)
    after = _supports(kept, joined)
    await rows(tx, _PUT_SUPPORT, tenant_id=tenant_id, supporter=supporter, given=after)
    touched = [{"id": each["element_id"], "source_id": each["source_id"]} for each in after]
    await weigh(tx, tenant_id, [*before, *touched], now=now)


async def withdraw(tx: AsyncTransaction, tenant_id: str, supporter: str) -> int:
    """Take all support of a user away; what is left is weighed as of its last weighing."""
    await rows(tx, _LOCK, tenant_id=tenant_id)
    elements = await rows(tx, _DROP_SUPPORT, tenant_id=tenant_id, supporter=supporter)
    await weigh(tx, tenant_id, elements, now=None)
    return len(elements)


async def decay(tx: AsyncTransaction, tenant_id: str, *, now: datetime) -> int:
    """Drop support that lapsed, weigh all anew, and remove what nobody supports any more."""
    await rows(tx, _LOCK, tenant_id=tenant_id)
    await rows(tx, _LAPSE, tenant_id=tenant_id, limit=lapsed_before(now).timestamp())
    elements = await rows(tx, _ALL_IDS, tenant_id=tenant_id)
    elements += await rows(tx, _ALL_EDGES, tenant_id=tenant_id)
    return await weigh(tx, tenant_id, elements, now=now)


async def weigh(
    tx: AsyncTransaction, tenant_id: str, elements: Elements, *, now: datetime | None
) -> int:
    """Count and weigh anew, and remove what nobody supports; how many nodes and edges those are.

    Args:
        elements: Each with its `id`; an edge with its `source_id` too.
        now: None weighs each as of when it was weighed last.
    """
    given = {
        "tenant_id": tenant_id,
        "now": now.timestamp() if now is not None else None,
        "half_life": HALF_LIFE.total_seconds(),
        "half_weight": HALF_WEIGHT,
    }
    edges = [each for each in elements if each["source_id"] is not None]
    ids = sorted({each["id"] for each in elements if each["source_id"] is None})
    removed = 0
    if edges:
        removed += (await rows(tx, _WEIGH_EDGES, edges=edges, **given))[0]["removed"]
    if ids:
        await rows(tx, _WEIGH_NAMES, ids=ids, **given)
        removed += (await rows(tx, _WEIGH_NODES, ids=ids, **given))[0]["removed"]
    return removed


def _name(name: NameSupport) -> dict[str, str]:
    return {
        "id": name.id,
        "node_id": name.node_id,
        "type": name.type.value,
        "key": concept_key(name.name),
        "name": name.name,
    }


def _edge(edge: EdgeSupport) -> dict[str, str]:
    return {"id": edge.id, "source_id": edge.source_id, "target_id": edge.target_id}


def _supports(names: Iterable[NameSupport], edges: Iterable[EdgeSupport]) -> Elements:
    """One row an element: said twice, the latest time counts, and once exactly is exactly."""
    found: dict[str, dict[str, Any]] = {}

    def add(element: str, at: datetime, is_exact: bool, source: str | None = None) -> None:
        row = {"at": at.timestamp(), "is_exact": is_exact}
        if element in found:
            row = {key: max(found[element][key], value) for key, value in row.items()}
        found[element] = {**row, "element_id": element, "source_id": source}

    for name in names:
        add(name.node_id, name.at, True)
        add(name.id, name.at, True)
    for edge in edges:
        add(edge.id, edge.at, edge.is_exact, edge.source_id)
    return list(found.values())
