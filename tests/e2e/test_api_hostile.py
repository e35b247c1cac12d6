"""Whatever is thrown at a route, the answer is a whole one and the server goes on."""

import asyncio
import json
import random
from collections.abc import AsyncIterator
from typing import Any

import pytest

from local_system.system import System
from support.api import Api, fresh_api, recall, say, turns_of, user_path

#: Words that only the inside of the system knows.
INSIDE = ("Traceback", "sqlite", "psycopg", "site-packages", "SELECT ", "INSERT ", '.py"', "0x7f")

GOOD: dict[str, dict[str, Any]] = {
    "turns": {
        "session_id": "s1",
        "turns": turns_of("Hi.", speaker="Ana", client_id="c1", metadata={"a": [1, {"b": None}]}),
        "wait": "none",
    },
    "recall": {
        "query": "What?",
        "session_id": "s1",
        "top_k": 3,
        "budget_tokens": 100,
        "layers": ["mid_term"],
        "mode": "fast",
        "filters": {"from": "2024-01-01T00:00:00Z", "speakers": ["Ana"], "kinds": ["turn"]},
        "as_of": {"valid": "2024-01-01T00:00:00Z"},
        "now": "2024-01-01T00:00:00Z",
        "explain": True,
    },
    "chat": {"session_id": "s1", "message": "What?", "stream": True, "memory": "none"},
    "forget": {"query": "bees", "ids": ["x"], "dry_run": True},
    "dreams": {"policy": "review", "max_removed_fraction": 0.3},
}
ODD: list[Any] = [
    *(None, True, False, 0, -1, 10**18, 10**400, 1e308, -0.0, 0.1, "", " ", "\x00", "\ud800"),
    *("a" * 300, "a" * 40_000, "2024-02-30T00:00:00Z", "9999-12-31T23:59:59-12:00", "../../etc"),
    *("' OR 1=1 --", "{{7*7}}", "${jndi:x}", "\u202e", "\ufeff", "🙂" * 50, "*", "%s%n", "\\x00"),
    *([], {}, [[]], [{}], {"": ""}, {"$gt": ""}, {"\x00": 1}, ["a"] * 5_000, [None]),
    json.loads("[" * 200 + "]" * 200),
]


@pytest.fixture
async def api(system: System) -> AsyncIterator[Api]:
    async with fresh_api(system) as fresh:
        yield fresh


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value, by the keys that lead there."""
    found = [path]
    if isinstance(value, dict):
        for key, inner in value.items():
            found += places(inner, (*path, key))
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            found += places(inner, (*path, position))
    return found


def changed(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    """The value with one place replaced."""
    if not path:
        return odd
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(copy[path[0]], path[1:], odd)
    return copy


def hostile_bodies(good: dict[str, Any], count: int, seed: int) -> list[bytes]:
    """Bodies that differ from a good one in one or two places, and some that are noise."""
    chance = random.Random(seed)
    bodies = []
    for _ in range(count):
        body: Any = good
        for _ in range(chance.choice((1, 1, 2))):
            body = changed(body, chance.choice(places(body)), chance.choice(ODD))
        text = json.dumps(body).encode("utf-8", "surrogatepass")
        if chance.random() < 0.1:
            cut = chance.randrange(len(text) + 1)
            text = text[:cut] + bytes(chance.randrange(256) for _ in range(3)) + text[cut:]
        bodies.append(text)
    return bodies


#: How many hostile bodies a route is sent; a real model answers those of `chat` that pass.
BODIES = {"chat": 20, "forget": 40, "dreams": 20}


@pytest.mark.parametrize("rest", GOOD)
async def test_no_body_brings_the_server_out_of_step(api: Api, rest: str) -> None:
    headers = {"Content-Type": "application/json"}
    for body in hostile_bodies(GOOD[rest], BODIES.get(rest, 150), seed=7):
        answer = await api.tenant.post(user_path("ana", rest), content=body, headers=headers)

        sample = body[:300]
        assert answer.status_code in {200, 202, 400, 404, 413, 422, 503}, (answer.text, sample)
        assert answer.status_code != 404 or rest == "forget", sample
        if answer.status_code == 503:
            assert answer.json()["code"] == "RESPONDER_UNAVAILABLE", sample
        if answer.status_code >= 400:
            document = answer.json()
            assert document.keys() >= {"type", "title", "status", "detail", "code", "request_id"}
            assert not any(word in answer.text for word in INSIDE), answer.text
        if answer.status_code == 422:
            assert all(error["field"] for error in answer.json()["errors"]), answer.text


async def test_no_query_string_brings_the_server_out_of_step(api: Api) -> None:
    values = [str(odd)[:500] for odd in ODD if isinstance(odd, str)]
    asked = {"turns": ("limit", "cursor", "session_id"), "memories": ("status", "kind", "query")}
    for rest, names in asked.items():
        for name in names:
            for value in values:
                safe = value.encode("utf-8", "replace").decode()
                answer = await api.tenant.get(user_path("ana", rest), params={name: safe})

                assert answer.status_code in {200, 422}, (name, value, answer.text)
                assert not any(word in answer.text for word in INSIDE), answer.text


async def test_no_header_brings_the_server_out_of_step(api: Api) -> None:
    names = ("Authorization", "X-LightMem-Tenant", "Idempotency-Key", "X-Request-ID", "traceparent")
    values = [b"\xff\xfe", b"x" * 5_000, b"{}", b"00-" + b"0" * 32 + b"-" + b"0" * 16 + b"-00"]
    for name in names:
        for value in values:
            answer = await api.tenant.post(
                user_path("ana", "recall"),
                json={"query": "What?"},
                headers={name.encode(): value},
            )

            assert answer.status_code in {200, 401, 404, 422}, (name, value, answer.text)


@pytest.mark.parametrize("method", ["OPTIONS", "PATCH", "PUT", "TRACE", "FOO", "HEAD", "DELETE"])
async def test_other_methods_are_refused_whole(api: Api, method: str) -> None:
    answer = await api.tenant.request(method, user_path("ana", "recall"))

    assert answer.status_code == 405


async def test_callers_that_leave_amid_a_call_do_no_harm(api: Api) -> None:
    path, body = user_path("ana", "turns"), {"session_id": "s1", "turns": turns_of("I keep bees.")}
    calls = [
        asyncio.create_task(
            api.tenant.post(
                path, json={**body, "wait": "written"}, headers={"Idempotency-Key": "x"}
            )
        )
        for _ in range(20)
    ]
    await asyncio.sleep(0.05)
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)

    await say(api.tenant, "ana", "I keep bees.", wait="written", headers={"Idempotency-Key": "x"})

    assert len((await api.tenant.get(path)).json()["items"]) == 1


async def test_a_caller_that_leaves_amid_its_body_does_no_harm(api: Api) -> None:
    host, port = api.system.url.removeprefix("http://").split(":")
    head = (
        f"POST {user_path('ana', 'turns')} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n"
        f"Content-Type: application/json\r\nAuthorization: {api.tenant.headers['Authorization']}"
        "\r\n\r\n{"
    )
    for _ in range(10):
        _, writer = await asyncio.open_connection(host, int(port))
        writer.write(head.encode())
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    assert (await recall(api.tenant, "ana", "anything"))["items"] == []
