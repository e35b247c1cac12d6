"""Templates: plain text with choices `[a|b|]` and slots `{name.modifier}`, parsed once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Slot:
    """A place that the scope fills: what it is called and how the words are bent."""

    name: str
    modifiers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several templates, drawn evenly."""

    options: tuple["Template", ...]


Template = tuple["str | Slot | Choice", ...]


class Scope(Protocol):
    """What fills slots."""

    def fill(self, slot: Slot, rng: Random) -> str:
        """The words for a slot."""
        ...


@cache
def parse(text: str) -> Template:
    """The template that a text writes.

    Raises:
        ValueError: brackets or braces do not match.
    """
    template, end = _sequence(text, 0, closers="")
    if end != len(text):
        raise ValueError(f"unbalanced template {text!r}")
    return template


def render(template: Template, scope: Scope, rng: Random) -> str:
    """The template's words, choices drawn and slots filled."""
    parts: list[str] = []
    for part in template:
        if isinstance(part, str):
            parts.append(part)
        elif isinstance(part, Slot):
            parts.append(scope.fill(part, rng))
        else:
            parts.append(render(part.options[int(rng.random() * len(part.options))], scope, rng))
    return "".join(parts)


def slots(template: Template) -> list[Slot]:
    """Every slot that may be asked for, in order."""
    found: list[Slot] = []
    for part in template:
        if isinstance(part, Slot):
            found.append(part)
        elif isinstance(part, Choice):
            for option in part.options:
                found.extend(slots(option))
    return found


def _sequence(text: str, start: int, *, closers: str) -> tuple[Template, int]:
    parts: list[str | Slot | Choice] = []
    plain: list[str] = []
    at = start
    while at < len(text) and text[at] not in closers:
        if text[at] == "{":
            end = text.index("}", at)
            name, *modifiers = text[at + 1 : end].split(".")
            _flush(plain, parts)
            parts.append(Slot(name, tuple(modifiers)))
            at = end + 1
        elif text[at] == "[":
            _flush(plain, parts)
            choice, at = _choice(text, at + 1)
            parts.append(choice)
        elif text[at] in "]}":
            raise ValueError(f"unbalanced template {text!r} at {at}")
        else:
            plain.append(text[at])
            at += 1
    _flush(plain, parts)
    return tuple(parts), at


def _choice(text: str, start: int) -> tuple[Choice, int]:
    options: list[Template] = []
    at = start
    while True:
        option, at = _sequence(text, at, closers="|]")
        options.append(option)
        if at >= len(text):
            raise ValueError(f"unclosed choice in {text!r}")
        at += 1
        if text[at - 1] == "]":
            return Choice(tuple(options)), at


def _flush(plain: list[str], parts: list[str | Slot | Choice]) -> None:
    if plain:
        parts.append("".join(plain))
        plain.clear()


def literal(texts: Sequence[str]) -> list[Template]:
    """Templates of texts that hold no slot."""
    return [parse(text) for text in texts]
