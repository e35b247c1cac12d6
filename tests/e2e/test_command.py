"""The command does what its help says, over a server and without one, and loses nothing."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lightmem.client import AsyncClient, Turn
from lightmem.data_folder import held_data_folder
from lightmem.installation import KEYS_FILE
from lightmem.settings import Settings
from support.command import Command, until

SESSIONS, TURNS_PER_SESSION = 8, 75
ALL_TURNS = SESSIONS * TURNS_PER_SESSION


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """The command over a folder that does not exist yet."""
    return Command(tmp_path / "data")


@pytest.fixture
def conversations(tmp_path: Path) -> Path:
    """A file of many turns, each of its own words."""
    lines = [
        {
            "session_id": f"s{session}",
            "speaker": "Ida" if place % 2 else "Pau",
            "content": f"On shelf {session} jar number {place} holds seed {session * 97 + place}.",
            "occurred_at": f"2024-03-{session + 1:02d}T10:{place // 60:02d}:{place % 60:02d}Z",
        }
        for session in range(SESSIONS)
        for place in range(TURNS_PER_SESSION)
    ]
    file = tmp_path / "jars.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def said(conversations: Path) -> list[str]:
    return [json.loads(line)["content"] for line in conversations.read_text().splitlines()]


async def all_turns(client: AsyncClient, user: str) -> AsyncIterator[Turn]:
    cursor = None
    while True:
        page = await client.turns(user, limit=200, cursor=cursor)
        for turn in page.items:
            yield turn
        if page.next_cursor is None:
            return
        cursor = page.next_cursor


# --- without a server -------------------------------------------------------------------------


async def test_what_is_remembered_is_recalled_without_a_server(command: Command) -> None:
    stored = await command.run(
        "remember", "ana", "My violin is at the luthier in Porto.", "--speaker", "Ana", "--json"
    )

    found = await command.run("recall", "ana", "Where is the violin?", "--json")

    assert stored.code == 0, stored.stderr
    assert found.code == 0, found.stderr
    first = found.json()["items"][0]
    assert "Porto" in first["text"]
    assert first["source_turn_ids"] == stored.json()["turn_ids"]
    assert found.json()["context_tokens"] > 0


async def test_people_see_the_date_the_speaker_and_the_source(command: Command) -> None:
    arguments = ("--speaker", "Ana", "--at", "2024-05-08T10:15:00Z", "--session", "phone")
    await command.run("remember", "ana", "The violin is in Porto.", *arguments)

    found = await command.run("recall", "ana", "Where is the violin?")

    assert found.code == 0, found.stderr
    for shown in ("2024-05-08", "Ana", "The violin is in Porto.", "phone", "tokens of context"):
        assert shown in found.stdout


async def test_a_second_ingest_adds_nothing(command: Command, conversations: Path) -> None:
    arguments = ("ingest", str(conversations), "--format", "jsonl", "--user", "pau", "--json")
    first = await command.run(*arguments)

    second = await command.run(*arguments)

    assert first.code == 0, first.stderr
    assert first.json()["stored"] == ALL_TURNS
    assert second.code == 0, second.stderr
    assert (second.json()["stored"], second.json()["duplicate"]) == (0, ALL_TURNS)


async def test_the_demo_shows_turns_memories_and_answers(command: Command) -> None:
    shown = await command.run("demo", "--json")

    assert shown.code == 0, shown.stderr
    body = shown.json()
    assert body["turns"] >= 120
    assert body["memories"] > 0
    assert len(body["questions"]) >= 3
    for question in body["questions"]:
        assert question["recall"]["items"]
        assert question["recall"]["items"][0]["source_turn_ids"]
        assert 0 < question["recall"]["context_tokens"] <= 1150
    assert any("hazelnuts" in i["text"] for i in body["questions"][0]["recall"]["items"])


async def test_keys_are_made_without_a_server_and_open_what_they_should(command: Command) -> None:
    made = await command.run("keys", "create", "--role", "user", "--user", "ana", "--json")

    assert made.code == 0, made.stderr
    key = made.json()["key"]
    own = await command.run("recall", "ana", "anything", "--key", key, "--json")
    other = await command.run("recall", "bob", "anything", "--key", key, "--json")
    none = await command.run("recall", "ana", "anything", "--key", "wrong", "--json")
    assert own.code == 0, own.stderr
    assert (other.code, json.loads(other.stderr)["code"]) == (4, "NOT_FOUND")
    assert none.code == 4


async def test_a_chat_without_a_model_says_so(command: Command) -> None:
    answered = await command.run("chat", "ana", "Hello", "--json")

    assert (answered.code, json.loads(answered.stderr)["code"]) == (5, "RESPONDER_UNAVAILABLE")


async def test_a_folder_that_another_process_uses_is_named(command: Command) -> None:
    async with held_data_folder(Settings(data_dir=command.data_dir)):
        refused = await command.run("recall", "ana", "anything")

    assert refused.code == 5
    assert str(command.data_dir) in refused.stderr
    assert "lightmem serve" in refused.stderr


async def test_the_index_is_filled_anew_from_the_ledger(command: Command) -> None:
    await command.run("remember", "ana", "My violin is at the luthier in Porto.")

    done = await command.run("reindex", "--json")

    found = await command.run("recall", "ana", "Where is the violin?", "--json")
    assert done.code == 0, done.stderr
    assert done.json()["embedded"] >= 1
    assert "Porto" in found.json()["items"][0]["text"]


# --- over a server ----------------------------------------------------------------------------


async def test_commands_go_through_the_server_that_has_the_folder(command: Command) -> None:
    served = await command.serve()
    try:
        stored = await command.run("remember", "ana", "The boat is in Bergen.", "--json")
        found = await command.run("recall", "ana", "Where is the boat?", "--json")
        made = await command.run("keys", "create", "--role", "admin", "--json")
        async with served.client() as client:
            directly = await client.recall("ana", "Where is the boat?")
    finally:
        stopped = await served.stop()

    assert stored.code == found.code == made.code == 0
    assert [item.id for item in directly.items] == [i["id"] for i in found.json()["items"]]
    assert (command.data_dir / KEYS_FILE).stat().st_mode & 0o777 == 0o600
    assert stopped == 0


async def test_a_recall_straight_after_the_202_finds_the_turn(command: Command) -> None:
    served = await command.serve()
    try:
        async with served.client() as client:
            accepted = await client.remember("ana", "s1", ["The telescope is in Tartu."])
            recall = await client.recall("ana", "Where is the telescope?")
    finally:
        await served.stop()

    assert recall.items[0].id == accepted.turn_ids[0]


async def test_a_server_killed_during_ingestion_loses_and_doubles_nothing(
    command: Command, conversations: Path
) -> None:
    arguments = ("ingest", str(conversations), "--format", "jsonl", "--user", "pau", "--json")
    served = await command.serve()
    ingesting = await command.begin(*arguments)
    async with served.client() as client:

        async def some_are_stored() -> str | None:
            page = await client.turns("pau", limit=200)
            return "some" if len(page.items) >= 120 else None

        await until(some_are_stored)
    await served.kill()
    _, told = await ingesting.communicate()
    assert ingesting.returncode == 5, told.decode()

    served = await command.serve()
    try:
        again = await command.run(*arguments)
        async with served.client() as client:
            turns = [turn async for turn in all_turns(client, "pau")]
            sessions = await client.sessions("pau", limit=200)
            memories = await client.memories("pau", limit=200)
            recall = await client.recall("pau", "Which jar holds seed 753?", top_k=3)
    finally:
        await served.stop()

    assert again.code == 0, again.stderr
    counted = again.json()
    assert counted["stored"] + counted["duplicate"] == ALL_TURNS
    assert counted["duplicate"] >= 120
    assert Counter(turn.content for turn in turns) == Counter(said(conversations))
    assert len({turn.id for turn in turns}) == ALL_TURNS
    assert {s.session_id: s.turns for s in sessions.items} == {
        f"s{n}": TURNS_PER_SESSION for n in range(SESSIONS)
    }
    texts = Counter(memory.text for memory in memories.items)
    assert all(count == 1 for count in texts.values())
    assert len({item.id for item in recall.items}) == len(recall.items)
    assert any("seed 753." in item.text for item in recall.items)


async def test_two_ingests_at_once_store_every_turn_once(
    command: Command, conversations: Path
) -> None:
    arguments = ("ingest", str(conversations), "--format", "jsonl", "--json", "--no-wait")
    served = await command.serve()
    try:
        runs = await asyncio.gather(command.run(*arguments), command.run(*arguments))
        async with served.client() as client:
            turns = [turn async for turn in all_turns(client, "default")]
    finally:
        await served.stop()

    assert [run.code for run in runs] == [0, 0]
    assert sum(run.json()["stored"] for run in runs) == ALL_TURNS
    assert len(turns) == ALL_TURNS
