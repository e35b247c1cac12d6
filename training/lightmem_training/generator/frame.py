"""A frame: one event in one life, which fills the slots of what is said and asked about it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from random import Random

from lightmem_training.generator import english
from lightmem_training.generator.dates import When
from lightmem_training.generator.grammar import Slot, Template, render
from lightmem_training.generator.library import Ask, Event, Facet, Library, Theme
from lightmem_training.generator.people import Persona
from lightmem_training.generator.values import Value

_BENDS: dict[str, Callable[[str], str]] = {
    "a": english.with_article, "past": english.past, "ing": english.gerund,
    "third": english.third, "cap": lambda text: text[:1].upper() + text[1:],
}  # fmt: skip
_VERBS = {
    "do": "", "did": "past", "doing": "ing", "does": "third",
    "qdo": "", "qdid": "past", "qdoing": "ing", "qdoes": "third",
}  # fmt: skip
#: Forms that other languages write out, in the same order for each event.
_OTHER_FORMS = frozenset({"do", "did", "hed", "qen"})
#: How often a question keeps the words that the event was told with.
_SAME_WORDS = 0.88


class Unfilled(Exception):
    """A slot that nothing fills here: the line does not fit this event."""


@dataclass(slots=True)
class Frame:
    """One event of a persona: its values, each drawn once and kept."""

    library: Library
    event: Event | None
    subject: Persona
    other: Persona
    theme: Theme | None = None
    values: dict[str, Value] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    asked: dict[str, Ask] = field(default_factory=dict)
    when: When | None = None
    facet: Facet | None = None
    view: str = "I"
    told: Template | None = None
    told_place: int | None = None

    def say(
        self, template: Template, rng: Random, *, view: str = "I", facet: Facet | None = None
    ) -> str:
        """The template's words.

        Args:
            view: `I` where the subject speaks, `you` where they are spoken to, `they` where they
                are spoken of, as in questions, and `ask` where such a question is put to them.

        Raises:
            Unfilled: a slot has no words here.
        """
        self.view, self.facet = view, facet or self.facet
        return render(template, self, rng)

    def fill(self, slot: Slot, rng: Random) -> str:
        """The words for a slot."""
        name = slot.name
        if (fixed := self._fixed(name)) is not None:
            return fixed
        if (phrase := self._of_event(name, rng)) is not None:
            for modifier in slot.modifiers:
                phrase = _BENDS[modifier](phrase)
            return phrase
        if name in self.library.lines and name not in self.values:
            lines = self.library.lines[name]
            return render(lines[int(rng.random() * len(lines))], self, rng)
        return self._worded(self._value(name, rng), slot.modifiers, rng)

    def _fixed(self, name: str) -> str | None:
        """What names and pronouns stand for, and the time."""
        if name == "when":
            return self.when.said if self.when else ""
        if self.view == "ask":
            return "you" if name == "P" else _pronouns(english.YOU).get(name)
        people = {"P": self.subject.name, "O": self.other.name}
        return people.get(name) or _pronouns(self.subject.pronouns).get(name)

    def _of_event(self, name: str, rng: Random) -> str | None:
        """What the event is called: its verb phrases, its nouns and the facet's value."""
        if name in _OTHER_FORMS and (self.library.language != "en" or name not in _VERBS):
            return self._aligned(name, rng)
        if name in _VERBS:
            return self._phrase("qdo" if name[0] == "q" else "do", _VERBS[name], rng)
        if name in {"np", "qnp"}:
            return self._phrase(name, "", rng)
        return self.seen(self.answer(rng)) if name == "v" else None

    def answer(self, rng: Random, facet: Facet | None = None) -> str:
        """The facet's value in the subject's own words, drawn once."""
        facet = facet or self.facet
        if facet is None or facet.value is None:
            raise Unfilled("v")
        if facet.name not in self.answers:
            view, self.view = self.view, "I"
            self.answers[facet.name] = render(rng.choice(facet.lines["v"]), self, rng)
            self.view = view
        return self.answers[facet.name]

    def _phrase(self, kind: str, bend: str, rng: Random) -> str:
        if self.event is None:
            raise Unfilled(kind)
        source = {"qdo": "do", "qnp": "np"}.get(kind)
        lines = self.event.lines.get(kind, ())
        if source and (not lines or rng.random() < _SAME_WORDS):
            kind, lines = source, self.event.lines.get(source, ())
        if kind == "do" and self.told is not None:
            lines = (self.told,)
        if not lines:
            raise Unfilled(kind)
        view = self.view
        self.view = "I"
        try:
            line = lines[int(rng.random() * len(lines))]
            text = render(line, self, rng)
        finally:
            self.view = view
        if kind == "do":
            self.told = line
        return self.seen(_BENDS[bend](text) if bend else text)

    def _aligned(self, name: str, rng: Random) -> str:
        lines = self.event.lines.get(name, ()) if self.event else ()
        if not lines:
            raise Unfilled(name)
        if self.told_place is None:
            self.told_place = int(rng.random() * len(lines))
        return self.seen(render(lines[self.told_place % len(lines)], self, rng))

    def _value(self, name: str, rng: Random) -> Value:
        if name in self.values:
            return self.values[name]
        pool = dict(self.event.lets).get(name, name) if self.event else name
        if pool == "kin":
            found: tuple[Value, ...] = tuple(self.subject.kin)
        elif self.theme and pool in self.theme.slots:
            found = self.theme.slots[pool]
        else:
            found = self.library.values.get(pool, ())
        if not found:
            raise Unfilled(name)
        spent = self.subject.spent
        fresh = [value for value in found if (pool, value.text) not in spent]
        value = rng.choice(fresh or found)
        if pool not in {"kin", "act"}:
            spent.add((pool, value.text))
        self.values[name] = value
        return value

    def _worded(self, value: Value, modifiers: tuple[str, ...], rng: Random) -> str:
        text, bare = value.text, value.bare or self.library.language != "en"
        for modifier in modifiers:
            match modifier:
                case "q":
                    text = value.asked(rng)
                case "s":
                    text = value.synonym(rng)
                case "h":
                    text = value.hypernym(rng)
                case "a" if bare and text == value.text:
                    pass
                case _:
                    text = _BENDS[modifier](text)
        return self.seen(text)

    def seen(self, text: str) -> str:
        """First-person words as the view has them: `my dog`, `your dog` or `her dog`."""
        if self.view == "I":
            return text
        if self.library.language == "en":
            return english.of_person(
                text, english.YOU if self.view in {"you", "ask"} else self.subject.pronouns
            )
        return _of_person(self.library.language, self.view, self.subject.pronouns, text)


@cache
def _pronouns(pronouns: english.Pronouns) -> dict[str, str]:
    return {
        "he": pronouns.subject, "He": pronouns.subject.capitalize(), "him": pronouns.object,
        "his": pronouns.possessive, "His": pronouns.possessive.capitalize(),
        "himself": pronouns.reflexive,
    }  # fmt: skip


def _of_person(language: str, view: str, pronouns: english.Pronouns, text: str) -> str:
    """First-person words said of another, in Spanish and Chinese."""
    you = view == "you"
    if language == "zh":
        return text.replace("我", "你" if you else ("她" if pronouns is english.SHE else "他"))
    return re.sub(r"\bmi(s?)\b", rf"{'tu' if you else 'su'}\1", text)
