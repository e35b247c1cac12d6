"""Holding what a model proposes against what was said; only what passes becomes a statement.

The model names the sentences it means; the code quotes them. A statement whose words are not in
them rests on the sentence of the segment that does hold them, if there is one.

Each check has a short reason that holds none of the user's words, so rejections can be counted.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from lightmem.domain.grounding import (
    Said,
    split_words,
    unsaid_names,
    unsaid_numbers,
    unsaid_share,
)
from lightmem.domain.language import UNKNOWN, detect_language, main_script
from lightmem.model import Role, Source, Statement, Turn
from lightmem_writer.attribution import attribute, day_said, speaker_of
from lightmem_writer.cues import cues_for
from lightmem_writer.dates import validity
from lightmem_writer.echo import said_sentences
from lightmem_writer.language import language_of, language_of_segment
from lightmem_writer.prompts import MAX_LINES, ProposedStatement
from lightmem_writer.rules import entities_of
from lightmem_writer.sensory import Line
from lightmem_writer.telling import is_about_the_other, is_reaction

#: Share of a statement's content words that need not have been said: what a rewording adds.
MAX_UNSAID = 0.25
#: A statement may be this much longer than its quote, in characters and as a factor.
LONGER_BY, LONGER_TIMES = 60, 2
#: The same three words in a row this often are a loop, not a sentence.
MAX_REPEATS = 2
#: What the prompt calls the user who has no name.
_USER = "user"
_MARKUP = ("{", "}", "<<", ">>", '":', "```")


@dataclass(frozen=True, slots=True)
class Segment:
    """The turns that may be quoted, the sentences that were read, and what is known of them."""

    turns: Sequence[Turn]
    lines: Sequence[Line]
    fallback: str

    @classmethod
    def of(cls, turns: Sequence[Turn], lines: Sequence[Line]) -> "Segment":
        return cls(turns, lines, language_of_segment(turns))

    def language(self, turn: Turn) -> str:
        return language_of(turn, fallback=self.fallback)


@dataclass(frozen=True, slots=True)
class _Draft:
    """A proposal on its way through the checks."""

    text: str
    #: The sentences it rests on, all of one turn.
    lines: Sequence[Line]
    language: str

    @property
    def turn(self) -> Turn:
        return self.lines[0].turn

    @property
    def quote(self) -> str:
        return " ".join(line.sentence.text for line in self.lines)


class Rejected(Exception):
    """A proposal that did not pass; its only argument says why."""


def grounded(proposed: ProposedStatement, segment: Segment) -> Statement:
    """The statement that a proposal amounts to, with the exact words it rests on.

    Raises:
        Rejected: it says what was not said.
    """
    text = " ".join(proposed.text.split())
    lines = _lines_meant(text, proposed.lines, segment)
    turn = lines[0].turn
    language = segment.language(turn)
    draft = _Draft(text, lines, language)
    when = validity(draft.quote, turn, language=language, kind=proposed.kind)
    _check_form(draft)
    _check_meant_for_later(draft)
    _check_language(draft)
    _check_subject(draft, segment)
    sources = [*_quotes(draft), *_check_names(draft, segment)]
    _check_words(draft, segment, when.start)
    return Statement(
        text=_attributed(draft),
        kind=proposed.kind,
        language=language,
        entities=entities_of(draft.text, turn, language),
        sources=tuple(sources),
        valid_from=when.start,
        valid_to=when.end,
        valid_precision=when.precision,
    )


def _lines_meant(text: str, numbers: Sequence[int], segment: Segment) -> list[Line]:
    """The sentences that a statement rests on, in order and of one turn."""
    first = segment.lines[numbers[0] - 1]
    chosen = [segment.lines[number - 1] for number in sorted(set(numbers))]
    chosen = [line for line in chosen if line.turn.id == first.turn.id]
    if _unsaid_in(text, chosen, segment) <= MAX_UNSAID:
        return chosen
    best = min(_runs(segment.lines), key=lambda run: _unsaid_in(text, run, segment))
    return best if _unsaid_in(text, best, segment) <= MAX_UNSAID else chosen


def _runs(lines: Sequence[Line]) -> list[list[Line]]:
    """Every line, and every few lines of one turn that follow each other, short ones first."""
    runs = [
        list(lines[at : at + length])
        for length in range(1, MAX_LINES + 1)
        for at in range(len(lines) - length + 1)
    ]
    return [run for run in runs if run[0].turn.id == run[-1].turn.id]


def _unsaid_in(text: str, lines: Sequence[Line], segment: Segment) -> float:
    """The share of a text's words that neither the lines say nor anyone is called."""
    speakers = [turn.speaker or _USER for turn in segment.turns]
    days = [day_said(lines[0].turn)]
    return unsaid_share(text, Said([*(line.sentence.text for line in lines), *speakers, *days]))


def _quotes(draft: _Draft) -> list[Source]:
    """Sentences that follow each other as one quote, word for word."""
    content = draft.turn.content
    runs: list[list[Line]] = []
    for line in draft.lines:
        if not runs or line.place != runs[-1][-1].place + 1:
            runs.append([])
        runs[-1].append(line)
    spans = [content[run[0].sentence.start : run[-1].sentence.end] for run in runs]
    return [Source(draft.turn.id, span) for span in spans]


def _check_form(draft: _Draft) -> None:
    text, said = draft.text, len(draft.quote)
    if any(mark in text for mark in _MARKUP):
        raise Rejected("markup in the text")
    if text.endswith(("?", "？")):
        raise Rejected("a question")
    if len(text) > max(said * LONGER_TIMES, said + LONGER_BY):
        raise Rejected("longer than what was said")
    keys = [word.key for word in split_words(text)]
    triples = Counter(zip(keys, keys[1:], keys[2:], strict=False))
    if triples and max(triples.values()) > MAX_REPEATS:
        raise Rejected("repeats itself")


def _check_meant_for_later(draft: _Draft) -> None:
    """What is said to the other, or only reacts to him, is over when it is said."""
    cues = cues_for(draft.language)
    if draft.turn.role is not Role.USER:
        return
    if is_reaction(draft.text, cues) or is_about_the_other(draft.text, cues):
        raise Rejected("says nothing that lasts")


def _check_language(draft: _Draft) -> None:
    """The language and script stay those of the turn."""
    if main_script(draft.text) != main_script(draft.turn.content):
        raise Rejected("another script")
    written = detect_language(draft.text)
    if UNKNOWN not in {written, draft.language} and written != draft.language:
        raise Rejected("another language")


def _check_subject(draft: _Draft, segment: Segment) -> None:
    """What one says of oneself is not told of another, unless the other is spoken to."""
    second = cues_for(draft.language).second_person
    if second is not None and second.search(draft.quote):
        return
    own, text = draft.turn.speaker or "", draft.text
    speakers = {turn.speaker for turn in segment.turns if turn.speaker} - {own}
    others = {word.key for speaker in speakers for word in split_words(speaker)}
    said = Said([draft.quote, own])
    for word in split_words(text):
        name = text[word.start : word.end]
        if word.key in others and not name[0].islower() and not said.has_name(name):
            raise Rejected("told of another speaker")


def _check_names(draft: _Draft, segment: Segment) -> list[Source]:
    """Sources beside the turn itself for names that other turns of the segment bring in."""
    own = Said([draft.turn.content, draft.turn.speaker or ""])
    sources: list[Source] = []
    for name in unsaid_names(draft.text, own):
        if not any(name in source.quote for source in sources):
            sources.append(_named_elsewhere(name, draft.turn, segment))
    return sources


def _named_elsewhere(name: str, turn: Turn, segment: Segment) -> Source:
    for other in segment.turns:
        if other.id == turn.id:
            continue
        for sentence in said_sentences(other.content):
            if not unsaid_names(name, Said([sentence.text])):
                return Source(other.id, sentence.text)
    raise Rejected("a name that was not said")


def _check_words(draft: _Draft, segment: Segment, start: datetime | None) -> None:
    speakers = [speaker_of(turn, draft.language) or _USER for turn in segment.turns]
    days = [day_said(draft.turn), start.date().isoformat() if start else ""]
    if unsaid_numbers(draft.text, Said([draft.turn.content, *days, *speakers])):
        raise Rejected("a number that was not said")
    if _unsaid_in(draft.text, draft.lines, segment) > MAX_UNSAID:
        raise Rejected("words that the lines do not say")
    negation = cues_for(draft.language).negation
    if negation is None:
        return
    if bool(negation.search(draft.text)) != bool(negation.search(draft.quote)):
        raise Rejected("negation differs")


def _attributed(draft: _Draft) -> str:
    """The text with who said it, unless it says so, and with the day it leans on, if any."""
    text, turn, language = draft.text, draft.turn, draft.language
    leans = validity(text, turn, language=language).leans
    speaker = speaker_of(turn, language)
    if speaker is None or speaker.casefold() not in text.casefold():
        return attribute(text, turn, language=language, dated=leans)
    return f"{day_said(turn)}: {text}" if leans else text
