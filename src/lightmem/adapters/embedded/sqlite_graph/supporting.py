"""Who supports what: rows of support, and the counts and weights that follow from them."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from sqlite3 import Connection

from lightmem.domain.concepts import HALF_WEIGHT, concept_key, lapsed_before
from lightmem.model import EdgeSupport, NameSupport

_PUT_NODE = "INSERT OR IGNORE INTO node (tenant_id, id, type) VALUES (?, ?, ?)"
_PUT_NAME = "INSERT OR IGNORE INTO name (tenant_id, id, node_id, key, name) VALUES (?, ?, ?, ?, ?)"
_PUT_EDGE = """
INSERT OR IGNORE INTO edge (tenant_id, id, source_id, relation, target_id) VALUES (?, ?, ?, ?, ?)
"""
#: Said twice, the latest time counts, and once exactly is exactly.
_PUT_SUPPORT = """
INSERT INTO support (tenant_id, element_id, supporter, at, is_exact) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (tenant_id, element_id, supporter)
DO UPDATE SET at = max(at, excluded.at), is_exact = max(is_exact, excluded.is_exact)
"""
_OF_SUPPORTER = "SELECT element_id FROM support WHERE tenant_id = ? AND supporter = ?"
_DROP_SUPPORT = "DELETE FROM support WHERE tenant_id = ? AND supporter = ?"

#: How many support an element in so many words, and the sum of all recencies.
_COUNT = """
UPDATE {table} SET support = (
  SELECT count(*) FILTER (WHERE is_exact) FROM support AS s
  WHERE s.tenant_id = {table}.tenant_id AND s.element_id = {table}.id)
WHERE tenant_id = :tenant_id AND id IN (SELECT value FROM json_each(:ids))
"""
_WEIGH = """
UPDATE {table} SET weighed_at = coalesce(:now, weighed_at), weight = (
  SELECT strength / (strength + :half_weight) FROM (
    SELECT total(recency(coalesce(:now, {table}.weighed_at) - at)) AS strength FROM support AS s
    WHERE s.tenant_id = {table}.tenant_id AND s.element_id = {table}.id))
WHERE tenant_id = :tenant_id AND id IN (SELECT value FROM json_each(:ids))
"""
_REMOVE = """
DELETE FROM {table} WHERE NOT EXISTS (
  SELECT 1 FROM support AS s
  WHERE s.tenant_id = {table}.tenant_id AND s.element_id = {table}.id)
AND tenant_id = :tenant_id AND id IN (SELECT value FROM json_each(:ids))
"""
_TABLES = ("edge", "name", "node")
_WEIGHED = ("edge", "node")
_IDS = """
SELECT id FROM node WHERE tenant_id = :t UNION ALL SELECT id FROM edge WHERE tenant_id = :t
UNION ALL SELECT id FROM name WHERE tenant_id = :t
"""


def replace_support(
    connection: Connection,
    tenant_id: str,
    supporter: str,
    names: Sequence[NameSupport],
    edges: Sequence[EdgeSupport],
    *,
    now: datetime,
) -> None:
    """Let exactly these be what the supporter supports."""
    limit = lapsed_before(now)
    before = elements_of(connection, tenant_id, supporter)
    connection.execute(_DROP_SUPPORT, (tenant_id, supporter))
    kept = [name for name in names if name.at >= limit]
    for name in kept:
        key = concept_key(name.name)
        connection.execute(_PUT_NODE, (tenant_id, name.node_id, name.type))
        connection.execute(_PUT_NAME, (tenant_id, name.id, name.node_id, key, name.name))
        for element in (name.node_id, name.id):
            _support(connection, tenant_id, element, supporter, name.at, is_exact=True)
    nodes = {name.node_id for name in kept}
    for edge in edges:
        if edge.at < limit or not {edge.source_id, edge.target_id} <= nodes:
            continue
        row = (tenant_id, edge.id, edge.source_id, edge.relation, edge.target_id)
        connection.execute(_PUT_EDGE, row)
        _support(connection, tenant_id, edge.id, supporter, edge.at, is_exact=edge.is_exact)
    after = elements_of(connection, tenant_id, supporter)
    weigh(connection, now=now, tenant_id=tenant_id, ids={*before, *after})


def withdraw(connection: Connection, tenant_id: str, supporter: str) -> int:
    """Take all support of a user away; what is left is weighed as of its last weighing."""
    elements = elements_of(connection, tenant_id, supporter)
    connection.execute(_DROP_SUPPORT, (tenant_id, supporter))
    weigh(connection, now=None, tenant_id=tenant_id, ids=elements)
    return len(elements)


def elements_of(connection: Connection, tenant_id: str, supporter: str) -> list[str]:
    """The ids of all that a user supports."""
    return [row[0] for row in connection.execute(_OF_SUPPORTER, (tenant_id, supporter))]


def decay(connection: Connection, *, now: datetime) -> int:
    """Drop support that lapsed, weigh all anew, and remove what nobody supports any more."""
    limit = lapsed_before(now).timestamp()
    connection.execute("DELETE FROM support WHERE at < ?", (limit,))
    removed = 0
    for (tenant_id,) in connection.execute("SELECT DISTINCT tenant_id FROM node").fetchall():
        ids = [row[0] for row in connection.execute(_IDS, {"t": tenant_id})]
        removed += weigh(connection, now=now, tenant_id=tenant_id, ids=ids)
    return removed


def weigh(
    connection: Connection, *, now: datetime | None, tenant_id: str, ids: Iterable[str]
) -> int:
    """Count and weigh anew, and remove what nobody supports; how many nodes and edges those are.

    Args:
        now: None weighs each as of when it was weighed last.
    """
    given = {
        "tenant_id": tenant_id,
        "ids": json.dumps(list(ids)),
        "now": now.timestamp() if now is not None else None,
        "half_weight": HALF_WEIGHT,
    }
    for table in _TABLES:
        connection.execute(_COUNT.format(table=table), given)
    for table in _WEIGHED:
        connection.execute(_WEIGH.format(table=table), given)
    removed = {
        table: connection.execute(_REMOVE.format(table=table), given).rowcount for table in _TABLES
    }
    return removed["edge"] + removed["node"]


def _support(
    connection: Connection,
    tenant_id: str,
    element: str,
    supporter: str,
    at: datetime,
    *,
    is_exact: bool,
) -> None:
    row = (tenant_id, element, supporter, at.timestamp(), int(is_exact))
    connection.execute(_PUT_SUPPORT, row)
