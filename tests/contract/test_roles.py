"""A role keeps its promise wherever it runs: called in process, and over gRPC."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest

from lightmem.errors import (
    FieldError,
    IndexUnavailable,
    InvalidInput,
    LightMemError,
    NotFound,
    SelectorUnavailable,
)
from lightmem.model import Layer, MemoryKind, RecallFilters, RecallMode, Selection
from lightmem_controller import PlanRecall
from lightmem_writer import ExtractStatements
from support.finding import TENANT, USER, Finding, open_finding, plan, request, said
from support.models import ScriptedLanguageModel
from support.roles import WAYS, Failing, controller_by, selector_by, writer_by

TALK = (
    said("We moved to Lisbon last Friday.", seq=1),
    said("I drink green tea every morning.", seq=2),
    said("My dog hates the rain.", seq=3, speaker="Ben"),
)

pytestmark = pytest.mark.parametrize("way", WAYS)


@pytest.fixture
async def finding(tmp_path: Path) -> AsyncIterator[Finding]:
    async with open_finding(tmp_path) as opened:
        await opened.hold(*TALK)
        yield opened


def without_timings(selection: Selection) -> tuple[Any, ...]:
    candidates = [
        (candidate.item, dict(candidate.features), candidate.reason)
        for candidate in selection.candidates
    ]
    return list(selection.items), candidates, list(selection.degraded)


# --- Controller -------------------------------------------------------------------------------


async def test_a_plan_is_the_same_from_near_and_far(way: str) -> None:
    asked = request("Did Ana move to Lisbon last Friday?", layers=(Layer.MID_TERM,))
    expected = await PlanRecall().plan(TENANT, USER, asked)

    async with controller_by(way, PlanRecall()) as controller:
        assert await controller.plan(TENANT, USER, asked) == expected


async def test_a_deep_plan_tells_its_source_and_calls(way: str) -> None:
    model = ScriptedLanguageModel(json.dumps({"queries": ["Ana lives in Lisbon."]}))

    async with controller_by(way, PlanRecall(model=model)) as controller:
        deep = await controller.plan(TENANT, USER, request("Where?", mode=RecallMode.DEEP))

    assert (deep.source, deep.model_calls, len(deep.queries)) == ("slm", 1, 2)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"top_k": 0}, "top_k"),
        ({"top_k": 51}, "top_k"),
        ({"budget_tokens": 8_001}, "budget_tokens"),
        ({"query": ""}, "query"),
        ({"query": "\x00"}, "query"),
        ({"query": "\ud800"}, "query"),
        ({"query": "x" * 8_193}, "query"),
    ],
)
async def test_a_bad_request_is_refused_alike(
    way: str, changes: dict[str, Any], field: str
) -> None:
    async with controller_by(way, PlanRecall()) as controller:
        with pytest.raises(InvalidInput) as refusal:
            await controller.plan(TENANT, USER, request(**{"query": "Where?", **changes}))

    assert [error.field for error in refusal.value.errors] == [field]


# --- Selector ---------------------------------------------------------------------------------


async def test_a_selection_is_the_same_from_near_and_far(way: str, finding: Finding) -> None:
    asked = request("Who moved to Lisbon?", explain=True, top_k=2)
    expected = await finding.selector().select(TENANT, USER, asked, plan(asked.query))

    async with selector_by(way, finding.selector()) as selector:
        selection = await selector.select(TENANT, USER, asked, plan(asked.query))

    assert without_timings(selection) == without_timings(expected)
    assert set(selection.timings_ms) == {"embed", "gather", "select"}


async def test_whose_memory_it_is_travels_with_the_call(way: str, finding: Finding) -> None:
    asked = request("Who moved to Lisbon?")

    async with selector_by(way, finding.selector()) as selector:
        mine = await selector.select(TENANT, USER, asked, plan(asked.query))
        other_user = await selector.select(TENANT, "ben", asked, plan(asked.query))
        other_tenant = await selector.select("other", USER, asked, plan(asked.query))

    assert len(mine.items) == 3
    assert list(other_user.items) == list(other_tenant.items) == []


async def test_filters_travel_with_the_call(way: str, finding: Finding) -> None:
    asked = request("dog tea Lisbon", filters=RecallFilters(speakers=("Ben",)))

    async with selector_by(way, finding.selector()) as selector:
        selection = await selector.select(TENANT, USER, asked, plan(asked.query))

    assert [item.speaker for item in selection.items] == ["Ben"]


@pytest.mark.parametrize(
    "error",
    [
        InvalidInput("two faults", errors=(FieldError("a", "is bad"), FieldError("b", "worse"))),
        NotFound("no session 's1'", session_id="s1"),
        IndexUnavailable("the index does not answer"),
    ],
    ids=lambda error: error.code,
)
async def test_an_error_arrives_as_it_was_raised(way: str, error: LightMemError) -> None:
    async with selector_by(way, cast("Any", Failing(error))) as selector:
        with pytest.raises(type(error)) as raised:
            await selector.select(TENANT, USER, request("x"), plan("x"))

    assert (raised.value.message, raised.value.details) == (error.message, error.details)
    assert getattr(raised.value, "errors", None) == getattr(error, "errors", None)


# --- Writer -----------------------------------------------------------------------------------


async def test_an_extraction_is_the_same_from_near_and_far(way: str) -> None:
    role = ExtractStatements(None)
    expected = await role.extract(TENANT, USER, TALK)

    async with writer_by(way, role) as writer:
        extraction = await writer.extract(TENANT, USER, TALK, context=TALK[:1])

    texts = [statement.text for statement in extraction.statements]
    assert texts == [statement.text for statement in expected.statements]
    assert all(isinstance(one.kind, MemoryKind) for one in extraction.statements)
    assert extraction.fallback_reason == expected.fallback_reason


async def test_no_service_is_that_roles_unavailable(way: str) -> None:
    error = SelectorUnavailable("nobody there")

    async with selector_by(way, cast("Any", Failing(error))) as selector:
        with pytest.raises(SelectorUnavailable):
            await selector.select(TENANT, USER, request("x"), plan("x"))
