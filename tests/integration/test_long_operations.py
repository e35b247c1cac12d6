"""What takes longer than a caller waits ends all the same, and with the same result."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from lightmem.client import AsyncClient
from lightmem.errors import InvalidInput
from lightmem.installation import open_app
from lightmem.settings import Settings
from support.eventually import until

ANA = "/v1/users/ana"
SAID = ["My phone number is 555-0142.", "I keep bees in the garden."]
LINES = {"Content-Type": "application/x-ndjson"}


class Transport(httpx.AsyncBaseTransport):
    """Hands requests to an app in this process, and remembers how they were answered."""

    def __init__(self, app: Any) -> None:
        self._inner = httpx.ASGITransport(app)
        self.answered: list[tuple[str, int]] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._inner.handle_async_request(request)
        self.answered.append((request.url.path, response.status_code))
        return response


@dataclass(frozen=True, slots=True)
class Served:
    """One system, asked by HTTP and through the SDK."""

    transport: Transport
    http: httpx.AsyncClient
    sdk: AsyncClient

    async def ended(self, answer: httpx.Response) -> Any:
        """The operation of a 202 once it has ended, as GET shows it."""
        assert answer.status_code == 202, answer.text
        path = f"/v1/operations/{answer.json()['operation_id']}"

        async def has_ended() -> bool:
            return (await self.http.get(path)).json()["status"] in {"succeeded", "failed"}

        await until(has_ended)
        return (await self.http.get(path)).json()

    async def a_life(self, user_id: str = "ana") -> str:
        """Turns that were learnt from; the id of the memory of the number."""
        await self.sdk.remember(user_id, "s1", SAID, wait="written")
        memories = (await self.sdk.memories(user_id)).items
        return next(one.id for one in memories if "0142" in one.text)

    async def export(self) -> bytes:
        return (await self.http.get(f"{ANA}/export")).content


@asynccontextmanager
async def served(folder: Path, *, wait_s: float) -> AsyncIterator[Served]:
    settings = Settings(data_dir=folder, model_url="", answer_wait_s=wait_s, segment_quiet_s=0)
    async with open_app(settings) as (app, keys):
        transport = Transport(app)
        headers = {"Authorization": f"Bearer {keys.tenant_key}"}
        async with (
            httpx.AsyncClient(
                base_url="http://lightmem", transport=transport, headers=headers
            ) as http,
            AsyncClient("http://lightmem", keys.tenant_key, transport=transport) as sdk,
        ):
            yield Served(transport, http, sdk)


@pytest.fixture
async def hasty(tmp_path: Path) -> AsyncIterator[Served]:
    """A system whose callers wait for nothing."""
    async with served(tmp_path / "hasty", wait_s=0) as system:
        yield system


@pytest.fixture
async def patient(tmp_path: Path) -> AsyncIterator[Served]:
    """A system whose callers wait as long as they do by default."""
    async with served(tmp_path / "patient", wait_s=Settings().answer_wait_s) as system:
        yield system


# --- by HTTP ----------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["ids", "delete"])
async def test_a_forgetting_ends_in_its_operation_as_it_would_have_been_answered(
    hasty: Served, patient: Served, by: str
) -> None:
    async def forget(system: Served) -> tuple[str, httpx.Response]:
        memory_id = await system.a_life()
        if by == "delete":
            return memory_id, await system.http.delete(f"/v1/memories/{memory_id}")
        body = {"ids": [memory_id], "dry_run": False}
        return memory_id, await system.http.post(f"{ANA}/forget", json=body)

    waited_id, waited = await forget(patient)
    memory_id, answer = await forget(hasty)
    operation = await hasty.ended(answer)

    assert waited.status_code == 200
    assert (operation["kind"], operation["status"]) == ("forget", "succeeded")
    assert operation["finished_at"] is not None
    result = operation["result"]
    assert result.keys() == waited.json().keys()
    assert (result["forgotten"], waited.json()["forgotten"]) == ([memory_id], [waited_id])
    assert result["redacted_turns"] == waited.json()["redacted_turns"] == 1
    listed = (await hasty.http.get(f"{ANA}/tombstones")).json()["items"]
    assert [one["id"] for one in listed] == result["tombstones"]
    assert b"555-0142" not in await hasty.export()


async def test_an_erasure_ends_in_its_operation_with_its_receipt(
    hasty: Served, patient: Served
) -> None:
    await patient.a_life()
    await hasty.a_life()

    waited = (await patient.http.delete(ANA)).json()
    operation = await hasty.ended(await hasty.http.delete(ANA))

    assert (operation["kind"], operation["status"]) == ("erase", "succeeded")
    receipt = operation["result"]
    assert receipt.keys() == waited.keys()
    assert [one["store"] for one in receipt["stores"]] == [one["store"] for one in waited["stores"]]
    assert {one["remaining"] for one in receipt["stores"]} == {0}
    assert await hasty.export() == b""


async def test_an_import_ends_in_its_operation_as_it_would_have_been_answered(
    hasty: Served, patient: Served
) -> None:
    for system in (hasty, patient):
        await system.a_life()
    texts = [await hasty.export(), await patient.export()]
    await hasty.ended(await hasty.http.delete(ANA))
    await patient.http.delete(ANA)

    waited = await patient.http.post(f"{ANA}/import", content=texts[1], headers=LINES)
    operation = await hasty.ended(
        await hasty.http.post(f"{ANA}/import", content=texts[0], headers=LINES)
    )

    assert (operation["kind"], operation["status"]) == ("import", "succeeded")
    assert operation["result"] == waited.json()
    assert await hasty.export() == texts[0]


async def test_the_same_key_is_told_of_the_same_operation(hasty: Served) -> None:
    await hasty.a_life()
    text = await hasty.export()
    key = {"Idempotency-Key": "k1"}

    erased = [await hasty.http.delete(ANA, headers=key)]
    first = await hasty.ended(erased[0])
    erased.append(await hasty.http.delete(ANA, headers=key))
    import_path, headers = f"{ANA}/import", {**LINES, **key}
    brought = [await hasty.http.post(import_path, content=text, headers=headers)]
    second = await hasty.ended(brought[0])
    brought.append(await hasty.http.post(import_path, content=text, headers=headers))

    # By the second call each has ended, and its result is the answer.
    assert (erased[1].status_code, erased[1].json()) == (200, first["result"])
    assert (brought[1].status_code, brought[1].json()) == (200, second["result"])
    assert await hasty.export() == text


# --- through the SDK --------------------------------------------------------------------------


async def test_the_sdk_waits_for_what_goes_on(hasty: Served) -> None:
    memory_id = await hasty.a_life()

    forgot = await hasty.sdk.forget("ana", [memory_id])
    text = await hasty.export()
    receipt = await hasty.sdk.erase_user("ana")
    brought = await hasty.sdk.import_user("ana", text)

    assert forgot.forgotten == (memory_id,)
    assert {one.remaining for one in receipt.stores} == {0}
    assert brought.turns["added"] == 2
    accepted = [path for path, status in hasty.transport.answered if status == 202]
    assert accepted == [f"{ANA}/forget", ANA, f"{ANA}/import"]
    asked = [path for path, _ in hasty.transport.answered if path.startswith("/v1/operations/")]
    assert len(set(asked)) == 3


async def test_the_sdk_raises_what_an_import_failed_for(hasty: Served) -> None:
    await hasty.a_life()
    text = await hasty.export()
    # Its turns belong to a session that no line tells of.
    lines = b"".join(
        line for line in text.splitlines(keepends=True) if b'"type":"session"' not in line
    )
    await hasty.sdk.erase_user("ana")

    with pytest.raises(InvalidInput, match="session"):
        await hasty.sdk.import_user("ana", lines)

    assert (f"{ANA}/import", 202) in hasty.transport.answered
    assert await hasty.export() == b""


async def test_what_goes_on_when_the_gateway_stops_is_ended_by_the_next_one(
    tmp_path: Path,
) -> None:
    async with served(tmp_path, wait_s=0) as system:
        await system.a_life()
        answer = await system.http.delete(ANA)

    async with served(tmp_path, wait_s=0) as system:
        operation = await system.ended(answer)

        assert operation["status"] == "succeeded"
        assert await system.export() == b""
