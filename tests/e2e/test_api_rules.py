"""The rules that hold on every route of the HTTP API."""

import gzip
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from local_system.system import System
from support.api import Api, assert_problem, fresh_api, refused_fields, say, turns_of, user_path

UNKNOWN = "01900000-0000-7000-8000-000000000000"

#: Every route by which one thing is reached, and every route below a user.
BY_ID = [
    ("GET", "/v1/turns/{id}"),
    ("DELETE", "/v1/turns/{id}"),
    ("GET", "/v1/operations/{id}"),
    ("POST", "/v1/operations/{id}/retry"),
    ("GET", "/v1/memories/{id}"),
    ("GET", "/v1/memories/{id}/history"),
]
BY_USER = [
    ("GET", "turns"),
    ("POST", "turns"),
    ("GET", "sessions"),
    ("POST", "recall"),
    ("POST", "chat"),
    ("GET", "memories"),
]
ADMIN = [
    ("GET", "/v1/admin/tenants"),
    ("POST", "/v1/admin/tenants"),
    ("GET", "/v1/admin/tenants/{id}"),
    ("DELETE", "/v1/admin/tenants/{id}"),
    ("GET", "/v1/admin/tenants/{id}/keys"),
    ("POST", "/v1/admin/tenants/{id}/keys"),
    ("GET", "/v1/admin/tenants/{id}/keys/{id}"),
    ("DELETE", "/v1/admin/tenants/{id}/keys/{id}"),
    ("GET", "/metrics"),
]
BODIES: dict[str, dict[str, Any]] = {
    "turns": {"session_id": "s1", "turns": turns_of("Hello.")},
    "recall": {"query": "Hello?"},
    "chat": {"session_id": "s1", "message": "Hello?"},
    "/v1/admin/tenants": {"name": "mine"},
    "/v1/admin/tenants/{id}/keys": {"role": "tenant"},
}


@pytest.fixture
async def api(system: System) -> AsyncIterator[Api]:
    async with fresh_api(system) as fresh:
        yield fresh


async def call(client: httpx.AsyncClient, method: str, path: str, name: str) -> httpx.Response:
    return await client.request(method, path, json=BODIES.get(name) if method == "POST" else None)


# --- who ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "path"), [*BY_ID, *ADMIN])
async def test_no_key_and_a_bad_key_reach_nothing(api: Api, method: str, path: str) -> None:
    target = path.format(id=UNKNOWN)
    for header in ({}, {"Authorization": "Bearer lm_admin_guess"}, {"Authorization": "Basic x"}):
        async with httpx.AsyncClient(base_url=api.system.url, headers=header) as stranger:
            answer = await call(stranger, method, target, path)

        assert_problem(answer, 401, "NOT_AUTHENTICATED")
        assert "Bearer" in answer.headers["www-authenticate"]


@pytest.mark.parametrize(("method", "path"), ADMIN)
async def test_only_an_admin_key_administers(api: Api, method: str, path: str) -> None:
    user = await api.user("ana")
    for client in (api.tenant, user):
        answer = await call(client, method, path.format(id=api.tenant_id), path)

        assert_problem(answer, 403, "NOT_ALLOWED")


async def test_a_foreign_id_and_an_unknown_one_have_the_same_answer(api: Api) -> None:
    said = await say(api.tenant, "ana", "I keep bees.", wait="written")
    turn_id, operation_id = said["turn_ids"][0], said["operation_id"]
    other = await api.other_tenant()
    bob = await api.user("bob")

    for client in (other, bob):
        for method, path in BY_ID:
            own = {"turns": turn_id, "operations": operation_id}.get(path.split("/")[2])
            if own is None:
                continue
            foreign = await client.request(method, path.format(id=own))
            unknown = await client.request(method, path.format(id=UNKNOWN))

            one = assert_problem(foreign, 404, "NOT_FOUND")
            two = assert_problem(unknown, 404, "NOT_FOUND")
            assert one["detail"].replace(own, "") == two["detail"].replace(UNKNOWN, "")
    assert (await api.tenant.get(f"/v1/turns/{turn_id}")).status_code == 200


@pytest.mark.parametrize("thing", ["*", "1", "%00", "%ff", "..%2F..", UNKNOWN.upper(), "x" * 3000])
@pytest.mark.parametrize(("method", "path"), BY_ID)
async def test_what_is_no_id_is_an_unknown_one(
    api: Api, method: str, path: str, thing: str
) -> None:
    answer = await api.tenant.request(method, path.format(id=thing))

    assert_problem(answer, 404, "NOT_FOUND")


@pytest.mark.parametrize(("method", "rest"), BY_USER)
async def test_a_user_key_reaches_no_other_user(api: Api, method: str, rest: str) -> None:
    ana = await api.user("ana")

    answer = await call(ana, method, user_path("bob", rest), rest)

    assert_problem(answer, 404, "NOT_FOUND")


async def test_two_tenants_may_have_the_same_user(api: Api) -> None:
    other = await api.other_tenant()
    await say(api.tenant, "ana", "Mine is the green boat.")
    await say(other, "ana", "Mine is the red boat.")

    for client, own in ((api.tenant, "green"), (other, "red")):
        listed = (await client.get(user_path("ana", "turns"))).json()["items"]
        answer = await client.post(user_path("ana", "recall"), json={"query": "Which boat?"})

        assert [turn["content"] for turn in listed] == [f"Mine is the {own} boat."]
        assert {item["text"] for item in answer.json()["items"]} == {f"Mine is the {own} boat."}


async def test_an_admin_key_names_the_tenant_that_it_means(api: Api) -> None:
    await say(api.tenant, "ana", "I keep bees.")
    path = user_path("ana", "turns")

    named = await api.admin.get(path, headers={"X-LightMem-Tenant": api.tenant_id})
    unnamed = await api.admin.get(path)
    unknown = await api.admin.get(path, headers={"X-LightMem-Tenant": UNKNOWN})

    assert len(named.json()["items"]) == 1
    assert refused_fields(unnamed) == ["X-LightMem-Tenant"]
    assert_problem(unknown, 404, "NOT_FOUND")


async def test_a_tenant_key_is_not_widened_by_naming_a_tenant(api: Api) -> None:
    other = await api.system.new_tenant("other")

    answer = await api.tenant.get(
        user_path("ana", "turns"), headers={"X-LightMem-Tenant": other.tenant_id}
    )

    assert_problem(answer, 404, "NOT_FOUND")


@pytest.mark.parametrize(
    "user_id", ["a/b", "*", "100%", "ünï码🙂", "a b", "x/turns", "?#&=+", "...", "%2F", "'; --"]
)
async def test_a_user_id_may_be_any_text(api: Api, user_id: str) -> None:
    await say(api.tenant, user_id, "I keep bees.")

    listed = (await api.tenant.get(user_path(user_id, "turns"))).json()["items"]
    own = await api.user(user_id)
    answer = await own.post(user_path(user_id, "recall"), json={"query": "bees"})

    assert [turn["user_id"] for turn in listed] == [user_id]
    assert len(answer.json()["items"]) == 1


@pytest.mark.parametrize("user_id", ["x" * 256, "%00", "a%00b", "%20", "%ff", "%ed%a0%80"])
async def test_a_user_id_that_no_store_holds_is_refused(api: Api, user_id: str) -> None:
    answer = await api.tenant.get(f"/v1/users/{user_id}/turns")

    assert refused_fields(answer) == ["user_id"]


async def test_an_unknown_user_of_a_tenant_is_an_empty_one(api: Api) -> None:
    for rest in ("turns", "sessions", "memories"):
        answer = await api.tenant.get(user_path("nobody", rest))

        assert answer.status_code == 200
        assert answer.json() == {"items": [], "next_cursor": None}
    answer = await api.tenant.post(user_path("nobody", "recall"), json={"query": "anything"})
    assert answer.status_code == 200
    assert answer.json()["items"] == []


# --- what -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rest", ["turns", "recall", "chat"])
async def test_a_body_that_is_no_json_is_malformed(api: Api, rest: str) -> None:
    headers = {"Content-Type": "application/json"}
    for body in (b"{", b"nil", b'{"a": NaN}', b'{"a":1,"a":2}', b"[" * 90_000, b"\xff"):
        answer = await api.tenant.post(user_path("ana", rest), content=body, headers=headers)

        assert_problem(answer, 400, "MALFORMED_JSON")


@pytest.mark.parametrize("rest", ["turns", "recall", "chat"])
@pytest.mark.parametrize("body", [b"[]", b"null", b'"x"', b"7", b"{}", b""])
async def test_a_body_of_another_shape_is_invalid(api: Api, rest: str, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}

    answer = await api.tenant.post(user_path("ana", rest), content=body, headers=headers)

    assert refused_fields(answer)


@pytest.mark.parametrize("rest", ["turns", "recall", "chat"])
async def test_unknown_fields_are_refused_by_name(api: Api, rest: str) -> None:
    answer = await api.tenant.post(user_path("ana", rest), json={**BODIES[rest], "topk": 3})

    assert refused_fields(answer) == ["topk"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "application/json; charset=latin-1"},
        {"Content-Type": "application/json", "Content-Encoding": "br"},
    ],
    ids=str,
)
async def test_other_types_of_body_are_not_read(api: Api, headers: dict[str, str]) -> None:
    answer = await api.tenant.post(user_path("ana", "recall"), content=b"{}", headers=headers)

    assert_problem(answer, 415, "UNSUPPORTED_MEDIA_TYPE")


async def test_a_body_may_be_gzipped_and_is_bounded_when_unpacked(api: Api) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    path = user_path("ana", "turns")
    good = gzip.compress(json.dumps(BODIES["turns"]).encode())
    bomb = gzip.compress(b" " * 9 * 1024 * 1024)

    taken = await api.tenant.post(path, content=good, headers=headers)
    refused = await api.tenant.post(path, content=bomb, headers=headers)
    plain = await api.tenant.post(path, content=b" " * (8 * 1024 * 1024 + 1))

    assert taken.status_code == 202
    assert_problem(refused, 413, "BODY_TOO_LARGE")
    assert_problem(plain, 413, "BODY_TOO_LARGE")


async def test_unknown_paths_and_methods_are_problems_too(api: Api) -> None:
    lost = await api.tenant.get("/v1/nothing/here")
    put = await api.tenant.put(user_path("ana", "turns"), json={})
    slash = await api.tenant.get("/v1/users//turns")

    assert_problem(lost, 404, "NOT_FOUND")
    assert_problem(put, 405, "METHOD_NOT_ALLOWED")
    assert {"GET", "POST"} <= {name.strip() for name in put.headers["allow"].split(",")}
    assert_problem(slash, 404, "NOT_FOUND")


async def test_head_answers_as_get_without_a_body(api: Api) -> None:
    answer = await api.tenant.head(user_path("ana", "turns"))

    assert answer.status_code == 200
    assert answer.content == b""


# --- lists ----------------------------------------------------------------------------------


async def test_a_list_pages_by_cursor_without_gap_or_overlap(api: Api) -> None:
    await say(api.tenant, "ana", *(f"Bee number {number}." for number in range(7)))
    found: list[str] = []
    cursor: str | None = None
    while True:
        params = {"limit": "3", **({"cursor": cursor} if cursor else {})}
        page = (await api.tenant.get(user_path("ana", "turns"), params=params)).json()
        assert len(page["items"]) <= 3
        found += [turn["content"] for turn in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break

    assert found == [f"Bee number {number}." for number in range(7)]


@pytest.mark.parametrize("limit", ["0", "201", "-1", "x", "", "1e9"])
async def test_a_limit_out_of_bounds_is_refused(api: Api, limit: str) -> None:
    answer = await api.tenant.get(user_path("ana", "turns"), params={"limit": limit})

    assert refused_fields(answer) == ["limit"]


@pytest.mark.parametrize("cursor", ["x", "AAAA", "e30", "\x00", "🙂", "W10", "x" * 2_000])
@pytest.mark.parametrize("rest", ["turns", "sessions", "memories"])
async def test_what_is_no_cursor_is_refused(api: Api, rest: str, cursor: str) -> None:
    answer = await api.tenant.get(user_path("ana", rest), params={"cursor": cursor})

    assert refused_fields(answer) == ["cursor"]


# --- headers --------------------------------------------------------------------------------


async def test_a_plain_request_id_comes_back_and_any_other_is_replaced(api: Api) -> None:
    for given, is_kept in (("call-17", True), ("a b", False), ("x" * 129, False), ("{}", False)):
        answer = await api.tenant.get("/healthz", headers={"X-Request-ID": given})

        assert (answer.headers["x-request-id"] == given) is is_kept
        assert answer.headers["x-request-id"]


async def test_a_trace_is_continued_and_named_by_the_recall(api: Api) -> None:
    trace_id = "4bf92f3577b34da6a3ce929d0e0e4736"
    answer = await api.tenant.post(
        user_path("ana", "recall"),
        json=BODIES["recall"],
        headers={"traceparent": f"00-{trace_id}-00f067aa0ba902b7-01"},
    )
    fresh = await api.tenant.get("/v1/nothing", headers={"traceparent": "00-zz"})

    assert answer.json()["trace_id"] == trace_id
    assert answer.headers["traceparent"].split("-")[1] == trace_id
    assert answer.headers["traceparent"].split("-")[2] != "00f067aa0ba902b7"
    assert len(fresh.headers["traceparent"]) == 55


async def test_the_server_does_not_say_what_it_is(api: Api) -> None:
    assert "server" not in (await api.tenant.get("/healthz")).headers


# --- open to all ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/docs", "/openapi.json"])
async def test_health_and_documentation_need_no_key(api: Api, path: str) -> None:
    async with httpx.AsyncClient(base_url=api.system.url) as stranger:
        answer = await stranger.get(path)

    assert answer.status_code == 200


async def test_readiness_names_each_dependency(api: Api) -> None:
    answer = (await api.tenant.get("/readyz")).json()

    assert {"ledger", "index", "graph", "short_term"} <= answer["dependencies"].keys()
    assert set(answer["dependencies"].values()) <= {"ok", "degraded", "down"}


async def test_the_documentation_shows_every_route(api: Api) -> None:
    paths = (await api.tenant.get("/openapi.json")).json()["paths"]
    page = (await api.tenant.get("/docs")).text

    assert "/v1/users/{user_id}/recall" in paths
    assert all(path in page for path in paths)
    assert "<script" not in page


async def test_an_admin_key_reads_the_numbers(api: Api) -> None:
    await api.tenant.post(user_path("ana", "recall"), json=BODIES["recall"])

    numbers = (await api.admin.get("/metrics")).text

    names = {line.split("{")[0].split(" ")[0] for line in numbers.splitlines() if line[0] != "#"}
    assert all(name.startswith("lightmem_") for name in names)
    assert 'lightmem_recall_seconds_bucket{le="0.025",stage="total"}' in numbers
    assert 'route="/v1/users/{user_id}/recall"' in numbers
    assert "ana" not in numbers
