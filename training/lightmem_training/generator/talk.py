"""A conversation as it is being written: turns, and the facts that they state."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from random import Random
from typing import Literal

from lightmem_training.generator import dates, dates_elsewhere
from lightmem_training.generator.dates import When
from lightmem_training.generator.frame import Frame, Unfilled
from lightmem_training.generator.grammar import Template
from lightmem_training.generator.library import Ask, Facet, Library
from lightmem_training.generator.people import Persona
from lightmem_training.generator.style import styled
from lightmem_training.generator.values import Value

FactKind = Literal["tell", "plan", "facet", "update"]


@dataclass(slots=True, eq=False)
class Turn:
    """One message; its id is known when its session is."""

    speaker: Persona
    text: str
    session: int
    place: int
    caption: str | None = None

    @property
    def dia_id(self) -> str:
        """LoCoMo's name of the turn."""
        return f"D{self.session}:{self.place}"


@dataclass(slots=True, eq=False)
class Fact:
    """What a turn states: an event, a plan, a facet of an event, or what has changed of it."""

    kind: FactKind
    frame: Frame
    facet: Facet | None
    when: When | None
    day: date
    turns: list[Turn]
    answer: str = ""
    #: The odd detail that it was told with.
    circumstance: Value | None = None
    #: The question that drew it out, where the other put a whole one.
    asked: Ask | None = None


@dataclass(slots=True)
class Said:
    """The parts of a turn before it is written."""

    parts: list[str] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    caption: str | None = None
    frame: Frame | None = None


@dataclass(slots=True)
class Talk:
    """The conversation so far."""

    library: Library
    rng: Random
    people: Sequence[Persona]
    day: date = date(2023, 1, 1)
    sessions: list[list[Turn]] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    #: Names of the turns with which the talk turns to something else.
    topics: list[str] = field(default_factory=list)
    #: A greeting that goes before the first words of its speaker.
    opening: tuple[Persona, str] | None = None
    recent: deque[Template] = field(default_factory=lambda: deque(maxlen=60))

    def lines(self, name: str) -> Sequence[Template]:
        """A pool of lines, empty where the language has none."""
        return self.library.lines.get(name, ())

    def line(self, frame: Frame, name: str, *, view: str = "I") -> str:
        """A line of a pool that the frame can fill, or nothing after a few tries."""
        return self.one_of(frame, self.lines(name), view=view)

    def one_of(
        self,
        frame: Frame,
        lines: Sequence[Template],
        *,
        view: str = "I",
        facet: Facet | None = None,
    ) -> str:
        """Any of the lines that the frame can fill, or nothing after a few tries."""
        for attempt in range(5 if lines else 0):
            line = self.rng.choice(lines)
            if attempt < 3 and line in self.recent:
                continue
            try:
                text = frame.say(line, self.rng, view=view, facet=facet)
            except Unfilled:
                continue
            self.recent.append(line)
            return text
        return ""

    def past(self) -> When:
        """A time before the session, as the language says it."""
        if self.library.language == "en":
            return dates.past(self.day, self.rng)
        return dates_elsewhere.past(self.library.language, self.day, self.rng)

    def future(self) -> When:
        """A time after the session, as the language says it."""
        if self.library.language == "en":
            return dates.future(self.day, self.rng)
        return dates_elsewhere.future(self.library.language, self.day, self.rng)

    def write(self, speaker: Persona, said: Said) -> None:
        """Append a turn to the running session, unless there is nothing to say."""
        session = self.sessions[-1]
        if self.opening and self.opening[0] is speaker:
            said.parts.insert(0, self.opening[1])
        self.opening = None
        text = self._filled_up(speaker, said)
        if not text.strip():
            return
        if said.frame and not said.facts and not speaker.is_assistant and self.rng.random() < 0.16:
            said.caption = said.caption or self.line(said.frame, "photo.any") or None
        turn = Turn(speaker, text, len(self.sessions), len(session) + 1, said.caption)
        session.append(turn)
        for fact in said.facts:
            if not fact.turns:
                self.facts.append(fact)
            fact.turns.append(turn)

    def _filled_up(self, speaker: Persona, said: Said) -> str:
        """The turn's text, with talk that says nothing until it has a natural length."""
        rng = self.rng
        parts = [part for part in said.parts if part]
        aim = min(60.0, rng.lognormvariate(3.2, 0.5)) * (2.0 if speaker.is_assistant else 1.0)
        aim *= 1.1 if said.facts else 1.0
        for _ in range(4):
            short = sum(map(_length, parts)) < aim - 6
            if not short or said.frame is None or rng.random() < 0.15:
                break
            filler = self._filler(speaker, said.frame, share=0.5 if said.facts else 0.04)
            if filler and filler not in parts:
                at = len(parts) if rng.random() < 0.7 else min(1, len(parts))
                if at == len(parts) and parts and parts[-1].rstrip().endswith(("?", "？")):
                    at -= 1
                parts.insert(at, filler)
        return styled(self.library, speaker.style, parts, rng)

    def _filler(self, speaker: Persona, frame: Frame, *, share: float) -> str:
        """Words that say nothing new; a share of them names the matter again."""
        if speaker.is_assistant:
            return self.line(frame, "fill.assistant", view="you")
        own = speaker is frame.subject
        if own and frame.event and "chat" not in frame.event.flags and self.rng.random() < share:
            return self.line(frame, "restate.bad" if "bad" in frame.event.flags else "restate")
        theme = frame.theme is not None and self.rng.random() < (0.5 if own else 0.25)
        pool = (
            ("fill.theme" if theme else "fill.any")
            if own
            else ("fill.theme.other" if theme else "fill.other")
        )
        return self.line(frame, pool, view="I" if own else "you")


def _length(text: str) -> int:
    """Words, or for scripts without spaces half the characters."""
    words = text.count(" ") + 1
    return max(words, len(text) // 2) if words < 3 and not text.isascii() else words
