"""An attacker with one account: he plants guesses, and must not tell a right one from a wrong."""

from collections.abc import Sequence
from typing import Any

import httpx

from lightmem_evaluation.leak_search import plain_of
from lightmem_evaluation.leak_secrets import RIGHT, WRONG, Secret

#: Sentences that promotion reads, with a guess in them.
FRAMES = (
    "My dog is afraid of {}.",
    "My dog is really scared of {}, every time.",
    "{} makes me happy.",
    "{} always makes me happy!",
    "My neighbour is called {}.",
)
QUESTIONS = ("Who is {}?", "What do you know about {}?", "{}")


def guesses_of(secrets: Sequence[Secret]) -> list[tuple[str, str]]:
    """A right guess and a wrong one of the same shape: of secret words, and of general ones."""
    words = [secret.text for secret in secrets if secret.language == "en" and secret.kind == "name"]
    return [(RIGHT, WRONG), *((word, word[::-1].capitalize()) for word in words)]


def planted(guess: str) -> list[str]:
    """What the attacker says about a guess."""
    return [frame.format(guess) for frame in FRAMES]


async def seen(client: httpx.AsyncClient, user_id: str, guess: str) -> list[str]:
    """All that the attacker sees when he asks about a guess, the guess itself taken out."""
    answers: list[Any] = []
    for question in QUESTIONS:
        body = {"query": question.format(guess), "top_k": 20, "layers": ["long_term"]}
        answer = await client.post(f"/v1/users/{user_id}/recall", json=body)
        answers.append((answer.status_code, answer.json()["items"], answer.json()["degraded"]))
    answer = await client.get("/v1/concepts", params={"query": guess})
    answers.append((answer.status_code, answer.json()))
    return [plain_of(str(each)).replace(plain_of(guess), "?") for each in answers]
