"""Dreams over HTTP: planned, shown, applied and taken back, in both modes alike."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from local_system.system import System
from support.api import Api, assert_problem, bring_memories, fresh_api, refused_fields, user_path
from support.eventually import until

LESS = "We crossed the old stone bridge."
MORE = "We crossed the old stone bridge at night with two lanterns."


@pytest.fixture
async def api(system: System) -> AsyncIterator[Api]:
    async with fresh_api(system) as opened:
        yield opened


async def ended(client: httpx.AsyncClient, operation_id: str) -> dict[str, Any]:
    """The operation once it has ended."""
    found: dict[str, Any] = {}

    async def has_ended() -> bool:
        found.update((await client.get(f"/v1/operations/{operation_id}")).json())
        return found["status"] in {"succeeded", "failed"}

    await until(has_ended, timeout_s=60)
    return found


async def dream(client: httpx.AsyncClient, user_id: str = "ana", **body: Any) -> dict[str, Any]:
    """A dream that is planned and, under `auto`, applied."""
    asked = await client.post(user_path(user_id, "dreams"), json=body)
    assert asked.status_code == 202, asked.text
    assert set(asked.json()) == {"operation_id", "dream_id"}
    operation = await ended(client, asked.json()["operation_id"])
    assert operation["status"] == "succeeded"
    assert operation["kind"] == "dream"
    assert operation["result"]["dream_id"] == asked.json()["dream_id"]
    found: dict[str, Any] = (await client.get(f"/v1/dreams/{asked.json()['dream_id']}")).json()
    return found


async def active(client: httpx.AsyncClient, user_id: str = "ana") -> list[dict[str, Any]]:
    listed = await client.get(user_path(user_id, "memories"), params={"status": "active"})
    items: list[dict[str, Any]] = listed.json()["items"]
    return items


async def test_a_dream_is_planned_shown_applied_and_taken_back(api: Api) -> None:
    await bring_memories(api.tenant, "ana", LESS, MORE)
    before = await active(api.tenant)

    plan = await dream(api.tenant, policy="review")
    still = await active(api.tenant)
    applied = await api.tenant.post(f"/v1/dreams/{plan['id']}/apply", json={"step_ids": None})
    after = await active(api.tenant)
    undone = await api.tenant.post(f"/v1/dreams/{plan['id']}/undo")

    (step,) = plan["steps"]
    assert plan["status"] == "review"
    assert step["action"] == "MERGE"
    assert step["verdict"] == "accepted"
    assert len(step["before"]) == 2
    assert len(step["evidence"]) == 2
    assert step["after"]["id"] is None
    assert still == before
    assert applied.status_code == 200
    assert applied.json()["status"] == "applied"
    assert applied.json()["counts"]["merge"] == 1
    assert [memory["id"] for memory in after] == [applied.json()["steps"][0]["after"]["id"]]
    assert {source["turn_id"] for source in after[0]["sources"]} == set(step["evidence"])
    assert undone.json()["status"] == "undone"
    assert await active(api.tenant) == before


async def test_under_auto_it_is_applied_and_what_it_replaced_points_to_it(api: Api) -> None:
    await bring_memories(api.tenant, "ana", LESS, MORE)

    applied = await dream(api.tenant, policy="auto")

    (left,) = await active(api.tenant)
    olds = [
        (await api.tenant.get(f"/v1/memories/{memory['id']}")).json()
        for memory in applied["steps"][0]["before"]
    ]
    assert applied["status"] == "applied"
    assert {(old["status"], old["superseded_by"]) for old in olds} == {("superseded", left["id"])}


async def test_a_plan_that_is_rejected_is_not_applied(api: Api) -> None:
    plan = await dream(api.tenant)

    rejected = await api.tenant.post(f"/v1/dreams/{plan['id']}/reject")

    assert rejected.json()["status"] == "rejected"
    for call in ("apply", "undo", "reject"):
        answer = await api.tenant.post(f"/v1/dreams/{plan['id']}/{call}")
        assert_problem(answer, 409, "WRONG_STATE")


async def test_the_same_key_is_one_dream(api: Api) -> None:
    headers = {"Idempotency-Key": "once"}
    path = user_path("ana", "dreams")

    answers = [
        (await api.tenant.post(path, json={"policy": "auto"}, headers=headers)).json()
        for _ in range(2)
    ]
    other = await api.tenant.post(path, json={"policy": "review"}, headers=headers)
    listed = (await api.tenant.get(path)).json()

    assert answers[0] == answers[1]
    assert_problem(other, 409, "IDEMPOTENCY_CONFLICT")
    assert [found["id"] for found in listed["items"]] == [answers[0]["dream_id"]]


async def test_applying_twice_under_a_key_gives_the_first_answer(api: Api) -> None:
    plan = await dream(api.tenant)
    path, headers = f"/v1/dreams/{plan['id']}/apply", {"Idempotency-Key": "once"}

    first, again = [await api.tenant.post(path, json={}, headers=headers) for _ in range(2)]

    assert first.status_code == 200
    assert again.json() == first.json()


async def test_dreams_are_listed_latest_first_in_pages(api: Api) -> None:
    plans = [await dream(api.tenant) for _ in range(3)]
    path = user_path("ana", "dreams")

    page = (await api.tenant.get(path, params={"limit": 2})).json()
    rest = (await api.tenant.get(path, params={"cursor": page["next_cursor"]})).json()

    ids = [found["id"] for found in page["items"] + rest["items"]]
    assert ids == [plan["id"] for plan in reversed(plans)]
    assert rest["next_cursor"] is None


async def test_what_cannot_be_is_refused_by_name(api: Api) -> None:
    path = user_path("ana", "dreams")
    plan = await dream(api.tenant)
    apply = f"/v1/dreams/{plan['id']}/apply"

    for body, field in (
        ({"policy": "maybe"}, "policy"),
        ({"max_removed_fraction": 1.5}, "max_removed_fraction"),
        ({"max_removed_fraction": "0.3"}, "max_removed_fraction"),
        ({"speed": 9}, "speed"),
    ):
        assert field in refused_fields(await api.tenant.post(path, json=body))
    assert "step_ids" in refused_fields(await api.tenant.post(apply, json={"step_ids": []}))
    unknown = await api.tenant.post(apply, json={"step_ids": [plan["id"]]})
    assert_problem(unknown, 404, "NOT_FOUND")


async def test_a_dream_is_its_users_alone(api: Api) -> None:
    plan = await dream(api.tenant)
    own, other = await api.user("ana"), await api.user("ben")
    foreign = await api.other_tenant()

    assert (await own.get(f"/v1/dreams/{plan['id']}")).json()["id"] == plan["id"]
    for client in (other, foreign):
        for call in ("", "/apply", "/undo", "/reject"):
            method = client.post if call else client.get
            assert_problem(await method(f"/v1/dreams/{plan['id']}{call}"), 404, "NOT_FOUND")
    assert_problem(await other.post(user_path("ana", "dreams"), json={}), 404, "NOT_FOUND")
    assert (await foreign.get(user_path("ana", "dreams"))).json()["items"] == []
    for unknown in ("nonsense", "018f0000-0000-7000-8000-000000000000"):
        assert_problem(await api.tenant.get(f"/v1/dreams/{unknown}"), 404, "NOT_FOUND")


async def test_how_long_dreams_take_is_told_by_stage(api: Api, system: System) -> None:
    await dream(api.tenant, policy="auto")

    text = (await api.admin.get("/metrics")).text

    assert "lightmem_dream_seconds" in text
