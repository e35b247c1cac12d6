"""The themes of a life that change, read from their files, with a part held out.

`%% name` is a pool of words, `@@ name` a theme: `old` tells how it is, `new` and `end` (of a plan
`done`) that it is so no longer, `both` something that changes nothing. `{v}` is what holds at
first, `{w}` what holds then, both of the pool that `let: v` names. `one` says that another value
by itself is a change, `correct` that somebody misspoke.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal
from zlib import crc32

from lightmem_training.generator.grammar import Template, parse

Split = Literal["train", "valid"]
_DATA = Path(__file__).parent / "data"
#: Every so many themes, and of the others' lines, are held out.
_THEMES, _LINES = 5, 6
#: Keys of lines; what else a theme has are its words.
LINES = ("old", "plan", "new", "end", "done", "both")


@dataclass(frozen=True, slots=True)
class Theme:
    """One thing of a life that may change, or of which others hold beside it.

    Args:
        lets: Where the words of a slot are from, a pool's name or a template.
        is_single: Another value told by itself is a change.
        is_slip: Only somebody who misspoke tells otherwise.
    """

    name: str
    lets: Mapping[str, str]
    zips: Mapping[str, str]
    np: Template | None
    lines: Mapping[str, Sequence[Template]]
    is_single: bool
    is_slip: bool

    @property
    def olds(self) -> Sequence[Template]:
        """How it is told that it is so, or is meant to be."""
        return [*self.lines["old"], *self.lines["plan"]]

    @property
    def changes(self) -> Sequence[Template]:
        """How it is told that it is so no longer."""
        return [*self.lines["new"], *self.lines["end"], *self.lines["done"]]


@dataclass(frozen=True, slots=True)
class Themes:
    """All themes of a split, and the pools of words that all share."""

    language: str
    pools: Mapping[str, Sequence[Template]]
    themes: Sequence[Theme]
    #: Frames of any theme, by what they tell.
    shared: Mapping[str, Sequence[Template]]


@lru_cache
def load_themes(language: str = "en", split: Split = "train") -> Themes:
    """The themes of a language.

    Args:
        split: `valid` has whole themes that `train` has not, and of the others those lines that
            `train` has not, to be told of with the lines of `train`.
    """
    pools: dict[str, list[str]] = {}
    bodies: dict[str, list[str]] = {}
    body: list[str] = []
    for line in (_DATA / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("%% "):
            body = pools.setdefault(line[3:].strip(), [])
        elif line.startswith("@@ "):
            body = bodies.setdefault(line[3:].strip(), [])
        elif line.strip() and not line.startswith("//"):
            body.append(line)
    shared = {name: _kept(lines, split) for name, lines in pools.items() if name.startswith("any.")}
    themes = [
        _theme(name, lines, split)
        for name, lines in bodies.items()
        if split == "valid" or not is_held_out(name)
    ]
    return Themes(
        language,
        {name: _parsed(lines) for name, lines in pools.items() if name not in shared},
        themes,
        {name.removeprefix("any."): _parsed(lines) for name, lines in shared.items()},
    )


def is_held_out(theme: str) -> bool:
    """Whether a whole theme is kept for validation."""
    return crc32(theme.encode()) % _THEMES == 0


def _theme(name: str, body: Sequence[str], split: Split) -> Theme:
    pairs = [line.partition(":") for line in body]
    fields = [(key.strip(), text.strip()) for key, _, text in pairs]
    lines = {key: [text for each, text in fields if each == key] for key in LINES}
    if not is_held_out(name):
        held = {key: _kept(texts, split) for key, texts in lines.items()}
        # What was so may be told with the lines of `train`: only what is told then is new.
        lines = held if split == "train" else held | {key: lines[key] for key in ("old", "plan")}
    flags = {key for key, text in fields if not text}
    np = next((text for key, text in fields if key == "np"), None)
    return Theme(
        name=name,
        lets=_assigned(fields, "let"),
        zips=_assigned(fields, "zip"),
        np=parse(np) if np else None,
        lines={key: _parsed(texts) for key, texts in lines.items()},
        is_single="one" in flags,
        is_slip="correct" in flags,
    )


def _assigned(fields: Sequence[tuple[str, str]], key: str) -> dict[str, str]:
    found = [text.partition("=") for each, text in fields if each == key]
    return {slot.strip(): source.strip() for slot, _, source in found}


def _kept(texts: Sequence[str], split: Split) -> list[str]:
    """The split's share of lines, by their words, so that files may grow."""
    return [text for text in texts if (crc32(text.encode()) % _LINES == 0) == (split == "valid")]


def _parsed(texts: Sequence[str]) -> list[Template]:
    return [parse(text) for text in texts]
