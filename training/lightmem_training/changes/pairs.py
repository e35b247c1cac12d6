"""Pairs of statements from themes: an older one, a newer one, and what the newer is to it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random

from lightmem_training.changes.themes import Theme, Themes
from lightmem_training.generator.grammar import Slot, Template, parse, render

#: Shares of what is drawn.
CHANGED, SAME, BESIDE, OTHER_THING, OTHER_THEME = 0.32, 0.10, 0.24, 0.24, 0.10
#: How often a frame of any theme is taken, where the theme has words for it.
SHARED = 0.3
#: How often something stands before what is said, and behind.
OPENED, GONE_ON = 0.16, 0.14
_TRIES = 60


class Label(StrEnum):
    """What a newer statement is to an older one of the same speaker."""

    OVERTAKES = "overtakes"
    SAME = "same"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements, and where they are from."""

    older: str
    newer: str
    label: Label
    source: str


class Unfilled(Exception):
    """A slot that nothing fills here: the line does not fit this theme."""


@dataclass(slots=True)
class Scope:
    """The words of one telling of a theme, each drawn once and kept."""

    themes: Themes
    theme: Theme
    words: dict[str, str] = field(default_factory=dict)

    def fill(self, slot: Slot, rng: Random) -> str:
        """The words for a slot."""
        text = self._word(slot.name, rng)
        if "cap" in slot.modifiers:
            return text[:1].upper() + text[1:]
        return text

    def other(self, *slots: str) -> "Scope":
        """The same telling but for these slots, to be drawn anew, and differently."""
        kept = {name: word for name, word in self.words.items() if name not in slots}
        kept |= {f"!{name}": self.words[name] for name in slots if name in self.words}
        return Scope(self.themes, self.theme, kept)

    def _word(self, name: str, rng: Random) -> str:
        if name not in self.words:
            self.words[name] = self._drawn(name, rng)
        return self.words[name]

    def _drawn(self, name: str, rng: Random) -> str:
        if name == "np":
            if self.theme.np is None:
                raise Unfilled(name)
            return render(self.theme.np, self, rng)
        if name in {"v", "w"} and self.theme.zips and "v" in self.theme.lets:
            self._zip(rng)
            return self.words[name]
        taken = {self.words.get(f"!{name}"), self.words.get("v" if name == "w" else "w")}
        taken |= {self.words.get("kin")} if name == "kin2" else set()
        for _ in range(_TRIES):
            word = render(rng.choice(self._pool(name)), self, rng)
            if word not in taken:
                return word
        raise Unfilled(name)

    def _zip(self, rng: Random) -> None:
        """A value and what it is when it came to pass, of the same place in two pools."""
        firsts = self.themes.pools[self.theme.lets["v"]]
        place = rng.randrange(len(firsts))
        then = self.themes.pools[self.theme.zips["w"]][place]
        self.words |= {"v": render(firsts[place], self, rng), "w": render(then, self, rng)}

    def _pool(self, name: str) -> Sequence[Template]:
        source = self.theme.lets.get("v" if name == "w" else name)
        if source is None:
            source = {"kin2": "kin", "when_": "when_"}.get(name, name)
        if source in self.themes.pools:
            return self.themes.pools[source]
        if name in self.theme.lets:
            return [parse(source)]
        raise Unfilled(name)


class Pairs:
    """Endless pairs, the same for the same seed.

    Args:
        only: Names of the themes to tell of; all where it is empty.
    """

    def __init__(self, themes: Themes, *, seed: int, only: Sequence[str] = ()) -> None:
        self._themes = themes
        self._random = Random(seed)
        self._told = [one for one in themes.themes if not only or one.name in only]

    def __iter__(self) -> Iterator[Pair]:
        ways = (self._changed, self._same, self._beside, self._other_thing, self._other_theme)
        shares = (CHANGED, SAME, BESIDE, OTHER_THING, OTHER_THEME)
        while True:
            [way] = self._random.choices(ways, shares)
            try:
                pair = way(self._random.choice(self._told))
            except Unfilled:
                continue
            if pair is not None and pair.older != pair.newer:
                yield pair

    def _changed(self, theme: Theme) -> Pair | None:
        scope = Scope(self._themes, theme)
        older = self._say(theme.olds, scope)
        if theme.is_single and theme.lines["old"] and self._random.random() < 0.15:
            newer = self._say(theme.lines["old"], scope.other("v"))
        else:
            newer = self._say(self._lines(theme, ("new", "end")), scope)
        return self._pair(older, newer, Label.OVERTAKES, theme)

    def _same(self, theme: Theme) -> Pair | None:
        """The same told twice, of what holds or of the change."""
        scope = Scope(self._themes, theme)
        lines = theme.changes if self._random.random() < 0.3 else theme.olds
        if len(lines) < 2:
            return None
        first, second = self._random.sample(list(lines), 2)
        if lines is not theme.olds and (first in theme.lines["end"]) != (
            second in theme.lines["end"]
        ):
            return None
        older, newer = self._say([first], scope), self._say([second], scope)
        return self._pair(older, newer, Label.SAME, theme)

    def _beside(self, theme: Theme) -> Pair | None:
        """Something of the same matter that changes nothing."""
        scope = Scope(self._themes, theme)
        is_so = bool(theme.olds) and self._random.random() < 0.85
        older = self._say(theme.olds if is_so else theme.lines["both"], scope)
        holds_many = "v" in theme.lets and not theme.is_single and not theme.is_slip
        if holds_many and is_so and self._random.random() < 0.25:
            # Of what can be said of many things each holds by itself: two hobbies, two languages.
            newer = self._say(theme.olds, scope.other("v", "w"))
        else:
            newer = self._say(self._lines(theme, ("both",)), scope)
        return None if older == newer else self._pair(older, newer, Label.BOTH, theme)

    def _other_thing(self, theme: Theme) -> Pair | None:
        """A change told of another person or thing of the same kind."""
        scope = Scope(self._themes, theme)
        if not theme.olds:
            return None
        template = self._random.choice(list(theme.olds))
        older = self._say([template], scope)
        lines = self._lines(theme, ("new", "end"))
        if not lines:
            return None
        newer_template = self._random.choice(lines)
        distinct = [name for name in ("r", "x", "kin") if self._names(name, template, scope)]
        if not theme.is_single and self._names("v", template, scope):
            distinct.append("v")
        changed = [name for name in distinct if self._names(name, newer_template, scope)]
        if not changed:
            return None
        newer = self._say([newer_template], scope.other(self._random.choice(changed)))
        return self._pair(older, newer, Label.BOTH, theme)

    def _other_theme(self, theme: Theme) -> Pair | None:
        """Anything of another theme, or talk of nothing much."""
        older = self._say(theme.olds, Scope(self._themes, theme))
        other = self._random.choice(self._told)
        talk = self._themes.pools.get("talk", ())
        if talk and self._random.random() < 0.3:
            newer = self._say(talk, Scope(self._themes, theme))
            return self._pair(older, newer, Label.BOTH, theme)
        if other.name == theme.name or other.name[:4] == theme.name[:4]:
            return None
        lines = [*self._lines(other, ("new", "end")), *other.olds]
        newer = self._say(lines, Scope(self._themes, other))
        return self._pair(older, newer, Label.BOTH, theme)

    # --- words ------------------------------------------------------------------------------------

    def _lines(self, theme: Theme, keys: Sequence[str]) -> list[Template]:
        own = [line for key in keys for line in theme.lines[key]]
        if "new" in keys:
            own += theme.lines["done"]
        has_values = "v" in theme.lets and not theme.zips and not theme.is_slip
        shared = [line for key in keys for line in self._themes.shared.get(key, ())]
        if has_values and shared and (not own or self._random.random() < SHARED):
            return shared
        return own

    def _names(self, slot: str, template: Template, scope: Scope) -> bool:
        """Whether a line names the words of a slot, itself or in the name of the matter."""
        marker = "\0"
        probe = Scope(scope.themes, scope.theme, {**scope.words, slot: marker})
        probe.words.pop("np", None)
        try:
            return marker in render(template, probe, Random(0))
        except Unfilled:
            return False

    def _say(self, lines: Sequence[Template], scope: Scope) -> str:
        if not lines:
            raise Unfilled("line")
        text = render(self._random.choice(list(lines)), scope, self._random)
        return text[:1].upper() + text[1:]

    def _pair(self, older: str, newer: str, label: Label, theme: Theme) -> Pair:
        return Pair(self._styled(older), self._styled(newer), label, theme.name)

    def _styled(self, text: str) -> str:
        """What was said as people say it: with a word before it, another clause behind it."""
        opened, gone_on = (self._themes.pools.get(name, ()) for name in ("open", "go.on"))
        none = Scope(self._themes, self._told[0])
        if opened and self._random.random() < OPENED:
            opener = render(self._random.choice(opened), none, self._random)
            text = f"{opener} {text}"
        if gone_on and self._random.random() < GONE_ON and text.endswith("."):
            text = text[:-1] + render(self._random.choice(gone_on), none, self._random)
        return text
