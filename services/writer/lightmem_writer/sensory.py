"""The sensory stage: what a model reads of a turn, thinned; what is stored is never touched.

Sentences of nothing but chatter, hesitations and what the segment has said already are left out.
The rest becomes one line a sentence, each knowing where it stands in its turn.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from lightmem.domain.fingerprint import normalised
from lightmem.domain.sentences import Sentence
from lightmem.model import Turn
from lightmem_writer.cues import Cues, cues_for
from lightmem_writer.echo import said_sentences
from lightmem_writer.language import addressed_in, is_chatter, language_of, language_of_segment


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence as a model reads it: `text` is on one line, `sentence` is what was said."""

    turn: Turn
    #: Which sentence of its turn it is, from 0.
    place: int
    sentence: Sentence
    text: str


def thin(turns: Sequence[Turn]) -> list[Line]:
    """What is worth reading of the turns, in order."""
    fallback = language_of_segment(turns)
    addressed = addressed_in(turns)
    seen: set[str] = set()
    lines: list[Line] = []
    for turn in turns:
        cues = cues_for(language_of(turn, fallback=fallback))
        lines += _lines_of(turn, cues, addressed, seen)
    return lines


def _lines_of(turn: Turn, cues: Cues, addressed: Set[str], seen: set[str]) -> Iterator[Line]:
    for place, sentence in enumerate(said_sentences(turn.content)):
        key = normalised(sentence.text)
        if not key or key in seen or is_chatter(sentence.text, cues, addressed=addressed):
            continue
        seen.add(key)
        yield Line(turn, place, sentence, _without_fillers(sentence.text, cues))


def _without_fillers(sentence: str, cues: Cues) -> str:
    """The sentence on one line, without words that only fill a pause."""
    kept = [word for word in sentence.split() if word.strip(",.…-").casefold() not in cues.fillers]
    return " ".join(kept)
