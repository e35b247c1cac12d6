"""Whom and what a statement is about, as far as words tell: persons, names, roots, topics."""

import re
from dataclasses import dataclass

from lightmem.domain.attributes import Grammar
from lightmem.domain.language import FUNCTION_WORDS
from lightmem.domain.text import content_words
from lightmem_writer.change_words import ChangeWords
from lightmem_writer.common_words import COMMON_WORDS
from lightmem_writer.roots import root

_CAPITALISED = re.compile(r"\b[A-ZÁÉÍÓÚÑ][\w’'-]*\w")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
#: Whose relation is spoken of, before the relation.
_MINE = re.compile(
    r"(?:my|our|mi|mis|nuestr[oa]s?|el|la|我们家的?|我家的?|我们的?|我的?) ?", re.IGNORECASE
)
_CALLED = re.compile(r"(?:called|named|name is|se llama) ([A-ZÁÉÍÓÚÑ]\w+)")
#: Behind a name at the head of a sentence stands what somebody does or is.
_DOES = re.compile(
    r"\s(?:is|has|was|had|got|took|left|went|isn['’]t|doesn['’]t|\w{2,}s|\w{2,}ed"
    r"|es|está|ya|se|ha|tiene|\w{3,}[aeó])\b|['’]s\b"
)


@dataclass(frozen=True, slots=True)
class About:
    """Whom and what a statement is about.

    Args:
        person: Who it begins with, by name and by relation (`@sister`); empty for the speaker
            and for things.
        people: All that are named in it.
        is_own: The speaker does or has something in it.
        roots: Of the words that tell something, persons left out.
        names: Roots of names that do not begin it.
        topics: The words of each topic.
    """

    text: str
    person: frozenset[str]
    people: frozenset[str]
    is_own: bool
    roots: frozenset[str]
    names: frozenset[str]
    topics: dict[str, frozenset[str]]

    @classmethod
    def of(cls, text: str, grammar: Grammar, words: ChangeWords) -> "About":
        """Read a statement's own words."""
        person, people = _head(text, grammar, words), _people(text, grammar)
        plain = _plain(text, grammar)
        # What begins a sentence without a relation may be a thing: it is told of as such too.
        said = {root(each) for each in person} if _relations(person) else set()
        names = {root(each.casefold()) for each in _CAPITALISED.findall(text.strip()[1:])}
        common = words.light | COMMON_WORDS[grammar.language].keys()
        roots = frozenset(root(each) for each in plain - common) - said
        topics: dict[str, set[str]] = {}
        for word, topic in words.topics.items():
            if word in plain or (grammar.language == "zh" and word in text):
                topics.setdefault(topic, set()).add(word)
        return cls(
            text=text,
            person=person,
            people=people,
            is_own=words.oneself.search(text) is not None,
            roots=roots,
            names=frozenset(names & roots),
            topics={topic: frozenset(found) for topic, found in topics.items()},
        )

    def can_be_about(self, known: "About") -> bool:
        """Whether this may be about whom the known statement is about."""
        if known.person:
            mine, theirs = _relations(self.person), _relations(known.person)
            return bool(known.person & self.people) and (not (mine and theirs) or mine == theirs)
        return not self.person or self.is_own or bool(self.person & known.people)

    def is_of_another(self, known: "About") -> bool:
        """Whether this is about somebody's relative that the known statement is not about.

        Whoever begins a sentence by a bare name may also be who does now what another did.
        """
        mine, theirs = _relations(self.person), _relations(known.person)
        if theirs and (not theirs & self.people or (mine and mine != theirs)):
            return True
        if mine and theirs:
            names = (self.person - mine, known.person - theirs)
            return all(names) and not names[0] & names[1]
        return bool(mine) and not self.is_own and not mine & known.people


def _relations(person: frozenset[str]) -> set[str]:
    return {each for each in person if each.startswith("@")}


def _plain(text: str, grammar: Grammar) -> frozenset[str]:
    """The words that are no function words; of Chinese, pairs of characters."""
    if grammar.language != "zh":
        return content_words(text)
    runs = _HAN.findall(text)
    return frozenset(run[at : at + 2] for run in runs for at in range(len(run) - 1))


def _head(text: str, grammar: Grammar, words: ChangeWords) -> frozenset[str]:
    """Who a sentence begins with."""
    said = text.strip()
    mine = _MINE.match(said)
    rest = said[mine.end() :] if mine else said
    found = [word for word in grammar.relations if rest.casefold().startswith(word)]
    if found:
        word = max(found, key=len)
        behind = rest[len(word) :]
        if grammar.language == "zh":
            return frozenset({f"@{grammar.relations[word]}", behind[:2]})
        if not behind[:1].isalpha():
            name = _CAPITALISED.match(behind.lstrip(" ,")) if behind[:1] in " ," else None
            called = [name.group()] if name else _CALLED.findall(behind)
            return frozenset({f"@{grammar.relations[word]}", *map(str.casefold, called)})
    first = _CAPITALISED.match(said)
    if first is None or words.oneself.match(said) or not _DOES.match(said, first.end()):
        return frozenset()
    return frozenset({first.group().casefold()} - FUNCTION_WORDS[grammar.language])


def _people(text: str, grammar: Grammar) -> frozenset[str]:
    """Everybody, and every thing, that may be somebody's name, and every relation."""
    if grammar.language == "zh":
        pairs = {text[at : at + 2] for at in range(len(text) - 1)}
        return frozenset(
            pairs | {f"@{kind}" for word, kind in grammar.relations.items() if word in text}
        )
    plain = content_words(text)
    kinds = {f"@{kind}" for word, kind in grammar.relations.items() if word in plain}
    return frozenset(kinds | plain)
