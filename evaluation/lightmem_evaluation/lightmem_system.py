"""LightMem itself: the embedded system in this process, through its own HTTP routes."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lightmem.client import Recall, Remembered
from lightmem.model import Outcome
from lightmem_evaluation.locomo import Conversation, Question, dialogue_id
from lightmem_evaluation.opened import POLL_S, Opened
from lightmem_evaluation.systems import Found, with_speaker

#: The largest context that may be asked for, so that `k` alone cuts the ranking.
WIDE_BUDGET = 8_000
#: A recall that a busy machine left without a part is asked again, at most so often.
ATTEMPTS = 5
BUDGET = 1_150
TURNS_PER_CALL = 50


class LightMemSystem:
    """Each conversation is a user; turns are written, learnt from and recalled as by any caller."""

    name = "lightmem"

    def __init__(self, system: Opened) -> None:
        self._system = system
        self._client = system.client
        self._places: dict[str, str] = {}
        self._turn_ids: dict[tuple[str, str], str] = {}
        self.memories: dict[str, int] = {}
        self.outcomes: dict[str, int] = {}

    def over(self, system: Opened) -> "LightMemSystem":
        """What was built, asked of another system that has the same turns: a copy of its folder."""
        other = LightMemSystem(system)
        other._places, other._turn_ids = self._places, self._turn_ids
        other.memories, other.outcomes = self.memories, self.outcomes
        return other

    async def build(self, conversation: Conversation) -> None:
        """Store all turns and wait until all are indexed and the Writer has ended with each."""
        operations = []
        for session in conversation.sessions:
            for start in range(0, len(session.turns), TURNS_PER_CALL):
                turns = session.turns[start : start + TURNS_PER_CALL]
                accepted = await self._client.remember(
                    conversation.id, session.session_id, turns, wait="indexed"
                )
                for turn, turn_id in zip(turns, accepted.turn_ids, strict=True):
                    self._places[turn_id] = dialogue_id(turn)
                    self._turn_ids[conversation.id, dialogue_id(turn)] = turn_id
                operations.append(accepted)
        learnt: set[str] = set()
        for accepted in operations:
            learnt |= await self._await_writing(accepted)
        self.memories[conversation.id] = len(learnt)
        await self._system.settle()

    async def search(self, conversation: Conversation, question: Question, *, k: int) -> Found:
        """Recall at `k`, the budget wide enough that it cuts nothing off before `k`."""
        return self._found(await self._recall(conversation, question, k=k, budget=WIDE_BUDGET))

    def places(self, turn_ids: Sequence[str]) -> tuple[str, ...]:
        """The data set's own ids of turns."""
        return tuple(self._places[turn_id] for turn_id in turn_ids)

    def places_known(self, turn_ids: Sequence[str]) -> tuple[str, ...]:
        """The data set's own ids of those of the turns that are the data set's."""
        return tuple(self._places[each] for each in turn_ids if each in self._places)

    def turn_ids(self, conversation: Conversation, places: Sequence[str]) -> frozenset[str]:
        """Our ids of the data set's turns."""
        return frozenset(self._turn_ids[conversation.id, place] for place in places)

    def size_bytes(self) -> int:
        """Ledger and index: every file of the data folder."""
        return sum(sizes_of(self._system.services.settings.data_dir).values())

    async def context(self, conversation: Conversation, question: Question) -> Found:
        """Recall as an application asks for it: five items, the default budget."""
        recall = await self._recall(conversation, question, k=5, budget=BUDGET)
        return replace(self._found(recall), shown=shown_in(recall.context, conversation))

    async def _recall(
        self, conversation: Conversation, question: Question, *, k: int, budget: int
    ) -> Recall:
        for _ in range(ATTEMPTS):
            recall = await self._client.recall(
                conversation.id,
                question.text,
                top_k=k,
                budget_tokens=budget,
                now=conversation.ended_at,
            )
            if not recall.degraded:
                break
            await asyncio.sleep(POLL_S)
        return recall

    def _found(self, recall: Recall) -> Found:
        if recall.degraded:
            raise RuntimeError(f"a measure of a degraded recall is none: {recall.degraded}")
        items = [self.places(item.source_turn_ids) for item in recall.items]
        return Found(items, recall.timings_ms, recall.context_tokens)

    async def _await_writing(self, accepted: Remembered) -> set[str]:
        while True:
            operation = await self._client.operation(accepted.operation_id)
            if operation.is_finished:
                break
            await asyncio.sleep(POLL_S)
        for outcome in operation.outcomes:
            if outcome.outcome in {Outcome.QUARANTINED, Outcome.REJECTED, Outcome.DUPLICATE}:
                raise RuntimeError(f"a turn ended {outcome.outcome}: {outcome.reason}")
            self.outcomes[outcome.outcome] = self.outcomes.get(outcome.outcome, 0) + 1
        return {memory_id for o in operation.outcomes for memory_id in o.memory_ids}


def shown_in(context: str, conversation: Conversation) -> frozenset[str]:
    """The turns that a context shows whole."""
    return frozenset(
        dialogue_id(turn)
        for turn in conversation.turns
        if "\n  ".join(with_speaker(turn).splitlines()) in context
    )


def sizes_of(folder: Path) -> dict[str, int]:
    """Bytes of the index, of the ledger and of the rest in a data folder."""
    sizes = {"index": 0, "ledger": 0, "other": 0}
    for path in folder.rglob("*"):
        if path.is_file():
            top = path.relative_to(folder).parts[0]
            part = "index" if top == "index" else "ledger" if top.startswith("ledger") else "other"
            # What is allocated: files that are made large beforehand are mostly holes.
            sizes[part] += path.stat().st_blocks * 512
    return sizes
