"""The text to put before a model: dated, in time order, fenced as data, within a token budget.

Items are shown as they stand; only what could be taken for the fence is made harmless. What they
are not understood without, and the latest turns, take the room that they leave.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta, timezone
from typing import Protocol

from lightmem.domain.context_lines import (
    CLOSING,
    HEADER,
    LATEST,
    OPENING,
    UNDATED,
    Line,
    heading,
    line_of,
    render,
    with_quote,
)
from lightmem.domain.surroundings import Surroundings
from lightmem.model import Item

__all__ = ["CLOSING", "HEADER", "LATEST", "OPENING", "UNDATED", "PackedContext", "pack_context"]

#: Share of the budget that the latest turns may take.
LATEST_SHARE = 0.25
#: A line costs its own tokens and at most this for the break before it.
_BREAK = 1


class CountsTokens(Protocol):
    """What is needed of a tokenizer here."""

    def count(self, text: str) -> int: ...


@dataclass(frozen=True, slots=True)
class PackedContext:
    """A context, what it holds in rank order, and how many items found no room.

    `items` are those that were chosen; what stands beside them is in the text alone.
    """

    text: str
    tokens: int
    items: Sequence[Item]
    left_out: int


def pack_context(
    items: Sequence[Item],
    *,
    budget_tokens: int,
    tokenizer: CountsTokens,
    utc_offset_minutes: int = 0,
    surroundings: Surroundings | None = None,
) -> PackedContext:
    """The context for as many of the items as fit, the best ranked first to get a place.

    An item is shown whole or not at all: one that does not fit is left out, and a shorter one of
    lower rank may take its place. A budget below the empty fence gives an empty context.

    Args:
        items: Best first.
        budget_tokens: Bounds the whole text, header and fence included.
        tokenizer: Counts it.
        utc_offset_minutes: Where the days of the headings begin.
        surroundings: What may stand beside the items, and the latest turns.
    """
    zone = timezone(timedelta(minutes=utc_offset_minutes))
    lines = [line_of(rank, item, zone) for rank, item in enumerate(items)]
    text, tokens, kept = render(lines), 0, lines
    if lines or (surroundings is not None and surroundings.latest):
        tokens = tokenizer.count(text)
    if tokens > budget_tokens:
        kept = _choose(lines, budget_tokens, tokenizer)
        text, tokens = _fit(kept, budget_tokens, tokenizer, total=len(items))
    if surroundings is not None and tokens:
        wider = _Wider(kept, surroundings, zone, budget_tokens, tokenizer)
        text, tokens = wider.packed(text, tokens, left_out=len(items) - len(kept))
    elif not kept:
        text, tokens = "", 0
    return PackedContext(
        text if tokens else "",
        tokens,
        tuple(line.item for line in kept) if tokens else (),
        len(items) - len(kept),
    )


def _choose(lines: Sequence[Line], budget_tokens: int, tokenizer: CountsTokens) -> list[Line]:
    """Lines by rank as long as their own counts leave room; each is counted once."""
    left = budget_tokens - tokenizer.count(render((), left_out=len(lines)))
    headings: set[tuple[date | None, str]] = set()
    chosen = []
    for line in lines:
        cost = tokenizer.count(line.text)
        if line.group not in headings:
            cost += tokenizer.count(heading(line.day, another=True))
        if cost <= left:
            left -= cost
            headings.add(line.group)
            chosen.append(line)
    return chosen


def _fit(
    kept: list[Line], budget_tokens: int, tokenizer: CountsTokens, *, total: int
) -> tuple[str, int]:
    """Drop the lowest ranked while the whole is over the budget: counts need not add up."""
    while kept:
        text = render(kept, left_out=total - len(kept))
        tokens = tokenizer.count(text)
        if tokens <= budget_tokens:
            return text, tokens
        kept.pop()
    return "", 0


class _Wider:
    """Fills the room that the items leave: first what is beside them, best ranked first, then the
    words that memories quote, then the latest turns.
    """

    def __init__(
        self,
        kept: Sequence[Line],
        surroundings: Surroundings,
        zone: timezone,
        budget_tokens: int,
        tokenizer: CountsTokens,
    ) -> None:
        self._lines = {line.item.id: line for line in kept}
        self._kept = [line.item.id for line in kept]
        self._surroundings = surroundings
        self._zone = zone
        self._budget = budget_tokens
        self._tokenizer = tokenizer
        self._latest: list[Line] = []

    def packed(self, text: str, tokens: int, *, left_out: int) -> tuple[str, int]:
        """The widest text within the budget, at least the one given, which is of the items."""
        left = self._budget - tokens
        for step in self._steps():
            cost = self._tokenizer.count(step.text) + _BREAK
            if cost <= left and self._takes(step):
                left -= cost
        if not left_out:
            self._take_latest(min(left, int(self._budget * LATEST_SHARE)))
        if not self._lines and not self._latest:
            return "", 0
        while True:
            wider = render(list(self._lines.values()), latest=self._latest, left_out=left_out)
            count = self._tokenizer.count(wider)
            if count <= self._budget:
                return wider, count
            if not self._drop():
                return text, tokens

    def _steps(self) -> Iterator[Line]:
        """What may be added: neighbours as lines of their own, then memories with their quotes."""
        for rank, key in enumerate(self._kept):
            for item in self._surroundings.beside.get(key, ()):
                yield line_of(rank, item, self._zone)
        for key in self._kept:
            for quote in self._surroundings.quotes.get(key, ())[:1]:
                if not self._shows(quote.words):
                    yield with_quote(self._lines[key], quote)

    def _takes(self, step: Line) -> bool:
        key = step.item.id
        if key in self._lines and self._lines[key].text == step.text:
            return False
        if key in self._lines and key not in self._surroundings.quotes:
            return False
        self._lines[key] = step
        return True

    def _shows(self, words: str) -> bool:
        """Whether a turn that is shown has these words already."""
        return any(words in line.item.text for line in self._lines.values())

    def _take_latest(self, room: int) -> None:
        room -= self._tokenizer.count(LATEST) + _BREAK
        for item in reversed(self._surroundings.latest):
            if item.id in self._lines:
                continue
            line = line_of(len(self._kept), item, self._zone)
            room -= self._tokenizer.count(line.text) + _BREAK
            if room < 0:
                return
            self._latest.insert(0, line)

    def _drop(self) -> bool:
        """Take back what was added last; False when nothing is left of it."""
        if self._latest:
            self._latest.pop(0)
            return True
        added = [key for key in self._lines if key not in self._kept]
        if added:
            del self._lines[added[-1]]
        return bool(added)
