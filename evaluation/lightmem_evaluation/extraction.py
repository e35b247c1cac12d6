"""`python -m lightmem_evaluation.extraction`: what the Writer draws from talk, and what it costs.

Conversations are cut into segments as the Writer cuts them, and each segment is extracted by rules
alone and, where `LIGHTMEM_TEST_OLLAMA_URL` is set, with the small model, whose sessions are fewer
since it is slow. Each statement is then held against the conversation by code of its own: quotes
have to be substrings of their turns, and every number and capitalised word has to have been said.
"""

import argparse
import asyncio
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lightmem.adapters.tokens import open_tokenizer
from lightmem.bootstrap.models import open_model
from lightmem.ingest import SessionTurns
from lightmem.model import Extraction, Role, Statement, Turn
from lightmem.settings import Settings
from lightmem_evaluation.datasets import load_dataset
from lightmem_evaluation.locomo import Conversation, Repairs
from lightmem_evaluation.metadata import data, metadata
from lightmem_evaluation.output import write_results
from lightmem_evaluation.report import console, say, table
from lightmem_evaluation.updates import model_settings
from lightmem_writer import ExtractStatements
from lightmem_writer.segment import CONTEXT_TURNS, cut_segments

#: Calls and tokens of a model for 1,000 turns, from the figures that the papers print for the
#: 5,882 turns of LoCoMo (LightMem, arXiv:2510.18866, and its table's A-MEM).
PUBLISHED = {
    "LightMem": {"model_calls": 298 / 5.882, "tokens": 852_000 / 5.882},
    "A-MEM": {"model_calls": 11_754 / 5.882, "tokens": 11_500_000 / 5.882},
}
_NUMBER = re.compile(r"\d+")
_CAPITALISED = re.compile(r"\b[A-ZÁÉÍÓÚÑ][\w’'-]{2,}")
_WHEN = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class Drawn:
    """What one way drew from some turns."""

    turns: int = 0
    segments: int = 0
    statements: int = 0
    turns_quoted: int = 0
    quotes_not_said: int = 0
    numbers_not_said: int = 0
    names_not_said: int = 0
    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    said_tokens: int = 0
    read_tokens: int = 0
    valid_at_once: list[bool] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)
    fallbacks: Counter[str] = field(default_factory=Counter)

    def add(self, extraction: Extraction, turns: Sequence[Turn], said: "Everything") -> None:
        """Count one segment's extraction, its statements held against all that was said."""
        self.segments += 1
        self.turns += len(turns)
        self.statements += len(extraction.statements)
        quoted = {source.turn_id for one in extraction.statements for source in one.sources}
        self.turns_quoted += len(quoted & {turn.id for turn in turns})
        for statement in extraction.statements:
            self.quotes_not_said += said.unsaid_quotes(statement)
            self.numbers_not_said += len(said.unsaid(_NUMBER, statement))
            self.names_not_said += len(said.unsaid(_CAPITALISED, statement))
        self.model_calls += extraction.model_calls
        self.prompt_tokens += extraction.prompt_tokens
        self.completion_tokens += extraction.completion_tokens
        self.said_tokens += extraction.said_tokens
        self.read_tokens += extraction.read_tokens
        self.rejected.update(extraction.rejected)
        self.fallbacks.update([extraction.fallback_reason] if extraction.fallback_reason else [])
        if extraction.is_valid_at_once is not None:
            self.valid_at_once.append(extraction.is_valid_at_once)

    def summary(self) -> dict[str, Any]:
        """All counts, and the rates that others print."""
        thousands = self.turns / 1000
        return {
            "turns": self.turns,
            "segments": self.segments,
            "statements": self.statements,
            "statements_a_turn": round(self.statements / self.turns, 3),
            "turns_quoted": round(self.turns_quoted / self.turns, 3),
            "quotes_not_said": self.quotes_not_said,
            "numbers_not_said": self.numbers_not_said,
            "names_not_said": self.names_not_said,
            "per_1000_turns": {
                "model_calls": round(self.model_calls / thousands, 1),
                "tokens": round((self.prompt_tokens + self.completion_tokens) / thousands),
            },
            "read_share": round(self.read_tokens / self.said_tokens, 3) if self.said_tokens else 0,
            "schema_valid_at_once": _share(self.valid_at_once),
            "rejected": dict(self.rejected.most_common()),
            "segments_by_rules": dict(self.fallbacks.most_common()),
        }


class Everything:
    """All that was said in a conversation, to hold statements against.

    Capitalised words that open a statement or follow its speaker prove nothing and still have to
    have been said, in whatever case; the day of the turn may be written as `2024-05-08`.
    """

    def __init__(self, turns: Mapping[str, Turn]) -> None:
        self._turns = turns
        words = " ".join(f"{turn.speaker or ''} {turn.content}" for turn in turns.values())
        self._words = set(re.findall(r"\w+", words.casefold())) | set(_NUMBER.findall(words))

    def unsaid_quotes(self, statement: Statement) -> int:
        """How many of its quotes are no substring of their turn."""
        return sum(
            source.quote not in self._turns[source.turn_id].content for source in statement.sources
        )

    def unsaid(self, pattern: re.Pattern[str], statement: Statement) -> list[str]:
        """What the pattern finds in a statement and nobody said."""
        day = {self._turns[one.turn_id].occurred_at.date().isoformat() for one in statement.sources}
        days = {part for each in day for part in each.split("-")} | {"user", "assistant"}
        found = [match.group().casefold() for match in pattern.finditer(statement.text)]
        return [word for word in found if not set(re.findall(r"\w+", word)) <= self._words | days]


def turns_of(conversation: Conversation, session: SessionTurns) -> list[Turn]:
    """A session's turns as the ledger would have them."""
    return [
        Turn(
            f"{session.session_id}-{place}",
            "measured",
            conversation.id,
            session.session_id,
            place + 1,
            Role(said.role),
            said.content,
            said.occurred_at or _WHEN,
            said.occurred_at or _WHEN,
            speaker=said.speaker,
        )
        for place, said in enumerate(session.turns)
    ]


async def draw(
    writer: ExtractStatements, conversations: Sequence[Conversation], *, sessions: int | None
) -> Drawn:
    """Extract from the first `sessions` of each conversation, or from all."""
    drawn, tokenizer = Drawn(), open_tokenizer()
    for conversation in conversations:
        talks = [turns_of(conversation, session) for session in conversation.sessions[:sessions]]
        said = Everything({turn.id: turn for talk in talks for turn in talk})
        for talk in talks:
            segments = cut_segments(
                talk, count_tokens=tokenizer.count, max_tokens=Settings().segment_tokens
            )
            for segment in segments:
                extraction = await writer.extract(
                    "measured", conversation.id, segment.turns, segment.context[-CONTEXT_TURNS:]
                )
                drawn.add(extraction, segment.turns, said)
        say(f"{conversation.id}: {drawn.statements} statements so far")
    return drawn


async def measure(file: Path, *, model_sessions: int) -> dict[str, Any]:
    """Both ways over the same conversations, the model over some sessions of each."""
    conversations = load_dataset(file, None, Repairs())
    count = open_tokenizer().count
    rules = await draw(ExtractStatements(None), conversations, sessions=None)
    ways = {"rules": rules.summary()}
    settings = model_settings()
    if settings is not None and model_sessions:
        async with AsyncExitStack() as stack:
            model = open_model(stack, settings)
            writer = ExtractStatements(model, count_tokens=count)
            drawn = await draw(writer, conversations, sessions=model_sessions)
        ways[f"small model {settings.model_name}"] = drawn.summary()
        alone = await draw(ExtractStatements(None), conversations, sessions=model_sessions)
        ways["rules, the same turns"] = alone.summary()
    return {
        "ways": ways,
        "published_per_1000_turns": PUBLISHED,
        "data": data(file, conversations),
        **metadata(),
    }


def _share(held: Sequence[bool]) -> float | None:
    return round(sum(held) / len(held), 3) if held else None


def _print(found: dict[str, Any]) -> None:
    made = table(
        "Extraction",
        "way", "turns", "statements a turn", "quotes, numbers, names not said",
        "calls / tokens per 1,000 turns", "valid at once", "refused",
    )  # fmt: skip
    for name, way in found["ways"].items():
        cost = way["per_1000_turns"]
        unsaid = [way[f"{part}_not_said"] for part in ("quotes", "numbers", "names")]
        made.add_row(
            name,
            str(way["turns"]),
            f"{way['statements_a_turn']:.2f}",
            " / ".join(map(str, unsaid)),
            f"{cost['model_calls']:.0f} / {cost['tokens']:,}",
            str(way["schema_valid_at_once"]),
            str(sum(way["rejected"].values())),
        )
    for name, cost in found["published_per_1000_turns"].items():
        calls = f"{cost['model_calls']:.0f} / {cost['tokens']:,.0f}"
        made.add_row(f"{name}, as published", "", "", "", calls, "", "")
    console().print(made)


def main() -> None:
    """Measure, write the results and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--model-sessions", type=int, default=2, help="of each conversation")
    wanted = parser.parse_args()
    found = asyncio.run(measure(wanted.data, model_sessions=wanted.model_sessions))
    write_results(wanted.out, found)
    _print(found)


if __name__ == "__main__":
    main()
