"""What a statement claims of one attribute of one person, and how a language says such things."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from lightmem.domain.fingerprint import normalised

#: Longest value, and longest name, that is taken for one; what is longer says something else.
MAX_VALUE = 60


class Mode(StrEnum):
    """How a value is claimed: it holds, it is planned, or it holds no longer."""

    HOLDS = "holds"
    PLANNED = "planned"
    ENDS = "ends"


@dataclass(frozen=True, slots=True)
class Claim:
    """One attribute of one person, and the value that words give it.

    Of an attribute at most one value holds at a time. What can be said of many things at once,
    such as what somebody likes, is an attribute for each: whether he does is its value.

    Args:
        subject: Whose, as `owner>relation>name`: who speaks, his relation to whom is meant, and
            what that person is called; empty where it is not said. Nobody else of the same name
            has the same subject.
        value: In normal form; empty where only an end is said.
        start, end: Where in the text it is said.
    """

    attribute: str
    subject: str
    value: str
    mode: Mode
    start: int = 0
    end: int = 0

    @property
    def key(self) -> str:
        """What at most one active memory may say: the attribute of the subject."""
        planned = "plan to " if self.mode is Mode.PLANNED else ""
        return f"{planned}{self.attribute}:{self.subject}"

    @property
    def is_lasting(self) -> bool:
        """Whether the value holds until another does; an appointment is over by itself."""
        return not self.attribute.startswith("when is")

    @property
    def plan_key(self) -> str:
        """The key of a plan for the same attribute."""
        return f"plan to {self.attribute}:{self.subject}"

    def agrees(self, other: "Claim") -> bool:
        """Whether both give the same value, one perhaps in more words: Porto, Porto in Portugal."""
        return agree(self.value, other.value)


def agree(mine: str, other: str) -> bool:
    """Whether two values in normal form are one; numbers have to be the same ones."""
    if not mine or not other:
        return True
    if not mine.isascii() and not other.isascii() and " " not in mine + other:
        return mine in other or other in mine
    ours, theirs = set(mine.split()), set(other.split())
    return ours <= theirs or theirs <= ours


@dataclass(frozen=True, slots=True)
class Rule:
    """A way of saying an attribute.

    The pattern has the groups of its subject, and `v` for the value. A group `end`, `plan`,
    `past` or `neg` that took part says how it is meant. A group `what` is a part of the
    attribute's name. `is_open`: the value becomes a part of the name, and whether it holds the
    value.
    """

    attribute: str
    pattern: re.Pattern[str]
    is_open: bool = False
    #: Holds no longer, whatever else is said: "left", "quit".
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Grammar:
    """How one language says attributes.

    Args:
        relations: What stands for a relation, by its word: sister, hermana and 姐姐 are one.
        trimmed: What is no part of a value at its head, such as articles.
        lasting: What makes a perfect tense last: "I have lived here since".
        correction: Words that put right what was said before.
        fragment: A correction that names the right value and nothing else.
        retraction: Words that end what was said before.
        first_person: Whether somebody speaks of himself.
        antonyms: Words of which one denies the other.
    """

    language: str
    rules: Sequence[Rule]
    relations: Mapping[str, str]
    names: Mapping[str, str]
    trimmed: re.Pattern[str]
    lasting: re.Pattern[str]
    correction: re.Pattern[str]
    fragment: re.Pattern[str]
    retraction: re.Pattern[str]
    negation: re.Pattern[str]
    antonyms: Sequence[frozenset[str]] = ()

    def value(self, words: str) -> str:
        """A value in normal form."""
        return normalised(self.trimmed.sub("", words.strip()))


def compiled(
    template: str, parts: Mapping[str, str], *, flags: re.RegexFlag = re.IGNORECASE
) -> re.Pattern[str]:
    """The pattern of a template whose `<name>` stand for parts."""
    pattern = template
    for name, part in parts.items():
        pattern = pattern.replace(f"<{name}>", part)
    return re.compile(pattern, flags)
