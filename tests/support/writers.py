"""Writers that fail in one way each, over the real extraction by rules."""

from collections.abc import Sequence

from lightmem.errors import WriterUnavailable
from lightmem.model import Extraction, Turn
from lightmem_writer import ExtractStatements


class PoisonedWriter:
    """Fails on every segment that holds one of the poisonous words, as long as it is poisoned."""

    def __init__(self, *poison: str) -> None:
        self._poison = poison
        self._writer = ExtractStatements(None)
        self.is_poisoned = True
        #: How many turns each call was given.
        self.sizes: list[int] = []

    async def extract(
        self, tenant_id: str, user_id: str, turns: Sequence[Turn], context: Sequence[Turn] = ()
    ) -> Extraction:
        self.sizes.append(len(turns))
        said = " ".join(turn.content for turn in turns)
        if self.is_poisoned and any(word in said for word in self._poison):
            raise ValueError(said)
        return await self._writer.extract(tenant_id, user_id, turns, context)


class FlakyWriter:
    """Does not answer after `calls` calls, until it is told to."""

    def __init__(self, calls: int) -> None:
        self._left = calls
        self._writer = ExtractStatements(None)
        self.is_up = False

    async def extract(
        self, tenant_id: str, user_id: str, turns: Sequence[Turn], context: Sequence[Turn] = ()
    ) -> Extraction:
        if not self.is_up and self._left == 0:
            raise WriterUnavailable("the Writer does not answer")
        self._left = max(0, self._left - 1)
        return await self._writer.extract(tenant_id, user_id, turns, context)


class WorkerKilled(BaseException):
    """Stands for the end of the process: nothing after it is run, nothing of it is handled."""


class LethalWriter:
    """Ends the worker over every segment that holds one of the lethal words."""

    def __init__(self, *lethal: str) -> None:
        self._lethal = lethal
        self._writer = ExtractStatements(None)
        #: How many turns each call was given.
        self.sizes: list[int] = []

    async def extract(
        self, tenant_id: str, user_id: str, turns: Sequence[Turn], context: Sequence[Turn] = ()
    ) -> Extraction:
        self.sizes.append(len(turns))
        said = " ".join(turn.content for turn in turns)
        if any(word in said for word in self._lethal):
            raise WorkerKilled
        return await self._writer.extract(tenant_id, user_id, turns, context)
