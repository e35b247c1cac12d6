"""What every language model promises: scripted and real servers, in Ollama's and OpenAI's HTTP."""

import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from lightmem.adapters.ollama import OllamaLanguageModel
from lightmem.adapters.openai import OpenAiLanguageModel
from lightmem.errors import InvalidInput, ModelUnavailable
from lightmem.model import Message, Role
from lightmem.ports import LanguageModel
from support.backends import backend_url
from support.models import (
    Behaviour,
    BreaksOff,
    Fails,
    ModelServer,
    NeverEnds,
    Says,
    SendsBody,
    Stalls,
    model_server,
)

ASK = [Message(Role.SYSTEM, "Answer in one word."), Message(Role.USER, "Which colour is snow?")]
SCHEMA = {
    "type": "object",
    "properties": {"colour": {"type": "string", "enum": ["white", "black"]}},
    "required": ["colour"],
    "additionalProperties": False,
}
REAL_MODEL = "smollm2:135m"


@dataclass(frozen=True, slots=True)
class Scripted:
    """A model over a server that behaves as it is told."""

    model: LanguageModel
    server: ModelServer


@pytest.fixture(params=["ollama", "openai"])
async def scripted(request: pytest.FixtureRequest) -> AsyncIterator[Scripted]:
    async with model_server(Says("white")) as server:
        model: LanguageModel
        if request.param == "ollama":
            model = OllamaLanguageModel(server.ollama_url, "scripted", threads=1)
        else:
            model = OpenAiLanguageModel(server.openai_url, "scripted", api_key="secret")
        yield Scripted(model, server)
        await model.close()


@pytest.fixture(params=["ollama", "openai"])
async def real(request: pytest.FixtureRequest) -> AsyncIterator[LanguageModel]:
    url = backend_url("ollama")
    model: LanguageModel
    if request.param == "ollama":
        model = OllamaLanguageModel(url, REAL_MODEL, threads=1, context_tokens=2048)
    else:
        model = OpenAiLanguageModel(url.replace("ollama://", "openai+http://") + "/v1", REAL_MODEL)
    yield model
    await model.close()


async def test_an_answer_comes_with_its_price(scripted: Scripted) -> None:
    answer = await scripted.model.complete(ASK, max_tokens=20, timeout_s=5)

    assert answer.text == "white"
    assert (answer.prompt_tokens, answer.completion_tokens) == (11, 7)


async def test_the_server_is_told_limits_and_schema(scripted: Scripted) -> None:
    await scripted.model.complete(ASK, max_tokens=20, timeout_s=5, schema=SCHEMA)

    sent = json.dumps(scripted.server.requests[0])
    assert '"white", "black"' in sent
    assert '"temperature": 0' in sent
    assert ": 20" in sent


async def test_a_stream_says_what_an_answer_would(scripted: Scripted) -> None:
    scripted.server.will(Says("as white as snow"))

    pieces = [piece async for piece in scripted.model.stream(ASK, max_tokens=20, timeout_s=5)]

    assert "".join(pieces) == "aswhiteassnow"
    assert len(pieces) == 4


@pytest.mark.parametrize(
    "behaviour",
    [
        Fails(500),
        Fails(404),
        SendsBody(),
        SendsBody(b""),
        SendsBody(b"[]"),
        SendsBody(b'{"message": {"content": 3}, "choices": [{"message": {"content": 3}}]}'),
        SendsBody(b"\xff\xfe"),
        Stalls(),
        NeverEnds(),
        BreaksOff(),
    ],
    ids=repr,
)
async def test_whatever_a_server_does_wrong_is_unavailable_in_time(
    scripted: Scripted, behaviour: Behaviour
) -> None:
    scripted.server.will(behaviour)
    begun = time.monotonic()

    with pytest.raises(ModelUnavailable):
        await scripted.model.complete(ASK, max_tokens=20, timeout_s=0.3)

    assert time.monotonic() - begun < 10


@pytest.mark.parametrize(
    "behaviour", [Fails(500), SendsBody(), Stalls(), NeverEnds(), BreaksOff()], ids=repr
)
async def test_a_stream_that_goes_wrong_is_unavailable_in_time(
    scripted: Scripted, behaviour: Behaviour
) -> None:
    scripted.server.will(behaviour)
    begun = time.monotonic()

    with pytest.raises(ModelUnavailable):
        async for _ in scripted.model.stream(ASK, max_tokens=20, timeout_s=0.3):
            pass

    assert time.monotonic() - begun < 10


async def test_a_server_that_is_back_answers_again(scripted: Scripted) -> None:
    scripted.server.will(BreaksOff(), Says("white"))
    with pytest.raises(ModelUnavailable):
        await scripted.model.complete(ASK, max_tokens=20, timeout_s=5)

    answer = await scripted.model.complete(ASK, max_tokens=20, timeout_s=5)

    assert answer.text == "white"


async def test_no_error_names_the_host(scripted: Scripted) -> None:
    scripted.server.will(Fails(500))

    with pytest.raises(ModelUnavailable) as raised:
        await scripted.model.complete(ASK, max_tokens=20, timeout_s=5)

    assert "127.0.0.1" not in str(raised.value)


async def test_health_tells_whether_the_server_answers(scripted: Scripted) -> None:
    assert (await scripted.model.check()).status == "ok"


@pytest.mark.parametrize(
    "model",
    [
        OllamaLanguageModel("ollama://127.0.0.1:1", "scripted"),
        OpenAiLanguageModel("openai+http://127.0.0.1:1/v1", "scripted"),
    ],
    ids=["ollama", "openai"],
)
async def test_without_a_server_it_is_down(model: LanguageModel) -> None:
    with pytest.raises(ModelUnavailable):
        await model.complete(ASK, max_tokens=20, timeout_s=5)

    assert (await model.check()).status == "down"
    await model.close()


async def test_ollama_without_the_model_is_down() -> None:
    async with model_server(Says("white")) as server:
        model = OllamaLanguageModel(server.ollama_url, "another", threads=1)

        health = await model.check()

        assert health.status == "down"
        assert "another" in health.detail
        await model.close()


async def test_ollama_is_told_its_threads() -> None:
    async with model_server(Says("white")) as server:
        model = OllamaLanguageModel(server.ollama_url, "scripted", threads=3, context_tokens=2048)

        await model.complete(ASK, max_tokens=20, timeout_s=5)

        options: dict[str, Any] = server.requests[0]["options"]
        assert (options["num_thread"], options["num_ctx"]) == (3, 2048)
        await model.close()


@pytest.mark.parametrize("url", ["http://localhost", "ollama://", "openai://x"])
def test_another_kind_of_url_is_refused(url: str) -> None:
    for kind in (OllamaLanguageModel, OpenAiLanguageModel):
        with pytest.raises(InvalidInput):
            kind(url, "scripted")


@pytest.mark.server
async def test_a_real_model_keeps_to_the_schema(real: LanguageModel) -> None:
    answer = await real.complete(ASK, max_tokens=30, timeout_s=120, schema=SCHEMA)

    assert json.loads(answer.text)["colour"] in {"white", "black"}
    assert answer.prompt_tokens > 0
    assert answer.completion_tokens > 0


@pytest.mark.server
async def test_a_real_model_stops_where_it_is_told(real: LanguageModel) -> None:
    pieces = [piece async for piece in real.stream(ASK, max_tokens=5, timeout_s=120)]

    assert 1 <= len(pieces) <= 6


@pytest.mark.server
async def test_a_real_model_that_is_too_slow_is_unavailable(real: LanguageModel) -> None:
    with pytest.raises(ModelUnavailable):
        await real.complete(ASK, max_tokens=200, timeout_s=0.001)


@pytest.mark.server
async def test_a_real_server_is_well(real: LanguageModel) -> None:
    assert (await real.check()).status == "ok"
