"""Long turns, passage by passage: what is pasted or dictated is found by the part that matters.

A passage is a slice of its turn, cut where a sentence or a paragraph ends. An encoder reads only
the beginning of a long text, and a vector of all of it is near to nothing that it says.
"""

import re
from collections.abc import Iterator

from lightmem.domain.sentences import split_sentences
from lightmem.domain.text import content_words

#: Length beyond which a turn has passages: about what an encoder reads of it.
LONG = 1_000
#: Length that a passage has at most, and below which a paragraph's end does not end it.
MOST, LEAST = 600, 300
#: A sign of a script whose signs are tokens by themselves is as long as so many Latin letters.
WIDE = 3
_WIDE_SIGN = re.compile(r"[\u0370-\U0010ffff]")


def is_long(content: str) -> bool:
    """Whether a turn has passages; no passage is long."""
    return len(content) * WIDE > LONG and _length(content) > LONG


def passages_of(content: str) -> list[str]:
    """The passages of a long turn in order, each a substring of it; none for another."""
    if not is_long(content):
        return []
    bounds = []
    start = end = 0
    for first, last in _spans(content):
        is_paragraph = "\n" in content[end:first] and _length(content[start:end]) >= LEAST
        if end > start and (is_paragraph or _length(content[start:last]) > MOST):
            bounds.append((start, end))
            start = first
        if end <= start:
            start = first
        end = last
    bounds.append((start, end))
    return [content[first:last] for first, last in bounds]


def passage_about(query: str, content: str) -> str:
    """The first passage with the most of a question's words; the text itself if it is not long."""
    asked = content_words(query)
    passages = passages_of(content)
    return max(passages, key=lambda one: len(asked & content_words(one)), default=content)


def _spans(content: str) -> Iterator[tuple[int, int]]:
    """Sentences, those too long for a passage in parts."""
    part = MOST // WIDE
    for sentence in split_sentences(content):
        if _length(sentence.text) <= MOST:
            yield sentence.start, sentence.end
            continue
        for first in range(sentence.start, sentence.end, part):
            yield first, min(first + part, sentence.end)


def _length(text: str) -> int:
    """In Latin letters: how much of what an encoder reads a text takes."""
    if text.isascii():
        return len(text)
    return len(text) + (WIDE - 1) * len(_WIDE_SIGN.findall(text))
