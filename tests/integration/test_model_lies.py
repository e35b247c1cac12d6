"""Extraction over HTTP from servers that lie, stall, loop and break off: nothing wrong is kept."""

import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from lightmem.adapters.ollama import OllamaLanguageModel
from lightmem.adapters.openai import OpenAiLanguageModel
from lightmem.model import Extraction
from lightmem.ports import LanguageModel
from lightmem_writer import ExtractStatements
from lightmem_writer.rules import extract_by_rules
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
from support.turns import a_talk

TALK = a_talk(
    ("Ana", "Hey Ben! We moved to Lisbon in 2016 with our two cats."),
    ("Ben", "Nice! I work at the harbour. Clara visits me on Sundays."),
    ("Ana", "我女儿在上海学习音乐。"),
)
BY_RULES = extract_by_rules(TALK)


@dataclass(frozen=True, slots=True)
class Scripted:
    """A Writer over a model over a server that behaves as it is told."""

    writer: ExtractStatements
    server: ModelServer


@pytest.fixture(params=["ollama", "openai"])
async def scripted(request: pytest.FixtureRequest) -> AsyncIterator[Scripted]:
    async with model_server(Stalls()) as server:
        model: LanguageModel
        if request.param == "ollama":
            model = OllamaLanguageModel(server.ollama_url, "scripted")
        else:
            model = OpenAiLanguageModel(server.openai_url, "scripted")
        yield Scripted(ExtractStatements(model, timeout_s=1.5), server)
        await model.close()


def says(**proposed: Any) -> Says:
    fact = {"lines": [1], "text": "Ana moved.", "kind": "event"}
    return Says(json.dumps({"statements": [{**fact, **proposed}]}))


def copies_the_prompt(messages: Sequence[Mapping[str, Any]]) -> str:
    """Every line of the prompt as a statement of the first turn."""
    lines = [line for message in messages for line in message["content"].splitlines() if line]
    return json.dumps(
        {"statements": [{"lines": [1], "text": line, "kind": "fact"} for line in lines[:4]]}
    )


def assert_nothing_was_invented(extraction: Extraction) -> None:
    by_id = {turn.id: turn.content for turn in TALK}
    for statement in extraction.statements:
        assert all(source.quote in by_id[source.turn_id] for source in statement.sources)
    assert {one.text for one in extraction.statements} <= {one.text for one in BY_RULES}


@pytest.mark.parametrize(
    "behaviour",
    [
        Fails(500),
        SendsBody(),
        Stalls(),
        NeverEnds(),
        BreaksOff(),
        Says("I moved to Lisbon. What a lovely story! Let me know if you need more."),
        Says('{"memories": ["Ana moved"]}'),
        Says('```json\n{"statements": []}\n```'),
        Says('{"statements": ["Ana moved", '),
        says(kind="rumour"),
        says(lines=[44]),
        says(lines=[]),
        says(text="Ana moved with John Doe."),
        says(text="Ana moved on 14 May 1999."),
        says(text="Ana se mudó a Lisboa hace tiempo."),
        says(lines=[4], text="Her daughter studies music in Shanghai."),
        Says('{"statements": ' + "[" * 20_000),
        Says(copies_the_prompt),
    ],
    ids=lambda behaviour: repr(behaviour)[:60],
)
async def test_whatever_a_model_does_nothing_wrong_is_kept_and_nothing_is_lost(
    scripted: Scripted, behaviour: Behaviour
) -> None:
    scripted.server.will(behaviour)
    begun = time.monotonic()

    extraction = await scripted.writer.extract("acme", "ana", TALK)

    assert time.monotonic() - begun < 20
    assert_nothing_was_invented(extraction)
    assert list(extraction.statements) == BY_RULES
    assert extraction.fallback_reason
    assert extraction.model_calls == len(scripted.server.requests) <= 2


@pytest.mark.server
@pytest.mark.timeout(300)
async def test_the_smallest_real_model_invents_nothing() -> None:
    model = OllamaLanguageModel(backend_url("ollama"), "smollm2:135m", threads=1)
    writer = ExtractStatements(model, timeout_s=200)

    extraction = await writer.extract("acme", "ana", TALK)

    by_id = {turn.id: turn.content for turn in TALK}
    assert extraction.statements
    assert 1 <= extraction.model_calls <= 2
    assert extraction.completion_tokens > 0
    for statement in extraction.statements:
        assert all(source.quote in by_id[source.turn_id] for source in statement.sources)
    await model.close()
