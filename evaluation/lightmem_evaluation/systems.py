"""What every system under measure does: take a conversation in, then rank its turns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from lightmem.client import SaidTurn
from lightmem_evaluation.locomo import Conversation, Question


@dataclass(frozen=True, slots=True)
class Found:
    """A ranking, best first. Each item is the set of turns that it came from.

    `timings_ms` are by stage; `context_tokens` is 0 for a system that makes no context. `shown` are
    the turns whose words stand in the context, as items or beside them.
    """

    items: Sequence[Sequence[str]]
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    context_tokens: int = 0
    shown: frozenset[str] = frozenset()


class RetrievalSystem(Protocol):
    """A memory that can be asked for turns."""

    name: str

    async def build(self, conversation: Conversation) -> None:
        """Take in a conversation as this system does; called once for each, before any search."""
        ...

    async def search(self, conversation: Conversation, question: Question, *, k: int) -> Found:
        """The best `k` items for a question to a conversation."""
        ...

    def size_bytes(self) -> int:
        """What is kept for everything built so far; 0 when it cannot be told."""
        ...


def with_speaker(turn: SaidTurn) -> str:
    """Who, and the words. Dense search is at half its worth without the speaker's name."""
    return f"{turn.speaker}: {turn.content}" if turn.speaker else turn.content


def with_caption(turn: SaidTurn) -> str:
    """Who, the words, and what a shared photo shows: this helps BM25 and harms dense search."""
    caption = turn.metadata.get("caption")
    return with_speaker(turn) + (f" [photo: {caption}]" if caption else "")
