"""The sensory stage: what a model reads of a turn, thinned; what is stored is never touched.

Sentences of nothing but chatter, hesitations and what the segment has said already are left out.
The rest keeps its words and their order, so that a quote of it is found again in the turn.
"""

from collections.abc import Sequence

from lightmem.domain.fingerprint import normalised
from lightmem.domain.sentences import split_sentences
from lightmem.model import Turn
from lightmem_writer.cues import Cues, cues_for
from lightmem_writer.language import is_chatter, language_of, language_of_segment


def thin(turns: Sequence[Turn]) -> list[str]:
    """For each turn what is worth reading of it, on one line; empty when nothing is."""
    fallback = language_of_segment(turns)
    seen: set[str] = set()
    return [
        _thinned(turn.content, cues_for(language_of(turn, fallback=fallback)), seen)
        for turn in turns
    ]


def _thinned(content: str, cues: Cues, seen: set[str]) -> str:
    kept = []
    for sentence in split_sentences(content):
        key = normalised(sentence.text)
        if not key or key in seen or is_chatter(sentence.text, cues):
            continue
        seen.add(key)
        kept.append(_without_fillers(sentence.text, cues))
    return " ".join(kept)


def _without_fillers(sentence: str, cues: Cues) -> str:
    """The sentence on one line, without words that only fill a pause."""
    kept = [word for word in sentence.split() if word.strip(",.…-").casefold() not in cues.fillers]
    return " ".join(kept)
