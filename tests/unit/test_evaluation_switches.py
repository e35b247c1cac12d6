"""A switch takes away what it says, and nothing else."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import cast

from lightmem.client import SaidTurn
from lightmem.ingest import SessionTurns
from lightmem.model import (
    Found,
    Item,
    ItemKind,
    Layer,
    Plan,
    PlannedQuery,
    Precision,
    RecallFilters,
    RecallMode,
    RecallRequest,
    TimeRange,
    View,
    ViewQuery,
)
from lightmem.ports import MemoryIndex
from lightmem_controller import PlanRecall
from lightmem_evaluation.ablations import irrelevant_statements
from lightmem_evaluation.locomo import Conversation
from lightmem_evaluation.switches import (
    ChangedPlans,
    Switch,
    all_switches,
    as_many_irrelevant,
    half_irrelevant,
    lying,
    narrowed,
    only_the_question,
    without_dates,
    without_second_hop,
)

NOW = datetime(2024, 5, 8, tzinfo=UTC)
REQUEST = RecallRequest("Who moved?", now=NOW)
IRRELEVANT = [f"statement {number}" for number in range(9)]
PLAN = Plan(
    queries=[
        PlannedQuery("Who moved?", 1.0, "query"),
        PlannedQuery("Ana moved", 0.15, "rule"),
        PlannedQuery("Bo moved", 0.15, "rule"),
    ],
    time_range=TimeRange(NOW, None, Precision.DAY),
    entities=(),
    layers=(Layer.MID_TERM,),
)
TURN = Item("t", Layer.MID_TERM, ItemKind.TURN, "We moved.", 0.5)
MEMORY = replace(TURN, id="m", kind=ItemKind.MEMORY)


class OneAnswer:
    """Answers every query with the same items, and keeps what was asked."""

    def __init__(self) -> None:
        self.asked: list[View] = []

    async def find(
        self, tenant_id: str, user_id: str, queries: Sequence[ViewQuery], *, filters: RecallFilters
    ) -> Found:
        self.asked = [query.view for query in queries]
        return Found([{"t": 0.5, "m": 0.5} for _ in queries], {"t": TURN, "m": MEMORY})

    async def count(self, tenant_id: str, user_id: str | None = None) -> int:
        return 2

    async def speakers(self, tenant_id: str, user_id: str) -> list[str]:
        return ["ana"]


async def search(switch: Switch) -> tuple[OneAnswer, list[list[Item]]]:
    inner = OneAnswer()
    index = narrowed(cast(MemoryIndex, inner), switch)
    queries = [ViewQuery(view, [1.0], 5) for view in (View.WINDOW_DENSE, View.DENSE)]
    found = await index.find("acme", "ana", queries, filters=RecallFilters())
    assert await index.count("acme") == 2
    return inner, found.ranked()


async def test_a_view_that_is_switched_off_is_not_asked_and_finds_nothing() -> None:
    inner, found = await search(Switch("x", "", without_views=frozenset({View.WINDOW_DENSE})))

    assert inner.asked == [View.DENSE]
    assert found == [[], [TURN, MEMORY]]


async def test_memories_that_are_switched_off_are_not_found() -> None:
    _, found = await search(Switch("x", "", without_memories=True))

    assert found == [[TURN], [TURN]]


async def test_nothing_switched_is_the_index_itself() -> None:
    _, found = await search(Switch("x", ""))

    assert found == [[TURN, MEMORY], [TURN, MEMORY]]


def test_plans_lose_their_hypothetical_queries_or_their_dates() -> None:
    assert only_the_question(PLAN, REQUEST) == replace(PLAN, queries=PLAN.queries[:1])
    assert without_dates(PLAN, REQUEST) == replace(PLAN, time_range=None)


async def test_speakers_that_are_switched_off_are_nobody() -> None:
    inner = cast(MemoryIndex, OneAnswer())

    assert await narrowed(inner, Switch("x", "", without_speakers=True)).speakers("a", "b") == []
    assert await narrowed(inner, Switch("x", "", without_memories=True)).speakers("a", "b") == [
        "ana"
    ]


def test_without_a_second_hop_no_list_is_wanted() -> None:
    plan = replace(PLAN, wants=("list", "date"))

    assert without_second_hop(plan, REQUEST).wants == ("date",)


def test_half_of_the_hypothetical_queries_become_irrelevant() -> None:
    spoilt = half_irrelevant(IRRELEVANT)

    question, first, second = spoilt(PLAN, REQUEST).queries

    assert (question, second) == (PLAN.queries[0], PLAN.queries[2])
    assert first.text in IRRELEVANT
    assert first.weight == PLAN.queries[1].weight
    assert spoilt(PLAN, REQUEST) == spoilt(PLAN, REQUEST)


def test_as_many_irrelevant_queries_are_added_as_there_are_useful_ones() -> None:
    question, first, second, *added = as_many_irrelevant(IRRELEVANT)(PLAN, REQUEST).queries

    assert [question, first, second] == list(PLAN.queries)
    assert len(added) == 2
    assert {query.text for query in added} <= set(IRRELEVANT)
    assert [query.weight for query in added] == [query.weight for query in PLAN.queries[1:]]


def test_a_plan_without_hypothetical_queries_gets_an_irrelevant_one() -> None:
    plan = only_the_question(PLAN, REQUEST)

    question, added = half_irrelevant(IRRELEVANT)(plan, REQUEST).queries

    assert question == plan.queries[0]
    assert added.text in IRRELEVANT


async def test_a_lying_model_puts_its_statements_into_a_deep_plan() -> None:
    controller = ChangedPlans(PlanRecall(model=lying(IRRELEVANT)), lambda plan, _: plan)

    plan = await controller.plan("acme", "ana", replace(REQUEST, mode=RecallMode.DEEP))

    assert plan.queries[0].text == "Who moved?"
    lies = [query.text for query in plan.queries if query.rule == "hypothetical"]
    assert set(lies) <= set(IRRELEVANT)
    assert len(lies) == 3
    assert not plan.degraded


def test_the_first_switch_is_the_system_as_it_is() -> None:
    first, *others = all_switches(IRRELEVANT)

    assert first == Switch("as it is", "nothing is switched")
    assert len({switch.name for switch in others}) == len(others)


def test_irrelevant_statements_are_neither_questions_nor_long() -> None:
    statement = "We saw a grey heron by the lake yesterday."
    said = [statement, "Did we see a grey heron by the lake, then?", "Yes.", statement * 9]
    turns = [SaidTurn(text) for text in said]

    found = irrelevant_statements([Conversation("c", [SessionTurns("c", "s", turns)], [])])

    assert found == [statement]
