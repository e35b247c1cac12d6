"""One system, two sizes: the same words and the same question give the same items and scores."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from lightmem.installation import open_app
from lightmem.settings import Settings
from local_system.system import System
from support.api import recall, user_path

SAID = [
    ("Ana", "We moved to Lisbon in May, near the river."),
    ("Ben", "Did the piano survive the stairs?"),
    ("Ana", "It did, but the tuner comes on Friday."),
    ("Ben", "My sister Carla plays the cello in Porto."),
    ("Ana", "The cat hid under the piano for two days."),
    ("Ben", "I am allergic to cats, remember that when I visit."),
]
QUESTIONS = ["Where does Ana live?", "What is Ben allergic to?", "Who plays the cello?", "piano"]


async def answers(client: httpx.AsyncClient) -> tuple[list[Any], list[float]]:
    """What the questions recall by layer, speaker and words, with the contexts; and the scores."""
    turns = [
        {
            "role": "user",
            "speaker": speaker,
            "content": content,
            "occurred_at": f"2024-05-20T10:0{minute}:00+02:00",
        }
        for minute, (speaker, content) in enumerate(SAID)
    ]
    for turn in turns:
        body = {"session_id": "s1", "turns": [turn]}
        (await client.post(user_path("ana", "turns"), json=body)).raise_for_status()
    recalled = [
        await recall(client, "ana", question, now="2024-06-01T12:00:00+02:00")
        for question in QUESTIONS
    ]
    assert all(not one["degraded"] and one["items"] for one in recalled)
    found = [
        ([(item["layer"], item["speaker"], item["text"]) for item in one["items"]], one["context"])
        for one in recalled
    ]
    return found, [item["score"] for one in recalled for item in one["items"]]


@pytest.mark.server
@pytest.mark.parametrize("system", ["distributed"], indirect=True)
async def test_services_answer_as_one_process_does(system: System, tmp_path: Path) -> None:
    # Nobody learns meanwhile, here or there: what a small model draws is its own affair.
    await system.stop("worker")
    tenant = await system.new_tenant("same-answers")
    async with system.client(tenant.key) as client:
        found, scores = await answers(client)
    await system.start("worker")

    alone = Settings(data_dir=tmp_path / "data", worker_threads=0)
    async with open_app(alone) as (app, keys):
        bearer = {"Authorization": f"Bearer {keys.tenant_key}"}
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://lightmem", headers=bearer
        ) as client:
            found_alone, scores_alone = await answers(client)

    assert found == found_alone
    assert scores == pytest.approx(scores_alone, abs=1e-5)
