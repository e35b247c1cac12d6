"""Choosing at most K of the ranked candidates, so that K items are not K echoes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lightmem.domain.text import is_echo, says_no_more
from lightmem.model import Item, ItemKind
from lightmem_selector.rank import Scored


@dataclass(frozen=True, slots=True)
class Decision:
    """A candidate and why it was chosen or not."""

    scored: Scored
    is_chosen: bool
    reason: str


def choose(ranked: Sequence[Scored], *, top_k: int) -> Iterator[Decision]:
    """Go through the ranked candidates, best first, and decide on each."""
    chosen: list[Item] = []
    for scored in ranked:
        if len(chosen) >= top_k:
            yield Decision(scored, False, f"below the best {top_k}")
        elif (said := _said_by(scored.item, chosen)) is not None:
            yield Decision(scored, False, f"says no more than {said.id}")
        else:
            chosen.append(scored.item)
            yield Decision(scored, True, f"chosen as number {len(chosen)}: {_strongest(scored)}")


def _said_by(item: Item, chosen: Sequence[Item]) -> Item | None:
    """The chosen item that makes this one an echo, if one does."""
    return next((other for other in chosen if _repeats(item, other)), None)


def _repeats(item: Item, other: Item) -> bool:
    """Whether an item adds nothing to a chosen one.

    A memory adds nothing to the only turn that it was drawn from unless it says more; a dated one
    does. What two people say alike are two things.
    """
    if item.kind is ItemKind.MEMORY and tuple(item.source_turn_ids) == (other.id,):
        return item.valid_from is None and says_no_more(item.text, other.text)
    if item.kind is ItemKind.TURN and other.kind is ItemKind.TURN:
        return item.speaker == other.speaker and is_echo(item.text, other.text)
    return is_echo(item.text, other.text)


def _strongest(scored: Scored) -> str:
    """The signs that spoke for a candidate, strongest first."""
    signs: Mapping[str, float] = scored.features
    named = sorted((name for name, value in signs.items() if value > 0), key=lambda n: -signs[n])
    return ", ".join(f"{name} {signs[name]:.2f}" for name in named[:3]) or "nothing nearer"
