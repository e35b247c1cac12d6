"""Reading back everything that was accepted, each thing once, by the API's own answers."""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from local_system.talking import FINAL, Conversation

#: Seconds in which what is still in the outbox comes into the index.
FOUND_WITHIN_S = 90.0


@dataclass(slots=True)
class Found:
    """What came of the writes."""

    #: Problems found, each with what it is about.
    problems: dict[str, list[str]] = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)

    def blame(self, what: str, names: Sequence[str]) -> None:
        """Note what is wrong, if anything is."""
        if names:
            self.problems[what] = list(names)

    def count(self, *whats: str) -> int:
        """How many things have these problems."""
        return sum(len(self.problems.get(what, ())) for what in whats)


def sentence(number: int) -> str:
    """A fact that no other write states."""
    return (
        f"The boat number {number} lies in harbour {number + 10_000} and is called Vessel{number}."
    )


async def look_for_all(
    conversations: Sequence[Conversation], writes: int, *, patience_s: float
) -> Found:
    """Wait until every write has ended, and read all turns, outcomes and memories."""
    found = Found()
    ended = await asyncio.gather(*[one.ended(patience_s=patience_s) for one in conversations])
    outcomes = [
        outcome
        for operations in ended
        for operation in operations
        for outcome in operation["outcomes"]
    ]
    turns = [turn for one in conversations for turn in await one.turns()]
    memories = [memory for one in conversations for memory in await one.memories()]
    _judge_turns(found, turns, outcomes, writes)
    _judge_memories(found, memories, outcomes)
    return found


def _judge_turns(
    found: Found, turns: list[dict[str, Any]], outcomes: list[dict[str, Any]], writes: int
) -> None:
    kept = Counter(turn["content"] for turn in turns)
    expected = [sentence(number) for number in range(writes)]
    found.blame("turns lost", [words for words in expected if not kept[words]])
    found.blame("turns doubled", [words for words, count in kept.items() if count > 1])
    found.outcomes = Counter(outcome["outcome"] for outcome in outcomes)
    ended = Counter(one["turn_id"] for one in outcomes if one["outcome"] in FINAL)
    found.blame("turns without an end", sorted({turn["id"] for turn in turns} - ended.keys()))
    found.blame("turns with two ends", [name for name, count in ended.items() if count > 1])


def _judge_memories(
    found: Found, memories: list[dict[str, Any]], outcomes: list[dict[str, Any]]
) -> None:
    known = {memory["id"] for memory in memories}
    named = {name for one in outcomes for name in one["memory_ids"]}
    found.blame("memories lost", sorted(named - known))
    texts = Counter(_about(memory["text"]) for memory in memories)
    found.blame("memories doubled", [text for text, count in texts.items() if count > 1])
    stored = {one["turn_id"] for one in outcomes if one["outcome"] == "stored"}
    quoted = {source["turn_id"] for memory in memories for source in memory["sources"]}
    found.blame("stored without a memory", sorted(stored - quoted))


def _about(text: str) -> str:
    """Which boat a memory is about: it is about one, whatever its words."""
    return text.rpartition("Vessel")[2].strip(" .")


async def recall_all(conversations: Sequence[Conversation], writes: int, found: Found) -> None:
    """Ask after every boat; the turn, or the memory of it, must be found."""
    until = time.monotonic() + FOUND_WITHIN_S

    async def ask(place: int, conversation: Conversation) -> list[str]:
        numbers = range(place, writes, len(conversations))
        return [
            sentence(number)
            for number in numbers
            if not await _is_found(conversation, number, until)
        ]

    missing = await asyncio.gather(*[ask(place, one) for place, one in enumerate(conversations)])
    found.blame("turns not found", [words for part in missing for words in part])


async def _is_found(conversation: Conversation, number: int, until: float) -> bool:
    """Whether a boat is found, asked again until a time while it is not."""
    while True:
        recalled = await conversation.recall(f"Where does Vessel{number} lie?")
        if any(str(number + 10_000) in item["text"] for item in recalled["items"]):
            return True
        if time.monotonic() > until:
            return False
        await asyncio.sleep(0.5)
