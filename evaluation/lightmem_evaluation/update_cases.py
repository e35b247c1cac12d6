"""The update benchmark's stories: what is said when, what is asked, and what is right."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from lightmem.client import SaidTurn

FOLDER = Path(__file__).parents[1] / "updates"
#: Stories in other styles, each set written and kept as it is before any of it was run.
UNSEEN = {name: FOLDER / name for name in ("unseen", "second", "third", "fourth")}
LANGUAGES = ("en", "es", "zh")
KINDS = ("change", "correction", "plan", "namesake", "negation", "retraction")
BEGINS = datetime(2024, 1, 8, 9, tzinfo=UTC)
#: Days of the turns, and of the question.
FIRST, THEN, ASKED = 0, 45, 90
#: Marks what holds as well, and what no words of the story hold.
OTHER, NOTHING = "!", "-"


@dataclass(frozen=True, slots=True)
class Session:
    """Turns that are said in one conversation."""

    name: str
    turns: Sequence[SaidTurn]


@dataclass(frozen=True, slots=True)
class Story:
    """One line of the benchmark as one user lives it."""

    id: str
    language: str
    kind: str
    sessions: Sequence[Session]
    question: str
    right: str
    outdated: str | None
    #: What holds beside it, of another person.
    other: str | None

    @property
    def asked_at(self) -> datetime:
        return BEGINS + timedelta(days=ASKED)


def load_stories(folder: Path = FOLDER) -> list[Story]:
    """All stories of a folder, language by language."""
    talk = _distractors()
    return [
        _story(language, number, line.split("\t"), talk[language])
        for language in LANGUAGES
        for number, line in enumerate(_lines(folder / f"{language}.tsv"))
    ]


def _story(language: str, number: int, fields: Sequence[str], talk: Sequence[str]) -> Story:
    kind, first, then, question, right, outdated = fields
    return Story(
        id=f"{language}-{number:03d}",
        language=language,
        kind=kind,
        sessions=_sessions(kind, first, then, [*talk[number % len(talk) :], *talk]),
        question=question,
        right=right,
        outdated=None if outdated == NOTHING or outdated.startswith(OTHER) else outdated,
        other=outdated.removeprefix(OTHER) if outdated.startswith(OTHER) else None,
    )


def _sessions(kind: str, first: str, then: str, talk: Sequence[str]) -> list[Session]:
    """What is said at first and then, with other talk around and between."""
    early = [talk[0], first, talk[1]]
    late = [talk[2], then, talk[3]]
    if kind == "correction":
        early, late = [talk[0], first, then, talk[1]], [talk[2], talk[3]]
    between = [talk[4], talk[5]]
    said = [("a", FIRST, early), ("b", (FIRST + THEN) // 2, between), ("c", THEN, late)]
    return [Session(name, _turns(day, words)) for name, day, words in said]


def _turns(day: int, words: Sequence[str]) -> list[SaidTurn]:
    at = BEGINS + timedelta(days=day)
    return [
        SaidTurn(each, occurred_at=at + timedelta(minutes=place))
        for place, each in enumerate(words)
    ]


def _distractors() -> dict[str, list[str]]:
    talk: dict[str, list[str]] = {language: [] for language in LANGUAGES}
    for line in _lines(FOLDER / "distractors.tsv"):
        language, words = line.split("\t")
        talk[language].append(words)
    return talk


def _lines(file: Path) -> list[str]:
    text = file.read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
