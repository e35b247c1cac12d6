"""Say one thing, then another: what holds now comes first, what held is dated, both are kept."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from local_system.system import System
from support.api import Api, assert_problem, fresh_api, recall, say, user_path

QUESTION = "Where do I live?"


@pytest.fixture
async def api(system: System) -> AsyncIterator[Api]:
    async with fresh_api(system) as fresh:
        yield fresh


async def tell(tenant: httpx.AsyncClient, content: str, at: str, session: str) -> None:
    """Say it and wait until it is learnt and indexed."""
    await say(tenant, "ana", content, session_id=session, occurred_at=at, wait="written")


async def told(api: Api) -> list[dict[str, Any]]:
    """Ana lived in Porto and moved to Lisbon; her memories, the latest first."""
    await tell(api.tenant, "I live in Porto.", "2024-01-10T10:00:00Z", "s1")
    await tell(api.tenant, "I moved to Lisbon.", "2024-03-01T10:00:00Z", "s2")
    listed = await api.tenant.get(user_path("ana", "memories"))
    memories: list[dict[str, Any]] = listed.json()["items"]
    return memories


async def test_what_holds_comes_first_and_what_held_is_dated(api: Api) -> None:
    memories = await told(api)

    found: list[dict[str, Any]] = []
    for _ in range(100):
        found = (await recall(api.tenant, "ana", QUESTION))["items"]
        if any(item["valid_to"] for item in found):
            break
    texts = [item["text"] for item in found]

    assert {memory["status"] for memory in memories} == {"active", "superseded"}
    assert texts[:2] == ["I moved to Lisbon.", "I live in Porto."]
    assert found[1]["valid_to"] == "2024-03-01T10:00:00Z"


async def test_the_history_shows_how_a_memory_gave_way(api: Api) -> None:
    new, old = await told(api)

    shown = await api.tenant.get(f"/v1/memories/{old['id']}/history")

    assert old["superseded_by"] == new["id"]
    assert [version["status"] for version in shown.json()["items"]] == ["superseded", "active"]


@pytest.mark.parametrize(
    ("valid", "expected"),
    [("2024-02-01T00:00:00Z", "I live in Porto."), ("2024-04-01T00:00:00Z", "I moved to Lisbon.")],
)
async def test_a_recall_as_of_a_time_tells_what_was_true_then(
    api: Api, valid: str, expected: str
) -> None:
    await told(api)

    found: list[dict[str, Any]] = []
    for _ in range(100):
        found = (await recall(api.tenant, "ana", QUESTION, as_of={"valid": valid}))["items"]
        if len(found) == 1:
            break

    assert [item["text"] for item in found] == [expected]


async def test_a_corrected_memory_gives_way_like_any_other(api: Api) -> None:
    await tell(api.tenant, "I live in Porto.", "2024-01-10T10:00:00Z", "s1")
    [memory] = (await api.tenant.get(user_path("ana", "memories"))).json()["items"]
    await api.tenant.patch(f"/v1/memories/{memory['id']}", json={"text": "I live in Faro."})

    await tell(api.tenant, "I moved to Lisbon.", "2024-03-01T10:00:00Z", "s2")

    listed = await api.tenant.get(user_path("ana", "memories"), params={"status": "active"})
    shown = await api.tenant.get(f"/v1/memories/{memory['id']}")
    assert [one["text"] for one in listed.json()["items"]] == ["I moved to Lisbon."]
    assert (shown.json()["text"], shown.json()["status"]) == ("I live in Faro.", "superseded")


async def test_a_correction_to_what_another_memory_tells_names_that_one(api: Api) -> None:
    await tell(api.tenant, "I live in Porto.", "2024-01-10T10:00:00Z", "s1")
    await tell(api.tenant, "I work at Acme.", "2024-01-11T10:00:00Z", "s2")
    listed = (await api.tenant.get(user_path("ana", "memories"))).json()["items"]
    work, home = (next(one for one in listed if word in one["text"]) for word in ("Acme", "Porto"))

    refused = await api.tenant.patch(f"/v1/memories/{work['id']}", json={"text": "I live in Faro."})

    problem = assert_problem(refused, 409, "ATTRIBUTE_TAKEN")
    assert home["id"] in problem["detail"]


async def test_a_short_answer_takes_the_place_of_what_held(api: Api) -> None:
    await tell(api.tenant, "I live in Porto.", "2024-01-10T10:00:00Z", "s1")
    asked = {"role": "assistant", "content": "Where do you live now?"}
    answered = {"role": "user", "content": "Lisbon."}
    turns = [
        {**turn, "occurred_at": f"2024-03-01T10:0{minute}:00Z"}
        for minute, turn in enumerate((asked, answered))
    ]
    body = {"session_id": "s2", "turns": turns, "wait": "written"}
    await api.tenant.post(user_path("ana", "turns"), json=body)

    listed = await api.tenant.get(user_path("ana", "memories"))

    by_status = {one["status"]: one for one in listed.json()["items"]}
    assert by_status["active"]["text"] == "assistant: Where do you live now? — Lisbon."
    assert by_status["active"]["sources"][0]["quote"] == "Lisbon."
    assert by_status["superseded"]["valid_to"] == "2024-03-01T10:01:00Z"


async def test_what_was_known_before_a_correction_is_told_by_the_turn(api: Api) -> None:
    await tell(api.tenant, "I live in Porto.", "2024-01-10T10:00:00Z", "s1")
    [memory] = (await api.tenant.get(user_path("ana", "memories"))).json()["items"]
    await api.tenant.patch(f"/v1/memories/{memory['id']}", json={"text": "I live in Faro."})

    found = await recall(api.tenant, "ana", QUESTION, as_of={"known": memory["recorded_at"]})

    assert [item["text"] for item in found["items"]] == ["I live in Porto."]
    assert found["items"][0]["kind"] == "turn"
