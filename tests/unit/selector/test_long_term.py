"""What users share in a recall: never below k, never before one's own words, and the same
however fast the graph is.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from lightmem.knowledge import Anonymity, around
from lightmem.model import ItemKind, Layer, Selection, Tenant
from lightmem.ports import Encoded
from lightmem_selector.long_term import EMPTY_FOR_S, LongTerm, hint, names_in
from lightmem_selector.personal import is_personal
from support.finding import HANGING, TENANT, USER, Finding, open_finding, plan, request, said
from support.graphs import HAS, IMPLIES, IS_A, RELATED, claim, id_of, supported
from support.indexes import ENCODER, NOON

THREE = ("u1", "u2", "u3")
FEAR = claim("dog", RELATED, "fear of thunder")
STORM = said("When thunder rolls in, Max hides under my bed.", seq=1)
WALK = said("We walked along the river in the afternoon.", seq=2)


@pytest.fixture
async def finding(tmp_path: Path) -> AsyncIterator[Finding]:
    async with open_finding(tmp_path) as opened:
        yield opened


async def _recall(finding: Finding, query: str, **changes: Any) -> Selection:
    return await finding.selector().select(TENANT, USER, request(query, **changes), plan(query))


def _concepts(selection: Selection) -> list[str]:
    return [item.text for item in selection.items if item.kind is ItemKind.CONCEPT]


async def test_a_general_question_is_answered_by_what_users_share(finding: Finding) -> None:
    await supported(finding.graph, TENANT, THREE, FEAR, claim("dog", HAS, "loyal"))

    selection = await _recall(finding, "What are dogs like?")

    assert _concepts(selection)[0] == "dog: is loyal; goes with fear of thunder"
    assert all(item.layer is Layer.LONG_TERM for item in selection.items)


async def test_a_personal_question_is_not_answered_by_it_alone(finding: Finding) -> None:
    await supported(finding.graph, TENANT, THREE, FEAR)

    selection = await _recall(finding, "What is my dog afraid of?")

    assert selection.items == []


async def test_what_is_shared_comes_after_all_that_is_ones_own(finding: Finding) -> None:
    await finding.hold(STORM, WALK)
    await supported(finding.graph, TENANT, THREE, FEAR)

    selection = await _recall(finding, "What is my dog afraid of?", top_k=5)
    tight = await _recall(finding, "What is my dog afraid of?", top_k=2)

    assert [item.kind for item in selection.items][:2] == [ItemKind.TURN, ItemKind.TURN]
    assert _concepts(selection)[0] == "dog: goes with fear of thunder"
    assert _concepts(tight) == []


async def test_ones_own_memories_are_searched_for_what_is_around_a_concept(
    finding: Finding,
) -> None:
    await supported(finding.graph, TENANT, THREE, FEAR)

    found = await LongTerm(finding.graph).ask(
        TENANT, request("What is the dog afraid of?"), plan("What is the dog afraid of?")
    )
    extra = hint(found)

    assert extra is not None
    assert (extra.text, extra.rule, extra.by_word) == ("fear of thunder", "concepts", True)


async def test_what_is_searched_for_besides_the_plan_is_told(finding: Finding) -> None:
    without = await _recall(finding, "What is the dog afraid of?")
    await supported(finding.graph, TENANT, THREE, FEAR)

    selection = await _recall(finding, "What is the dog afraid of?")

    assert list(without.added) == []
    assert [(query.text, query.rule) for query in selection.added] == [
        ("fear of thunder", "concepts")
    ]


@pytest.mark.parametrize("turns_of_the_loop", [0, 1, 50])
async def test_a_slow_graph_changes_nothing_of_what_is_recalled(
    finding: Finding, turns_of_the_loop: int
) -> None:
    await finding.hold(STORM, WALK)
    await supported(finding.graph, TENANT, THREE, FEAR)
    query = "What is my dog afraid of?"
    encoded = asyncio.Event()

    class Slow:
        """The graph, which begins some turns of the loop after the question is encoded."""

        async def is_empty(self, *args: Any, **kwargs: Any) -> bool:
            await encoded.wait()
            for _ in range(turns_of_the_loop):
                await asyncio.sleep(0)
            return await finding.graph.is_empty(*args, **kwargs)

        def __getattr__(self, name: str) -> Any:
            return getattr(finding.graph, name)

    class Telling:
        """The encoder, telling when it has encoded."""

        async def encode_tokens(self, texts: Sequence[str]) -> list[Encoded]:
            found = await ENCODER.encode_tokens(texts)
            encoded.set()
            return found

        def __getattr__(self, name: str) -> Any:
            return getattr(ENCODER, name)

    at_once = await _recall(finding, query)
    slowly = await finding.selector(graph=Slow(), encoder=Telling()).select(
        TENANT, USER, request(query), plan(query)
    )

    assert [each.text for each in at_once.added] == ["fear of thunder"]
    assert (slowly.items, slowly.added) == (at_once.items, at_once.added)
    assert slowly.degraded == []


async def test_a_graph_that_does_not_answer_in_time_is_named_and_adds_no_search(
    finding: Finding,
) -> None:
    await finding.hold(STORM)
    await supported(finding.graph, TENANT, THREE, FEAR)
    query = "What is my dog afraid of?"

    selection = await finding.selector(graph=HANGING, patience_s=0.2).select(
        TENANT, USER, request(query), plan(query)
    )

    assert selection.degraded == ["long_term: neo4j unavailable"]
    assert list(selection.added) == []
    assert [item.text for item in selection.items] == [STORM.content]


async def test_without_the_tenants_number_nothing_shared_is_served(finding: Finding) -> None:
    await supported(finding.graph, TENANT, THREE, FEAR)

    selection = await _recall(finding, "What are dogs like?", k_anonymity=None)

    assert selection.items == []


async def test_the_number_of_the_tenant_decides(finding: Finding) -> None:
    await supported(finding.graph, TENANT, THREE, FEAR)

    selection = await _recall(finding, "What are dogs like?", k_anonymity=4)

    assert selection.items == []


async def test_a_tenant_that_shares_nothing_is_asked_for_once_in_a_while(
    finding: Finding,
) -> None:
    now = [0.0]
    long_term = LongTerm(finding.graph, now_s=lambda: now[0])
    wanted, planned = request("What are dogs like?"), plan("What are dogs like?")

    first = long_term.is_asked(TENANT, wanted, planned)
    await long_term.ask(TENANT, wanted, planned)
    then = long_term.is_asked(TENANT, wanted, planned)
    now[0] += EMPTY_FOR_S
    later = long_term.is_asked(TENANT, wanted, planned)

    assert (first, then, later) == (True, False, True)


async def test_a_graph_that_never_answers_is_named_and_not_waited_for(finding: Finding) -> None:
    await finding.hold(STORM)
    selector = finding.selector(graph=HANGING)

    async with asyncio.timeout(10):
        selection = await selector.select(
            TENANT, USER, request("What are dogs like?"), plan("What are dogs like?")
        )

    assert selection.degraded == ["long_term: neo4j unavailable"]
    assert [item.text for item in selection.items] == [STORM.content]


# --- walking ----------------------------------------------------------------------------------


async def test_the_neighbourhood_is_walked_by_weight_to_its_depth(finding: Finding) -> None:
    await supported(
        finding.graph,
        TENANT,
        THREE,
        claim("spaniel", IS_A, "dog"),
        claim("thunder", IMPLIES, "noise"),
        claim("dog", RELATED, "thunder"),
    )
    await supported(finding.graph, TENANT, ["u4"], claim("dog", RELATED, "thunder"))
    seeds = await finding.graph.find(TENANT, ["spaniel"], min_support=3, limit=1)

    near = await around(finding.graph, TENANT, seeds, depth=1, min_support=3, limit=9)
    far = await around(finding.graph, TENANT, seeds, depth=2, min_support=3, limit=9)
    few = await around(finding.graph, TENANT, seeds, depth=2, min_support=3, limit=1)

    assert [(each.concept.name, each.depth) for each in near] == [("spaniel", 0), ("dog", 1)]
    assert [each.concept.name for each in far] == ["spaniel", "dog", "thunder"]
    assert far[2].strength == pytest.approx(0.5 * 4 / 7)
    assert [each.concept.name for each in few] == ["spaniel", "dog"]


async def test_no_way_leads_over_what_is_not_served(finding: Finding) -> None:
    await supported(finding.graph, TENANT, THREE, claim("spaniel", IS_A, "dog"))
    await supported(
        finding.graph,
        TENANT,
        ("u1", "u2"),
        claim("spaniel", IS_A, "dog"),
        claim("dog", RELATED, "secret"),
    )
    await supported(finding.graph, TENANT, ("u5", "u6", "u7"), claim("secret", HAS, "quiet"))
    await supported(finding.graph, TENANT, ("u8",), claim("spaniel", IS_A, "dog"))
    seeds = await finding.graph.find(TENANT, ["spaniel"], min_support=3, limit=1)

    found = await around(finding.graph, TENANT, seeds, depth=2, min_support=3, limit=9)

    assert {each.concept.name for each in found} == {"spaniel", "dog"}
    assert id_of(TENANT, "secret") not in {
        edge.target_id for each in found for edge in each.concept.edges
    }


# --- rules ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "entities", "expected"),
    [
        ("What is my dog afraid of?", (), True),
        ("What does Ana like?", ("Ana",), True),
        ("¿Qué le gusta a mi perro?", (), True),
        ("我的狗怕什么?", (), True),
        ("Are dogs loyal?", (), False),
        ("What is Japan like?", ("Japan",), False),
    ],
)
async def test_a_question_about_somebody_is_personal(
    finding: Finding, query: str, entities: tuple[str, ...], expected: bool
) -> None:
    await supported(finding.graph, TENANT, THREE, claim("japan", IS_A, "country"))
    concepts = await finding.graph.find(TENANT, ["japan"], min_support=3, limit=1)

    assert is_personal(query, entities, concepts) is expected


def test_a_question_names_its_words_alone_together_and_in_the_singular() -> None:
    names = names_in("Do golden dogs fear of the thunderstorms?", ["Ana"])

    assert {"Ana", "golden dogs", "golden dog", "dog", "thunderstorm"} <= set(names)
    assert "of the" not in names


async def test_the_number_of_a_tenant_is_looked_up_once() -> None:
    asked: list[str] = []

    class Tenants:
        async def get_tenant(self, tenant_id: str) -> Tenant:
            asked.append(tenant_id)
            return Tenant(tenant_id, "Acme", 4, NOON)

    anonymity = Anonymity(Tenants())

    assert [await anonymity("t1"), await anonymity("t1")] == [4, 4]
    assert asked == ["t1"]
