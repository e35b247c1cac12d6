"""A question in the words of the one who is asked about, which is what meaning is compared with.

What people say of themselves has no name in it, and their name stands in what others say to them:
"What did Ana buy?" is nearer to "Thanks, Ana!" than to "I bought a lamp". So the name of who is
asked about gives way to "I", and that of another speaker to "you": "What did I give you?". The
names of others stay, as they do in what was said; words are searched for as asked, and who is asked
about speaks for the turns of that speaker.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from lightmem.domain.language import detect_language
from lightmem_selector.asked_about import named_speakers


@dataclass(frozen=True, slots=True)
class _Person:
    """How somebody is spoken of: "I", "my"; `owned` is what stands for "de Ana"."""

    name: str
    own: str
    owned: str = ""


@dataclass(frozen=True, slots=True)
class _Voice:
    """How a language speaks of oneself and to another.

    `of` is a pattern of what makes something somebody's. `both` is one of oneself said twice, `we`
    what is said for it. `self_words` and `own_words` are the pronouns that mean oneself.
    """

    me: _Person
    you: _Person
    both: str
    we: str
    self_words: str
    own_words: str
    of: str = ""


_VOICES: Mapping[str, _Voice] = MappingProxyType(
    {
        "en": _Voice(
            me=_Person("I", "my"),
            you=_Person("you", "your"),
            both=r"\bI(?:, I)*,? (?:and|or) I\b",
            we="we",
            self_words=r"\b(?:she|he|they)\b",
            own_words=r"\b(?:her|his|their)\b",
        ),
        "es": _Voice(
            me=_Person("yo", "mi"),
            you=_Person("tú", "tu", "tuyo"),
            both=r"\byo(?:, yo)* [yeou] yo\b",
            we="nosotros",
            self_words=r"\b(?:ella|él|ellas|ellos)\b",
            own_words=r"\bsu(?=s?\b)",
            of=r"\bde ",
        ),
        "zh": _Voice(
            me=_Person("我", "我"),
            you=_Person("你", "你"),
            both="我(?:[、和与跟及或]我)+",
            we="我们",
            self_words="[他她]们?",
            own_words="[他她]们?的",
        ),
    }
)


def in_their_voice(question: str, entities: Sequence[str], speakers: Sequence[str]) -> str:
    """The question as who is asked about would put it; as it is where it names no speaker.

    Args:
        question: As it was asked.
        entities: What it names.
        speakers: Who speaks in the user's turns, in lower case.
    """
    named = named_speakers(question, entities, speakers)
    if not named.about:
        return question
    voice = _VOICES.get(detect_language(question), _VOICES["en"])
    text = _instead(question, named.about, voice.me, voice)
    text = _instead(text, named.others, voice.you, voice)
    text = re.sub(voice.own_words, voice.me.own, text, flags=re.IGNORECASE)
    text = re.sub(voice.self_words, voice.me.name, text, flags=re.IGNORECASE)
    return " ".join(re.sub(voice.both, voice.we, text).split())


def _instead(text: str, names: Sequence[str], person: _Person, voice: _Voice) -> str:
    """The text with a person's words for some names, and for what is theirs."""
    if not names:
        return text
    said = rf"(?:{'|'.join(map(re.escape, names))})"
    bound, end = (r"(?<!\w)", r"(?!\w)") if voice.me.name.isascii() else ("", "")
    text = re.sub(rf"{bound}{said}['’]s{end}", person.own, text, flags=re.IGNORECASE)
    if voice.of:
        text = re.sub(rf"{voice.of}{said}{end}", person.owned, text, flags=re.IGNORECASE)
    return re.sub(rf"{bound}{said}{end}", person.name, text, flags=re.IGNORECASE)
