"""Chat over the embedded system with a model whose answers are written down."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from lightmem.bootstrap import Services, open_services
from lightmem.errors import ModelUnavailable
from lightmem.installation import ensure_installation
from lightmem.model import Completion
from lightmem.settings import Settings
from lightmem_gateway.app import create_app
from support.models import ScriptedLanguageModel

PATH = "/v1/users/ana"


@pytest.fixture
async def services(tmp_path: Path) -> AsyncIterator[Services]:
    async with open_services(Settings(data_dir=tmp_path)) as opened:
        yield opened


@asynccontextmanager
async def served(
    services: Services, model: ScriptedLanguageModel
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the gateway that answers with this model."""
    installation = await ensure_installation(services.ledger, services.settings.data_dir)
    app = create_app(replace(services, responder=model))
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(app.router.lifespan_context(app))
        yield await stack.enter_async_context(
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app),
                base_url="http://lightmem",
                headers={"Authorization": f"Bearer {installation.tenant_key}"},
            )
        )


def events_of(text: str) -> list[tuple[str, Any]]:
    """The events of a stream, in order."""
    events = []
    for frame in text.strip().split("\n\n"):
        name, data = frame.split("\n")
        events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return events


async def say(client: httpx.AsyncClient, content: str) -> None:
    body = {"session_id": "s0", "turns": [{"role": "user", "content": content}]}
    (await client.post(f"{PATH}/turns", json=body)).raise_for_status()


async def contents(client: httpx.AsyncClient) -> list[tuple[str, str]]:
    turns = (await client.get(f"{PATH}/turns")).json()["items"]
    return [(turn["role"], turn["content"]) for turn in turns]


async def test_an_answer_rests_on_memory_and_is_remembered(services: Services) -> None:
    model = ScriptedLanguageModel("The boat is called Estrella.")
    async with served(services, model) as client:
        await say(client, "My boat is called Estrella.")

        answer = await client.post(
            f"{PATH}/chat", json={"session_id": "s1", "message": "What is my boat called?"}
        )

        chat = answer.json()
        assert chat["answer"] == "The boat is called Estrella."
        assert chat["model"] == "scripted"
        assert "Estrella" in chat["recall"]["context"]
        assert {"recall", "answer", "remember", "total"} <= chat["timings_ms"].keys()
        assert "Estrella" in model.asked[0][0].content
        assert model.asked[0][-1].content == "What is my boat called?"
        operation = (await client.get(f"/v1/operations/{chat['operation_id']}")).json()
        assert len(operation["outcomes"]) == 2
        assert (await contents(client))[1:] == [
            ("user", "What is my boat called?"),
            ("assistant", "The boat is called Estrella."),
        ]


async def test_a_streamed_answer_comes_as_events(services: Services) -> None:
    async with served(services, ScriptedLanguageModel("Est rel la")) as client:
        answer = await client.post(
            f"{PATH}/chat", json={"session_id": "s1", "message": "Its name?", "stream": True}
        )

        assert answer.headers["content-type"].startswith("text/event-stream")
        events = events_of(answer.text)
        assert [name for name, _ in events] == ["recall", "token", "token", "token", "done"]
        assert "".join(data["text"] for name, data in events if name == "token") == "Estrella"
        assert events[-1][1]["answer"] == "Estrella"
        assert events[-1][1]["operation_id"]


@pytest.mark.parametrize(("memory", "knows"), [("lightmem", True), ("rag", True), ("none", False)])
async def test_memory_may_be_ours_plain_search_or_none(
    services: Services, memory: str, knows: bool
) -> None:
    model = ScriptedLanguageModel("Yes.")
    async with served(services, model) as client:
        await say(client, "My boat is called Estrella.")

        answer = await client.post(
            f"{PATH}/chat",
            json={"session_id": "s1", "message": "What is my boat called?", "memory": memory},
        )

        assert answer.status_code == 200
        assert (answer.json()["recall"] is not None) is knows
        assert ("Estrella" in model.asked[0][0].content) is knows


async def test_what_was_said_in_the_session_stands_before_the_message(services: Services) -> None:
    model = ScriptedLanguageModel("Hello.", "Fine.")
    async with served(services, model) as client:
        for message in ("Good morning.", "How are you?"):
            body = {"session_id": "s1", "message": message, "memory": "none"}
            (await client.post(f"{PATH}/chat", json=body)).raise_for_status()

    said = [message.content for message in model.asked[1]][1:]
    assert said == ["Good morning.", "Hello.", "How are you?"]


@pytest.mark.parametrize("answer", [ModelUnavailable("down"), " ", "\x00"])
async def test_an_answer_that_fails_leaves_nothing_behind(
    services: Services, answer: str | Exception
) -> None:
    async with served(services, ScriptedLanguageModel(answer)) as client:
        body = {"session_id": "s1", "message": "Hello?"}
        whole = await client.post(f"{PATH}/chat", json=body)
        streamed = await client.post(f"{PATH}/chat", json={**body, "stream": True})

        assert whole.status_code == 503
        assert whole.json()["code"] == "RESPONDER_UNAVAILABLE"
        name, problem = events_of(streamed.text)[-1]
        assert (name, problem["code"]) == ("error", "RESPONDER_UNAVAILABLE")
        assert await contents(client) == []


@pytest.mark.parametrize("stream", [False, True])
async def test_one_idempotency_key_asks_the_model_once(services: Services, stream: bool) -> None:
    model = ScriptedLanguageModel("One.", "Two.")
    headers = {"Idempotency-Key": "once"}
    async with served(services, model) as client:
        body = {"session_id": "s1", "message": "Count.", "stream": stream}

        answers = await asyncio.gather(
            *(client.post(f"{PATH}/chat", json=body, headers=headers) for _ in range(5))
        )

        assert len(model.asked) == 1
        assert len(await contents(client)) == 2
        if stream:
            assert {events_of(one.text)[-1][1]["answer"] for one in answers} == {"One."}
        else:
            assert all(one.json() == answers[0].json() for one in answers)


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"message": " "}, 422, "INVALID_INPUT"),
        ({"message": "x" * 32_769}, 413, "TURN_TOO_LARGE"),
        ({"session_id": ""}, 422, "INVALID_INPUT"),
        ({"memory": "all"}, 422, "INVALID_INPUT"),
        ({"stream": "yes"}, 422, "INVALID_INPUT"),
        ({"occurred_at": "2024-05-08T10:15:00"}, 422, "INVALID_TIME"),
    ],
    ids=lambda value: str(value)[:30],
)
async def test_a_message_that_is_none_is_refused(
    services: Services, fields: dict[str, Any], status: int, code: str
) -> None:
    async with served(services, ScriptedLanguageModel("Yes.")) as client:
        body = {"session_id": "s1", "message": "Hello?", **fields}

        answer = await client.post(f"{PATH}/chat", json=body)

        assert (answer.status_code, answer.json()["code"]) == (status, code)


# --- what is forgotten meanwhile --------------------------------------------------------------

NUMBER = "555-0142"


class ForgettingModel(ScriptedLanguageModel):
    """Its user forgets all memories while it thinks; then it says what it had read."""

    def __init__(self) -> None:
        super().__init__(f"It is: {NUMBER}.")
        self.client: httpx.AsyncClient

    async def complete(self, *args: Any, **options: Any) -> Completion:
        listed = (await self.client.get(f"{PATH}/memories", params={"status": "active"})).json()
        ids = [memory["id"] for memory in listed["items"]]
        if ids:
            body = {"ids": ids, "dry_run": False}
            (await self.client.post(f"{PATH}/forget", json=body)).raise_for_status()
        return await super().complete(*args, **options)


async def test_a_stream_that_is_refused_has_the_status_of_its_problem(services: Services) -> None:
    body = {"session_id": "s1", "message": "Hello?", "stream": True}
    headers = {"Idempotency-Key": "k"}
    async with served(services, ScriptedLanguageModel("Hello.")) as client:
        first = await client.post(f"{PATH}/chat", json=body, headers=headers)

        other = await client.post(f"{PATH}/chat", json={**body, "message": "Who?"}, headers=headers)
        await client.request("DELETE", PATH)
        late = await client.post(f"{PATH}/chat", json=body, headers=headers)

    assert first.status_code == 200
    assert (other.status_code, other.json()["code"]) == (409, "IDEMPOTENCY_CONFLICT")
    assert (late.status_code, late.json()["code"]) == (410, "ERASED")
    for refused in (other, late):
        assert refused.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_an_answer_kept_under_a_key_loses_what_was_forgotten_while_it_was_made(
    services: Services, stream: bool
) -> None:
    model = ForgettingModel()
    key = {"Idempotency-Key": "k1"}
    question = {"session_id": "s1", "message": "What is my phone number?", "stream": stream}
    async with served(services, model) as client:
        model.client = client
        turns = [{"role": "user", "content": f"My phone number is {NUMBER}."}]
        body = {"session_id": "s0", "turns": turns, "wait": "written"}
        (await client.post(f"{PATH}/turns", json=body)).raise_for_status()

        first = await client.post(f"{PATH}/chat", json=question, headers=key)
        again = await client.post(f"{PATH}/chat", json=question, headers=key)

    assert (first.status_code, again.status_code) == (200, 200)
    assert len(model.asked) == 1
    assert NUMBER in model.asked[0][0].content
    assert NUMBER not in again.text
    assert "[forgotten]" in again.text


async def test_an_answer_that_says_a_forgotten_value_again_is_kept_without_it(
    services: Services,
) -> None:
    model = ForgettingModel()
    async with served(services, model) as client:
        model.client = client
        await client.post(
            f"{PATH}/turns",
            json={
                "session_id": "s0",
                "wait": "written",
                "turns": [{"role": "user", "content": f"My phone number is {NUMBER}."}],
            },
        )
        await client.post(f"{PATH}/chat", json={"session_id": "s1", "message": "Which?"})
        question = {"session_id": "s1", "message": f"Is it {NUMBER}?", "memory": "none"}

        answers = [
            await client.post(f"{PATH}/chat", json=question, headers={"Idempotency-Key": "k2"})
            for _ in range(2)
        ]

    assert [NUMBER in answer.text for answer in answers] == [False, False]
