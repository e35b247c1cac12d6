"""What a chosen turn is served as: itself, or a memory that was drawn from it.

A memory stands for its turn where it tells more of what is asked, or the same in fewer words. It is
never further from the question than the turn, token by token, than a little; so the words that
answer stay. What is served names the turn among its sources either way.
"""

from collections import defaultdict
from collections.abc import Set as AbstractSet

from lightmem.domain.sentences import split_sentences
from lightmem.domain.text import tells_most_of, words_of
from lightmem.model import Item, ItemKind, RecallRequest, View
from lightmem_selector.filters import is_superseded
from lightmem_selector.kinds import wanted
from lightmem_selector.pool import Pool

#: The best so many are shown as they were said: the answer is most often there.
SHOWN_WHOLE = 3
#: How near to the question a memory is beside its turn: one with a time that is asked for, and one
#: that is only shorter.
NEAR_DATED, NEAR = 0.8, 0.9
#: What is shorter has at most this share of the turn's length.
SHORTER = 0.8


class Forms:
    """The memories of a pool, by the turns that they were drawn from."""

    def __init__(self, request: RecallRequest, pool: Pool) -> None:
        self._as_of = request.as_of
        self._asks_when = "when" in wanted(request.query)
        self._near = pool.asked[0].scores.get(View.TOKENS, {}) if pool.asked else {}
        self._of: dict[str, list[Item]] = defaultdict(list)
        for item in pool.items.values():
            if item.kind is ItemKind.MEMORY:
                for turn_id in item.source_turn_ids:
                    self._of[turn_id].append(item)

    def instead(self, turn: Item, *, place: int, taken: AbstractSet[str]) -> Item | None:
        """The memory that is served instead of a turn, the nearest to the question of several.

        Args:
            place: Of the turn, from 1.
            taken: The turns that what is before it stands for already.
        """
        fitting = [
            memory
            for memory in self._of.get(turn.id, ())
            if taken.isdisjoint(memory.source_turn_ids) and self._fits(memory, turn, place)
        ]
        return max(
            fitting, key=lambda memory: (self._near.get(memory.id, 0.0), memory.id), default=None
        )

    def _fits(self, memory: Item, turn: Item, place: int) -> bool:
        near = self._near.get(memory.id, 0.0) / (self._near.get(turn.id) or float("inf"))
        is_dated = memory.valid_from is not None or memory.valid_to is not None
        if self._asks_when and is_dated:
            return near >= NEAR_DATED
        if _says_it_with_another(memory, turn):
            return near >= NEAR
        if not tells_most_of(memory.text, turn.text):
            return False
        if is_superseded(self._as_of, memory):
            return near >= NEAR_DATED
        is_shorter = len(memory.text) <= SHORTER * len(turn.text)
        return place > SHOWN_WHOLE and near >= NEAR and is_shorter


def _says_it_with_another(memory: Item, turn: Item) -> bool:
    """Whether a memory says all of a turn with another: its question, or what put it right."""
    return len(memory.source_turn_ids) > 1 and words_of(turn.text) <= words_of(memory.text)


def is_quoted_from(memory: Item, turn: Item) -> bool:
    """Whether a memory's words stand in its turn, as they are or sentence by sentence.

    A dream may have joined sentences that others stand between, and set a stop behind each.
    """
    words = quoted_words(memory)
    if words in turn.text:
        return True
    return all(one.text.rstrip(".") in turn.text for one in split_sentences(words))


def quoted_words(memory: Item) -> str:
    """A memory's words without the names, days and questions before them."""
    return memory.text.rpartition(": ")[2]
