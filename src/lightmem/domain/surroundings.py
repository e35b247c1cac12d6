"""What a recalled piece is not understood without: the question that it answers, the turn that its
pronouns point to, the words that a memory quotes, and what was said last.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lightmem.domain.text import content_words, is_question, words_of
from lightmem.model import Item

#: Fewer words that carry meaning do not stand alone.
_FEW_WORDS = 5
#: A longer neighbour is not brought: it would take the place of what was chosen.
MOST_CODE_POINTS = 600

#: Words at the head of a turn that lean on the turn before it.
_LEANING = re.compile(
    r"^\W*(?:(?:yes|yeah|yep|no|nope|sure|exactly|right|definitely|absolutely|same|it|it's|its|they|"
    r"they're|that|that's|those|these|this|he|she|he's|she's|them|both|me too|so do i|sí|claro|"
    r"exacto|eso|esa|ese|ella|él|ellos|ellas|igual|también|tampoco)\b|是的?|对|不是|没有|有|这|那|"
    r"他|她|它|也)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that a memory rests on, and who said them."""

    speaker: str
    words: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What may be shown beside the chosen items, by their ids, and the latest turns, oldest first.

    None of it is an item: it takes only the room that they leave.
    """

    beside: Mapping[str, Sequence[Item]] = field(default_factory=dict)
    quotes: Mapping[str, Sequence[Quote]] = field(default_factory=dict)
    latest: Sequence[Item] = ()


def needs_before(text: str, before: str) -> bool:
    """Whether a turn is understood only with the one before it: it answers, or leans on it."""
    return is_question(before) or _leans(text)


def needs_after(text: str, after: str) -> bool:
    """Whether a turn says little without the one after it: it asks, and that one does not."""
    return is_question(text) and not is_question(after)


def is_worth_showing(text: str) -> bool:
    """Whether a neighbour has words of its own and is not too long to stand beside an item."""
    return 0 < len(text) <= MOST_CODE_POINTS and bool(words_of(text) - {"forgotten"})


def _leans(text: str) -> bool:
    return bool(_LEANING.match(text)) or len(content_words(text)) < _FEW_WORDS
