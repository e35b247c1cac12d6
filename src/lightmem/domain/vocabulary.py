"""Words of general language: the only ones that may enter the memory which everybody shares."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

NOUN, VERB, ADJECTIVE = "n", "v", "a"

#: Endings of plurals, and what stands for them in the singular; the first that gives a word wins.
_PLURALS = (("ies", "y"), ("ves", "f"), ("ves", "fe"), ("es", ""), ("s", ""))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Common words with what they can be, and names that are public: countries."""

    words: Mapping[str, str]
    public: frozenset[str]

    def can_be(self, word: str, kinds: str) -> bool:
        """Whether a word in small letters is known as one of the kinds."""
        known = self.words.get(word, "")
        return any(kind in known for kind in kinds)

    def noun(self, word: str) -> str | None:
        """The noun in the singular; None where it is not known.

        A word that ends in s and is a noun as it stands keeps it: "glass", "heights".
        """
        if self.can_be(word, NOUN):
            return word
        for ending, instead in _PLURALS:
            if word.endswith(ending):
                singular = word.removesuffix(ending) + instead
                if self.can_be(singular, NOUN):
                    return singular
        return None

    @classmethod
    def of(cls, lines: Iterable[str], public: Iterable[str]) -> "Vocabulary":
        """The vocabulary of lines such as `dog nv`."""
        pairs = (line.partition(" ") for line in lines)
        return cls({word: kinds for word, _, kinds in pairs}, frozenset(public))
