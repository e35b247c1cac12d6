"""Choosing at most K of the ranked candidates, so that K items are not K echoes: a memory and the
turn that it was drawn from take one place.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lightmem.domain.text import are_echoes, says_no_more, words_of
from lightmem.model import Item, ItemKind
from lightmem_selector.forms import Forms, is_quoted_from
from lightmem_selector.rank import Scored


@dataclass(frozen=True, slots=True)
class Decision:
    """A candidate and why it was chosen or not."""

    scored: Scored
    is_chosen: bool
    reason: str


def choose(
    ranked: Sequence[Scored],
    *,
    top_k: int,
    forms: Forms | None = None,
    to_the_end: bool = False,
) -> Iterator[Decision]:
    """Go through the ranked candidates, best first, and decide on each.

    Args:
        top_k: How many may be chosen.
        forms: What a turn may be served as; None serves each as it is.
        to_the_end: Decide on those below the last place too, which an explanation shows.
    """
    places = _Places(top_k, forms)
    for scored in ranked:
        if places.are_full and not to_the_end:
            return
        yield from places.decide(scored)


class _Places:
    """The places that are taken so far."""

    def __init__(self, top_k: int, forms: Forms | None) -> None:
        self._top_k = top_k
        self._forms = forms
        self._chosen: list[_Chosen] = []
        #: The chosen item that stands for a turn, by the id of the turn.
        self._standing: dict[str, Item] = {}

    @property
    def are_full(self) -> bool:
        return len(self._chosen) >= self._top_k

    def decide(self, scored: Scored) -> Iterator[Decision]:
        """Give a place or say why not; a memory that stands for a turn comes before it."""
        item = scored.item
        if any(one.served.id == item.id for one in self._chosen):
            return  # It has its place already, as what stands for a turn.
        if scored.behind is not None:
            yield Decision(scored, False, f"says what {scored.behind} says")
        elif (stands := self._standing.get(item.id)) is not None:
            yield Decision(scored, False, f"{stands.id} stands for it")
        elif self.are_full:
            yield Decision(scored, False, f"below the best {self._top_k}")
        else:
            yield from self._choose(scored, words_of(item.text))

    def _choose(self, scored: Scored, words: frozenset[str]) -> Iterator[Decision]:
        item = scored.item
        said = next((one for one in self._chosen if _repeats(item, words, one)), None)
        if said is not None:
            yield Decision(scored, False, f"says no more than {said.served.id}")
            return
        memory = self._instead(item)
        served = scored if memory is None else replace(scored, item=memory, layer=memory.layer)
        self._chosen.append(_Chosen(item, words, served.item))
        self._standing |= dict.fromkeys(served.item.source_turn_ids, served.item)
        reason = f"chosen as number {len(self._chosen)}: {_strongest(scored)}"
        if memory is None:
            yield Decision(served, True, reason)
        else:
            yield Decision(served, True, f"{reason}; stands for {item.id}")
            yield Decision(scored, False, f"{memory.id} stands for it")

    def _instead(self, item: Item) -> Item | None:
        if self._forms is None or item.kind is not ItemKind.TURN:
            return None
        return self._forms.instead(item, place=len(self._chosen) + 1, taken=self._standing.keys())


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What was chosen, its words, which each later candidate is compared with, and as what it is
    served.
    """

    item: Item
    words: frozenset[str]
    served: Item


def _repeats(item: Item, words: frozenset[str], chosen: _Chosen) -> bool:
    """Whether an item adds nothing to a chosen one.

    A memory adds nothing to a turn that it quotes, unless it has ended; nor to the only turn that
    it was drawn from, unless it says more than that and who said it, or has a date. What two people
    say alike are two things.
    """
    other = chosen.item
    if item.kind is ItemKind.MEMORY and other.id in item.source_turn_ids:
        if item.superseded_at is None and is_quoted_from(item, other):
            return True
        if tuple(item.source_turn_ids) == (other.id,):
            source = f"{other.speaker}: {other.text}" if other.speaker else other.text
            return item.valid_from is None and says_no_more(item.text, source)
    both_turns = item.kind is ItemKind.TURN and other.kind is ItemKind.TURN
    if both_turns and item.speaker != other.speaker:
        return False
    if not words or not chosen.words:
        return item.text.strip() == other.text.strip()
    return are_echoes(words, chosen.words)


def _strongest(scored: Scored) -> str:
    """The signs that spoke for a candidate, strongest first."""
    signs = scored.features
    named = sorted((name for name, value in signs.items() if value > 0), key=lambda n: -signs[n])
    return ", ".join(f"{name} {signs[name]:.2f}" for name in named[:3]) or "nothing nearer"
