"""The deterministic extractor: sentences that say something about someone, word for word.

It works without a model, so it is what the Writer falls back to. Each statement is a verbatim
stretch of one turn with its speaker before it; nothing is rewritten, so nothing can be invented.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lightmem.domain.grounding import content_words, name_phrases, split_words
from lightmem.domain.language import words as word_list
from lightmem.domain.sentences import Sentence, split_sentences
from lightmem.model import MemoryKind, Role, Source, Statement, Turn
from lightmem_writer.attribution import attribute, speaker_of
from lightmem_writer.cues import Cues, cues_for
from lightmem_writer.dates import validity
from lightmem_writer.language import language_of, language_of_segment

#: Content words that a sentence needs beside its chatter; one with a number or name needs fewer.
MIN_CONTENT_WORDS = 2
#: Characters of an unspaced script that make up as much.
MIN_UNSPACED = 5
#: A sentence that leans on the one before it is kept together with it, up to this many.
MAX_CHAIN = 3
#: An answer of so many words is kept together with its question.
MAX_ANSWER_WORDS = 5
_SETS_OFF = frozenset(",!.，！。")
_UNSPACED_LANGUAGES = frozenset({"zh", "ja", "th"})
# Openers that mean what the sentence before named, in the languages with a table.
_LEANING = word_list(
    "he she they it this that these those him her them his their its there then él ella ellos "
    "ellas eso esto il elle ils elles cela ça er sie es das dort lui lei loro ele eles elas isso "
    "他 她 它 他们 她们 这 那 彼 彼女 それ"
)


@dataclass(frozen=True, slots=True)
class _Speech:
    """A turn as the rules read it."""

    turn: Turn
    language: str
    cues: Cues
    #: Names of those who talk: to call one by name says nothing about them.
    addressed: frozenset[str]


def extract_by_rules(turns: Sequence[Turn]) -> list[Statement]:
    """The statements of a segment, in the order they were said.

    `system` turns give none. What an assistant or a tool said carries its name.
    """
    fallback = language_of_segment(turns)
    addressed = frozenset(
        word.key for turn in turns if turn.speaker for word in split_words(turn.speaker)
    )
    statements = []
    asked: Turn | None = None
    for turn in turns:
        if turn.role is not Role.SYSTEM:
            language = language_of(turn, fallback=fallback)
            speech = _Speech(turn, language, cues_for(language), addressed)
            statements += _statements_of(speech, asked)
        asked = turn
    return statements


def kind_of(words: str, cues: Cues) -> MemoryKind:
    """What a statement is, by the first cue in it; a fact when there is none."""
    return next((kind for kind, cue in cues.kinds if cue.search(words)), MemoryKind.FACT)


# --- one turn ---------------------------------------------------------------------------------


def _statements_of(speech: _Speech, before: Turn | None) -> list[Statement]:
    sentences = split_sentences(speech.turn.content)
    question = _question_to(speech.turn, before)
    statements: list[Statement] = []
    for chain in _chains(sentences, speech):
        words = speech.turn.content[chain[0].start : chain[-1].end]
        statement = _statement(words, speech)
        if question and not statements and len(split_words(words)) <= MAX_ANSWER_WORDS:
            statement = _answering(statement, speech, question)
        statements.append(statement)
    if question and not statements:
        told = next((one for one in sentences if _is_told(one, speech)), None)
        if told is not None:
            statements.append(_answering(_statement(told.text, speech), speech, question))
    return statements


def _statement(words: str, speech: _Speech) -> Statement:
    when = validity(words, speech.turn, language=speech.language)
    return Statement(
        text=attribute(words, speech.turn, language=speech.language, dated=when.leans),
        kind=kind_of(words, speech.cues),
        language=speech.language,
        entities=entities_of(words, speech.turn, speech.language),
        sources=(Source(speech.turn.id, words),),
        valid_from=when.start,
        valid_to=when.end,
        valid_precision=when.precision,
    )


def entities_of(words: str, turn: Turn, language: str) -> list[str]:
    """Who spoke and the names in the words, each once."""
    speaker = speaker_of(turn, language)
    names = _names(words, cues_for(language), known=[speaker] if speaker else [])
    return list(dict.fromkeys([speaker, *names] if speaker else names))


def _names(words: str, cues: Cues, *, known: Sequence[str] = ()) -> list[str]:
    """Names in the words, without the interjections before them: "Bye Nate" is Nate."""
    names = []
    for phrase in name_phrases(words, known=known):
        kept = [word for word in split_words(phrase) if word.key not in cues.chatter]
        if kept:
            names.append(phrase[kept[0].start : kept[-1].end])
    return names


def _chains(sentences: Sequence[Sentence], speech: _Speech) -> list[list[Sentence]]:
    """Runs of sentences that are kept, each beginning with one that stands by itself."""
    chains: list[list[Sentence]] = []
    last: Sentence | None = None
    for sentence in sentences:
        keep = _carries_fact(sentence, speech)
        leaning = last is not None and _leans(sentence)
        if keep and leaning and chains and chains[-1][-1] is last and len(chains[-1]) < MAX_CHAIN:
            chains[-1].append(sentence)
        elif keep:
            chains.append([sentence])
        last = sentence
    return chains


def _leans(sentence: Sentence) -> bool:
    first = next(iter(split_words(sentence.text)), None)
    return first is not None and first.key in _LEANING


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
    asked = [one.text for one in split_sentences(before.content) if one.is_question]
    return _Question(asked[-1], before) if asked else None


def _answering(statement: Statement, speech: _Speech, question: _Question) -> Statement:
    """A short answer together with the question that it answers."""
    asked = attribute(question.text, question.turn, language=speech.language, dated=False)
    return replace(
        statement,
        text=f"{asked} — {statement.text}",
        sources=(*statement.sources, Source(question.turn.id, question.text)),
    )


def _is_told(sentence: Sentence, speech: _Speech) -> bool:
    """Whether a sentence could be a short answer: a name, number or date and no reaction."""
    if sentence.is_question or _is_reaction(sentence.text, speech.cues):
        return False
    return _has_detail(sentence.text, speech)


# --- one sentence -----------------------------------------------------------------------------


def _carries_fact(sentence: Sentence, speech: _Speech) -> bool:
    """Whether a sentence says something about someone that may matter later."""
    if sentence.is_question:
        return False
    cues = speech.cues
    opening = _without_address(sentence.text, cues, speech.addressed)
    words = _without_interjections(opening, cues, speech.addressed)
    if not _says_enough(words, speech):
        return False
    if _is_reaction(opening, cues) or _is_reaction(words, cues):
        return False
    # People say "you" to react; an assistant or tool says it to tell the user something.
    is_talk = speech.turn.role is Role.USER
    if is_talk and (_is_about_the_other(words, cues) or _is_remark(words, cues)):
        return False
    return _is_about_someone(words, speech)


def _says_enough(words: str, speech: _Speech) -> bool:
    telling = [
        word
        for word in content_words(words)
        if word not in speech.addressed and word not in speech.cues.chatter
    ]
    if speech.language in _UNSPACED_LANGUAGES:
        return len(telling) >= MIN_UNSPACED
    detail = any(word[0].isdigit() for word in telling)
    return len(telling) >= MIN_CONTENT_WORDS - detail


def _is_about_someone(words: str, speech: _Speech) -> bool:
    """Whether a person is spoken of, or something dated, named, done or planned."""
    cues = speech.cues
    if cues.first_person is None or cues.third_person is None:
        return True
    spoken_of = [cues.first_person, cues.third_person]
    if speech.turn.role is not Role.USER and cues.second_person is not None:
        spoken_of.append(cues.second_person)
    if any(person.search(words) for person in spoken_of):
        return True
    told = kind_of(words, cues) not in {MemoryKind.FACT, MemoryKind.PREFERENCE}
    return told or _has_detail(words, speech)


def _without_address(words: str, cues: Cues, addressed: frozenset[str]) -> str:
    """The words after interjections and names that a comma or stop sets off: "Thanks, Ben! …"."""
    for word in split_words(words):
        if word.key not in cues.chatter and word.key not in addressed:
            break
        if words[word.end : word.end + 1] in _SETS_OFF:
            return _without_address(words[word.end + 1 :], cues, addressed)
    return words.lstrip()


def _without_interjections(words: str, cues: Cues, addressed: frozenset[str]) -> str:
    """The words after leading interjections and names, set off or not."""
    for word in split_words(words):
        if word.key not in cues.chatter and word.key not in addressed:
            return words[word.start :]
    return words


def _is_reaction(words: str, cues: Cues) -> bool:
    return cues.reaction is not None and cues.reaction.match(words) is not None


def _is_about_the_other(words: str, cues: Cues) -> bool:
    """Whether the one spoken to is meant and the speaker is not."""
    second, first = cues.second_person, cues.first_person
    if second is None or first is None or not second.search(words):
        return False
    return first.search(words) is None


def _is_remark(words: str, cues: Cues) -> bool:
    """Whether it only remarks on something, the speaker left out."""
    if cues.remark is None or cues.remark.match(words) is None:
        return False
    return cues.first_person is None or cues.first_person.search(words) is None


def _has_detail(words: str, speech: _Speech) -> bool:
    """Whether there is a name, number or date in the words."""
    if any(word.key[0].isdigit() for word in split_words(words)):
        return True
    if validity(words, speech.turn, language=speech.language).precision is not None:
        return True
    names = [word.key for name in _names(words, speech.cues) for word in split_words(name)]
    return not speech.addressed.issuperset(names)
