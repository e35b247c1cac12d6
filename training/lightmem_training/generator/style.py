"""How a persona writes: plain, warm, short or casual, with a slip of the keys now and then."""

import re
from collections.abc import Sequence
from random import Random

from lightmem_training.generator.english import sentence_case
from lightmem_training.generator.library import Library

_CASUAL = (
    ("going to", "gonna"), ("want to", "wanna"), ("kind of", "kinda"), ("because", "cuz"),
    ("you know", "ya know"), ("got to", "gotta"), ("really", "rlly"), ("though", "tho"),
    ("thanks", "thx"), ("probably", "prob"), ("okay", "ok"), ("something", "smth"),
)  # fmt: skip
_EMOJI = ("😊", "😂", "🙌", "❤️", "😅", "🎉", "🙏", "😍", "🤞", "😢", "✨", "💪")
_SENTENCE = re.compile(r"(^|[.!?]\s+)([¿¡]*)(\w)")
_LETTERS = re.compile(r"[a-z]{6,}")


def styled(library: Library, style: str, parts: Sequence[str], rng: Random) -> str:
    """The parts as one message in the persona's style."""
    language = library.language
    text = ("" if language == "zh" else " ").join(_joined(library, parts))
    if language != "en":
        return _SENTENCE.sub(_capital, " ".join(text.split())) if language == "es" else text
    text = sentence_case(text)
    if style == "casual":
        text = _casual(text, rng)
    if style == "warm" and rng.random() < 0.35:
        text = f"{text.rstrip('.')}{rng.choice(['!', '!!', '! '])}" if text.endswith(".") else text
        text = f"{text.strip()} {rng.choice(_EMOJI)}" if rng.random() < 0.35 else text.strip()
    if rng.random() < (0.06 if style == "casual" else 0.015):
        text = misspelt(text, rng)
    return text


def _capital(match: re.Match[str]) -> str:
    return match[1] + match[2] + match[3].upper()


def _joined(library: Library, parts: Sequence[str]) -> list[str]:
    """The parts, each that follows a comma with a small first letter, unless it is a name or I."""
    joined: list[str] = []
    for given in parts:
        part = given.strip()
        after_comma = joined and joined[-1].endswith((",", ":", "but"))
        if after_comma and part.split(" ", 1)[0].rstrip(",.!?") in library.starters:
            part = part[:2].lower() + part[2:] if part[:1] in "¿¡" else part[:1].lower() + part[1:]
        joined.append(part)
    return joined


def misspelt(text: str, rng: Random) -> str:
    """The text with one slip: two letters swapped, one left out or one doubled."""
    words = [
        match
        for match in _LETTERS.finditer(text)
        if match.start() and text[match.start() - 1] == " "
    ]
    if not words:
        return text
    word = rng.choice(words)
    at = word.start() + rng.randint(1, len(word[0]) - 3)
    slips = (text[at + 1] + text[at], text[at], text[at] * 2 + text[at + 1])
    return text[:at] + rng.choice(slips) + text[at + 2 :]


def _casual(text: str, rng: Random) -> str:
    for formal, loose in _CASUAL:
        if formal in text and rng.random() < 0.25:
            text = text.replace(formal, loose)
    if rng.random() < 0.10:
        text = text.lower()
    if rng.random() < 0.15:
        text = text.replace("'", "") if rng.random() < 0.5 else text.rstrip(".")
    return text
