"""Choosing at most K of the ranked candidates, so that K items are not K echoes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lightmem.domain.text import are_echoes, says_no_more, words_of
from lightmem.model import Item, ItemKind
from lightmem_selector.rank import Scored


@dataclass(frozen=True, slots=True)
class Decision:
    """A candidate and why it was chosen or not."""

    scored: Scored
    is_chosen: bool
    reason: str


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A chosen item and its words, which each later candidate is compared with."""

    item: Item
    words: frozenset[str]


def choose(ranked: Sequence[Scored], *, top_k: int, to_the_end: bool = False) -> Iterator[Decision]:
    """Go through the ranked candidates, best first, and decide on each.

    Args:
        top_k: How many may be chosen.
        to_the_end: Decide on those below the last place too, which an explanation shows.
    """
    chosen: list[_Chosen] = []
    for scored in ranked:
        if len(chosen) >= top_k:
            if not to_the_end:
                return
            yield Decision(scored, False, f"below the best {top_k}")
            continue
        words = words_of(scored.item.text)
        said = next((one for one in chosen if _repeats(scored.item, words, one)), None)
        if said is not None:
            yield Decision(scored, False, f"says no more than {said.item.id}")
        else:
            chosen.append(_Chosen(scored.item, words))
            yield Decision(scored, True, f"chosen as number {len(chosen)}: {_strongest(scored)}")


def _repeats(item: Item, words: frozenset[str], chosen: _Chosen) -> bool:
    """Whether an item adds nothing to a chosen one.

    A memory adds nothing to the only turn that it was drawn from unless it says more than that
    and who said it; a dated one does. What two people say alike are two things.
    """
    other = chosen.item
    if item.kind is ItemKind.MEMORY and tuple(item.source_turn_ids) == (other.id,):
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
