"""Concepts over HTTP: what dreams promote, once enough users say it, and no sooner."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from local_system.system import System
from support.api import Api, assert_problem, fresh_api, recall, refused_fields, say, user_path

DOG = ("My dog is afraid of thunderstorms.", "My dog Max is really scared of thunderstorms!")
UNKNOWN = "00000000-0000-4000-8000-000000000000"
WITHIN_S = 60.0


@pytest.fixture
async def api(system: System) -> AsyncIterator[Api]:
    async with fresh_api(system) as fresh:
        yield fresh


async def dreamt(api: Api, user_id: str, *sentences: str) -> str:
    """Let a user say something and dream of it; the id of the applied dream."""
    for number, sentence in enumerate(sentences):
        await say(api.tenant, user_id, sentence, session_id=f"s{number}", wait="written")
    asked = await api.tenant.post(user_path(user_id, "dreams"), json={"policy": "auto"})
    assert asked.status_code == 202, asked.text
    dream_id: str = asked.json()["dream_id"]
    await until(api, f"/v1/dreams/{dream_id}", lambda dream: dream["status"] == "applied")
    return dream_id


async def until(api: Api, path: str, is_so: Any) -> Any:
    """The answer of a route once it is so."""
    async with asyncio.timeout(WITHIN_S):
        while True:
            answer = (await api.tenant.get(path)).json()
            if is_so(answer):
                return answer
            await asyncio.sleep(0.1)


async def named(api: Api, *names: str) -> list[Any]:
    """The concepts of these names, once all are served."""

    def has_all(page: Any) -> bool:
        return set(names) <= {concept["name"] for concept in page["items"]}

    page = await until(api, "/v1/concepts", has_all)
    by_name = {concept["name"]: concept for concept in page["items"]}
    return [by_name[name] for name in names]


async def settled(api: Api, user_ids: Sequence[str]) -> None:
    """Wait until what was promoted must have reached the graph, by a promotion of others after it.

    The others belong to no tenant that is looked at: they show that the worker has gone on.
    """
    async with asyncio.timeout(WITHIN_S):
        for user_id in user_ids:
            await dreamt(api, f"{user_id} again", "Rain makes me sad.")


async def test_what_three_users_say_is_served_and_what_two_say_is_not(api: Api) -> None:
    for user_id in ("ana", "ben"):
        await dreamt(api, user_id, *DOG)
    await settled(api, ["ana"])
    before = (await api.tenant.get("/v1/concepts")).json()
    query = (await api.tenant.get("/v1/concepts", params={"query": "dog"})).json()
    shared_before = await recall(api.tenant, "eve", "What are dogs afraid of?")

    await dreamt(api, "cho", *DOG)
    dog, fear = await named(api, "dog", "fear of thunderstorm")

    assert before == {"items": [], "next_cursor": None}
    assert query["items"] == []
    assert shared_before["items"] == []
    assert dog.keys() == {"id", "type", "name", "description", "support", "weight", "edges"}
    assert (dog["type"], dog["support"]) == ("Concept", 3)
    assert 0 < dog["weight"] < 1
    [edge] = dog["edges"]
    assert edge == {
        "relation": "RelatedTo",
        "target_id": fear["id"],
        "target_name": "fear of thunderstorm",
        "weight": edge["weight"],
        "support": 3,
    }
    assert dog["description"] == "goes with fear of thunderstorm"


async def test_a_concept_is_read_walked_and_recalled(api: Api) -> None:
    for user_id in ("ana", "ben", "cho"):
        await dreamt(api, user_id, *DOG)
    dog, fear = await named(api, "dog", "fear of thunderstorm")

    read = (await api.tenant.get(f"/v1/concepts/{dog['id']}")).json()
    near = (await api.tenant.get(f"/v1/concepts/{dog['id']}/neighbourhood")).json()
    far = await api.tenant.get(f"/v1/concepts/{fear['id']}/neighbourhood", params={"depth": 2})
    found = (await api.tenant.get("/v1/concepts", params={"query": "Thunderstorm"})).json()
    ana = await api.user("ana")
    hers = await ana.get("/v1/concepts")
    general = await recall(api.tenant, "eve", "What are dogs afraid of?")
    personal = await recall(api.tenant, "eve", "What is my dog afraid of?")

    assert read == dog
    assert [(each["name"], each["depth"]) for each in near["items"]] == [
        ("dog", 0),
        ("fear of thunderstorm", 1),
    ]
    assert near["next_cursor"] is None
    assert far.status_code == 200
    assert [concept["name"] for concept in found["items"]][:1] == ["fear of thunderstorm"]
    assert hers.status_code == 200
    [item] = [each for each in general["items"] if each["id"] == dog["id"]]
    assert (item["layer"], item["kind"]) == ("long_term", "concept")
    assert item["text"] == "dog: goes with fear of thunderstorm"
    assert item["source_turn_ids"] == []
    assert personal["items"] == []


async def test_undoing_a_dream_or_erasing_a_user_takes_the_support_away(api: Api) -> None:
    dreams = [await dreamt(api, user_id, *DOG) for user_id in ("ana", "ben", "cho", "dan")]
    [dog] = await named(api, "dog")
    await until(api, f"/v1/concepts/{dog['id']}", lambda each: each.get("support") == 4)

    undone = await api.tenant.post(f"/v1/dreams/{dreams[0]}/undo")
    assert undone.status_code == 200, undone.text
    await until(api, f"/v1/concepts/{dog['id']}", lambda each: each.get("support") == 3)
    erased = await api.tenant.delete("/v1/users/ben")

    assert erased.status_code in {200, 202}, erased.text
    await until(api, f"/v1/concepts/{dog['id']}", lambda each: each.get("status") == 404)
    assert (await api.tenant.get("/v1/concepts")).json()["items"] == []


async def test_another_tenant_and_an_unknown_id_are_not_found_alike(api: Api) -> None:
    for user_id in ("ana", "ben", "cho"):
        await dreamt(api, user_id, *DOG)
    [dog] = await named(api, "dog")
    other = await api.other_tenant()

    for path in (f"/v1/concepts/{dog['id']}", f"/v1/concepts/{dog['id']}/neighbourhood"):
        foreign = assert_problem(await other.get(path), 404, "NOT_FOUND")
        unknown = assert_problem(
            await other.get(path.replace(dog["id"], UNKNOWN)), 404, "NOT_FOUND"
        )
        assert foreign["detail"].replace(dog["id"], UNKNOWN) == unknown["detail"]
    assert (await other.get("/v1/concepts")).json()["items"] == []
    for odd in ("x", "..%2F..", "%00", dog["id"].upper()):
        assert_problem(await api.tenant.get(f"/v1/concepts/{odd}"), 404, "NOT_FOUND")


async def test_what_cannot_be_asked_is_refused_by_name(api: Api) -> None:
    path = f"/v1/concepts/{UNKNOWN}/neighbourhood"

    for depth in ("0", "3", "x"):
        assert refused_fields(await api.tenant.get(path, params={"depth": depth})) == ["depth"]
    for params in ({"limit": "0"}, {"limit": "201"}, {"cursor": "xx"}, {"query": "a\x00"}):
        answer = await api.tenant.get("/v1/concepts", params=params)
        assert refused_fields(answer) == [next(iter(params))]
    assert_problem(await api.tenant.post("/v1/concepts"), 405, "METHOD_NOT_ALLOWED")


async def test_nothing_is_served_for_no_users_at_all(api: Api) -> None:
    body = {"name": "small", "k_anonymity": 0}

    assert refused_fields(await api.admin.post("/v1/admin/tenants", json=body)) == ["k_anonymity"]


async def test_a_tenant_of_one_person_has_his_own_general_knowledge(api: Api) -> None:
    alone = await api.with_tenant("small", k_anonymity=1)

    await dreamt(alone, "ana", *DOG)
    [dog] = await named(alone, "dog")

    assert dog["support"] == 1


async def test_lists_page_through_all_that_is_served(api: Api) -> None:
    things = [f"{thing} makes me happy." for thing in ("Running", "Music", "Rain", "Coffee")]
    for user_id in ("ana", "ben", "cho"):
        await dreamt(api, user_id, *things, *(f"{each[:-1]}!" for each in things))
    await named(api, "running", "music", "rain", "coffee", "happy")

    names: list[str] = []
    cursor = None
    while True:
        params = {"limit": "2", **({"cursor": cursor} if cursor else {})}
        page = (await api.tenant.get("/v1/concepts", params=params)).json()
        names += [concept["name"] for concept in page["items"]]
        assert len(page["items"]) <= 2
        cursor = page["next_cursor"]
        if cursor is None:
            break

    assert sorted(names) == ["coffee", "happy", "music", "rain", "running"]
