"""The deterministic extractor: sentences that say something about someone, word for word.

It works without a model, so it is what the Writer falls back to. Each statement is a verbatim
stretch of one turn with its speaker before it; nothing is rewritten, so nothing can be invented.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lightmem.domain.attributes import ANSWER, claims_of
from lightmem.domain.grounding import split_words
from lightmem.domain.sentences import Sentence
from lightmem.model import MemoryKind, Role, Source, Statement, Turn
from lightmem_writer.attribution import attribute, speaker_of
from lightmem_writer.chains import chains_of
from lightmem_writer.cues import cues_for
from lightmem_writer.dates import validity
from lightmem_writer.echo import said_sentences
from lightmem_writer.language import addressed_in, language_of, language_of_segment
from lightmem_writer.telling import Speech, is_told, kind_of, names_in

#: An answer of so many words is kept together with its question.
MAX_ANSWER_WORDS = 5


def extract_by_rules(turns: Sequence[Turn]) -> list[Statement]:
    """The statements of a segment, in the order they were said.

    `system` turns give none. What an assistant or a tool said carries its name.
    """
    fallback = language_of_segment(turns)
    addressed = addressed_in(turns)
    statements = []
    asked: Turn | None = None
    for turn in turns:
        if turn.role is not Role.SYSTEM:
            language = language_of(turn, fallback=fallback)
            speech = Speech(turn, language, cues_for(language), addressed)
            statements += _statements_of(speech, asked)
        asked = turn
    return statements


# --- one turn ---------------------------------------------------------------------------------


def _statements_of(speech: Speech, before: Turn | None) -> list[Statement]:
    content = speech.turn.content
    sentences = said_sentences(content)
    question = _question_to(speech.turn, before)
    statements: list[Statement] = []
    for chain in chains_of(sentences, speech):
        start, end = chain.sentences[0].start, chain.sentences[-1].end
        is_answer = question is not None and not statements
        short = len(split_words(content[start:end])) <= MAX_ANSWER_WORDS
        if is_answer and (short or chain.is_loose):
            statements.append(_statement(content[start:end], speech, question=question))
        elif not chain.is_loose:
            statements.append(_statement(content[start:end], speech, lead=content[:start]))
    if question and not statements:
        told = next((one for one in sentences if _answers(one, speech, question)), None)
        if told is not None:
            statements.append(_statement(told.text, speech, question=question))
    return statements


def _answers(sentence: Sentence, speech: Speech, question: "_Question") -> bool:
    """Whether a sentence tells something, if only together with its question: "Lisbon."."""
    if is_told(sentence, speech):
        return True
    if speech.turn.role is not Role.USER or sentence.is_question:
        return False
    both = f"{question.text}{ANSWER}{sentence.text}"
    return bool(claims_of(both, language=speech.language, speaker=speech.turn.speaker))


def _statement(
    words: str, speech: Speech, *, lead: str = "", question: "_Question | None" = None
) -> Statement:
    """The words as a statement; an answer together with the question that it answers."""
    turn, language = speech.turn, speech.language
    kind = kind_of(words, speech.cues)
    if question is not None:
        lead = question.text
        if kind is MemoryKind.FACT and len(split_words(words)) <= MAX_ANSWER_WORDS:
            kind = kind_of(question.text, speech.cues)
    when = validity(words, turn, language=language, kind=kind, lead=lead)
    statement = Statement(
        text=attribute(words, turn, language=language, dated=when.leans),
        kind=kind,
        language=language,
        entities=entities_of(words, turn, language),
        sources=(Source(turn.id, words),),
        valid_from=when.start,
        valid_to=when.end,
        valid_precision=when.precision,
    )
    return statement if question is None else _answering(statement, speech, question)


def entities_of(words: str, turn: Turn, language: str) -> list[str]:
    """Who spoke and the names in the words, each once."""
    speaker = speaker_of(turn, language)
    names = names_in(words, cues_for(language), known=[speaker] if speaker else [])
    return list(dict.fromkeys([speaker, *names] if speaker else names))


@dataclass(frozen=True, slots=True)
class _Question:
    """What someone else asked right before."""

    text: str
    turn: Turn


def _question_to(turn: Turn, before: Turn | None) -> _Question | None:
    if before is None or before.role is Role.SYSTEM or before.session_id != turn.session_id:
        return None
    if (before.role, before.speaker) == (turn.role, turn.speaker):
        return None
    asked = [one.text for one in said_sentences(before.content) if one.is_question]
    return _Question(asked[-1], before) if asked else None


def _answering(statement: Statement, speech: Speech, question: _Question) -> Statement:
    """A short answer together with the question that it answers."""
    asked = attribute(question.text, question.turn, language=speech.language, dated=False)
    return replace(
        statement,
        text=f"{asked}{ANSWER}{statement.text}",
        sources=(*statement.sources, Source(question.turn.id, question.text)),
    )
