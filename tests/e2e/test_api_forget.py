"""Forgetting and correcting over HTTP: gone at once, gone for good, and only for its owner."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from local_system.system import System
from support.api import Api, assert_problem, fresh_api, recall, refused_fields, say, user_path
from support.forgetting import words_in

UNKNOWN = "01890000-0000-7000-8000-000000000000"
SAYS_PHONE = "My phone number is 555-0142."


@pytest.fixture
async def api(system: System) -> AsyncIterator[Api]:
    async with fresh_api(system) as fresh:
        yield fresh


async def memories(api: Api, user_id: str = "ana", **params: str) -> list[dict[str, Any]]:
    answer = await api.tenant.get(user_path(user_id, "memories"), params=params)
    listed: list[dict[str, Any]] = answer.json()["items"]
    return listed


async def memory_of(api: Api, words: str) -> dict[str, Any]:
    (found,) = [one for one in await memories(api) if words in one["text"]]
    return found


async def forget(api: Api, **body: Any) -> Any:
    return await api.tenant.post(user_path("ana", "forget"), json=body)


async def test_a_question_tells_what_would_go_and_the_ids_forget_it(api: Api) -> None:
    await say(api.tenant, "ana", f"{SAYS_PHONE} I love hiking in the hills.", wait="written")
    would = (await forget(api, query="phone number")).json()

    unchanged = await memory_of(api, "0142")
    done = (await forget(api, ids=would["ids"], dry_run=False)).json()

    assert would["dry_run"] is True
    assert would["ids"] == [unchanged["id"]]
    assert done["forgotten"] == would["ids"]
    assert len(done["tombstones"]) == 1
    assert done["redacted_turns"] == 1
    found = await recall(api.tenant, "ana", "What is the phone number 555-0142?", explain=True)
    assert "0142" not in words_in(str(found["items"]) + found["context"] + str(found["candidates"]))
    turns = (await api.tenant.get(user_path("ana", "turns"))).json()["items"]
    assert [turn["content"] for turn in turns] == ["[forgotten]. I love hiking in the hills."]
    [gone] = await memories(api, status="forgotten")
    assert (gone["id"], gone["text"], gone["sources"]) == (unchanged["id"], "", [])
    history = (await api.tenant.get(f"/v1/memories/{gone['id']}/history")).json()["items"]
    assert {version["text"] for version in history} == {""}
    exported = await api.tenant.get(user_path("ana", "export"))
    assert "0142" not in words_in(exported.text)
    assert '"type":"tombstone"' in exported.text.replace(" ", "")


async def test_forgotten_stays_forgotten_until_its_tombstone_is_lifted(api: Api) -> None:
    await say(api.tenant, "ana", SAYS_PHONE, wait="written")
    memory = await memory_of(api, "0142")
    gone = await api.tenant.delete(f"/v1/memories/{memory['id']}")
    [tombstone] = gone.json()["tombstones"]

    again = await say(api.tenant, "ana", SAYS_PHONE, "I keep bees.", wait="written")
    listed = (await api.tenant.get(user_path("ana", "tombstones"))).json()
    lifted = await api.tenant.delete(user_path("ana", f"tombstones/{tombstone}"))
    after = await say(api.tenant, "ana", SAYS_PHONE, wait="written")

    assert gone.json().keys() == {"forgotten", "tombstones", "redacted_turns"}
    rejected = again["outcomes"][0]
    assert (rejected["outcome"], rejected["reason"]) == ("rejected", "FORGOTTEN")
    assert [one.keys() for one in listed["items"]] == [{"id", "created_at", "reason"}]
    assert lifted.status_code == 204
    assert (await api.tenant.get(user_path("ana", "tombstones"))).json()["items"] == []
    assert after["outcomes"][0]["outcome"] == "stored"


async def test_ids_that_are_not_the_users_are_not_found_and_nothing_goes(api: Api) -> None:
    await say(api.tenant, "ana", SAYS_PHONE, wait="written")
    await say(api.tenant, "bob", "I keep bees in the garden.", wait="written")
    mine = await memory_of(api, "0142")
    [theirs] = await memories(api, "bob")
    bob, other = await api.user("bob"), await api.other_tenant()

    for foreign in (UNKNOWN, theirs["id"], "no id"):
        answer = await forget(api, ids=[mine["id"], foreign], dry_run=False)
        assert_problem(answer, 404, "NOT_FOUND")
    for client in (bob, other):
        path = f"/v1/memories/{mine['id']}"
        assert_problem(await client.delete(path), 404, "NOT_FOUND")
        assert_problem(await client.patch(path, json={"text": "x y z"}), 404, "NOT_FOUND")
    assert_problem(await bob.get(user_path("ana", "tombstones")), 404, "NOT_FOUND")
    assert_problem(
        await bob.post(user_path("ana", "forget"), json={"query": "phone"}), 404, "NOT_FOUND"
    )

    assert (await memory_of(api, "0142"))["status"] == "active"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "query"),
        ({"query": "phone", "dry_run": False}, "query"),
        ({"query": "phone", "ids": [UNKNOWN]}, "query"),
        ({"query": " "}, "query"),
        ({"ids": []}, "ids"),
        ({"ids": [UNKNOWN] * 1_001}, "ids"),
        ({"ids": [UNKNOWN], "dry_run": "no"}, "dry_run"),
        ({"ids": [UNKNOWN], "reason": "x"}, "reason"),
    ],
    ids=str,
)
async def test_a_wish_that_is_none_is_refused_by_field(
    api: Api, body: dict[str, Any], field: str
) -> None:
    assert refused_fields(await forget(api, **body)) == [field]


async def test_a_correction_is_a_new_version_and_found(api: Api) -> None:
    await say(api.tenant, "ana", "I moved to Lisbon in spring.", wait="written")
    memory = await memory_of(api, "Lisbon")

    answer = await api.tenant.patch(
        f"/v1/memories/{memory['id']}",
        json={"text": "Ana moved to Coimbra", "valid_from": "2024-05-01T00:00:00+02:00"},
    )

    corrected = answer.json()
    assert answer.status_code == 200, answer.text
    assert (corrected["text"], corrected["version"]) == (
        "Ana moved to Coimbra",
        memory["version"] + 1,
    )
    assert corrected["valid_precision"] == "day"
    assert corrected["sources"] == memory["sources"]
    history = (await api.tenant.get(f"/v1/memories/{memory['id']}/history")).json()["items"]
    assert [version["text"] for version in history][:2] == ["Ana moved to Coimbra", memory["text"]]
    found = await recall(api.tenant, "ana", "Coimbra", filters={"kinds": ["memory"]})
    assert "Ana moved to Coimbra" in [item["text"] for item in found["items"]]


async def test_a_history_pages_newest_first(api: Api) -> None:
    await say(api.tenant, "ana", "I moved to Lisbon in spring.", wait="written")
    path = f"/v1/memories/{(await memory_of(api, 'Lisbon'))['id']}"
    for town in ("Coimbra", "Braga", "Porto"):
        await api.tenant.patch(path, json={"text": f"Ana moved to {town}"})

    found: list[int] = []
    params: dict[str, str] = {"limit": "2"}
    while True:
        page = (await api.tenant.get(f"{path}/history", params=params)).json()
        found += [version["version"] for version in page["items"]]
        if page["next_cursor"] is None:
            break
        params["cursor"] = page["next_cursor"]
    none = await api.tenant.get(f"{path}/history", params={"limit": "0"})
    other = await api.tenant.get(f"{path}/history", params={"cursor": "AAAA"})

    assert found == [4, 3, 2, 1]
    assert refused_fields(none) == ["limit"]
    assert refused_fields(other) == ["cursor"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "body"),
        ({"text": None}, "text"),
        ({"text": " "}, "text"),
        ({"text": "a\x00b"}, "text"),
        ({"text": 7}, "text"),
        ({"kind": "rumour"}, "kind"),
        ({"kind": None}, "kind"),
        ({"status": "active"}, "status"),
        (
            {"valid_from": "2024-05-02T00:00:00Z", "valid_to": "2024-05-01T00:00:00Z"},
            "valid_to",
        ),
    ],
    ids=str,
)
async def test_a_correction_that_is_none_is_refused_by_field(
    api: Api, body: dict[str, Any], field: str
) -> None:
    await say(api.tenant, "ana", "I keep bees in the garden.", wait="written")
    [memory] = await memories(api)

    answer = await api.tenant.patch(f"/v1/memories/{memory['id']}", json=body)

    assert refused_fields(answer) == [field]


async def test_what_is_forgotten_is_neither_corrected_nor_brought_back_by_a_correction(
    api: Api,
) -> None:
    await say(api.tenant, "ana", SAYS_PHONE, "I keep bees in the garden.", wait="written")
    phone, bees = await memory_of(api, "0142"), await memory_of(api, "bees")
    await api.tenant.delete(f"/v1/memories/{phone['id']}")

    gone = await api.tenant.patch(f"/v1/memories/{phone['id']}", json={"text": "Ana is tall"})
    again = await api.tenant.patch(
        f"/v1/memories/{bees['id']}", json={"text": "Ana's phone number is 555 0142"}
    )

    assert_problem(gone, 409, "WRONG_STATE")
    assert_problem(again, 409, "FORGOTTEN")


async def test_the_same_key_gives_the_first_answer_again_without_the_words(api: Api) -> None:
    await say(api.tenant, "ana", "I moved to Lisbon in spring.", wait="written")
    memory = await memory_of(api, "Lisbon")
    path, body = f"/v1/memories/{memory['id']}", {"text": "Ana owes Zebulon 900 euros"}
    corrected = await api.tenant.patch(path, json=body, headers={"Idempotency-Key": "p"})
    first = await api.tenant.delete(path, headers={"Idempotency-Key": "d"})

    again = await api.tenant.delete(path, headers={"Idempotency-Key": "d"})
    replayed = await api.tenant.patch(path, json=body, headers={"Idempotency-Key": "p"})

    assert corrected.json()["text"] == "Ana owes Zebulon 900 euros"
    assert again.json() == first.json()
    assert "Zebulon" not in replayed.text
    assert "900" not in replayed.json()["text"]
