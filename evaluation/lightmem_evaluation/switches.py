"""Parts of a recall switched off or spoilt, from outside: the system itself knows no switches.

A port is wrapped and handed to the same use cases. Nothing is built or trained again: a switch
tells what the part is worth to the system as it is shipped.
"""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from lightmem.model import (
    Completion,
    Found,
    Item,
    ItemKind,
    Message,
    Plan,
    PlannedQuery,
    RecallFilters,
    RecallMode,
    RecallRequest,
    View,
    ViewQuery,
)
from lightmem.ports import Controller, LanguageModel, MemoryIndex
from lightmem_controller.queries import HYPOTHETICAL_WEIGHT, MAX_HYPOTHETICAL

Change = Callable[[Plan, RecallRequest], Plan]

WINDOWS = frozenset({View.WINDOW_DENSE, View.WINDOW_BM25})
TOKENS = frozenset({View.TOKENS})
DENSE = frozenset({View.DENSE, View.WINDOW_DENSE, View.TOKENS})
LEXICAL = frozenset({View.BM25, View.WINDOW_BM25})


@dataclass(frozen=True, slots=True)
class Switch:
    """One way to recall: what is different, in words and in effect."""

    name: str
    what: str
    without_views: frozenset[View] = frozenset()
    without_memories: bool = False
    without_ranker: bool = False
    change: Change | None = None
    mode: RecallMode = RecallMode.FAST
    has_lying_model: bool = False
    without_speakers: bool = False


class ChangedPlans:
    """A Controller whose plans are changed; keeps `ports.Controller`."""

    def __init__(self, controller: Controller, change: Change) -> None:
        self._controller = controller
        self._change = change

    async def plan(self, tenant_id: str, user_id: str, request: RecallRequest) -> Plan:
        """The plan of the other Controller, changed."""
        return self._change(await self._controller.plan(tenant_id, user_id, request), request)


class _NarrowIndex:
    """An index that finds nothing by some views, or no memories; all else is the other's."""

    def __init__(self, index: MemoryIndex, switch: Switch) -> None:
        self._index = index
        self._switch = switch

    async def find(
        self,
        tenant_id: str,
        user_id: str,
        queries: Sequence[ViewQuery],
        *,
        filters: RecallFilters,
    ) -> Found:
        asked = [query for query in queries if query.view not in self._switch.without_views]
        found = await self._index.find(tenant_id, user_id, asked, filters=filters)
        items = {key: item for key, item in found.items.items() if self._keeps(item)}
        kept = iter(
            {key: score for key, score in scores.items() if key in items} for scores in found.scores
        )
        return Found(
            [{} if query.view in self._switch.without_views else next(kept) for query in queries],
            items,
        )

    def _keeps(self, item: Item) -> bool:
        return not self._switch.without_memories or item.kind is not ItemKind.MEMORY

    async def speakers(self, tenant_id: str, user_id: str) -> list[str]:
        """Who speaks; nobody where that is switched off."""
        if self._switch.without_speakers:
            return []
        return await self._index.speakers(tenant_id, user_id)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)


def narrowed(index: MemoryIndex, switch: Switch) -> MemoryIndex:
    """The index as the switch leaves it."""
    if switch.without_views or switch.without_memories or switch.without_speakers:
        return cast(MemoryIndex, _NarrowIndex(index, switch))
    return index


class LyingModel:
    """A model that answers every question with well-formed statements about something else."""

    name = "liar"

    def __init__(self, irrelevant: Sequence[str]) -> None:
        self._irrelevant = irrelevant

    async def complete(self, messages: Sequence[Message], **_: Any) -> Completion:
        """What the schema asks for, and nothing that was asked."""
        texts = drawn(self._irrelevant, messages[-1].content, MAX_HYPOTHETICAL)
        return Completion(
            json.dumps({"queries": texts}), self.name, prompt_tokens=0, completion_tokens=0
        )


def lying(irrelevant: Sequence[str]) -> LanguageModel:
    """The lying model as the port that it answers for here."""
    return cast(LanguageModel, LyingModel(irrelevant))


def drawn(irrelevant: Sequence[str], question: str, count: int) -> list[str]:
    """So many irrelevant statements, the same for the same question."""
    return random.Random(question).sample(list(irrelevant), count)


def only_the_question(plan: Plan, _: RecallRequest) -> Plan:
    """Leave out what was made up to search for."""
    return replace(plan, queries=plan.queries[:1])


def without_second_hop(plan: Plan, _: RecallRequest) -> Plan:
    """Want no list: what the first hits say is then not asked for again."""
    return replace(plan, wants=tuple(want for want in plan.wants if want != "list"))


def without_dates(plan: Plan, _: RecallRequest) -> Plan:
    """Leave out the time that the question means."""
    return replace(plan, time_range=None)


def half_irrelevant(irrelevant: Sequence[str]) -> Change:
    """Put irrelevant statements for every second hypothetical query, the first of them included.

    Where a plan has none, one irrelevant query is added: then all are irrelevant.
    """

    def change(plan: Plan, request: RecallRequest) -> Plan:
        first, *others = plan.queries
        if not others:
            others = [PlannedQuery("", HYPOTHETICAL_WEIGHT, "hypothetical")]
        texts = drawn(irrelevant, request.query, len(others))
        spoilt = [
            # Of the same kind and weight, so that what it costs is its text alone.
            replace(query, text=text) if place % 2 == 0 else query
            for place, (query, text) in enumerate(zip(others, texts, strict=True))
        ]
        return replace(plan, queries=(first, *spoilt))

    return change


def as_many_irrelevant(irrelevant: Sequence[str]) -> Change:
    """Add an irrelevant statement for each hypothetical query: half of them then are irrelevant."""

    def change(plan: Plan, request: RecallRequest) -> Plan:
        useful = plan.queries[1:]
        texts = drawn(irrelevant, request.query, len(useful))
        # Each of the kind and weight of the one that it is beside.
        added = [replace(query, text=text) for query, text in zip(useful, texts, strict=True)]
        return replace(plan, queries=(*plan.queries, *added))

    return change


def all_switches(irrelevant: Sequence[str]) -> list[Switch]:
    """The system as it is, then each switch.

    Args:
        irrelevant: Statements that answer no question.
    """
    return [
        Switch("as it is", "nothing is switched"),
        Switch("no hypothetical queries", "the question alone", change=only_the_question),
        Switch("no voice", "speakers' names stay in what is encoded", without_speakers=True),
        Switch("no windows", "turns are found by their own words", without_views=WINDOWS),
        Switch("no tokens", "no late interaction; then no ranker either", without_views=TOKENS),
        Switch("no dense", "words alone; then no ranker either", without_views=DENSE),
        Switch("no words", "dense views and tokens alone", without_views=LEXICAL),
        Switch("no ranker", "the linear ranking decides", without_ranker=True),
        Switch("no dates", "times in the question are not looked at", change=without_dates),
        Switch("no memories", "turns alone", without_memories=True),
        Switch(
            "irrelevant queries",
            "half of the hypothetical queries are irrelevant; one of one where there was none",
            change=half_irrelevant(irrelevant),
        ),
        Switch(
            "irrelevant queries added",
            "as many irrelevant ones beside the hypothetical queries",
            change=as_many_irrelevant(irrelevant),
        ),
        Switch("deep, by rules alone", "no model, and a second hop", mode=RecallMode.DEEP),
        Switch(
            "deep, no second hop",
            "by rules alone",
            change=without_second_hop,
            mode=RecallMode.DEEP,
        ),
        Switch(
            "deep, the model lies",
            "three hypothetical queries of the model, all about something else",
            mode=RecallMode.DEEP,
            has_lying_model=True,
        ),
    ]
