"""A frame: one event in one life, which fills the slots of what is said and asked about it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from lightmem_training.generator import english
from lightmem_training.generator.dates import When
from lightmem_training.generator.grammar import Slot, Template, render
from lightmem_training.generator.library import Event, Facet, Library, Theme
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
#: How often a question keeps the words that the event was told with.
_SAME_WORDS = 0.35


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
    when: When | None = None
    facet: Facet | None = None
    view: str = "I"

    def say(self, template: Template, rng: Random, *, view: str = "I", facet: Facet | None = None) -> str:
        """The template's words.

        Args:
            view: `I` where the subject speaks, `you` where they are spoken to, `they` where they
                are spoken of, as in questions.

        Raises:
            Unfilled: a slot has no words here.
        """
        self.view, self.facet = view, facet or self.facet
        return render(template, self, rng)

    def fill(self, slot: Slot, rng: Random) -> str:
        """The words for a slot."""
        name = slot.name
        if (fixed := self._person(name)) is not None:
            return fixed
        if name == "when":
            return self.when.said if self.when else ""
        if name in _VERBS:
            return self._bent(self._phrase("qdo" if name[0] == "q" else "do", _VERBS[name], rng), slot)
        if name in {"np", "qnp"}:
            return self._bent(self._phrase(name, "", rng), slot)
        if name == "v":
            return self._seen(self.answer(rng))
        if name in self.library.lines and name not in self.values:
            lines = self.library.lines[name]
            return render(lines[int(rng.random() * len(lines))], self, rng)
        return self._worded(self._value(name, rng), slot.modifiers, rng)

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
            lines = self.event.lines.get(source, ())
        if not lines:
            raise Unfilled(kind)
        view = self.view
        self.view = "I"
        try:
            text = render(lines[int(rng.random() * len(lines))], self, rng)
        finally:
            self.view = view
        return self._seen(_BENDS[bend](text) if bend else text)

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
        if pool != "kin" and pool != "act":
            spent.add((pool, value.text))
        self.values[name] = value
        return value

    def _worded(self, value: Value, modifiers: tuple[str, ...], rng: Random) -> str:
        text, bare = value.text, value.bare
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
        return self._seen(text)

    def _bent(self, text: str, slot: Slot) -> str:
        for modifier in slot.modifiers:
            text = _BENDS[modifier](text)
        return text

    def _seen(self, text: str) -> str:
        if self.view == "I":
            return text
        return english.of_person(text, english.YOU if self.view == "you" else self.subject.pronouns)

    def _person(self, name: str) -> str | None:
        subject = self.subject.pronouns
        match name:
            case "P":
                return self.subject.name
            case "O":
                return self.other.name
            case "he" | "He":
                return subject.subject if name == "he" else subject.subject.capitalize()
            case "him":
                return subject.object
            case "his" | "His":
                return subject.possessive if name == "his" else subject.possessive.capitalize()
            case "himself":
                return subject.reflexive
            case _:
                return None
