"""Where the sentences of a text are: spans of the text itself, so that each can be quoted."""

import re
from dataclasses import dataclass

#: Longer than any sentence that is said; what goes on without a stop is cut at a space.
MAX_SENTENCE = 600

_CLOSERS = "\"'”’»)\\]}」』）】"
# A stop of Chinese or Japanese ends a sentence by itself, a stop of other scripts before a space.
_STOP = re.compile(rf"(?:[。！？][{_CLOSERS}]*|[.!?…]+[{_CLOSERS}]*(?=\s|$)|\n+)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|sr|sra|srta|jr|vs|etc|approx|no|nr|bzw|ca|usw|p\.ej|z\.b"
    r"|e\.g|i\.e|a\.m|p\.m|u\.s|u\.k)|\b[A-Z])\.$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and where it stands in its text: `text == content[start:end]`."""

    text: str
    start: int
    end: int

    @property
    def is_question(self) -> bool:
        """Whether it asks: it ends in a question mark, or opens with the Spanish one."""
        return self.text.rstrip(" " + _CLOSERS.replace("\\", "")).endswith(("?", "？", "?!", "!?"))


def split_sentences(content: str) -> list[Sentence]:
    """The sentences in order, without the space between them; none is blank."""
    found = []
    start = 0
    for stop in _STOP.finditer(content):
        if stop.group().startswith(".") and _ABBREVIATION.search(content[start : stop.end()]):
            continue
        found += _trimmed(content, start, stop.end())
        start = stop.end()
    return found + _trimmed(content, start, len(content))


def _trimmed(content: str, start: int, end: int) -> list[Sentence]:
    """The span without outer space, cut where it is longer than any sentence."""
    while start < end and content[start].isspace():
        start += 1
    while end > start and content[end - 1].isspace():
        end -= 1
    pieces = []
    while end - start > MAX_SENTENCE:
        space = content.rfind(" ", start + 1, start + MAX_SENTENCE)
        cut = space if space > start else start + MAX_SENTENCE
        pieces += _trimmed(content, start, cut)
        start = cut
        while start < end and content[start].isspace():
            start += 1
    if start < end:
        pieces.append(Sentence(content[start:end], start, end))
    return pieces
