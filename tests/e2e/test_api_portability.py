"""Out, in again and away over HTTP: a user travels whole, is erased for good, and begins anew."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import httpx
import pytest

from local_system.system import System
from support.api import (
    Api,
    assert_problem,
    bring_memories,
    fresh_api,
    recall,
    refused_fields,
    say,
    user_path,
)
from support.eventually import until
from support.portability import documents, text_of

LINES = {"Content-Type": "application/x-ndjson"}
QUESTION = "What is the parrot called?"


@pytest.fixture
async def api(system: System) -> AsyncIterator[Api]:
    async with fresh_api(system) as fresh:
        yield fresh


async def a_life(client: httpx.AsyncClient, user_id: str = "ana") -> None:
    await say(
        client,
        user_id,
        "My parrot is called Zarathustra.",
        "I moved to Lisbon in May.",
        "Bebo té verde cada mañana. 🍵",
        wait="written",
        speaker="Ana",
    )


async def export(client: httpx.AsyncClient, user_id: str = "ana") -> bytes:
    answer = await client.get(user_path(user_id, "export"))
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/x-ndjson"
    return answer.content


async def bring_in(
    client: httpx.AsyncClient, content: bytes, user_id: str = "ana", **headers: str
) -> httpx.Response:
    path = user_path(user_id, "import")
    return await client.post(path, content=content, headers={**LINES, **headers})


async def erase(client: httpx.AsyncClient, user_id: str = "ana", **headers: str) -> dict[str, Any]:
    """The receipt, waited for where it takes long."""
    answer = await client.request("DELETE", f"/v1/users/{user_id}", headers=headers)
    assert answer.status_code in {200, 202}, answer.text
    receipt: dict[str, Any] = answer.json()
    if answer.status_code == 202:

        async def ended() -> bool:
            nonlocal receipt
            operation = (await client.get(f"/v1/operations/{receipt['operation_id']}")).json()
            if operation["status"] == "succeeded":
                receipt = operation["result"]
            return "digest" in receipt

        await until(ended, timeout_s=60)
    return receipt


async def found(client: httpx.AsyncClient, user_id: str = "ana") -> list[str]:
    answer = await recall(client, user_id, QUESTION, layers=["mid_term"])
    return [item["id"] for item in answer["items"]]


def numbers(receipt: dict[str, Any], name: str) -> dict[str, int]:
    return {one["store"]: one[name] for one in receipt["stores"]}


async def test_a_user_comes_back_the_same_after_export_wipe_and_import(api: Api) -> None:
    await a_life(api.tenant)
    lines = await export(api.tenant)
    before = await found(api.tenant)

    receipt = await erase(api.tenant)
    nothing = await found(api.tenant)
    answer = await bring_in(api.tenant, lines)

    assert answer.status_code == 200, answer.text
    assert answer.json()["is_same_user"] is True
    assert nothing == []
    assert set(numbers(receipt, "remaining").values()) == {0}
    assert await export(api.tenant) == lines

    async def is_found() -> bool:
        return await found(api.tenant) == before

    await until(is_found, timeout_s=60)


async def test_an_import_may_be_gzipped_and_be_done_twice(api: Api) -> None:
    await a_life(api.tenant)
    lines = await export(api.tenant)

    answer = await bring_in(api.tenant, gzip.compress(lines), **{"Content-Encoding": "gzip"})

    assert answer.json()["turns"] == {"added": 0, "present": 3}
    assert await export(api.tenant) == lines


async def test_under_another_user_and_tenant_all_ids_are_new(api: Api) -> None:
    await a_life(api.tenant)
    lines = await export(api.tenant)
    other = await api.other_tenant()

    for client, user_id in ((api.tenant, "bob"), (other, "ana")):
        answer = await bring_in(client, lines, user_id)
        assert answer.json()["is_same_user"] is False

    theirs = [
        {one.get("id") for one in documents(await export(client, user_id))} - {None}
        for client, user_id in ((api.tenant, "ana"), (api.tenant, "bob"), (other, "ana"))
    ]
    assert len(set.union(*theirs)) == sum(map(len, theirs))


async def test_an_idempotency_key_imports_once_and_is_about_its_user(api: Api) -> None:
    await a_life(api.tenant)
    lines = await export(api.tenant)
    key = {"Idempotency-Key": "in"}

    first, second = [await bring_in(api.tenant, lines, "bob", **key) for _ in range(2)]
    other = await bring_in(api.tenant, lines + b"\n", "bob", **key)
    await erase(api.tenant, "bob")
    late = await bring_in(api.tenant, lines, "bob", **key)

    assert first.json() == second.json()
    assert_problem(other, 409, "IDEMPOTENCY_CONFLICT")
    assert_problem(late, 410, "ERASED")
    assert await export(api.tenant, "bob") == b""


# --- hostile imports ------------------------------------------------------------------------

TURN: dict[str, Any] = {
    "type": "turn",
    "id": "01900000-0000-7000-8000-000000000001",
    "session_id": "s1",
    "seq": 1,
    "role": "user",
    "speaker": None,
    "content": "Hello.",
    "occurred_at": "2024-05-08T10:15:00+02:00",
    "recorded_at": "2024-05-08T10:15:00Z",
    "client_id": None,
    "metadata": {},
}


@pytest.mark.parametrize(
    ("line", "field"),
    [
        (b"garbage", "lines.1"),
        (b'{"type": "turn", "type": "turn"}', "lines.1"),
        (b"[" * 100_000, "lines.1"),
        (b"\xff\xfe", "lines.1"),
        (b"42", "lines.1.type"),
        (b'{"type": "spaceship"}', "lines.1.type"),
        (json.dumps({**TURN, "content": "a\x00b"}).encode(), "lines.1.content"),
        (json.dumps({**TURN, "content": "\ud800"}).encode(), "lines.1.content"),
        (json.dumps({**TURN, "content": " "}).encode(), "lines.1.content"),
        (json.dumps({**TURN, "content": 7}).encode(), "lines.1.content"),
        (json.dumps({**TURN, "id": "../../etc"}).encode(), "lines.1.id"),
        (json.dumps({**TURN, "seq": 2**40}).encode(), "lines.1.seq"),
        (json.dumps({**TURN, "seq": True}).encode(), "lines.1.seq"),
        (
            json.dumps({**TURN, "occurred_at": "2024-05-08T10:15:00"}).encode(),
            "lines.1.occurred_at",
        ),
        (json.dumps({**TURN, "tenant_id": "x"}).encode(), "lines.1.tenant_id"),
        (json.dumps({**TURN, "metadata": {"a": [[[[{}]]]] * 3, "n": 1e999}}).encode(), "lines.1"),
        (json.dumps(TURN).encode(), "lines.1.session_id"),
    ],
)
async def test_a_line_that_is_none_is_named_and_nothing_is_stored(
    api: Api, line: bytes, field: str
) -> None:
    answer = await bring_in(api.tenant, line)

    assert refused_fields(answer)[0] == field
    assert await export(api.tenant) == b""


async def test_a_line_beyond_all_measure_is_refused_before_it_is_read_whole(api: Api) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        yield b'{"type": "turn", "content": "'
        for _ in range(100):
            sent += 1
            yield b"x" * 1024 * 1024

    try:
        answer = await api.tenant.post(user_path("ana", "import"), content=endless(), headers=LINES)
    except httpx.TransportError:
        # The server hangs up while more is being sent.
        return
    assert_problem(answer, 413, "BODY_TOO_LARGE")


async def test_a_body_that_is_no_lines_is_refused(api: Api) -> None:
    answer = await api.tenant.post(user_path("ana", "import"), json={"type": "turn"})
    cut = await bring_in(
        api.tenant, gzip.compress(b"{}" * 1000)[:20], **{"Content-Encoding": "gzip"}
    )

    assert_problem(answer, 415, "UNSUPPORTED_MEDIA_TYPE")
    assert_problem(cut, 400, "MALFORMED_JSON")


async def test_a_failed_import_leaves_what_is_there(api: Api) -> None:
    await a_life(api.tenant)
    lines = await export(api.tenant)
    broken = documents(lines)
    broken[-1]["version"] = 7

    answer = await bring_in(api.tenant, text_of(broken), "bob")

    assert refused_fields(answer)
    assert await export(api.tenant, "bob") == b""
    assert await export(api.tenant) == lines


# --- erasure --------------------------------------------------------------------------------


async def test_an_unknown_user_is_erased_of_nothing(api: Api) -> None:
    receipt = await erase(api.tenant, "nobody")

    assert receipt["user_id"] == "nobody"
    assert [one["store"] for one in receipt["stores"]] == [
        "ledger",
        "qdrant",
        "neo4j",
        "redis",
        "jobs",
    ]
    assert set(numbers(receipt, "removed").values()) == {0}


async def test_a_repeated_erasure_is_the_same_receipt_and_touches_nobody_new(api: Api) -> None:
    key = {"Idempotency-Key": "away"}
    await a_life(api.tenant)

    first = await erase(api.tenant, **key)
    await say(api.tenant, "ana", "I am new here.", wait="written")
    second = await erase(api.tenant, **key)

    assert first == second
    assert [one["content"] for one in documents(await export(api.tenant), "turn")] == [
        "I am new here."
    ]


async def test_kept_answers_about_an_erased_user_are_gone(api: Api) -> None:
    turn_id = (await say(api.tenant, "ana", "Hello.", headers={"Idempotency-Key": "k"}))[
        "turn_ids"
    ][0]
    path, key = f"/v1/turns/{turn_id}", {"Idempotency-Key": "d"}
    assert (await api.tenant.request("DELETE", path, headers=key)).status_code == 204

    await erase(api.tenant)

    body = {"session_id": "s1", "turns": [{"role": "user", "content": "Hello."}]}
    headers = {"Idempotency-Key": "k"}
    again = await api.tenant.post(user_path("ana", "turns"), json=body, headers=headers)
    late = await api.tenant.request("DELETE", path, headers=key)
    assert_problem(again, 410, "ERASED")
    assert_problem(late, 410, "ERASED")


async def test_kept_answers_about_an_erased_users_memories_are_gone(api: Api) -> None:
    await bring_memories(
        api.tenant, "ana", "Ana keeps hens.", "The roof leaks in winter.", "Ben plays the cello."
    )
    memories = (await api.tenant.get(user_path("ana", "memories"))).json()["items"]
    one, two, three = (f"/v1/memories/{memory['id']}" for memory in memories)
    ids = [memories[2]["id"]]
    writes: list[tuple[str, str, Any]] = [
        ("PATCH", one, {"text": "Ana keeps bees"}),
        ("DELETE", two, None),
        ("POST", user_path("ana", "forget"), {"ids": ids, "dry_run": False}),
    ]

    async def write(method: str, path: str, body: Any) -> httpx.Response:
        return await api.tenant.request(method, path, json=body, headers={"Idempotency-Key": "k"})

    for wish in writes:
        assert (await write(*wish)).status_code == 200
    [*_, tombstone] = (await api.tenant.get(user_path("ana", "tombstones"))).json()["items"]
    writes.append(("DELETE", user_path("ana", f"tombstones/{tombstone['id']}"), None))
    assert (await write(*writes[-1])).status_code == 204
    assert (await api.tenant.get(three)).json()["status"] == "forgotten"

    await erase(api.tenant)

    for wish in writes:
        assert_problem(await write(*wish), 410, "ERASED")
    assert_problem(await api.tenant.patch(one, json={"text": "Ana"}), 404, "NOT_FOUND")


async def test_a_user_key_reaches_its_user_alone_and_outlasts_the_erasure(api: Api) -> None:
    ana = await api.user("ana")
    await say(ana, "ana", "Hello.")

    receipt = await erase(ana)

    assert numbers(receipt, "removed")["ledger"] > 0
    for answer in (
        await ana.get(user_path("bob", "export")),
        await bring_in(ana, b"", "bob"),
        await ana.request("DELETE", "/v1/users/bob"),
    ):
        assert_problem(answer, 404, "NOT_FOUND")
    await say(ana, "ana", "Hello again.")


@pytest.mark.parametrize("round_", range(3))
async def test_writes_and_jobs_that_race_an_erasure_bring_nothing_back(
    api: Api, round_: int
) -> None:
    await a_life(api.tenant)
    old = {one["id"] for one in documents(await export(api.tenant)) if "id" in one}

    async def write(number: int) -> None:
        await asyncio.sleep(0.01 * ((number * 5 + round_) % 7))
        body = {
            "session_id": f"r{number}",
            "turns": [{"role": "user", "content": f"My parrot is called Racer {number}."}],
            "wait": "written" if number % 2 else "none",
        }
        answer = await api.tenant.post(user_path("ana", "turns"), json=body)
        assert answer.status_code in {200, 202, 409, 410}, answer.text

    writes = [asyncio.create_task(write(number)) for number in range(10)]
    await asyncio.sleep(0.01 * round_)
    receipt = await erase(api.tenant)
    await asyncio.gather(*writes)

    assert set(numbers(receipt, "remaining").values()) == {0}
    kept = {one["id"] for one in documents(await export(api.tenant), "turn")}
    assert not old & kept
    for _ in range(10):
        answer = await recall(api.tenant, "ana", QUESTION, top_k=50)
        assert not old & {item["id"] for item in answer["items"]}
        await asyncio.sleep(0.1)
    await erase(api.tenant)
    assert (await recall(api.tenant, "ana", QUESTION))["items"] == []


# --- the trail and the doctor -----------------------------------------------------------------


async def test_the_audit_trail_names_no_user(api: Api) -> None:
    await say(api.tenant, "ana-the-secretive", "Hello.", wait="written")
    await erase(api.tenant, "ana-the-secretive")

    first = (await api.tenant.get("/v1/audit", params={"limit": 2})).json()
    rest = (
        await api.tenant.get("/v1/audit", params={"cursor": first["next_cursor"], "limit": 200})
    ).json()

    entries = [*first["items"], *rest["items"]]
    assert {"turns.append", "user.erase", "user.erased"} <= {one["action"] for one in entries}
    assert "secretive" not in json.dumps(entries)
    for before, after in pairwise(entries):
        assert after["prev_hash"] == before["hash"]
    user = await api.user("ana")
    assert_problem(await user.get("/v1/audit"), 403, "NOT_ALLOWED")


async def test_the_doctor_is_for_admins_and_finds_a_healthy_system(api: Api) -> None:
    await a_life(api.tenant)
    refused = await api.tenant.post("/v1/admin/doctor", json={})

    async def is_healthy() -> bool:
        answer = await api.admin.post("/v1/admin/doctor", json={"repair": False})
        assert answer.status_code == 200, answer.text
        report = answer.json()
        names = [check["name"] for check in report["checks"]]
        assert {"index.turns", "index.memories", "index.surplus", "audit.chains"} <= set(names)
        return bool(report["ok"])

    assert_problem(refused, 403, "NOT_ALLOWED")
    await until(is_healthy, timeout_s=60)
