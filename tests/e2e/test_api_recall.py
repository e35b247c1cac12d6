"""Recall and memories over HTTP: the shape of the answer, its bounds, and what it refuses."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from local_system.system import System
from support.api import Api, assert_problem, fresh_api, recall, refused_fields, say, user_path

HOUSES = [f"House number {number} has a blue door and {number} windows." for number in range(12)]


@pytest.fixture
async def api(system: System) -> AsyncIterator[Api]:
    async with fresh_api(system) as fresh:
        yield fresh


async def test_a_recall_has_every_part_of_its_answer(api: Api) -> None:
    await say(api.tenant, "ana", "We moved to Lisbon.", occurred_at="2024-05-08T10:15:00+02:00")

    found = await recall(api.tenant, "ana", "Where do we live?")

    assert found.keys() == {
        *("items", "context", "context_tokens", "tokenizer", "plan", "degraded", "timings_ms"),
        "trace_id",
    }
    [item] = found["items"]
    assert item.keys() == {
        *("id", "layer", "kind", "text", "score", "speaker", "occurred_at", "valid_from"),
        *("valid_to", "source_turn_ids"),
    }
    assert item["occurred_at"] == "2024-05-08T08:15:00Z"
    assert item["source_turn_ids"] == [item["id"]]
    assert found["plan"].keys() == {"queries", "time_range", "entities", "layers", "source"}
    assert {"plan", "embed", "gather", "select", "total"} <= found["timings_ms"].keys()
    assert found["degraded"] == []
    assert found["tokenizer"]


async def test_at_most_top_k_items_come_back(api: Api) -> None:
    await say(api.tenant, "ana", *HOUSES)

    for top_k in (1, 3, 50):
        found = await recall(api.tenant, "ana", "blue door", top_k=top_k, budget_tokens=8_000)

        assert 1 <= len(found["items"]) <= top_k


@pytest.mark.parametrize("wait", ["none", "indexed"])
async def test_what_is_pasted_is_answered_from_the_passage_that_matters(
    api: Api, wait: str
) -> None:
    filler = " ".join(HOUSES)
    pasted = " ".join([filler] * 20 + ["The boiler is under warranty until March."] + [filler] * 20)
    (turn_id,) = (await say(api.tenant, "ana", pasted, wait=wait))["turn_ids"]
    await say(api.tenant, "ana", *HOUSES)

    found = await recall(api.tenant, "ana", "Until when is the boiler under warranty?")

    first = found["items"][0]
    assert "until March" in first["text"]
    assert "until March" in found["context"]
    assert first["source_turn_ids"] == [turn_id]
    assert found["context_tokens"] <= 1_150


@pytest.mark.parametrize("budget", [1, 10, 40, 80, 200])
async def test_the_context_never_exceeds_its_budget(api: Api, budget: int) -> None:
    await say(api.tenant, "ana", *HOUSES)

    found = await recall(api.tenant, "ana", "blue door", top_k=50, budget_tokens=budget)

    assert found["context_tokens"] <= budget
    assert all(item["text"] in found["context"] for item in found["items"])


async def test_an_explanation_adds_all_that_was_considered(api: Api) -> None:
    await say(api.tenant, "ana", *HOUSES)

    found = await recall(api.tenant, "ana", "blue door", top_k=2, explain=True)

    assert len(found["candidates"]) >= len(found["items"])
    for candidate in found["candidates"]:
        assert candidate.keys() == {"item", "features", "reason"}
    assert "candidates" not in await recall(api.tenant, "ana", "blue door")


async def test_filters_are_hard_limits(api: Api) -> None:
    await say(api.tenant, "ana", "The door is red.", occurred_at="2024-01-01T00:00:00Z")
    await say(api.tenant, "ana", "The door is blue.", occurred_at="2024-02-01T00:00:00Z")
    filters = {"from": "2024-01-15T00:00:00Z", "to": "2024-02-01T00:00:01Z", "kinds": ["turn"]}

    found = await recall(api.tenant, "ana", "door", filters=filters)
    none = await recall(api.tenant, "ana", "door", filters={"speakers": ["nobody"]})

    assert [item["text"] for item in found["items"]] == ["The door is blue."]
    assert none["items"] == []


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"query": ""}, "query"),
        ({"query": " "}, "query"),
        ({"query": "x" * 8_193}, "query"),
        ({"query": "\x00"}, "query"),
        ({"top_k": 0}, "top_k"),
        ({"top_k": 51}, "top_k"),
        ({"top_k": 10**30}, "top_k"),
        ({"budget_tokens": 0}, "budget_tokens"),
        ({"budget_tokens": 8_001}, "budget_tokens"),
        ({"mode": "slow"}, "mode"),
        ({"layers": ["cellar"]}, "layers.0"),
        ({"filters": {"kinds": ["dream"]}}, "filters.kinds.0"),
        ({"filters": {"speakers": ["\x00"]}}, "filters.speakers.0"),
        ({"filters": {"until": 1}}, "filters.until"),
        ({"session_id": "\x00"}, "session_id"),
        ({"explain": "yes"}, "explain"),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_a_refused_field_is_named(api: Api, fields: dict[str, Any], field: str) -> None:
    answer = await api.tenant.post(
        user_path("ana", "recall"), json={"query": "blue door", **fields}
    )

    assert refused_fields(answer) == [field]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"now": "2024-05-08T10:15:00"}, "now"),
        ({"filters": {"from": "2024-05-08"}}, "filters.from"),
        ({"as_of": {"known": "2024-05-08T10:15:00"}}, "as_of.known"),
    ],
    ids=str,
)
async def test_a_naive_time_is_refused(api: Api, fields: dict[str, Any], field: str) -> None:
    answer = await api.tenant.post(user_path("ana", "recall"), json={"query": "door", **fields})

    assert refused_fields(answer, "INVALID_TIME") == [field]


@pytest.mark.parametrize(
    "query",
    ["*", "a AND (b OR", '"unclosed', "'; DROP TABLE turns; --", "x:y~2^3", "🙂", "的", "?"],
)
async def test_a_question_may_hold_any_signs(api: Api, query: str) -> None:
    await say(api.tenant, "ana", "The door is blue.")

    found = await recall(api.tenant, "ana", query)

    assert found["degraded"] == []


@pytest.mark.parametrize("now", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
@pytest.mark.parametrize("query", ["last week", "next year", "in May", "yesterday"])
async def test_the_ends_of_the_calendar_are_no_trap(api: Api, now: str, query: str) -> None:
    found = await recall(api.tenant, "ana", f"What happened {query}?", now=now)

    assert found["degraded"] == []


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"])
async def test_what_was_known_at_the_ends_of_the_calendar_is_told(api: Api, moment: str) -> None:
    await say(api.tenant, "ana", "The door is blue.", wait="written")

    found = await recall(api.tenant, "ana", "blue door", as_of={"known": moment})

    assert bool(found["items"]) is moment.startswith("9999")


@pytest.mark.parametrize("offset", ["Z", "-12:00", "+14:00"])
async def test_what_was_said_at_the_ends_of_the_calendar_is_recalled(api: Api, offset: str) -> None:
    for moment in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"):
        await say(api.tenant, "ana", "The door is blue.", occurred_at=moment)
    filters = {"from": "0001-01-01T00:00:00Z", "to": "9999-12-31T23:59:59Z"}
    now = f"2024-05-08T12:00:00{offset}"

    found = await recall(api.tenant, "ana", "blue door", now=now)
    within = await recall(api.tenant, "ana", "blue door", now=now, filters=filters)

    assert {item["occurred_at"][:4] for item in found["items"]} <= {"0001", "9999"}
    assert [item["occurred_at"] for item in within["items"]] == ["0001-01-01T00:00:00Z"]


# --- memories -------------------------------------------------------------------------------


SENTENCE = "My name is Ana and I live in Lisbon."


async def learnt(api: Api) -> tuple[list[dict[str, Any]], list[str]]:
    """The memories of a sentence, and its turn ids."""
    said = await say(api.tenant, "ana", SENTENCE, wait="written")
    memories = (await api.tenant.get(user_path("ana", "memories"))).json()["items"]
    if not memories and api.system.mode == "distributed":
        pytest.skip("the small model of this system found no fact in it")
    assert memories
    return memories, said["turn_ids"]


async def test_what_was_learnt_is_listed_read_and_has_its_history(api: Api) -> None:
    memories, turn_ids = await learnt(api)

    for memory in memories:
        assert memory == (await api.tenant.get(f"/v1/memories/{memory['id']}")).json()
        history = (await api.tenant.get(f"/v1/memories/{memory['id']}/history")).json()
        assert history["items"][0] == memory
        assert history["next_cursor"] is None
        assert memory["status"] == "active"
        assert {source["turn_id"] for source in memory["sources"]} <= set(turn_ids)
        assert all(source["quote"] in SENTENCE for source in memory["sources"])


async def test_memories_are_another_users_404(api: Api) -> None:
    [memory, *_], _ = await learnt(api)
    other, bob = await api.other_tenant(), await api.user("bob")

    for client in (other, bob):
        for path in (f"/v1/memories/{memory['id']}", f"/v1/memories/{memory['id']}/history"):
            assert_problem(await client.get(path), 404, "NOT_FOUND")


async def test_memories_are_filtered_by_status_kind_and_words(api: Api) -> None:
    [memory, *_], _ = await learnt(api)
    path = user_path("ana", "memories")

    same = (await api.tenant.get(path, params={"query": memory["text"].upper()})).json()["items"]
    kind = (await api.tenant.get(path, params={"kind": memory["kind"]})).json()["items"]
    nothing = (await api.tenant.get(path, params={"query": "100%_"})).json()["items"]
    forgotten = (await api.tenant.get(path, params={"status": "forgotten"})).json()["items"]

    assert memory in same
    assert memory in kind
    assert nothing == forgotten == []
    assert refused_fields(await api.tenant.get(path, params={"status": "x"})) == ["status"]
    assert refused_fields(await api.tenant.get(path, params={"kind": "x"})) == ["kind"]
    assert refused_fields(await api.tenant.get(path, params={"query": "\x00"})) == ["query"]


async def test_chat_without_a_model_that_answers_says_so(api: Api, system: System) -> None:
    if system.mode == "distributed":
        pytest.skip("this system has a model")

    for stream in (False, True):
        body = {"session_id": "s1", "message": "Where do I live?", "stream": stream}
        answer = await api.tenant.post(user_path("ana", "chat"), json=body)

        assert_problem(answer, 503, "RESPONDER_UNAVAILABLE")
        assert int(answer.headers["retry-after"]) > 0
    assert (await api.tenant.get(user_path("ana", "turns"))).json()["items"] == []
