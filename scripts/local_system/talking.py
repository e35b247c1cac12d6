"""A stream of writes that does not give up: what a careful client does while parts are killed."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

RETRIED = {429, 502, 503, 504}
RETRY_PAUSE_S = 0.2
FINAL = {"stored", "duplicate", "no_facts", "quarantined", "rejected"}


@dataclass(slots=True)
class Conversation:
    """Says sentences of one user in one session, each call once in effect however often sent."""

    client: httpx.AsyncClient
    user_id: str
    session_id: str = "s1"
    said: list[str] = field(default_factory=list)
    operations: list[str] = field(default_factory=list)

    async def say(self, sentences: Sequence[str], *, patience_s: float = 180.0) -> None:
        """Send the sentences as turns of one call, and again until the gateway has taken them."""
        body = {
            "session_id": self.session_id,
            "turns": [
                {"role": "user", "speaker": "Marisol", "content": sentence}
                for sentence in sentences
            ],
        }
        key = {"Idempotency-Key": f"{self.session_id}-{len(self.operations)}"}
        path = f"/v1/users/{self.user_id}/turns"
        async with asyncio.timeout(patience_s):
            accepted = await self._sent(path, body, key)
        self.said += sentences
        self.operations.append(accepted["operation_id"])

    async def _sent(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> dict[str, Any]:
        while True:
            try:
                answer = await self.client.post(path, json=body, headers=dict(headers))
            except httpx.TransportError:
                answer = None
            if answer is not None and answer.status_code not in RETRIED:
                answer.raise_for_status()
                accepted: dict[str, Any] = answer.json()
                return accepted
            await asyncio.sleep(RETRY_PAUSE_S)

    async def recall(self, query: str) -> dict[str, Any]:
        """Ask; a recall is never refused, so nothing is sent again."""
        answer = await self.client.post(f"/v1/users/{self.user_id}/recall", json={"query": query})
        answer.raise_for_status()
        recalled: dict[str, Any] = answer.json()
        return recalled

    async def recall_undegraded(self, query: str, *, patience_s: float = 120.0) -> dict[str, Any]:
        """Ask until nothing had to be done without."""
        async with asyncio.timeout(patience_s):
            while True:
                recalled = await self.recall(query)
                if not recalled["degraded"]:
                    return recalled
                await asyncio.sleep(RETRY_PAUSE_S)

    async def ended(self, *, patience_s: float = 300.0) -> list[dict[str, Any]]:
        """Every operation once all have ended."""
        async with asyncio.timeout(patience_s):
            return [await self._ended(operation) for operation in self.operations]

    async def _ended(self, operation_id: str) -> dict[str, Any]:
        while True:
            answer = await self.client.get(f"/v1/operations/{operation_id}")
            if answer.status_code not in RETRIED:
                answer.raise_for_status()
                operation: dict[str, Any] = answer.json()
                if operation["status"] in {"succeeded", "failed"}:
                    return operation
            await asyncio.sleep(RETRY_PAUSE_S)

    async def turns(self) -> list[dict[str, Any]]:
        """Every turn that the system has of the session, oldest first."""
        parameters = {"session_id": self.session_id, "limit": "200"}
        return await self._pages(f"/v1/users/{self.user_id}/turns", parameters)

    async def memories(self) -> list[dict[str, Any]]:
        """Every active memory of the user."""
        parameters = {"status": "active", "limit": "200"}
        return await self._pages(f"/v1/users/{self.user_id}/memories", parameters)

    async def _pages(self, path: str, parameters: dict[str, str]) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        while True:
            answer = await self.client.get(path, params=parameters)
            answer.raise_for_status()
            items += answer.json()["items"]
            if (cursor := answer.json()["next_cursor"]) is None:
                return items
            parameters = {**parameters, "cursor": cursor}
