"""The words and rules of one language, read from its data files and split for validation.

Four kinds of sections: `%% name` a pool of lines, `== name` a pool of values, `++ name : kind` a
theme (what somebody's life may be about) and `@@ name : kind` an event with its facets.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypeVar
from zlib import crc32

from lightmem_training.generator.grammar import Choice, Template, parse
from lightmem_training.generator.values import Value, parse_value

Split = Literal["train", "valid"]
T = TypeVar("T")
_DATA = Path(__file__).parent / "data"
#: Every fourth of a pool is held out; smaller pools are shared by both splits.
_HELD_OUT = 4


@dataclass(frozen=True, slots=True)
class Theme:
    """Something in a life: its words by slot."""

    name: str
    kind: str
    slots: Mapping[str, tuple[Value, ...]]


@dataclass(frozen=True, slots=True)
class Ask:
    """A question's template, with the answer's where it is not the facet's value."""

    template: Template
    answer: Template | None = None


@dataclass(frozen=True, slots=True)
class Facet:
    """One thing to know about an event: how it is asked for, said, and questioned later."""

    name: str
    lines: Mapping[str, tuple[Template, ...]]
    questions: tuple[Ask, ...]
    category: int = 4

    @property
    def value(self) -> Template | None:
        """The answer, where it is words of the saying turn."""
        values = self.lines.get("v")
        return values[0] if values else None


@dataclass(frozen=True, slots=True)
class Event:
    """A kind of thing that happens to people."""

    name: str
    kind: str
    lines: Mapping[str, tuple[Template, ...]]
    lets: tuple[tuple[str, str], ...]
    lists: tuple[tuple[str, Template], ...]
    flags: frozenset[str]
    facets: tuple[Facet, ...]
    questions: tuple[Ask, ...]


@dataclass(frozen=True, slots=True)
class Library:
    """All that a language says, in one split."""

    language: str
    split: Split
    lines: Mapping[str, tuple[Template, ...]]
    values: Mapping[str, tuple[Value, ...]]
    themes: Mapping[str, tuple[Theme, ...]]
    events: tuple[Event, ...]
    facets: tuple[Facet, ...] = ()
    texts: frozenset[str] = field(default_factory=frozenset)
    starters: frozenset[str] = field(default_factory=frozenset)


@lru_cache(maxsize=8)
def load_library(language: str = "en", split: Split = "train") -> Library:
    """The words of a language.

    Args:
        language: `en`, `es` or `zh`.
        split: `valid` holds every fourth line, value and theme; `train` the others.
    """
    reader = _Reader(split)
    for file in sorted((_DATA / language).glob("*.txt")):
        for head, body in _sections(file.read_text(encoding="utf-8")):
            reader.take(head, body)
    return reader.library(language)


def _sections(text: str) -> Iterator[tuple[str, list[str]]]:
    head, body = "", list[str]()
    for line in text.splitlines():
        if line.startswith(("%% ", "== ", "++ ", "@@ ")):
            if head:
                yield head, body
            head, body = line, []
        elif line.strip() and not line.startswith("//"):
            body.append(line.strip())
    if head:
        yield head, body


class _Reader:
    def __init__(self, split: Split) -> None:
        self._split = split
        self._lines: dict[str, list[str]] = {}
        self._values: dict[str, list[str]] = {}
        self._themes: dict[str, list[Theme]] = {}
        self._events: list[Event] = []
        self._texts: set[str] = set()

    def take(self, head: str, body: list[str]) -> None:
        name, _, kind = (part.strip() for part in head[3:].partition(":"))
        match head[:2]:
            case "%%":
                self._lines.setdefault(name, []).extend(body)
            case "==":
                entries = (entry.strip() for line in body for entry in line.split(";"))
                self._values.setdefault(name, []).extend(entry for entry in entries if entry)
            case "++":
                self._themes.setdefault(kind, []).append(self._theme(name, kind, body))
            case _:
                self._events.append(self._event(name, kind, body))

    def library(self, language: str) -> Library:
        lines = {name: self._templates(body) for name, body in self._lines.items()}
        lines_of_events = [found for event in self._events for found in event.lines.values()]
        lines_of_events += [
            found
            for event in self._events
            for facet in event.facets
            for found in facet.lines.values()
        ]
        values = {
            name: tuple(parse_value(text) for text in self._kept(body))
            for name, body in self._values.items()
        }
        themes = {kind: tuple(self._part(found, _name)) for kind, found in self._themes.items()}
        events = [event for event in self._events if event.name != "any"]
        shared = [facet for event in self._events if event.name == "any" for facet in event.facets]
        return Library(
            language, self._split, lines, values, themes, tuple(events), tuple(shared),
            frozenset(self._texts), _starters([*lines.values(), *lines_of_events]),
        )  # fmt: skip

    def _theme(self, name: str, kind: str, body: list[str]) -> Theme:
        found = {}
        for line in body:
            slot, _, entries = line.partition(":")
            texts = [text for entry in entries.split(";") if (text := entry.strip())]
            found[slot.strip()] = tuple(parse_value(text) for text in texts)
        return Theme(name, kind, found)

    def _event(self, name: str, kind: str, body: list[str]) -> Event:
        start = next((at for at, line in enumerate(body) if line.startswith("#")), len(body))
        lines, asks = self._grouped(body[:start])
        facets = []
        while start < len(body):
            end = start + 1
            while end < len(body) and not body[end].startswith("#"):
                end += 1
            facets.append(self._facet(body[start], body[start + 1 : end]))
            start = end
        lets = tuple(_pair(text) for text in lines.pop("let", []))
        lists = tuple((key, parse(text)) for key, text in map(_pair, lines.pop("list", [])))
        flags = frozenset(" ".join(lines.pop("flag", [])).split())
        kept = {key: self._templates(texts) for key, texts in lines.items()}
        return Event(name, kind, kept, lets, lists, flags, tuple(facets), asks)

    def _facet(self, head: str, body: list[str]) -> Facet:
        name, _, category = head[1:].strip().partition(" ")
        lines, asks = self._grouped(body)
        kept = {key: self._templates(texts) for key, texts in lines.items()}
        return Facet(name, kept, asks, int(category or 4))

    def _grouped(self, body: list[str]) -> tuple[dict[str, list[str]], tuple[Ask, ...]]:
        lines: dict[str, list[str]] = {}
        for line in body:
            key, _, text = line.partition(":")
            lines.setdefault(key.strip(), []).append(text.strip())
        asks = []
        for text in self._kept(lines.pop("q", [])):
            question, arrow, answer = text.partition("=>")
            asks.append(Ask(parse(question.strip()), parse(answer.strip()) if arrow else None))
        return lines, tuple(asks)

    def _templates(self, texts: list[str]) -> tuple[Template, ...]:
        return tuple(parse(text) for text in self._kept(texts))

    def _kept(self, texts: list[str]) -> list[str]:
        texts = list(dict.fromkeys(texts))
        kept = self._part(texts, str)
        if len(texts) >= _HELD_OUT:
            self._texts.update(kept)
        return kept

    def _part(self, entries: Sequence[T], name: Callable[[T], str]) -> list[T]:
        """The split's share: chosen by the words, not by the place, so that files may grow."""
        if len(entries) < _HELD_OUT:
            return list(entries)
        marks = [crc32(name(entry).encode()) % _HELD_OUT for entry in entries]
        if 0 not in marks:
            marks[marks.index(min(marks))] = 0
        return [
            entry for entry, mark in zip(entries, marks, strict=True)
            if (mark == 0) == (self._split == "valid")
        ]  # fmt: skip


def _starters(pools: Iterable[Sequence[Template]]) -> frozenset[str]:
    """The words that lines begin with: they lose their capital after a comma."""
    found = {
        word for templates in pools for template in templates for word in _first_words(template)
    }
    return frozenset(
        word for word in found if word.strip("¿¡").isalpha() and word != "I" and not word.islower()
    )


def _first_words(template: Template) -> Iterator[str]:
    if template and isinstance(template[0], str):
        yield template[0].split(" ", 1)[0].rstrip(",.!?")
    elif template and isinstance(template[0], Choice):
        for option in template[0].options:
            yield from _first_words(option)


def _name(theme: Theme) -> str:
    return theme.name


def _pair(text: str) -> tuple[str, str]:
    key, _, value = text.partition("=")
    return key.strip(), value.strip()
