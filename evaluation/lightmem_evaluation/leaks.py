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
from lightmem_evaluation.leak_secrets import Person, Secret, people
from lightmem_evaluation.leak_world import World
from lightmem_evaluation.metadata import metadata
from lightmem_evaluation.output import write_results
from local_system.system import System

K = 3
AT_ONCE = 4
#: Rules alone: what a small model adds is proposed to the same code, and takes hours here.
ENV = {"LIGHTMEM_MODEL_URL": "", "LIGHTMEM_DREAMS": "off"}
#: Words of what exactly two people say.
OF_TWO_WORDS = ("parrot", "velvet")
SHARED_NAMES = {"dog", "fear of thunder", "yoga", "relax", "rain", "happy"}


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
