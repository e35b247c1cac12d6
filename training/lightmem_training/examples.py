"""Examples for a ranker: a group of rows for each question, and which of them to rank first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lightmem.model import Item, ItemKind
from lightmem_selector.features import features_of
from lightmem_selector.pool import Pool
from lightmem_selector.signs import signs_of
from lightmem_selector.weights import Weights
from lightmem_training.pools import Question


@dataclass(frozen=True, slots=True)
class Group:
    """The rows of one question, shape (items, columns), and a label for each."""

    conversation: str
    values: NDArray[np.float32]
    labels: NDArray[np.int32]


def group_of(question: Question, weights: Weights) -> Group:
    """What a ranker sees of a question, and what it should have preferred."""
    signs = signs_of(question.request, question.plan, question.pool, weights)
    features = features_of(question.request, question.plan, question.pool, signs)
    items = list(question.pool.items.values())
    labels = [
        _label(items[number], question.pool, question.evidence) for number in features.numbers
    ]
    return Group(question.conversation, features.values, np.array(labels, np.int32))


def useful(groups: Iterable[Group]) -> list[Group]:
    """Those that teach something: with an item to prefer and one to prefer it to."""
    return [group for group in groups if 0 < int(group.labels.sum()) < len(group.labels)]


def columns_of(groups: Sequence[Group]) -> tuple[NDArray[np.float32], NDArray[np.int32], list[int]]:
    """All rows below each other, their labels, and the size of each group."""
    return (
        np.concatenate([group.values for group in groups]),
        np.concatenate([group.labels for group in groups]),
        [len(group.labels) for group in groups],
    )


def _label(item: Item, pool: Pool, evidence: frozenset[str]) -> int:
    """1 for what the answer rests on.

    A memory whose turns are all in the pool is 0: the words as they were said are there to be
    preferred, and both together would take two places for one thing.
    """
    if item.kind is ItemKind.MEMORY and all(turn in pool.items for turn in item.source_turn_ids):
        return 0
    return int(not evidence.isdisjoint(item.source_turn_ids))
