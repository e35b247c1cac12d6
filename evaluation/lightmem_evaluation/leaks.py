"""`python -m lightmem_evaluation.leaks`: does anybody's life show through what users share?

Many people plant secrets in three languages, in words and in the very sentences that promotion
reads; some things many of them share, one thing exactly two do. Dreams run. Then everything that
somebody else may see is looked through for each secret: concepts and their neighbourhoods, recalls
of others with their explanations, exports, answers to foreign ids, errors, metrics, logs. An
attacker with an account of his own plants right and wrong guesses and must not be able to tell them
apart. At last users are erased: support falls, and what falls below k is served no more.

    PYTHONPATH=scripts:evaluation:tests python -m lightmem_evaluation.leaks --mode embedded
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import httpx

from lightmem_evaluation.leak_attack import guesses_of, planted, seen
from lightmem_evaluation.leak_search import Leak, Searched
from lightmem_evaluation.leak_secrets import Person, Secret, people
from lightmem_evaluation.metadata import metadata
from lightmem_evaluation.output import write_results
from local_system.system import System, TenantAccess

K = 3
PATIENCE_S = 900.0
AT_ONCE = 4
#: Rules alone: what a small model adds is proposed to the same code, and takes hours here.
ENV = {"LIGHTMEM_MODEL_URL": "", "LIGHTMEM_DREAMS": "off"}
UNKNOWN = "00000000-0000-4000-8000-000000000000"
#: Words of what exactly two people say.
OF_TWO_WORDS = ("parrot", "velvet")
SHARED_NAMES = {"dog", "fear of thunder", "yoga", "relax", "rain", "happy"}


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


async def measure(world: World, everybody: Sequence[Person]) -> dict[str, Any]:
    """Everything in its order; what was found."""
    secrets = [secret for person in everybody for secret in person.secrets]
    await _say_all(world, everybody)
    await world.settle()
    observer = await world.user("observer")
    served = await world.look_at_concepts(secrets)
    for person in everybody:
        await world.look_as(observer, "observer", person)
        await world.look_at_foreign(observer, person)
    await world.look_at_exports(everybody)
    await world.look_at_errors(secrets)
    await world.look_at_operators(secrets)
    below_k = await _of_two(world, observer)
    attack = await _attack(world, secrets)
    erasure = await _erase(world, everybody)
    await world.look_at_concepts(secrets)
    names = {concept["name"] for concept in served}
    return {
        "secrets": len(secrets),
        "probes": world.searched.probes,
        "leaks": len(world.searched.leaks)
        + below_k
        + attack["told_apart"]
        + erasure["still_served"],
        "found_at_home": len(world.at_home.leaks),
        "k_anonymity": K,
        "users": len(everybody),
        "probes_by_surface": world.searched.surfaces,
        "found": [asdict(leak) for leak in world.searched.leaks],
        "served_concepts": sorted(names),
        "shared_things_served": sorted(names & SHARED_NAMES),
        "shown_of_what_two_said": below_k,
        "attacker": attack,
        "erasure": erasure,
    }


async def _say_all(world: World, everybody: Sequence[Person]) -> None:
    gate = asyncio.Semaphore(AT_ONCE)

    async def say(person: Person) -> None:
        async with gate:
            await world.says(person.user_id, person.says)

    await asyncio.gather(*(say(person) for person in everybody))


async def _of_two(world: World, observer: httpx.AsyncClient) -> int:
    """In how many places something shows that exactly two people said."""
    shown = 0
    for client in (world.tenant, observer):
        texts = [str(await world.concepts(client))]
        for query in (*OF_TWO_WORDS, "What are parrots afraid of?"):
            found = await client.get("/v1/concepts", params={"query": query})
            texts.append(found.text)
            body = {"query": query, "layers": ["long_term"]}
            answer = (await client.post("/v1/users/observer/recall", json=body)).json()
            texts.append(str(answer["items"]))
        shown += sum(word in text for text in texts for word in OF_TWO_WORDS)
        world.searched.probes += len(OF_TWO_WORDS) * len(texts)
    return shown


async def _attack(world: World, secrets: Sequence[Secret]) -> dict[str, int]:
    """Right and wrong guesses, planted by one account: how many were told apart."""
    guesses = guesses_of(secrets)
    attacker = await world.user("attacker")
    says = [sentence for pair in guesses for guess in pair for sentence in planted(guess)]
    await world.says("attacker", says)
    await world.settle()
    told = 0
    for right, wrong in guesses:
        told += await seen(attacker, "attacker", right) != await seen(attacker, "attacker", wrong)
        world.searched.probes += 1
    return {"guesses": len(guesses), "told_apart": told}


async def _erase(world: World, everybody: Sequence[Person]) -> dict[str, Any]:
    """Erase those who share, one after the other: the support after each, and what stays served."""
    sharing = [person for person in everybody if person.language == "en"]
    [dog] = [concept for concept in await world.concepts() if concept["name"] == "dog"]
    supports, wrong = [dog["support"]], 0
    for person in sharing:
        await _erased(world, person.user_id)
        left = supports[-1] - 1 if supports[-1] else 0
        answer = await world.tenant.get(f"/v1/concepts/{dog['id']}")
        supports.append(answer.json()["support"] if answer.status_code == 200 else 0)
        wrong += supports[-1] != (left if left >= K else 0)
    left_over = await world.concepts()
    return {"support_after_each": supports, "still_served": wrong + len(left_over)}


async def _erased(world: World, user_id: str) -> None:
    answer = await world.tenant.delete(f"/v1/users/{user_id}")
    answer.raise_for_status()
    if answer.status_code == 202:
        path = f"/v1/operations/{answer.json()['operation_id']}"
        await world.until(path, lambda operation: operation["status"] == "succeeded")


async def run(mode: str, *, count: int, seed: int) -> dict[str, Any]:
    """Start a system of the mode, measure, and end it."""
    everybody = people(count, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        system = System(mode, Path(folder) / "run", env=ENV)
        try:
            await asyncio.to_thread(system.start_all)
            async with AsyncExitStack() as stack:
                world = World(system, await system.new_tenant("leaks", k_anonymity=K), stack)
                await world.open()
                return await measure(world, everybody)
        finally:
            await asyncio.to_thread(system.end)


def main() -> int:
    """Measure, write, and fail where anything leaked or nothing was shared at all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mode", choices=("embedded", "distributed"), default="embedded")
    parser.add_argument("--people", type=int, default=6, help="of each language")
    parser.add_argument("--seed", type=int, default=20240508)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    begun = time.monotonic()
    found = asyncio.run(run(given.mode, count=given.people, seed=given.seed))
    results: Mapping[str, Any] = {
        **found,
        "mode": given.mode,
        "seconds": round(time.monotonic() - begun),
        "metadata": metadata(),
    }
    write_results(given.out, results)
    print({key: results[key] for key in ("secrets", "probes", "leaks", "served_concepts")})
    finds_all = found["found_at_home"] == found["secrets"]
    is_vacuous = set(found["shared_things_served"]) != SHARED_NAMES or not finds_all
    return 1 if found["leaks"] or is_vacuous else 0


if __name__ == "__main__":
    sys.exit(main())
