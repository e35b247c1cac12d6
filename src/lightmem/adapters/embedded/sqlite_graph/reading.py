"""What is served: nodes, names and edges that enough users support, each by itself."""

import json
from collections.abc import Iterable, Mapping, Sequence
from sqlite3 import Connection
from typing import Any

import numpy as np

from lightmem.domain.concepts import concept_key
from lightmem.model import Concept, ConceptType, Edge, Relation

#: The nodes that are served, one row for each of their served names, the most given first.
_SERVED = """
SELECT node.id, node.type, node.support, node.weight, name.name, name.key, node.embedding
FROM node JOIN name ON name.tenant_id = node.tenant_id AND name.node_id = node.id
WHERE node.tenant_id = :tenant_id AND node.support >= :k AND name.support >= :k {extra}
ORDER BY node.weight DESC, node.id, name.support DESC, name.key
"""
_ANY = """
SELECT 1 FROM node JOIN name ON name.tenant_id = node.tenant_id AND name.node_id = node.id
WHERE node.tenant_id = :tenant_id AND node.support >= :k AND name.support >= :k LIMIT 1
"""
_WITH_IDS = "AND node.id IN (SELECT value FROM json_each(:ids))"
_OF_ENCODER = "AND node.encoder_id = :encoder_id"
_BY_KEY = """
SELECT DISTINCT node_id FROM name
WHERE tenant_id = :tenant_id AND support >= :k AND key IN (SELECT value FROM json_each(:keys))
"""
_EDGES = """
SELECT source_id, relation, target_id, support, weight FROM edge
WHERE tenant_id = :tenant_id AND support >= :k
  AND (source_id IN (SELECT value FROM json_each(:ids))
       OR target_id IN (SELECT value FROM json_each(:ids)))
ORDER BY weight DESC, id
"""
_UNEMBEDDED = """
SELECT node.id, (SELECT name FROM name WHERE name.tenant_id = node.tenant_id
                 AND name.node_id = node.id ORDER BY support DESC, key LIMIT 1)
FROM node WHERE tenant_id = ? AND (encoder_id IS NULL OR encoder_id <> ?) ORDER BY id LIMIT ?
"""


def is_empty(connection: Connection, tenant_id: str, *, k: int) -> bool:
    """Whether no node is served."""
    return connection.execute(_ANY, {"tenant_id": tenant_id, "k": k}).fetchone() is None


def served(
    connection: Connection, tenant_id: str, *, k: int, ids: Iterable[str] | None = None
) -> list[Concept]:
    """The served nodes, strongest first: all of them, or those among `ids`."""
    given: dict[str, Any] = {"tenant_id": tenant_id, "k": k}
    extra = ""
    if ids is not None:
        given["ids"], extra = json.dumps(list(ids)), _WITH_IDS
    return _concepts(connection.execute(_SERVED.format(extra=extra), given))


def named(
    connection: Connection, tenant_id: str, names: Sequence[str], *, k: int, limit: int
) -> list[Concept]:
    """The served nodes with one of these served names."""
    # One bound value, so that SQLite's limit on variables does not limit the names.
    keys = json.dumps(sorted({concept_key(name) for name in names}))
    rows = connection.execute(_BY_KEY, {"tenant_id": tenant_id, "k": k, "keys": keys})
    return served(connection, tenant_id, k=k, ids=[row[0] for row in rows])[:limit]


def edges_of(
    connection: Connection, tenant_id: str, ids: Sequence[str], *, k: int, limit: int
) -> list[Edge]:
    """Served edges at any of these nodes whose two ends are served."""
    given = {"tenant_id": tenant_id, "k": k, "ids": json.dumps(list(ids))}
    rows = connection.execute(_EDGES, given).fetchall()
    ends = {end for row in rows for end in (row[0], row[2])}
    names = {node.id: node.name for node in served(connection, tenant_id, k=k, ids=ends)}
    found = [
        Edge(
            source_id=source,
            relation=Relation(relation),
            target_id=target,
            target_name=names[target],
            weight=weight,
            support=support,
            source_name=names[source],
        )
        for source, relation, target, support, weight in rows
        if source in names and target in names
    ]
    return found[:limit]


def nearest(
    connection: Connection,
    tenant_id: str,
    encoder_id: str,
    vector: Sequence[float],
    *,
    k: int,
    limit: int,
) -> list[tuple[Concept, float]]:
    """The served nodes by the cosine of their vectors, all of them compared."""
    given = {"tenant_id": tenant_id, "k": k, "encoder_id": encoder_id}
    rows = connection.execute(_SERVED.format(extra=_OF_ENCODER), given).fetchall()
    if not rows:
        return []
    embeddings = {row[0]: np.frombuffer(row[6], dtype=np.float32) for row in rows}
    wanted = np.asarray(vector, dtype=np.float32)
    scores = {key: float(stored @ wanted) for key, stored in embeddings.items()}
    found = [(concept, scores[concept.id]) for concept in _concepts(rows)]
    return sorted(found, key=lambda pair: (-pair[1], pair[0].id))[:limit]


def without_embedding(
    connection: Connection, tenant_id: str, encoder_id: str, *, limit: int
) -> dict[str, str]:
    """Nodes that the encoder did not encode, by id: their most given name."""
    return dict(connection.execute(_UNEMBEDDED, (tenant_id, encoder_id, limit)).fetchall())


def embed(
    connection: Connection, tenant_id: str, encoder_id: str, vectors: Mapping[str, Sequence[float]]
) -> None:
    """Store vectors of nodes."""
    rows = [
        (encoder_id, np.asarray(vector, dtype=np.float32).tobytes(), tenant_id, key)
        for key, vector in vectors.items()
    ]
    update = "UPDATE node SET encoder_id = ?, embedding = ? WHERE tenant_id = ? AND id = ?"
    connection.executemany(update, rows)


def _concepts(rows: Iterable[Any]) -> list[Concept]:
    """Concepts of the rows of `_SERVED`, in their order."""
    by_id: dict[str, tuple[Any, list[str]]] = {}
    for row in rows:
        by_id.setdefault(row[0], (row, []))[1].append(row[4])
    return [
        Concept(
            id=key,
            type=ConceptType(row[1]),
            name=names[0],
            support=row[2],
            weight=row[3],
            aliases=tuple(names[1:]),
        )
        for key, (row, names) in by_id.items()
    ]
