"""One search in the engine: ids and scores first, then each item once, since views often agree."""

from collections.abc import Mapping, Sequence
from typing import Any

import qdrant_edge as edge

from lightmem.adapters import qdrant_answers as answers
from lightmem.adapters import qdrant_layout as layout
from lightmem.adapters.embedded.qdrant_edge import convert
from lightmem.adapters.embedded.qdrant_edge.at_hand import ItemsAtHand, Key
from lightmem.adapters.qdrant_answers import Hit
from lightmem.model import Item, ViewQuery

Answers = list[list[Hit[Key]]]
#: What the engine calls each point.
Ids = dict[Key, Any]


def find_points(
    shard: edge.EdgeShard,
    finding: Sequence[ViewQuery],
    batch: Sequence[edge.QueryRequest],
    scoring: Sequence[ViewQuery],
    at_hand: ItemsAtHand,
) -> tuple[Answers, Answers, dict[Key, Item]]:
    """The answers to what finds and to what scores what was found, and the items.

    Args:
        batch: The queries of `finding` as the engine takes them.
        at_hand: Items that need not be read; takes those that are.
    """
    ids: Ids = {}
    hits = _answers(shard, batch, ids)
    if not ids:
        return hits, [], {}
    pool = [ids[key] for key in answers.pool_of(finding, hits)]
    scores = _answers(shard, [convert.scoring_request(query, pool) for query in scoring], {})
    return hits, scores, _read(shard, ids, at_hand)


def _read(shard: edge.EdgeShard, ids: Mapping[Key, Any], at_hand: ItemsAtHand) -> dict[Key, Item]:
    items = {key: item for key in ids if (item := at_hand.get(key)) is not None}
    missing = [point_id for key, point_id in ids.items() if key not in items]
    if missing:
        # The whole payload: choosing fields costs more than the few that nobody reads.
        records: list[Any] = shard.retrieve(missing, True, False)
        read = {record.id.int: layout.item_of(record.payload or {}) for record in records}
        at_hand.put(read)
        items |= read
    return items


def _answers(shard: edge.EdgeShard, batch: Sequence[edge.QueryRequest], ids: Ids) -> Answers:
    """Keys and scores of each answer; `ids` takes what the engine calls each."""
    if not batch:
        return []
    answers: list[Any] = shard.query_batch(edge.QueryBatchRequest(list(batch)))
    found: Answers = []
    for answer in answers:
        hits = []
        for hit in answer:
            # Read once: the engine makes another object each time.
            point_id = hit.id
            ids[point_id.int] = point_id
            hits.append((point_id.int, hit.score))
        found.append(hits)
    return found
