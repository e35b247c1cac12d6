"""Turns over HTTP: what was said is kept word for word, and followed to its outcome."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from local_system.system import System
from support.api import (
    Api,
    assert_problem,
    fresh_api,
    recall,
    refused_fields,
    say,
    turns_of,
    user_path,
)

FINAL = {"stored", "duplicate", "no_facts", "quarantined", "rejected"}


@pytest.fixture
async def api(system: System) -> AsyncIterator[Api]:
    async with fresh_api(system) as fresh:
        yield fresh


async def test_a_turn_comes_back_as_it_was_said(api: Api) -> None:
    given: dict[str, Any] = {
        "client_id": "m-1",
        "role": "assistant",
        "speaker": "Ana",
        "content": "  Wir zogen\nnach Lissabon 🙂  ",
        "occurred_at": "2024-05-08T10:15:00+02:00",
        "metadata": {"channel": "chat", "scores": [1, 2.5, None, True], "deep": {"er": "ü"}},
    }
    answer = await api.tenant.post(
        user_path("ana", "turns"), json={"session_id": "s/1", "turns": [given]}
    )

    assert answer.status_code == 202
    [turn_id] = answer.json()["turn_ids"]
    turn = (await api.tenant.get(f"/v1/turns/{turn_id}")).json()
    assert turn.pop("recorded_at").endswith("Z")
    assert turn == {**given, "id": turn_id, "user_id": "ana", "session_id": "s/1"}


async def test_what_was_just_said_is_recalled(api: Api) -> None:
    await say(api.tenant, "ana", "My boat is called Estrella.")

    found = await recall(api.tenant, "ana", "What is the boat called?")

    assert [item["text"] for item in found["items"]] == ["My boat is called Estrella."]
    assert "Estrella" in found["context"]


async def test_waiting_until_written_tells_each_outcome(api: Api) -> None:
    body = {
        "session_id": "s1",
        "wait": "written",
        "turns": [*turns_of("I moved to Lisbon."), {"role": "system", "content": "Be kind."}],
    }

    answer = await api.tenant.post(user_path("ana", "turns"), json=body)

    assert answer.status_code == 200
    written = answer.json()
    assert [one["turn_id"] for one in written["outcomes"]] == written["turn_ids"]
    assert {one["outcome"] for one in written["outcomes"]} <= FINAL
    assert written["outcomes"][1]["outcome"] == "no_facts"
    operation = (await api.tenant.get(f"/v1/operations/{written['operation_id']}")).json()
    assert operation["kind"] == "write"
    assert operation["status"] == "succeeded"
    assert operation["finished_at"] is not None
    assert operation["tokens"].keys() == {"prompt", "completion"}


async def test_waiting_until_indexed_answers_202(api: Api) -> None:
    answer = await api.tenant.post(
        user_path("ana", "turns"),
        json={"session_id": "s1", "turns": turns_of("I keep bees."), "wait": "indexed"},
    )

    assert answer.status_code == 202
    assert answer.json().keys() == {"operation_id", "turn_ids", "status"}


async def test_a_thousand_turns_are_recalled_by_their_words_when_they_are_accepted(
    api: Api,
) -> None:
    words = [f"Crate number k{place} went to the harbour." for place in range(1_000)]

    said = await say(api.tenant, "ana", *words)
    found = [await recall(api.tenant, "ana", f"crate k{place}") for place in (7, 500, 993)]

    assert [answer["degraded"] for answer in found] == [[], [], []]
    first = [answer["items"][0]["id"] for answer in found]
    assert first == [said["turn_ids"][place] for place in (7, 500, 993)]


async def test_many_turns_are_recalled_by_meaning_once_they_are_indexed(api: Api) -> None:
    words = [f"Crate number k{place} went to the harbour." for place in range(40)]
    words[20] = "My puppy learned to swim."

    await say(api.tenant, "ana", *words, wait="indexed")
    found = await recall(api.tenant, "ana", "a young dog in water", explain=True)

    assert found["items"][0]["text"] == words[20]


async def test_the_same_client_id_is_the_same_turn_or_a_conflict(api: Api) -> None:
    first = await say(api.tenant, "ana", "I keep bees.", client_id="m-1")

    again = await say(api.tenant, "ana", "I keep bees.", client_id="m-1", wait="written")
    other = await say(api.tenant, "ana", "I keep ants.", client_id="m-1", wait="written")

    assert again["turn_ids"] == first["turn_ids"]
    assert [one["outcome"] for one in again["outcomes"]] == ["duplicate"]
    assert [one["outcome"] for one in other["outcomes"]] == ["rejected"]
    assert other["outcomes"][0]["reason"] == "CLIENT_ID_CONFLICT"
    listed = (await api.tenant.get(user_path("ana", "turns"))).json()["items"]
    assert [turn["content"] for turn in listed] == ["I keep bees."]


async def test_the_same_words_twice_are_two_turns(api: Api) -> None:
    await say(api.tenant, "ana", "I keep bees.", "I keep bees.")

    listed = (await api.tenant.get(user_path("ana", "turns"))).json()["items"]

    assert len({turn["id"] for turn in listed}) == 2


async def test_turns_list_by_session_and_sessions_count_them(api: Api) -> None:
    await say(api.tenant, "ana", "One.", "Two.", session_id="s1")
    await say(api.tenant, "ana", "Three.", session_id="s2")

    path = user_path("ana", "turns")
    one = (await api.tenant.get(path, params={"session_id": "s1"})).json()["items"]
    sessions = (await api.tenant.get(user_path("ana", "sessions"))).json()["items"]

    assert [turn["content"] for turn in one] == ["One.", "Two."]
    assert {(each["session_id"], each["turns"]) for each in sessions} == {("s1", 2), ("s2", 1)}
    assert all(each["first_at"] <= each["last_at"] for each in sessions)


async def test_a_deleted_turn_is_gone_from_all_that_is_read(api: Api) -> None:
    said = await say(api.tenant, "ana", "I moved to Lisbon.", "I keep bees.", wait="written")
    turn_id = said["turn_ids"][0]

    gone = await api.tenant.delete(f"/v1/turns/{turn_id}")

    assert gone.status_code == 204
    assert_problem(await api.tenant.get(f"/v1/turns/{turn_id}"), 404, "NOT_FOUND")
    assert_problem(await api.tenant.delete(f"/v1/turns/{turn_id}"), 404, "NOT_FOUND")
    found = await recall(api.tenant, "ana", "Lisbon")
    assert turn_id not in {item["id"] for item in found["items"]}


@pytest.mark.parametrize(
    ("turn", "field"),
    [
        ({"content": ""}, "content"),
        ({"content": " \n"}, "content"),
        ({"content": "\u200b\ufeff \u2060"}, "content"),
        ({"content": "a\x00b"}, "content"),
        ({"content": "a\ud800b"}, "content"),
        ({"content": 7}, "content"),
        ({"content": None}, "content"),
        ({"role": "robot"}, "role"),
        ({"client_id": ""}, "client_id"),
        ({"client_id": "x" * 256}, "client_id"),
        ({"speaker": "\x00"}, "speaker"),
        ({"metadata": []}, "metadata"),
        ({"metadata": {"a": "\x00"}}, "metadata"),
        ({"metadata": {"\ud800": 1}}, "metadata"),
        ({"metadata": {"a": [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]}}, "metadata"),
        ({"text": "x"}, "text"),
    ],
    ids=str,
)
async def test_a_turn_that_cannot_be_kept_is_refused_by_field(
    api: Api, turn: dict[str, Any], field: str
) -> None:
    body = {"session_id": "s1", "turns": [*turns_of("Fine."), {**turns_of("x")[0], **turn}]}

    answer = await api.tenant.post(
        user_path("ana", "turns"),
        content=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )

    assert refused_fields(answer) == [f"turns.1.{field}"]
    listed = (await api.tenant.get(user_path("ana", "turns"))).json()["items"]
    assert listed == []


@pytest.mark.parametrize(
    "moment", ["2024-05-08T10:15:00", "2024-05-08", "soon", 1715163300, "2024-05-08T25:00:00Z"]
)
async def test_a_time_without_an_offset_is_no_time(api: Api, moment: Any) -> None:
    body = {"session_id": "s1", "turns": turns_of("Hi.", occurred_at=moment)}

    answer = await api.tenant.post(user_path("ana", "turns"), json=body)

    assert refused_fields(answer, "INVALID_TIME") == ["turns.0.occurred_at"]


@pytest.mark.parametrize("session_id", ["", " ", "x" * 256, "\x00", 7, None])
async def test_a_session_id_is_ordinary_text(api: Api, session_id: Any) -> None:
    body = {"session_id": session_id, "turns": turns_of("Hi.")}

    answer = await api.tenant.post(user_path("ana", "turns"), json=body)

    assert refused_fields(answer) == ["session_id"]


async def test_a_turn_too_long_is_413_and_nothing_is_stored(api: Api) -> None:
    longest = "x" * 32_768
    path = user_path("ana", "turns")

    over = await api.tenant.post(
        path, json={"session_id": "s1", "turns": turns_of("Fine.", longest + "x")}
    )

    assert_problem(over, 413, "TURN_TOO_LARGE")
    assert (await api.tenant.get(path)).json()["items"] == []
    await say(api.tenant, "ana", longest)
    [kept] = (await api.tenant.get(path)).json()["items"]
    assert kept["content"] == longest


@pytest.mark.parametrize("count", [0, 1_001])
async def test_a_call_has_one_to_a_thousand_turns(api: Api, count: int) -> None:
    body = {"session_id": "s1", "turns": turns_of(*["Hi."] * count)}

    answer = await api.tenant.post(user_path("ana", "turns"), json=body)

    assert refused_fields(answer) == ["turns"]


async def test_nothing_to_retry_is_a_wrong_state(api: Api) -> None:
    said = await say(api.tenant, "ana", "I keep bees.", wait="written")

    answer = await api.tenant.post(f"/v1/operations/{said['operation_id']}/retry")

    assert_problem(answer, 409, "WRONG_STATE")


# --- once -----------------------------------------------------------------------------------


async def test_one_idempotency_key_stores_once_at_any_concurrency(api: Api) -> None:
    headers = {"Idempotency-Key": "once"}

    answers = await asyncio.gather(
        *(say(api.tenant, "ana", "I keep bees.", headers=headers) for _ in range(50))
    )

    assert all(answer == answers[0] for answer in answers)
    listed = (await api.tenant.get(user_path("ana", "turns"))).json()["items"]
    assert len(listed) == 1


async def test_an_idempotency_key_is_for_one_body(api: Api) -> None:
    path, headers = user_path("ana", "turns"), {"Idempotency-Key": "once"}
    body = {"session_id": "s1", "turns": turns_of("I keep bees.")}
    respelt = json.dumps(dict(reversed(body.items())), indent=2).encode()

    first = await api.tenant.post(path, json=body, headers=headers)
    same = await api.tenant.post(
        path, content=respelt, headers={**headers, "Content-Type": "application/json"}
    )
    other = await api.tenant.post(path, json={**body, "session_id": "s2"}, headers=headers)

    assert same.json() == first.json()
    assert_problem(other, 409, "IDEMPOTENCY_CONFLICT")


async def test_a_refused_write_does_not_use_its_key_up(api: Api) -> None:
    path, headers = user_path("ana", "turns"), {"Idempotency-Key": "once"}
    refused = {"session_id": "s1", "turns": turns_of(" ")}
    await api.tenant.post(path, json=refused, headers=headers)

    answer = await say(api.tenant, "ana", "I keep bees.", headers=headers)

    assert len(answer["turn_ids"]) == 1


async def test_two_users_may_choose_the_same_key(api: Api) -> None:
    headers = {"Idempotency-Key": "once"}

    ana = await say(api.tenant, "ana", "I keep bees.", headers=headers)
    bob = await say(api.tenant, "bob", "I keep bees.", headers=headers)

    assert ana["turn_ids"] != bob["turn_ids"]


@pytest.mark.parametrize("key", [b"", b"a b", b"x" * 256, b"\xfc"])
async def test_a_key_that_is_not_visible_ascii_is_refused(api: Api, key: bytes) -> None:
    body = {"session_id": "s1", "turns": turns_of("I keep bees.")}

    answer = await api.tenant.post(
        user_path("ana", "turns"), json=body, headers={b"Idempotency-Key": key}
    )

    assert refused_fields(answer) == ["Idempotency-Key"]


async def test_a_deletion_under_a_key_answers_again_but_not_for_another_user(api: Api) -> None:
    said = await say(api.tenant, "ana", "I keep bees.")
    path, headers = f"/v1/turns/{said['turn_ids'][0]}", {"Idempotency-Key": "gone"}
    ana, bob = await api.user("ana"), await api.user("bob")

    first = await ana.delete(path, headers=headers)
    again = await ana.delete(path, headers=headers)
    others = await bob.delete(path, headers=headers)

    assert (first.status_code, again.status_code) == (204, 204)
    assert_problem(others, 404, "NOT_FOUND")
