"""Pre-compression: of what a model is to read, the words that tell least are left out.

How much a word tells is its self-information, -log2 of how often it is said: by its rank among the
commonest words of conversations (Zipf: the word of rank r is said about 1 / (r ln 1.78 n) of the
time), and less for each time the segment has said it before. As in LLMLingua (Jiang et al. 2023,
arXiv:2310.05736) and the sensory stage of LightMem (arXiv:2510.18866), but with counted words in
place of a model. Numbers, names, negations, dates and the words for people always stay, and so
does what is stored: a statement rests on the sentence that was said, not on what was read.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lightmem.domain.grounding import Said, split_words, unsaid_numbers
from lightmem.domain.language import words
from lightmem.domain.time import find_dates
from lightmem_writer.common_words import COMMON_WORDS
from lightmem_writer.cues import cues_for
from lightmem_writer.sensory import Line

#: Words of a conversation in all, which scales the shares of the commonest.
_VOCABULARY = 20_000
#: Words that a line keeps at least.
LEAST_WORDS = 3
_UNSPACED = frozenset({"zh", "ja", "th"})
_PIECE = re.compile(r"\S+")
_NOTHING = Said(())
# Where the cues of a language have no pattern for others that are spoken of.
_PEOPLE = {
    "es": words(
        "hermana hermano hermanas hermanos madre padre mamá papá padres hija hijo hijas hijos "
        "esposa esposo mujer marido pareja novia novio abuela abuelo tía tío prima primo sobrina "
        "sobrino suegra suegro amiga amigo amigas amigos jefa jefe perra perro gata gato él ella"
    ),
}


@dataclass(frozen=True, slots=True)
class _Piece:
    """A word of a line as it is written, and what it tells; None for what has to stay."""

    line: int
    place: int
    text: str
    bits: float | None


def self_information(word: str, language: str, *, said_before: int = 0) -> float:
    """How much a word tells, in bits; a word that is no common one tells as if it came next."""
    ranks = COMMON_WORDS.get(language, {})
    rank = ranks.get(word, len(ranks) + 1)
    share = 1 / (rank * math.log(1.78 * _VOCABULARY))
    return -math.log2(share) - math.log2(1 + said_before)


def compress(lines: Sequence[Line], *, ratio: float, languages: Sequence[str]) -> list[Line]:
    """The lines with about `ratio` of their characters; 1 leaves them as they are.

    Args:
        languages: Of each line. Lines in a language without a table of words stay as they are.
    """
    if ratio >= 1:
        return list(lines)
    pieces = _pieces(lines, languages)
    excess = sum(len(piece.text) + 1 for piece in pieces) * (1 - ratio)
    left = Counter(piece.line for piece in pieces)
    dropped: set[tuple[int, int]] = set()
    candidates = [(piece.bits, piece) for piece in pieces if piece.bits is not None]
    for _, piece in sorted(candidates, key=lambda each: (each[0], each[1].line, each[1].place)):
        if excess <= 0:
            break
        if left[piece.line] > LEAST_WORDS:
            dropped.add((piece.line, piece.place))
            left[piece.line] -= 1
            excess -= len(piece.text) + 1
    return [
        replace(line, text=_joined(pieces, number, dropped, languages[number]))
        for number, line in enumerate(lines)
    ]


def _pieces(lines: Sequence[Line], languages: Sequence[str]) -> list[_Piece]:
    said: Counter[str] = Counter()
    pieces = []
    for number, (line, language) in enumerate(zip(lines, languages, strict=True)):
        unspaced = language.partition("-")[0] in _UNSPACED
        spans = _characters(line.text) if unspaced else _words(line.text)
        kept = _kept_spans(line, language)
        for place, (start, end) in enumerate(spans):
            text = line.text[start:end]
            is_last = end == len(line.text)
            must_stay = is_last or any(start < to and at < end for at, to in kept)
            bits = None if must_stay else _bits(text, language, said, opens=not place)
            pieces.append(_Piece(number, place, text, bits))
    return pieces


def _bits(text: str, language: str, said: Counter[str], *, opens: bool) -> float | None:
    """What a word tells; None for one that has to stay, whatever it tells."""
    key = text.strip(".,;:!?…\"'()¿¡—-").casefold()
    if not split_words(text) or language not in COMMON_WORDS:
        return 0.0 if language in COMMON_WORDS else None
    if language in _UNSPACED and key not in COMMON_WORDS[language]:
        # One character of a word: without it the others say something else.
        return None
    if key in _PEOPLE.get(language, ()):
        return None
    if any(character.isdigit() for character in text) or unsaid_numbers(text, _NOTHING):
        return None
    if text[0].isupper() and not (opens and key in COMMON_WORDS[language]):
        return None
    said[key] += 1
    return self_information(key, language, said_before=said[key] - 1)


def _kept_spans(line: Line, language: str) -> list[tuple[int, int]]:
    """Where dates, negations and words for people stand in a line."""
    cues = cues_for(language)
    patterns = (cues.negation, cues.first_person, cues.second_person, cues.third_person)
    spans = [
        match.span()
        for pattern in patterns
        if pattern is not None
        for match in pattern.finditer(line.text)
    ]
    turn = line.turn
    dates = find_dates(
        line.text,
        anchor=turn.occurred_at,
        utc_offset_minutes=turn.utc_offset_minutes,
        language=language,
    )
    for date in dates:
        at = line.text.find(date.text)
        spans.append((at, at + len(date.text)))
    return spans


def _words(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _PIECE.finditer(text)]


def _characters(text: str) -> list[tuple[int, int]]:
    return [(at, at + 1) for at, character in enumerate(text) if not character.isspace()]


def _joined(
    pieces: Sequence[_Piece], line: int, dropped: set[tuple[int, int]], language: str
) -> str:
    kept = [
        piece.text for piece in pieces if piece.line == line and (line, piece.place) not in dropped
    ]
    return ("" if language.partition("-")[0] in _UNSPACED else " ").join(kept)
