"""Tenants and keys over HTTP."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from local_system.system import System
from support.api import Api, assert_problem, fresh_api, recall, refused_fields, say, user_path


@pytest.fixture
async def api(system: System) -> AsyncIterator[Api]:
    async with fresh_api(system) as fresh:
        yield fresh


def keys_of(tenant_id: str) -> str:
    return f"/v1/admin/tenants/{tenant_id}/keys"


async def test_a_tenant_is_made_read_and_deleted(api: Api) -> None:
    body = {"name": "Ärzte am Fluss", "k_anonymity": 5}

    made = await api.admin.post("/v1/admin/tenants", json=body)

    assert made.status_code == 201
    tenant = made.json()
    path = f"/v1/admin/tenants/{tenant['id']}"
    assert {name: tenant[name] for name in body} == body
    assert (await api.admin.get(path)).json() == tenant
    assert (await api.admin.delete(path)).status_code == 204
    assert_problem(await api.admin.get(path), 404, "NOT_FOUND")
    assert_problem(await api.admin.delete(path), 404, "NOT_FOUND")
    assert_problem(await api.admin.get(f"{path}/keys"), 404, "NOT_FOUND")
    assert_problem(await api.admin.post(f"{path}/keys", json={"role": "tenant"}), 404, "NOT_FOUND")


async def test_a_deleted_tenants_keys_stop_at_once(api: Api) -> None:
    await say(api.tenant, "ana", "I keep bees.")

    await api.admin.delete(f"/v1/admin/tenants/{api.tenant_id}")

    answer = await api.tenant.get(user_path("ana", "turns"))
    assert_problem(answer, 401, "NOT_AUTHENTICATED")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "x" * 256}, "name"),
        ({"name": "\x00"}, "name"),
        ({"name": "x", "k_anonymity": 0}, "k_anonymity"),
        ({"name": "x", "k_anonymity": 2**40}, "k_anonymity"),
        ({"name": "x", "k_anonymity": "3"}, "k_anonymity"),
        ({"name": "x", "id": "mine"}, "id"),
    ],
    ids=str,
)
async def test_a_tenant_that_is_none_is_refused(api: Api, body: Any, field: str) -> None:
    answer = await api.admin.post("/v1/admin/tenants", json=body)

    assert refused_fields(answer) == [field]


async def test_a_key_is_shown_once_and_listed_without_itself(api: Api) -> None:
    made = await api.admin.post(keys_of(api.tenant_id), json={"role": "user", "user_id": "ana"})

    assert made.status_code == 201
    key = made.json()
    assert key["key"].startswith("lm_user_")
    listed = await api.admin.get(keys_of(api.tenant_id))
    shown = {name: value for name, value in key.items() if name != "key"}
    assert shown in listed.json()["items"]
    assert key["key"] not in listed.text
    one = await api.admin.get(f"{keys_of(api.tenant_id)}/{key['id']}")
    assert one.json() == shown


async def test_a_deleted_key_stops_at_once(api: Api) -> None:
    made = (await api.admin.post(keys_of(api.tenant_id), json={"role": "tenant"})).json()
    client = await api.with_key(made["key"])
    assert (await client.get(user_path("ana", "turns"))).status_code == 200

    gone = await api.admin.delete(f"{keys_of(api.tenant_id)}/{made['id']}")

    assert gone.status_code == 204
    assert_problem(await client.get(user_path("ana", "turns")), 401, "NOT_AUTHENTICATED")


async def test_a_key_of_another_tenant_is_unknown_here(api: Api) -> None:
    other = await api.system.new_tenant("other")
    [key] = (await api.admin.get(keys_of(other.tenant_id))).json()["items"]

    answer = await api.admin.delete(f"{keys_of(api.tenant_id)}/{key['id']}")

    assert_problem(answer, 404, "NOT_FOUND")


async def test_a_key_ends_when_it_expires(api: Api) -> None:
    soon = datetime.now(UTC) + timedelta(seconds=2)
    body = {"role": "tenant", "expires_at": soon.isoformat()}
    made = (await api.admin.post(keys_of(api.tenant_id), json=body)).json()
    client = await api.with_key(made["key"])
    assert (await client.get(user_path("ana", "turns"))).status_code == 200

    async with asyncio.timeout(10):
        while (await client.get(user_path("ana", "turns"))).status_code == 200:  # noqa: ASYNC110
            await asyncio.sleep(0.2)

    assert datetime.now(UTC) >= soon
    answer = await client.get(user_path("ana", "turns"))
    assert_problem(answer, 401, "NOT_AUTHENTICATED")


async def test_an_admin_key_reaches_the_installation(api: Api) -> None:
    made = (await api.admin.post(keys_of(api.tenant_id), json={"role": "admin"})).json()

    client = await api.with_key(made["key"])

    assert made["tenant_id"] is None
    assert (await client.get("/v1/admin/tenants")).status_code == 200


async def test_a_deleted_admin_key_stops_at_once(api: Api) -> None:
    made = (await api.admin.post(keys_of(api.tenant_id), json={"role": "admin"})).json()
    client = await api.with_key(made.pop("key"))
    assert (await client.get("/v1/admin/tenants")).status_code == 200

    read = await api.admin.get(f"{keys_of(api.tenant_id)}/{made['id']}")
    gone = await api.admin.delete(f"{keys_of(api.tenant_id)}/{made['id']}")

    assert read.json() == made
    assert gone.status_code == 204
    assert_problem(await client.get("/v1/admin/tenants"), 401, "NOT_AUTHENTICATED")


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ({}, "role", "INVALID_INPUT"),
        ({"role": "root"}, "role", "INVALID_INPUT"),
        ({"role": "user"}, "user_id", "INVALID_INPUT"),
        ({"role": "user", "user_id": ""}, "user_id", "INVALID_INPUT"),
        ({"role": "tenant", "user_id": "ana"}, "user_id", "INVALID_INPUT"),
        ({"role": "tenant", "tenant_id": "x"}, "tenant_id", "INVALID_INPUT"),
        ({"role": "tenant", "expires_at": "2030-01-01"}, "expires_at", "INVALID_TIME"),
    ],
    ids=str,
)
async def test_a_key_that_is_none_is_refused(
    api: Api, body: dict[str, Any], field: str, code: str
) -> None:
    answer = await api.admin.post(keys_of(api.tenant_id), json=body)

    assert refused_fields(answer, code) == [field]


async def test_one_idempotency_key_makes_one_key_and_shows_it_again(api: Api) -> None:
    headers, path = {"Idempotency-Key": "once"}, keys_of(api.tenant_id)

    answers = await asyncio.gather(
        *(api.admin.post(path, json={"role": "tenant"}, headers=headers) for _ in range(20))
    )

    keys = {answer.json()["key"] for answer in answers}
    assert len(keys) == 1
    assert len((await api.admin.get(path)).json()["items"]) == 2
    client = await api.with_key(keys.pop())
    assert (await recall(client, "ana", "anything"))["items"] == []


async def test_one_idempotency_key_makes_one_tenant(api: Api) -> None:
    headers = {"Idempotency-Key": f"once-{api.tenant_id}"}

    answers = await asyncio.gather(
        *(
            api.admin.post("/v1/admin/tenants", json={"name": "n"}, headers=headers)
            for _ in range(20)
        )
    )
    other = await api.admin.post("/v1/admin/tenants", json={"name": "m"}, headers=headers)

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert_problem(other, 409, "IDEMPOTENCY_CONFLICT")
