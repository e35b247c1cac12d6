"""Whether a sentence says something about someone that may matter later, and stands by itself."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lightmem.domain.attributes import claims_of, grammar_of
from lightmem.domain.grounding import content_words, name_phrases, split_words
from lightmem.domain.language import UNKNOWN
from lightmem.domain.language import words as word_list
from lightmem.domain.sentences import Sentence
from lightmem.domain.time import outlook_of
from lightmem.model import MemoryKind, Role, Turn
from lightmem_writer.cues import Cues
from lightmem_writer.dates import validity

#: Content words that a sentence needs beside its chatter; one with a number or name needs fewer.
MIN_CONTENT_WORDS = 2
#: Characters of an unspaced script that make up as much.
MIN_UNSPACED = 5
#: Words of a sentence in a language that cannot be told.
MIN_WORDS = 3
_SETS_OFF = frozenset(",!.，！。")
_UNSPACED_LANGUAGES = frozenset({"zh", "ja", "th"})
# Openers that mean what the sentence before named, in the languages with a table.
_LEANING = word_list(
    "he she they it this that these those him her them his their its there él ella ellos "
    "ellas eso esto il elle ils elles cela ça er sie es das dort lui lei loro ele eles elas isso "
    "他 她 它 他们 她们 这 那 彼 彼女 それ"
)
# Words of the same letters that lean on nothing: "He vuelto" is "I have returned".
_STANDING = {"es": frozenset({"he"})}
# One who speaks of himself alone, in the languages with maxims.
_SELF = word_list("i me my mine myself")
# What may stand before such an opener.
_JOINING = word_list("and but so plus or yet besides because y pero et mais und aber e ma mas")
# A number or a name, and at most a word of it: 270 euros, 16 de marzo, Lisbon, 九百块.
_VALUE = re.compile(
    r"(?:the |el |la |los |las )?[€$£]?(?:\d[\w.,:/-]*|[A-ZÁÉÍÓÚÑ][\w’'-]*)(?:(?: de)? [\w’'-]+)?"
    r"|[一二三四五六七八九十百千万两零\d]+\w{1,4}"
)
# "There is a trail" names what it speaks of.
_BEING = word_list("s is are was were will have has")


@dataclass(frozen=True, slots=True)
class Speech:
    """A turn as the rules read it."""

    turn: Turn
    language: str
    cues: Cues
    #: Names of those who talk: to call one by name says nothing about them.
    addressed: frozenset[str]


def leans(sentence: Sentence, speech: Speech) -> bool:
    """Whether a sentence cannot be understood without the one before it."""
    about = _is_about_the_named(sentence.text, speech.language)
    return about or is_fragment(sentence.text, speech)


def _is_about_the_named(text: str, language: str) -> bool:
    """Whether it opens with a word for someone or something named before."""
    keys = [word.key for word in split_words(text) if word.key not in _JOINING]
    if keys[:1] == ["there"]:
        return not _BEING.intersection(keys[1:2])
    if not keys:
        return True
    return keys[0] in _LEANING and keys[0] not in _STANDING.get(language, ())


def is_fragment(text: str, speech: Speech) -> bool:
    """Whether there is no one, or nothing that he is or does; never where no table tells."""
    cues = speech.cues
    if speech.language == UNKNOWN:
        return len(split_words(text)) < MIN_WORDS
    opening = without_address(text, cues, speech.addressed)
    words = _without_interjections(opening, cues, speech.addressed)
    if cues.elliptic is not None and cues.elliptic.match(words):
        return True
    if cues.clause is None or cues.clause.search(opening):
        return False
    return outlook_of(opening, language=speech.language) is None


def carries_fact(sentence: Sentence, speech: Speech) -> bool:
    """Whether a sentence says something about someone that may matter later."""
    if sentence.is_question:
        return False
    if _claims_something(sentence, speech) or _puts_right(sentence, speech):
        return True
    cues = speech.cues
    opening = without_address(sentence.text, cues, speech.addressed)
    words = _without_interjections(opening, cues, speech.addressed)
    if not _says_enough(words, speech) or _is_maxim(words, speech):
        return False
    if is_reaction(opening, cues) or is_reaction(words, cues):
        return False
    # People say "you" to react; an assistant or tool says it to tell the user something.
    is_talk = speech.turn.role is Role.USER
    if is_talk and (is_about_the_other(opening, cues) or is_remark(words, cues)):
        return False
    return _is_about_someone(words, speech)


def _claims_something(sentence: Sentence, speech: Speech) -> bool:
    """Whether a user says of somebody what may change one day, in however few words."""
    turn = speech.turn
    return turn.role is Role.USER and bool(
        claims_of(sentence.text, language=speech.language, speaker=turn.speaker)
    )


def _puts_right(sentence: Sentence, speech: Speech) -> bool:
    """Whether a user only names what is right of what he said before: "Sorry, 270."."""
    grammar = grammar_of(speech.language)
    if grammar is None or speech.turn.role is not Role.USER:
        return False
    fragment = grammar.fragment.match(sentence.text)
    return fragment is not None and _VALUE.fullmatch(fragment["v"].strip()) is not None


def _says_enough(words: str, speech: Speech) -> bool:
    telling = [
        word
        for word in content_words(words)
        if word not in speech.addressed and word not in speech.cues.chatter
    ]
    if speech.language in _UNSPACED_LANGUAGES:
        return len(telling) >= MIN_UNSPACED
    detail = any(word[0].isdigit() for word in telling)
    return len(telling) >= MIN_CONTENT_WORDS - detail


def _is_about_someone(words: str, speech: Speech) -> bool:
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
    return told or has_detail(words, speech)


def without_address(words: str, cues: Cues, addressed: frozenset[str]) -> str:
    """The words after interjections and names that a comma or stop sets off: "Thanks, Ben! …"."""
    for word in split_words(words):
        if word.key not in cues.chatter and word.key not in addressed:
            break
        if words[word.end : word.end + 1] in _SETS_OFF:
            return without_address(words[word.end + 1 :], cues, addressed)
    return words.lstrip()


def _without_interjections(words: str, cues: Cues, addressed: frozenset[str]) -> str:
    """The words after leading interjections and names, set off or not."""
    for word in split_words(words):
        if word.key not in cues.chatter and word.key not in addressed:
            return words[word.start :]
    return words


def is_reaction(words: str, cues: Cues) -> bool:
    return cues.reaction is not None and cues.reaction.match(words) is not None


def is_about_the_other(words: str, cues: Cues) -> bool:
    """Whether the one spoken to is meant and the speaker is not."""
    second, first = cues.second_person, cues.first_person
    if second is None or first is None or not second.search(words):
        return False
    return first.search(words) is None


def is_remark(words: str, cues: Cues) -> bool:
    """Whether it only remarks on something, the speaker left out."""
    if cues.remark is None or cues.remark.match(words) is None:
        return False
    return cues.first_person is None or cues.first_person.search(words) is None


def has_detail(words: str, speech: Speech) -> bool:
    """Whether there is a name, number or date in the words."""
    if any(word.key[0].isdigit() for word in split_words(words)):
        return True
    if validity(words, speech.turn, language=speech.language).precision is not None:
        return True
    names = [word.key for name in names_in(words, speech.cues) for word in split_words(name)]
    return not speech.addressed.issuperset(names)


def is_told(sentence: Sentence, speech: Speech) -> bool:
    """Whether a sentence could be an answer: it says something and is no reaction."""
    if sentence.is_question or is_reaction(sentence.text, speech.cues):
        return False
    opening = without_address(sentence.text, speech.cues, speech.addressed)
    words = _without_interjections(opening, speech.cues, speech.addressed)
    if is_reaction(opening, speech.cues) or is_reaction(words, speech.cues):
        return False
    return has_detail(sentence.text, speech) or (
        _says_enough(words, speech) and not is_about_the_other(opening, speech.cues)
    )


def _is_maxim(words: str, speech: Speech) -> bool:
    """Whether it only says how things are in general: "We all have our own paths."."""
    maxim = speech.cues.maxim
    if maxim is None or maxim.search(words) is None:
        return False
    keys = {word.key for word in split_words(words)}
    return _SELF.isdisjoint(keys) and not has_detail(words, speech)


def names_in(words: str, cues: Cues, *, known: Sequence[str] = ()) -> list[str]:
    """Names in the words, without the interjections before them: "Bye Nate" is Nate."""
    names = []
    for phrase in name_phrases(words, known=known):
        kept = [word for word in split_words(phrase) if word.key not in cues.chatter]
        if kept:
            names.append(phrase[kept[0].start : kept[-1].end])
    return names


def kind_of(words: str, cues: Cues) -> MemoryKind:
    """What a statement is, by the first cue in it; a fact when there is none."""
    return next((kind for kind, cue in cues.kinds if cue.search(words)), MemoryKind.FACT)
