"""From words that somebody said to a term that could be anybody's, or to nothing.

There is no list of what is private: such lists are never complete. A word is let through only
when it is written in small letters and stands in the vocabulary of general language, which knows
no names, no numbers, no illnesses, no people and nothing rare. All words of a term must pass.
"""

import re

from lightmem.domain.language import words
from lightmem.domain.vocabulary import ADJECTIVE, NOUN, VERB, Vocabulary
from lightmem.model import ConceptType, Term

MAX_WORDS = 3

_SMALL_WORD = re.compile(r"[a-z]+")
#: Taken off the head of a phrase: they say whose it is or how much, not what it is.
_LEADING = words(
    "a an the my our your his her their its this that these those some any all both every each "
    "most many much few very really so quite too pretty such other own same"
)
#: Small words within what one does: "fall asleep", "calm down".
_PARTICLES = words("down up off out back asleep awake better well more less again")
#: Said of what is one's own, and of nothing in general.
_OF_ONES_OWN = words(
    "old older oldest new newer young younger youngest big bigger little small smaller best "
    "favorite favourite first last late former current previous next dear poor beloved only ex "
    "great good bad lovely beautiful cute adorable sweet"
)
#: Nouns that stand for anything, so that a claim about them says nothing.
_EMPTY = words(
    "thing stuff way lot bit kind sort type one something anything everything nothing other "
    "time day night week month year today tomorrow yesterday morning evening weekend place name "
    "street road avenue lane address number phone email house apartment flat home city town "
    "village birthday age id account password code key pin salary"
)


class Deidentify:
    """Lets general words through and nothing else.

    Args:
        vocabulary: The words of general language.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._known = vocabulary

    def thing(self, phrase: str) -> Term | None:
        """What a claim is about, without what is particular of one: "my old dog" is "dog"."""
        words = self._words(phrase)
        if not words:
            return None
        *before, head = words
        kept = [word for word in before if self._known.can_be(word, NOUN)]
        if any(word not in _OF_ONES_OWN and word not in kept for word in before):
            # What else was said of it may matter, so the rest would claim too much.
            return None
        kept = [word for word in kept if word not in _OF_ONES_OWN]
        return self._noun(kept, head)

    def phrase(self, phrase: str) -> Term | None:
        """A noun with what describes it: "loud noises" is "loud noise". A country is an entity."""
        plain = phrase.strip()
        if plain in self._known.public:
            return Term(ConceptType.ENTITY, plain, plain)
        words = self._words(phrase)
        if not words:
            return None
        *before, head = words
        if not all(self._known.can_be(word, NOUN + ADJECTIVE) for word in before):
            return None
        return self._noun([word for word in before if word not in _OF_ONES_OWN], head)

    def quality(self, phrase: str) -> Term | None:
        """An adjective: "very calm" is "calm"."""
        words = self._words(phrase)
        if len(words) != 1 or not self._known.can_be(words[0], ADJECTIVE):
            return None
        return _concept(words) if words[0] not in _OF_ONES_OWN else None

    def doing(self, phrase: str) -> Term | None:
        """What one does or what comes of it: "fall asleep", "relax", "sleep better"."""
        words = self._words(phrase)
        if not words or not self._known.can_be(words[0], VERB):
            return None
        known = (
            word in _PARTICLES or self._known.can_be(word, NOUN + ADJECTIVE) for word in words[1:]
        )
        return _concept(words) if all(known) and words[-1] not in _EMPTY else None

    def _noun(self, before: list[str], head: str) -> Term | None:
        singular = self._known.noun(head)
        if singular is None or singular in _EMPTY or not _EMPTY.isdisjoint(before):
            return None
        return _concept([*before, singular])

    def _words(self, phrase: str) -> list[str]:
        """The words of a phrase without those that lead it; none when one may not pass."""
        words = phrase.split()
        while words and words[0] in _LEADING:
            words = words[1:]
        if not 0 < len(words) <= MAX_WORDS:
            return []
        if not all(self._is_general(word) for word in words):
            return []
        return words

    def _is_general(self, word: str) -> bool:
        if _SMALL_WORD.fullmatch(word) is None:
            return False
        return word in self._known.words or word in _PARTICLES or self._known.noun(word) is not None


def prefixed(words: str, term: Term | None) -> Term | None:
    """A term made of another: "fear of" and "thunderstorm"."""
    if term is None or term.type is not ConceptType.CONCEPT:
        return None
    return _concept([words, term.name])


def _concept(words: list[str]) -> Term:
    name = " ".join(words)
    return Term(ConceptType.CONCEPT, name, name)
