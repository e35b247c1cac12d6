"""In which language a turn is, and whether its words say anything at all."""

from collections.abc import Sequence, Set

from lightmem.domain.grounding import split_words
from lightmem.domain.language import UNKNOWN, detect_language
from lightmem.model import Turn
from lightmem_writer.cues import Cues


def language_of_segment(turns: Sequence[Turn]) -> str:
    """The language that most of a segment is in."""
    return detect_language(" ".join(turn.content for turn in turns))


def language_of(turn: Turn, *, fallback: str = UNKNOWN) -> str:
    """The language of a turn; what is too short to tell takes its segment's."""
    language = detect_language(turn.content, expected=fallback)
    return fallback if language == UNKNOWN else language


def is_chatter(text: str, cues: Cues, *, addressed: Set[str] = frozenset()) -> bool:
    """Whether there is nothing but greetings, thanks, interjections and who they go to."""
    return all(word.key in cues.chatter or word.key in addressed for word in split_words(text))


def addressed_in(turns: Sequence[Turn]) -> frozenset[str]:
    """The names of those who talk: to call one by name says nothing about them."""
    return frozenset(
        word.key for turn in turns if turn.speaker for word in split_words(turn.speaker)
    )
