"""A tenant of its own over HTTP, for tests of the API."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from lightmem.domain.ids import new_id
from local_system.system import System


@dataclass(frozen=True, slots=True)
class Api:
    """Clients of one system: `admin` of the installation, `tenant` of a fresh tenant."""

    system: System
    stack: AsyncExitStack
    admin: httpx.AsyncClient
    tenant: httpx.AsyncClient
    tenant_id: str

    async def user(self, user_id: str) -> httpx.AsyncClient:
        """A client with a key of one user of the tenant."""
        body = {"role": "user", "user_id": user_id}
        made = await self.admin.post(f"/v1/admin/tenants/{self.tenant_id}/keys", json=body)
        made.raise_for_status()
        return await self.with_key(made.json()["key"])

    async def with_key(self, key: str) -> httpx.AsyncClient:
        """A client with a key."""
        return await self.stack.enter_async_context(self.system.client(key))

    async def other_tenant(self) -> httpx.AsyncClient:
        """A client with a key of another fresh tenant."""
        other = await self.system.new_tenant("other")
        return await self.with_key(other.key)

    async def with_tenant(self, name: str, *, k_anonymity: int) -> "Api":
        """The API with a fresh tenant that serves what so many of its users say."""
        access = await self.system.new_tenant(name, k_anonymity=k_anonymity)
        tenant = await self.with_key(access.key)
        return Api(self.system, self.stack, self.admin, tenant, access.tenant_id)


@asynccontextmanager
async def fresh_api(system: System) -> AsyncIterator[Api]:
    """The API with a tenant that nobody else uses."""
    access = await system.new_tenant("api")
    async with AsyncExitStack() as stack:
        admin = await stack.enter_async_context(system.client())
        tenant = await stack.enter_async_context(system.client(access.key))
        yield Api(system, stack, admin, tenant, access.tenant_id)


def user_path(user_id: str, rest: str) -> str:
    """A path below a user, the id encoded."""
    return f"/v1/users/{quote(user_id, safe='')}/{rest}"


def turns_of(*contents: str, **fields: Any) -> list[dict[str, Any]]:
    """Turns of the user role."""
    return [{"role": "user", "content": content, **fields} for content in contents]


async def say(
    client: httpx.AsyncClient,
    user_id: str,
    *contents: str,
    session_id: str = "s1",
    wait: str = "none",
    headers: Mapping[str, str] | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """Remember turns; the answer."""
    body = {"session_id": session_id, "turns": turns_of(*contents, **fields), "wait": wait}
    answer = await client.post(user_path(user_id, "turns"), json=body, headers=headers)
    assert answer.status_code in {200, 202}, answer.text
    answered: dict[str, Any] = answer.json()
    return answered


async def recall(client: httpx.AsyncClient, user_id: str, query: str, **fields: Any) -> Any:
    """Recall; the answer."""
    answer = await client.post(user_path(user_id, "recall"), json={"query": query, **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()


def assert_problem(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """The answer is this problem, and whole."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = answer.json()
    assert document["code"] == code
    assert document["status"] == status
    assert document["request_id"] == answer.headers["x-request-id"]
    assert {"type", "title", "detail"} <= document.keys()
    return document


def refused_fields(answer: httpx.Response, code: str = "INVALID_INPUT") -> Sequence[str]:
    """The fields that a 422 names."""
    return [error["field"] for error in assert_problem(answer, 422, code)["errors"]]


async def bring_memories(client: httpx.AsyncClient, user_id: str, *texts: str) -> None:
    """Let a user have memories of just these words, each of a session of its own, whatever a
    Writer would have made of them."""
    at = "2024-05-08T12:00:00+00:00"
    lines: list[dict[str, Any]] = []
    for place, text in enumerate(texts):
        session, turn, memory = f"b{place}", new_id(), new_id()
        stated = {
            "version": 1,
            "kind": "fact",
            "text": text,
            "language": "en",
            "entities": [],
            "status": "active",
            "recorded_at": at,
            "valid_from": None,
            "valid_to": None,
            "valid_precision": None,
            "superseded_at": None,
            "superseded_by": None,
        }
        told = {"role": "user", "speaker": None, "content": text, "occurred_at": at}
        kept: dict[str, Any] = {"recorded_at": at, "client_id": None, "metadata": {}}
        span = {"first_at": at, "last_at": at, "turns": 1, "last_seq": 1}
        used = {"utility": 0.5, "access_count": 0, "last_accessed_at": None}
        sources = [{"turn_id": turn, "quote": text}]
        lines += [
            {"type": "session", "session_id": session, **span},
            {"type": "turn", "id": turn, "session_id": session, "seq": 1, **told, **kept},
            {"type": "memory", "id": memory, "sources": sources, **used, **stated},
            {"type": "memory_version", "memory_id": memory, **stated},
        ]
    answer = await client.post(
        user_path(user_id, "import"),
        content="".join(json.dumps(line) + "\n" for line in lines),
        headers={"Content-Type": "application/x-ndjson"},
    )
    assert answer.status_code == 200, answer.text
