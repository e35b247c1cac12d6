"""A proposer of changes whose likelihoods are written down."""

from collections.abc import Mapping, Sequence

from lightmem.ports import StatedPair


class ScriptedChanges:
    """Gives each pair the likelihood that its newer words have, else none."""

    name = "scripted"
    threshold = 0.9

    def __init__(
        self, likely: Mapping[str, float], *, languages: frozenset[str] = frozenset({"en"})
    ) -> None:
        self.languages = languages
        #: The pairs that were shown so far.
        self.shown: list[StatedPair] = []
        self._likely = likely

    async def overtaking(self, pairs: Sequence[StatedPair]) -> list[float]:
        self.shown += pairs
        return [self._likely.get(pair.newer, 0.0) for pair in pairs]
