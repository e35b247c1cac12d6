"""A dream reads as a diff, with and without a terminal, and both clients ask for it alike."""

import io
from datetime import UTC, datetime
from typing import Any

import httpx
from rich.console import Console

from lightmem.cli.dream_diff import dream_diff
from lightmem.client import AsyncClient, Client, Dream
from lightmem.model import DreamPolicy

AT = datetime(2024, 5, 8, 12, tzinfo=UTC)


def memory(text: str) -> dict[str, Any]:
    return {
        "id": text,
        "user_id": "ana",
        "kind": "fact",
        "text": text,
        "language": "en",
        "status": "active",
        "version": 1,
        "recorded_at": AT,
    }


def step(
    action: str, verdict: str, *before: str, after: str | None = None, reason: str = ""
) -> Any:
    return {
        "id": f"{action} step",
        "action": action,
        "before": [memory(text) for text in before],
        "after": {"text": after} if after else None,
        "verdict": verdict,
        "reason": reason or None,
    }


def dream(*steps: Any, status: str = "review") -> dict[str, Any]:
    return {
        "id": "d1",
        "user_id": "ana",
        "operation_id": "o1",
        "status": status,
        "policy": "review",
        "steps": list(steps),
        "counts": {"accepted": 1, "removed_memories": 1},
        "created_at": AT,
    }


def shown(*steps: Any, terminal: bool = False) -> str:
    out = io.StringIO()
    if terminal:
        console = Console(file=out, width=100, force_terminal=True, color_system="standard")
    else:
        console = Console(file=out, width=100)
    console.print(dream_diff(Dream.model_validate(dream(*steps))))
    return out.getvalue()


MERGE = step("MERGE", "accepted", "Tea.", "Green tea.", after="Green tea [and] tea.")
REFUSED = step("FORGET", "rejected", "My knee.", reason="health is kept")


def test_what_comes_and_what_goes_is_marked_without_colours() -> None:
    lines = [line.rstrip() for line in shown(MERGE, REFUSED).splitlines()]

    assert "  - Tea." in lines
    assert "  + Green tea [and] tea." in lines
    assert any("refused: health is kept" in line for line in lines)
    assert "  · My knee." in lines
    assert "\x1b" not in shown(MERGE)


def test_on_a_terminal_new_is_green_and_replaced_red_and_struck() -> None:
    text = shown(MERGE, terminal=True)

    assert "\x1b[9;31mTea." in text
    assert "\x1b[32mGreen tea" in text


def test_what_stays_is_not_shown_as_going() -> None:
    text = shown(step("UPDATE", "accepted", "Lisbon.", "Porto.", after="Porto."))

    assert "- Lisbon." in text
    assert "- Porto." not in text
    assert "+ Porto." in text


async def test_both_clients_ask_for_the_same_things() -> None:
    asked: list[tuple[str, str, bytes]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append((request.method, request.url.path, request.content))
        if request.method == "POST" and request.url.path.endswith("/dreams"):
            return httpx.Response(202, json={"operation_id": "o1", "dream_id": "d1"})
        found = Dream.model_validate(dream(MERGE)).model_dump(mode="json")
        if request.url.path.endswith("/dreams"):
            return httpx.Response(200, json={"items": [found], "next_cursor": None})
        return httpx.Response(200, json=found)

    with Client("http://test", "k", transport=httpx.MockTransport(answer)) as client:
        client.request_dream("ana", policy=DreamPolicy.AUTO)
        client.dreams("ana")
        client.dream("d1")
        client.apply_dream("d1", ["s1"])
        client.undo_dream("d1")
        client.reject_dream("d1")
    by_threads, asked[:] = list(asked), []
    async with AsyncClient("http://test", "k", transport=httpx.MockTransport(answer)) as other:
        await other.request_dream("ana", policy=DreamPolicy.AUTO)
        await other.dreams("ana")
        await other.dream("d1")
        await other.apply_dream("d1", ["s1"])
        await other.undo_dream("d1")
        await other.reject_dream("d1")

    assert asked == by_threads
    assert [path for _, path, _ in asked] == [
        "/v1/users/ana/dreams",
        "/v1/users/ana/dreams",
        "/v1/dreams/d1",
        "/v1/dreams/d1/apply",
        "/v1/dreams/d1/undo",
        "/v1/dreams/d1/reject",
    ]
    assert asked[3][2] == b'{"step_ids":["s1"]}'
