"""A question in the words of the one who is asked about, which is what meaning is compared with.

What people say of themselves has no name in it, and their name stands in what others say to them:
"What did Ana buy?" is nearer to "Thanks, Ana!" than to "I bought a lamp". So the names of speakers
give way to "I". The names of others stay, as they do in what was said; words are searched for as
asked, and who is named speaks for the turns of that speaker.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from lightmem.domain.language import detect_language
from lightmem.domain.names import named_words
from lightmem.domain.text import words_of

_NAME = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class _Voice:
    """How a language speaks of oneself.

    `own` stands for "Ana's"; `owned` are patterns of what is Ana's otherwise, `self_words` and
    `own_words` the pronouns that mean her.
    """

    me: str
    own: str
    self_words: str
    own_words: str
    owned: str = ""


_VOICES: Mapping[str, _Voice] = MappingProxyType(
    {
        "en": _Voice("I", "my", r"\b(?:she|he|they)\b", r"\b(?:her|his|their)\b"),
        "es": _Voice("yo", "mi", r"\b(?:ella|él|ellas|ellos)\b", r"\bsu(?=s?\b)", r"\bde "),
        "zh": _Voice("我", "我", "[他她]们?", "[他她]们?的"),
    }
)


def in_their_voice(question: str, entities: Sequence[str], speakers: Sequence[str]) -> str:
    """The question with "I" for each speaker that it names; as it is where it names none.

    Args:
        question: As it was asked.
        entities: What it names.
        speakers: Who speaks in the user's turns, in lower case.
    """
    names = _named(question, entities, speakers)
    if not names:
        return question
    voice = _VOICES.get(detect_language(question), _VOICES["en"])
    name = rf"(?:{'|'.join(names)})"
    bound = r"(?<!\w)" if voice.me.isascii() else ""
    end = r"(?!\w)" if voice.me.isascii() else ""
    text = re.sub(rf"{bound}{name}['’]s{end}", voice.own, question, flags=re.IGNORECASE)
    if voice.owned:
        text = re.sub(rf"{voice.owned}{name}{end}", "", text, flags=re.IGNORECASE)
    text = re.sub(rf"{bound}{name}{end}", voice.me, text, flags=re.IGNORECASE)
    text = re.sub(voice.own_words, voice.own, text, flags=re.IGNORECASE)
    text = re.sub(voice.self_words, voice.me, text, flags=re.IGNORECASE)
    return " ".join(text.split())


def _named(question: str, entities: Sequence[str], speakers: Sequence[str]) -> list[str]:
    """The names of speakers that a question has, as patterns, whole names first."""
    may_name = named_words(question, entities)
    asked = question.casefold()
    found: set[str] = set()
    for speaker in speakers:
        if not speaker.isascii() and speaker in asked:
            found.add(speaker)
        parts = words_of(speaker) & may_name
        found |= parts
        if parts and speaker in asked:
            found.add(speaker)
    return [re.escape(name) for name in sorted(found, key=lambda one: (-len(one), one))]
