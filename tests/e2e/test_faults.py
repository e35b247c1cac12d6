"""Any one part is killed while turns are written: nothing is lost, nothing doubled, recall answers.

The parts are killed with SIGKILL, amid writes that go on, and started again on what they left.
"""

import asyncio
from collections import Counter

import httpx
import pytest

from local_system.system import System
from local_system.talking import FINAL, Conversation

#: One call each: the first is on its way when the part is killed, the last comes after.
SENTENCES = [
    ["I keep the blue lamp in the cellar.", "My sister Ana lives in Porto."],
    ["The boat is called Estrella.", "I play the viola on Mondays."],
    ["My dentist is Doctor Lund.", "The red bicycle was stolen in June."],
]
QUESTION = "Where does Marisol keep the blue lamp?"

#: What a recall says that it did without, while the part is down.
DEGRADED = {
    "controller": "controller",
    "selector": "selector",
    "redis": "short_term",
    "qdrant": "mid_term",
    "neo4j": "long_term",
    "writer": None,
    "worker": None,
    "relay": None,
    "postgres": None,
    "ollama": None,
}


async def write_on(conversation: Conversation, begun: asyncio.Event, cut: asyncio.Event) -> None:
    """Say everything; `begun` after the first call, and the last one not before `cut`."""
    for position, sentences in enumerate(SENTENCES):
        if position == len(SENTENCES) - 1:
            await cut.wait()
        await conversation.say(sentences)
        begun.set()


async def assert_nothing_is_lost_or_doubled(conversation: Conversation) -> None:
    operations = await conversation.ended()
    turns = await conversation.turns()
    memories = await conversation.memories()

    assert [turn["content"] for turn in turns] == conversation.said
    assert conversation.said == [sentence for call in SENTENCES for sentence in call]
    outcomes = [outcome for operation in operations for outcome in operation["outcomes"]]
    assert Counter(outcome["turn_id"] for outcome in outcomes) == Counter(
        turn["id"] for turn in turns
    )
    assert {outcome["outcome"] for outcome in outcomes} <= FINAL - {"quarantined", "rejected"}
    assert all(operation["status"] == "succeeded" for operation in operations)
    assert max(Counter(memory["text"] for memory in memories).values(), default=1) == 1


@pytest.mark.server
@pytest.mark.parametrize("system", ["distributed"], indirect=True)
@pytest.mark.parametrize("part", DEGRADED)
async def test_killing_a_part_amid_writes_loses_nothing_and_recall_goes_on(
    system: System, part: str
) -> None:
    tenant = await system.new_tenant(f"faults-{part}")
    async with system.client(tenant.key) as client:
        conversation = Conversation(client, "marisol")
        begun, cut = asyncio.Event(), asyncio.Event()
        writing = asyncio.create_task(write_on(conversation, begun, cut))
        await begun.wait()

        await system.kill(part)
        recalled = await conversation.recall(QUESTION)
        cut.set()
        await system.start(part)
        await writing

        if (name := DEGRADED[part]) is not None:
            assert any(entry.startswith(name) for entry in recalled["degraded"])
        assert any("blue lamp" in item["text"] for item in recalled["items"])
        await assert_nothing_is_lost_or_doubled(conversation)
        whole = await conversation.recall_undegraded(QUESTION)
        assert any("blue lamp" in item["text"] for item in whole["items"])


async def test_killing_the_server_amid_writes_loses_and_doubles_nothing(system: System) -> None:
    tenant = await system.new_tenant("faults-gateway")
    async with system.client(tenant.key) as client:
        conversation = Conversation(client, "marisol")
        begun, cut = asyncio.Event(), asyncio.Event()
        writing = asyncio.create_task(write_on(conversation, begun, cut))
        await begun.wait()

        await system.kill("gateway")
        with pytest.raises(httpx.TransportError):
            await client.get("/healthz")
        cut.set()
        await system.start("gateway")
        await writing

        await assert_nothing_is_lost_or_doubled(conversation)
        recalled = await conversation.recall(QUESTION)
    assert any("blue lamp" in item["text"] for item in recalled["items"])
