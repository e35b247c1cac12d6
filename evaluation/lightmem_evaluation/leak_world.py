"""A running system with people in it: what they say and dream, and what others see of it."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any

import httpx

from lightmem_evaluation.leak_search import Leak, Searched
from lightmem_evaluation.leak_secrets import Person, Secret
from local_system.system import System, TenantAccess

PATIENCE_S = 900.0
UNKNOWN = "00000000-0000-4000-8000-000000000000"


class World:
    """One tenant of a running system, and the people in it."""

    def __init__(self, system: System, access: TenantAccess, stack: AsyncExitStack) -> None:
        self.system = system
        self._access = access
        self._stack = stack
        self.searched = Searched()
        #: Where secrets are, so that it is seen that the search finds them.
        self.at_home = Searched()
        self.tenant: httpx.AsyncClient
        self.admin: httpx.AsyncClient

    async def open(self) -> None:
        """Connect with the keys of the tenant and of the installation."""
        self.tenant = await self._client(self._access.key)
        self.admin = await self._client(None)

    async def user(self, user_id: str) -> httpx.AsyncClient:
        """A client with a key of one user."""
        path = f"/v1/admin/tenants/{self._access.tenant_id}/keys"
        made = await self.admin.post(path, json={"role": "user", "user_id": user_id})
        made.raise_for_status()
        return await self._client(made.json()["key"])

    async def _client(self, key: str | None) -> httpx.AsyncClient:
        return await self._stack.enter_async_context(self.system.client(key, timeout_s=300.0))

    # --- saying and dreaming ----------------------------------------------------------------

    async def says(self, user_id: str, sentences: Sequence[str]) -> None:
        """Let somebody say sentences, wait until they are learnt, and dream of them."""
        turns = [{"role": "user", "content": sentence} for sentence in sentences]
        body = {"session_id": "s1", "turns": turns, "wait": "written"}
        answer = await self.tenant.post(f"/v1/users/{user_id}/turns", json=body)
        answer.raise_for_status()
        await self.until(
            f"/v1/operations/{answer.json()['operation_id']}",
            lambda operation: operation["status"] in {"succeeded", "failed"},
        )
        await self.dream(user_id)

    async def dream(self, user_id: str) -> str:
        """Dream, and apply what passed; the dream's id."""
        asked = await self.tenant.post(f"/v1/users/{user_id}/dreams", json={"policy": "auto"})
        asked.raise_for_status()
        dream_id: str = asked.json()["dream_id"]
        await self.until(
            f"/v1/dreams/{dream_id}", lambda dream: dream["status"] not in {"planning", "review"}
        )
        return dream_id

    async def settle(self) -> None:
        """Wait until no job is left that could bring something into the graph."""
        previous: list[Any] | None = None
        for _ in range(60):
            current = await self.concepts()
            if current == previous:
                return
            previous = current
            await asyncio.sleep(2.0)

    async def until(self, path: str, is_so: Any) -> Any:
        """The answer of a route once it is so."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                answer = (await self.tenant.get(path)).json()
                if is_so(answer):
                    return answer
                await asyncio.sleep(0.2)

    # --- looking ----------------------------------------------------------------------------

    async def concepts(self, client: httpx.AsyncClient | None = None) -> list[Any]:
        """All that is served, every page of it."""
        found: list[Any] = []
        cursor = None
        while True:
            params = {"limit": "200", **({"cursor": cursor} if cursor else {})}
            page = (await (client or self.tenant).get("/v1/concepts", params=params)).json()
            found += page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return found

    async def look_at_concepts(self, secrets: Sequence[Secret]) -> list[Any]:
        """Look through every concept, edge and neighbourhood; what is served."""
        served = await self.concepts()
        for concept in served:
            for rest in ("", "/neighbourhood?depth=2"):
                answer = await self.tenant.get(f"/v1/concepts/{concept['id']}{rest}")
                self.searched.look("concepts", answer.text, secrets)
        self.searched.look("concepts", str(served), secrets)
        return served

    async def look_as(self, client: httpx.AsyncClient, user_id: str, person: Person) -> None:
        """Ask, as somebody else, for each secret of a person, and look at what comes back."""
        for secret in person.secrets:
            for query in (secret.text, f"What do you know about {secret.text}?"):
                body = {"query": query, "explain": True, "top_k": 20}
                answer = (await client.post(f"/v1/users/{user_id}/recall", json=body)).json()
                del answer["plan"]  # It repeats the question.
                self.searched.look("recall of another", str(answer), [secret])
            found = await client.get("/v1/concepts", params={"query": secret.text})
            self.searched.look("concepts by query", found.text, [secret])
        for query in ("Where do my neighbours live?", "What are dogs afraid of?", "狗怕什么?"):
            body = {"query": query, "explain": True, "top_k": 50}
            text = (await client.post(f"/v1/users/{user_id}/recall", json=body)).text
            self.searched.look("recall of another", text, person.secrets)

    async def look_at_foreign(self, client: httpx.AsyncClient, person: Person) -> None:
        """Read what belongs to a person with the key of another: ids, exports, lists."""
        own = await self._ids_of(person.user_id)
        paths = [f"/v1/turns/{each}" for each in own["turns"]]
        paths += [
            f"/v1/memories/{each}{rest}" for each in own["memories"] for rest in ("", "/history")
        ]
        paths += [f"/v1/dreams/{each}" for each in own["dreams"]]
        paths += [
            f"/v1/users/{person.user_id}/{rest}"
            for rest in ("turns", "memories", "dreams", "sessions", "tombstones", "export")
        ]
        for path in paths:
            answer = await client.get(path)
            self.searched.look("foreign ids", answer.text, person.secrets)
            if answer.status_code != 404:
                self._leak(person, f"{answer.status_code} for a foreign path")

    def _leak(self, person: Person, where: str) -> None:
        self.searched.leaks.append(Leak("access", person.language, person.user_id, where, "status"))

    async def _ids_of(self, user_id: str) -> dict[str, list[str]]:
        found = {}
        for what in ("turns", "memories", "dreams"):
            page = (await self.tenant.get(f"/v1/users/{user_id}/{what}?limit=200")).json()
            found[what] = [item["id"] for item in page["items"]]
        return found

    async def look_at_exports(self, everybody: Sequence[Person]) -> None:
        """Look in each one's export for the secrets of all others, and for his own, to be found."""
        for person in everybody:
            text = (await self.tenant.get(f"/v1/users/{person.user_id}/export")).text
            self.at_home.look("own export", text, person.secrets)
            others = [each for one in everybody if one is not person for each in one.secrets]
            self.searched.look("exports of others", text, others)

    async def look_at_errors(self, secrets: Sequence[Secret]) -> None:
        """Make errors about what is secret in the system, and look at their words."""
        for path in ("/v1/turns/x", f"/v1/concepts/{UNKNOWN}", "/v1/concepts?cursor=x", "/v1/none"):
            self.searched.look("errors", (await self.tenant.get(path)).text, secrets)
        answer = await self.tenant.post("/v1/users/x/recall", json={"query": ""})
        self.searched.look("errors", answer.text, secrets)

    async def look_at_operators(self, secrets: Sequence[Secret]) -> None:
        """Look in what operators see: metrics, readiness, audit, and the logs of every part."""
        for path in ("/metrics", "/readyz"):
            self.searched.look("metrics", (await self.admin.get(path)).text, secrets)
        self.searched.look("audit", (await self.tenant.get("/v1/audit?limit=200")).text, secrets)
        for part in self.system.parts:
            self.searched.look("logs", self.system.log(part), secrets)
