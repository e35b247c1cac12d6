"""Made-up turns and questions for measures of time, the same at every run."""

import random
from datetime import UTC, datetime, timedelta

from lightmem.client import SaidTurn
from lightmem_evaluation.scoring import SEED

PEOPLE = ("Ana", "Bruno", "Chika", "Dmitri", "Esma", "Farid", "Greta", "Hana", "Ivo", "Jun")
PLACES = ("Porto", "Nagoya", "Tartu", "Cusco", "Oran", "Gdansk", "Bergen", "Lyon", "Accra", "Pune")
THINGS = ("kiln", "violin", "greenhouse", "boat", "bakery", "thesis", "garden", "loom", "telescope")
DEEDS = ("bought", "sold", "repaired", "lost", "painted", "moved", "borrowed", "inherited")
MOODS = ("happily", "by mistake", "after years of waiting", "with a friend", "against all advice")
TEMPLATES = (
    "{person} {deed} a {thing} in {place} {mood}, I heard it {days} days ago.",
    "Did I tell you that {person} wants to show the {thing} in {place} next month?",
    "We talked about the {thing} again and {person} laughed, it was {deed} {mood}.",
    "I will be in {place} for {days} days, {person} lends me the {thing}.",
)


def said(count: int) -> list[SaidTurn]:
    """So many turns, with times."""
    chance = random.Random(SEED)
    start = datetime(2024, 1, 1, 9, tzinfo=UTC)
    return [
        SaidTurn(
            sentence(chance),
            speaker=chance.choice(PEOPLE),
            occurred_at=start + timedelta(minutes=45 * place),
        )
        for place in range(count)
    ]


def sentence(chance: random.Random) -> str:
    """One of the sentences that the templates can make."""
    return chance.choice(TEMPLATES).format(
        person=chance.choice(PEOPLE),
        place=chance.choice(PLACES),
        thing=chance.choice(THINGS),
        deed=chance.choice(DEEDS),
        mood=chance.choice(MOODS),
        days=chance.randint(2, 60),
    )


def questions(count: int) -> list[str]:
    """So many questions."""
    chance = random.Random(SEED + 1)
    return [
        f"What did {chance.choice(PEOPLE)} do with the {chance.choice(THINGS)} "
        f"in {chance.choice(PLACES)}?"
        for _ in range(count)
    ]
