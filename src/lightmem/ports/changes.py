"""What proposes that one statement overtakes another, where no rule tells."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class StatedPair:
    """An older and a newer statement of one person, each in its own words."""

    older: str
    newer: str


class ChangeProposer(Protocol):
    """Reads two statements together. It proposes; the Writer's code decides."""

    #: What it is and the start of its hash, for reports.
    name: str
    #: Languages that it reads; of others it knows nothing.
    languages: frozenset[str]
    #: The likelihood from which on it is to be believed, whatever the words.
    threshold: float

    async def overtaking(self, pairs: Sequence[StatedPair]) -> list[float]:
        """How likely the newer of each pair says that the older holds no longer, in [0, 1]."""
        ...
