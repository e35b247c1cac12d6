"""The order of what was gathered: turns as if there were no memories, memories where they belong.

What was said decides. A memory that only repeats a turn of the pool stands behind that turn, and
may be served in its place (`forms`), so that what is learnt never costs what was said its place. A
memory that says something else, whose turns were not found, that was superseded or that holds in
another's place stands where its own relevance puts it.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from lightmem.domain.text import words_of
from lightmem.model import Item, ItemKind, Plan, RecallRequest
from lightmem.ports import Ranker
from lightmem_selector.filters import is_superseded
from lightmem_selector.forms import is_quoted_from, quoted_words
from lightmem_selector.pool import Pool
from lightmem_selector.rank import Scored, explained, in_order, rank, with_concepts
from lightmem_selector.signs import signs_of
from lightmem_selector.weights import Weights


def order(
    request: RecallRequest, plan: Plan, pool: Pool, weights: Weights, ranker: Ranker | None = None
) -> list[Scored]:
    """Turns, memories and concepts, best first.

    What stands behind a turn says so in `behind`, and is in the list for an explanation alone.
    """
    turns = {key: item for key, item in pool.items.items() if item.kind is ItemKind.TURN}
    if not turns or len(turns) == len(pool.items):
        return rank(request, plan, pool, weights, ranker)
    said = rank(request, plan, replace(pool.of(turns), concepts=()), weights, ranker)
    places = {scored.item.id: scored.score for scored in said}
    learnt = list(_memories(request, plan, pool, places, weights))
    own = sorted([*said, *(one for one in learnt if one.behind is None)], key=in_order)
    ranked = with_concepts(request, plan, pool.concepts, own, weights)
    behind: dict[str, list[Scored]] = defaultdict(list)
    for one in learnt:
        behind[one.behind or ""].append(one)
    return [one for scored in ranked for one in (scored, *behind[scored.item.id])]


def _memories(
    request: RecallRequest, plan: Plan, pool: Pool, places: Mapping[str, float], weights: Weights
) -> Iterator[Scored]:
    """Each memory where its own relevance puts it, or behind the turn that it repeats.

    Args:
        places: The scores of the pool's turns, by id.
    """
    holders = set(pool.succession.current.values())
    behind = {}
    alone = {}
    for key, item in pool.items.items():
        if item.kind is not ItemKind.MEMORY:
            continue
        own = key in holders or is_superseded(request.as_of, item)
        turn = None if own else _repeated(item, pool.items)
        if turn is None:
            alone[key] = item
        elif request.explain:
            behind[key] = turn
    shown = alone | {key: pool.items[key] for key in behind}
    if not shown:
        return
    # Their views are held against all that was found, as those of turns against all turns.
    signs = signs_of(request, plan, replace(pool, items=shown), weights)
    for number, (key, item) in enumerate(shown.items()):
        features = explained(request, signs, number)
        if key in behind:
            yield Scored(item, places[behind[key]], item.layer, features, behind[key])
            continue
        score = float(signs.linear[number])
        if not any(turn_id in places for turn_id in item.source_turn_ids):
            score -= weights.alone
        yield Scored(item, score, item.layer, features)


def _repeated(memory: Item, items: Mapping[str, Item]) -> str | None:
    """The turn of the pool that a memory says nothing beside; the first of those that it joins."""
    turns = [items[turn_id] for turn_id in memory.source_turn_ids if turn_id in items]
    for turn in turns:
        if is_quoted_from(memory, turn):
            return turn.id
    if len(turns) > 1 and words_of(quoted_words(memory)) <= words_of(
        " ".join(turn.text for turn in turns)
    ):
        return turns[0].id
    return None
