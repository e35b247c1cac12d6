"""What a ranker sees of a pool: one row of numbers for each item, the same to train and to serve.

Pure functions of request, plan and pool. The names of the columns and their meaning are one
version; weights trained on another are refused. What is not known is 0, as in a view that did not
find an item: its rank is then that of the first place below the view's pool.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from lightmem.model import Item, ItemKind, Plan, RecallRequest, View
from lightmem_selector.kinds import KINDS, wanted
from lightmem_selector.places import Places
from lightmem_selector.pool import Asked, Pool
from lightmem_selector.signs import Signs
from lightmem_selector.wording import Wording

#: Changes with the names or the meaning of a column.
VERSION = "2"
#: Items that are ranked; those below stay in the order of the linear ranking. More cost time and
#: were not seen to find more.
RANKED = 75

VIEWS = (View.TOKENS, View.DENSE, View.BM25, View.WINDOW_DENSE, View.WINDOW_BM25)
#: What is told of the turns before and after an item's, and of those two away.
NEAR, FAR = (-1, 1), (-2, 2)
_NEAR_SIGNS = ("linear", "tokens", "bm25", "question")

Column = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Features:
    """What is ranked: the numbers of items in the pool, and a row of `NAMES` for each of them."""

    numbers: NDArray[np.intp]
    values: NDArray[np.float32]


def features_of(request: RecallRequest, plan: Plan, pool: Pool, signs: Signs) -> Features:
    """The features of the best of a pool by the linear ranking, `RANKED` of them at most.

    Args:
        signs: What the linear ranking says of each item, in the order of the pool.
    """
    keys = list(pool.items)
    items = list(pool.items.values())
    linear = signs.linear
    columns = {**_views(pool.asked[0], keys), **signs.columns(), "linear": linear}
    columns |= _heights(linear)
    places = Places(items)
    columns |= _sessions(places.sessions, linear)
    columns |= _neighbours(places, columns)
    columns |= _twins(items, keys, linear)
    numbers = np.argsort(-linear, kind="stable")[:RANKED]
    columns = {name: column[numbers] for name, column in columns.items()}
    best = [items[number] for number in numbers]
    columns |= Wording(request.query, plan.entities, best).columns()
    columns |= _texts(best, request)
    columns |= _question(request, plan, len(items), len(best))
    return Features(numbers, np.stack([columns[name] for name in NAMES], axis=1))


def _views(asked: Asked, keys: Sequence[str]) -> dict[str, Column]:
    """Each view's own score, the score stretched over its pool, and the rank."""
    columns: dict[str, Column] = {}
    for view in VIEWS:
        scores = asked.scores.get(view, {})
        known = np.fromiter(map(scores.__contains__, keys), bool, len(keys))
        low = min(scores.values(), default=0.0)
        raw = np.fromiter(map(scores.get, keys, repeat(low)), np.float32, len(keys))
        high = float(raw.max())
        columns[f"{view.value}.score"] = raw
        columns[view.value] = (
            (raw - np.float32(low)) / np.float32(high - low) if high > low else np.zeros_like(raw)
        )
        ranks = np.empty(len(keys), np.float32)
        ranks[np.argsort(-raw, kind="stable")] = np.arange(len(keys), dtype=np.float32)
        ranks[~known] = len(scores)
        columns[f"{view.value}.rank"] = np.minimum(ranks, 200)
    return columns


def _heights(linear: Column) -> dict[str, Column]:
    """Where an item stands in the linear ranking."""
    order = np.argsort(-linear, kind="stable")
    ranks = np.empty_like(linear)
    ranks[order] = np.arange(len(linear), dtype=np.float32)
    fifth = linear[order[min(4, len(order) - 1)]]
    return {"linear.rank": np.minimum(ranks, 200), "linear.over_fifth": linear - fifth}


def _sessions(of: NDArray[np.intp], linear: Column) -> dict[str, Column]:
    """The best of an item's session, its rank among sessions, and how many it has in the pool."""
    best = np.full(int(of.max()) + 1, -np.inf, np.float32)
    np.maximum.at(best, of, linear)
    total = np.bincount(of, np.maximum(linear, 0)).astype(np.float32)
    ranks = np.empty(len(best), np.float32)
    ranks[np.argsort(-best, kind="stable")] = np.arange(len(best), dtype=np.float32)
    return {
        "session.best": best[of],
        "session.rank": ranks[of],
        "session.sum": total[of],
        "session.items": np.bincount(of).astype(np.float32)[of],
        "session.under_best": best[of] - linear,
    }


def _neighbours(places: Places, columns: Mapping[str, Column]) -> dict[str, Column]:
    """What the turns around an item's have, 0 where they are not in the pool."""
    found: dict[str, Column] = {}
    # The last row, of zeros, stands for what is not there.
    padded = {sign: np.append(columns[sign], np.float32(0)) for sign in _NEAR_SIGNS}
    for distance in (*NEAR, *FAR):
        beside = places.beside(distance)
        for sign in _NEAR_SIGNS if distance in NEAR else _NEAR_SIGNS[:1]:
            found[f"at{distance:+}.{sign}"] = padded[sign][beside]
    return found


def _twins(items: Sequence[Item], keys: Sequence[str], linear: Column) -> dict[str, Column]:
    """How high the turns stand that a memory quotes, and the memories that quote a turn."""
    number_of = {key: number for number, key in enumerate(keys)}
    sources, memories = np.zeros_like(linear), np.zeros_like(linear)
    for number, item in enumerate(items):
        if item.kind is not ItemKind.MEMORY:
            continue
        for turn_id in item.source_turn_ids:
            turn = number_of.get(turn_id)
            if turn is not None:
                sources[number] = max(sources[number], linear[turn])
                memories[turn] = max(memories[turn], linear[number])
    return {"source.linear": sources, "memory.linear": memories}


def _texts(items: Sequence[Item], request: RecallRequest) -> dict[str, Column]:
    """What an item's own text is like."""
    count = len(items)
    lengths = np.fromiter((len(item.text) for item in items), np.float32, count)
    times = np.fromiter(
        (item.occurred_at.timestamp() if item.occurred_at else 0.0 for item in items),
        np.float64,
        count,
    )
    dated = times != 0
    age = np.where(dated, request.now.timestamp() - times, 0.0) / 86_400
    span = float(age.max() - age.min()) or 1.0
    return {
        "length": np.log1p(lengths),
        "is_memory": np.fromiter((i.kind is ItemKind.MEMORY for i in items), np.float32, count),
        "is_dated": np.fromiter(
            (i.valid_from is not None or i.valid_to is not None for i in items), np.float32, count
        ),
        "seq": np.fromiter((min(i.seq, 60) for i in items), np.float32, count),
        "age": np.log1p(np.maximum(age, 0)).astype(np.float32),
        "age.share": ((age - age.min()) / span).astype(np.float32),
    }


def _question(request: RecallRequest, plan: Plan, found: int, count: int) -> dict[str, Column]:
    """What is asked, the same in every row: trees split by it before they look at an item."""
    kinds = wanted(request.query)
    columns = {f"asks.{kind}": float(kind in kinds) for kind in KINDS}
    columns["asks.entities"] = float(len(plan.entities))
    columns["asks.dated"] = float(plan.time_range is not None)
    columns["pool"] = float(np.log1p(found))
    return {name: np.full(count, value, np.float32) for name, value in columns.items()}


NAMES: tuple[str, ...] = (
    *(f"{view.value}{part}" for view in VIEWS for part in ("", ".score", ".rank")),
    *Signs.NAMES,
    "linear",
    "linear.rank",
    "linear.over_fifth",
    "session.best",
    "session.rank",
    "session.sum",
    "session.items",
    "session.under_best",
    *(f"at{distance:+}.{sign}" for distance in NEAR for sign in _NEAR_SIGNS),
    *(f"at{distance:+}.linear" for distance in FAR),
    "source.linear",
    "memory.linear",
    *Wording.NAMES,
    "length",
    "is_memory",
    "is_dated",
    "seq",
    "age",
    "age.share",
    *(f"asks.{kind}" for kind in KINDS),
    "asks.entities",
    "asks.dated",
    "pool",
)
