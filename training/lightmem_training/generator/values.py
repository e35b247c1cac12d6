"""Values that fill slots: a surface with synonyms and hypernyms."""

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Value:
    """One entry of a pool, written `salad bowl = serving dish < tableware, vessel`.

    A leading `~` says that it takes no article (a mass, a plural, a proper name).
    """

    text: str
    synonyms: tuple[str, ...] = ()
    hypernyms: tuple[str, ...] = ()
    bare: bool = False

    def asked(self, rng: Random) -> str:
        """How a question may name it: as it was said, by a synonym, or more widely."""
        draw = rng.random()
        if draw < 0.10 and self.hypernyms:
            return rng.choice(self.hypernyms)
        if draw < 0.22 and self.synonyms:
            return rng.choice(self.synonyms)
        return self.text

    def synonym(self, rng: Random) -> str:
        """Another word for it, or its own."""
        return rng.choice(self.synonyms) if self.synonyms else self.text

    def hypernym(self, rng: Random) -> str:
        """A wider word for it, or a synonym, or its own."""
        return rng.choice(self.hypernyms) if self.hypernyms else self.synonym(rng)


def parse_value(text: str) -> Value:
    """The value that an entry writes."""
    left, _, wide = text.partition("<")
    surface, _, same = left.partition("=")
    surface = surface.strip()
    return Value(surface.removeprefix("~"), _list(same), _list(wide), bare=surface.startswith("~"))


def _list(text: str) -> tuple[str, ...]:
    return tuple(entry for part in text.split(",") if (entry := part.strip()))
