"""What is served: nodes, names and edges that enough users support, each by itself."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from lightmem.model import Concept, ConceptType, Edge, Relation

#: A served node of which a `Name` is served, with all such names, the most given first.
_SERVED = """
WHERE c.support >= $k AND n.support >= $k
WITH c, n ORDER BY n.support DESC, n.key
RETURN c.id AS id, c.type AS type, c.support AS support, c.weight AS weight,
       collect(n.name) AS names
ORDER BY weight DESC, id
"""
ALL = f"MATCH (c:Knowledge {{tenant_id: $tenant_id}})<-[:NAMES]-(n:Name) {_SERVED}"
BY_ID = f"""
UNWIND $ids AS wanted
MATCH (c:Knowledge {{tenant_id: $tenant_id, id: wanted}})<-[:NAMES]-(n:Name)
{_SERVED}
"""
BY_KEY = f"""
UNWIND $keys AS key
MATCH (said:Name {{tenant_id: $tenant_id, key: key}})-[:NAMES]->(c:Knowledge)
WHERE said.support >= $k
WITH DISTINCT c MATCH (c)<-[:NAMES]-(n:Name)
{_SERVED} LIMIT $limit
"""
BY_WORDS = f"""
CALL db.index.fulltext.queryNodes('name_words', $query, {{limit: $most}}) YIELD node AS said
WHERE said.tenant_id = $tenant_id AND said.support >= $k
MATCH (said)-[:NAMES]->(c:Knowledge)
WITH DISTINCT c MATCH (c)<-[:NAMES]-(n:Name)
{_SERVED}
"""
ANY = """
MATCH (c:Knowledge {tenant_id: $tenant_id})<-[:NAMES]-(n:Name)
WHERE c.support >= $k AND n.support >= $k
RETURN 1 AS found LIMIT 1
"""
EDGES = f"""
UNWIND $ids AS wanted
MATCH (:Knowledge {{tenant_id: $tenant_id, id: wanted}})-[r:{"|".join(Relation)}]-()
WHERE r.support >= $k
WITH DISTINCT r
RETURN r.id AS id, startNode(r).id AS source_id, type(r) AS relation, endNode(r).id AS target_id,
       r.support AS support, r.weight AS weight
ORDER BY weight DESC, id
"""
#: The index knows no tenants, so more than enough is asked of it.
NEAREST_BY_INDEX = """
CALL db.index.vector.queryNodes($index, $most, $vector) YIELD node AS c
WHERE c.tenant_id = $tenant_id AND c.encoder_id = $encoder_id AND c.support >= $k
RETURN c.id AS id, 2 * vector.similarity.cosine(c.embedding, $vector) - 1 AS score
"""
NEAREST_OF_ALL = """
MATCH (c:Knowledge {tenant_id: $tenant_id})
WHERE c.encoder_id = $encoder_id AND c.support >= $k
RETURN c.id AS id, 2 * vector.similarity.cosine(c.embedding, $vector) - 1 AS score
ORDER BY score DESC LIMIT $most
"""
WITHOUT_EMBEDDING = """
MATCH (c:Knowledge {tenant_id: $tenant_id})<-[:NAMES]-(n:Name)
WHERE c.encoder_id IS NULL OR c.encoder_id <> $encoder_id
WITH c, n ORDER BY n.support DESC, n.key
RETURN c.id AS id, head(collect(n.name)) AS name ORDER BY id LIMIT $limit
"""
EMBED = """
UNWIND $vectors AS given
MATCH (c:Knowledge {tenant_id: $tenant_id, id: given.id})
SET c.embedding = given.vector, c.encoder_id = $encoder_id
"""

_SPECIAL = re.compile(r'([+\-!(){}\[\]^"~*?:\\/&|])')


def fulltext(tenant_id: str, words: Iterable[str]) -> str:
    """A Lucene query for names of a tenant with one of the words, none of them an operator."""
    quoted = " ".join('"' + _SPECIAL.sub(r"\\\1", word) + '"' for word in words)
    return f'+tenant_id:"{tenant_id}" +name:({quoted})'


def to_concept(row: dict[str, Any]) -> Concept:
    """The concept of a row of `_SERVED`."""
    return Concept(
        id=row["id"],
        type=ConceptType(row["type"]),
        name=row["names"][0],
        support=row["support"],
        weight=row["weight"],
        aliases=tuple(row["names"][1:]),
    )


def to_edges(found: Sequence[dict[str, Any]], names: dict[str, str]) -> list[Edge]:
    """The edges whose two ends are served, which are those that have a name in `names`."""
    return [
        Edge(
            source_id=row["source_id"],
            relation=Relation(row["relation"]),
            target_id=row["target_id"],
            target_name=names[row["target_id"]],
            weight=row["weight"],
            support=row["support"],
            source_name=names[row["source_id"]],
        )
        for row in found
        if row["source_id"] in names and row["target_id"] in names
    ]
