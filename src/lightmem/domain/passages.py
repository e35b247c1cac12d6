"""Long turns, passage by passage: what is pasted or dictated is found by the part that matters.

A passage is a slice of its turn, cut where a sentence or a paragraph ends. An encoder reads only
the beginning of a long text, and a vector of all of it is near to nothing that it says.
"""

from lightmem.domain.sentences import split_sentences
from lightmem.domain.text import content_words

#: Code points beyond which a turn has passages: about what an encoder reads of it.
LONG = 1_000
#: Code points that a passage has at most, and below which a paragraph's end does not end it.
MOST, LEAST = 600, 300


def passages_of(content: str) -> list[str]:
    """The passages of a long turn in order, each a substring of it; none for another."""
    if len(content) <= LONG:
        return []
    bounds = []
    start = end = 0
    for sentence in split_sentences(content):
        is_paragraph = "\n" in content[end : sentence.start] and end - start >= LEAST
        if end > start and (sentence.end - start > MOST or is_paragraph):
            bounds.append((start, end))
            start = sentence.start
        if end <= start:
            start = sentence.start
        end = sentence.end
    bounds.append((start, end))
    return [content[first:last] for first, last in bounds]


def passage_about(query: str, content: str) -> str:
    """The first passage with the most of a question's words; the text itself if it is not long."""
    asked = content_words(query)
    passages = passages_of(content)
    return max(passages, key=lambda one: len(asked & content_words(one)), default=content)
