"""Personas: a name, a way of speaking, the people around them and the themes of their lives."""

from dataclasses import dataclass, field
from random import Random

from lightmem_training.generator.english import HE, SHE, THEY, Pronouns
from lightmem_training.generator.library import Library, Theme
from lightmem_training.generator.values import Value

#: How many themes of each kind a life has: the least and the most.
_LIFE = {"hobby": (1, 3), "job": (1, 1), "venture": (0, 1), "study": (0, 1), "cause": (0, 1)}


@dataclass(slots=True)
class Persona:
    """Somebody who talks, with what is fixed about them and what they have used up."""

    name: str
    pronouns: Pronouns
    themes: list[Theme]
    kin: list[Value]
    style: str
    is_assistant: bool = False
    told: set[tuple[str, str]] = field(default_factory=set)
    spent: set[tuple[str, str]] = field(default_factory=set)

    def themes_of(self, kind: str) -> list[Theme]:
        """The themes of one kind."""
        return [theme for theme in self.themes if theme.kind == kind]


def make_people(library: Library, rng: Random, *, count: int, assistant: bool) -> list[Persona]:
    """The speakers of a conversation; half the time two of them share a theme."""
    taken: set[str] = set()
    people = [_persona(library, rng, taken) for _ in range(count)]
    if len(people) > 1 and not assistant and people[0].themes and rng.random() < 0.55:
        shared = rng.choice(people[0].themes)
        if all(theme.name != shared.name for theme in people[1].themes):
            people[1].themes.append(shared)
    if assistant:
        people.append(Persona("Assistant", THEY, [], [], "plain", is_assistant=True))
    return people


def _persona(library: Library, rng: Random, taken: set[str]) -> Persona:
    pools = [("names.she", SHE), ("names.he", HE)] + (
        [("names.they", THEY)] if "names.they" in library.values and rng.random() < 0.06 else []
    )
    pool, pronouns = rng.choice(pools)
    name = _unused(library, pool, rng, taken)
    themes = []
    for kind, (least, most) in _LIFE.items():
        known = library.themes.get(kind, ())
        themes += rng.sample(known, min(len(known), rng.randint(least, most)))
    kin = [person for sex in ("she", "he") for person in _kin(library, rng, taken, sex)]
    style = rng.choice(["plain", "plain", "warm", "short", "casual", "casual"])
    return Persona(name, pronouns, themes, kin, style)


def _kin(library: Library, rng: Random, taken: set[str], sex: str) -> list[Value]:
    """People around somebody, each a relation and a name: `my cousin Ines`."""
    relations = library.values.get(f"relations.{sex}", ())
    found = []
    for relation in rng.sample(relations, min(len(relations), 4)):
        called = _unused(library, f"names.kin.{sex}", rng, taken)
        space = "" if library.language == "zh" else " "
        wider = (relation.text, *relation.hypernyms)
        found.append(Value(f"{relation.text}{space}{called}", (called,), wider, bare=True))
    return found


def _unused(library: Library, pool: str, rng: Random, taken: set[str]) -> str:
    names = [value.text for value in library.values[pool] if value.text not in taken]
    name = rng.choice(names or [value.text for value in library.values[pool]])
    taken.add(name)
    return name
