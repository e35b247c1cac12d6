"""Taking a user out of the system of record, whole, and bringing one in, all or nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from lightmem.domain.owners import Owner
from lightmem.domain.portable import AnyLine
from lightmem.model import Operation


@dataclass(frozen=True, slots=True)
class StagedLine:
    """A line of an import as it came, by its number, which counts from 1."""

    number: int
    line: AnyLine


class Portability(Protocol):
    """Exports and imports."""

    async def export_user(self, tenant_id: str, user_id: str, into: BinaryIO, *, owner: str) -> int:
        """Write the user as lines, as they stand at one moment; how many lines.

        See `domain.portable` for their order. `into` is written to in a thread.
        """
        ...

    async def begin_import(self, tenant_id: str, user_id: str, *, actor: str) -> Operation:
        """A new operation of kind `import`, pending until its lines are all there.

        An IMPORT job does what nobody did: it ends the import once it was sealed, and abandons it
        when no line has come for a while.
        """
        ...

    async def stage_lines(
        self, tenant_id: str, operation_id: str, lines: Sequence[StagedLine]
    ) -> None:
        """Keep lines of an import under way; nobody sees them.

        Raises:
            InvalidInput: the import has such a line already; `errors` names both.
            NotFound: the user was erased meanwhile.
            WrongState: it was sealed or abandoned.
        """
        ...

    async def seal_import(self, tenant_id: str, operation_id: str) -> Operation:
        """Say that all lines are there: from here on the import is done, or fails as a whole."""
        ...

    async def staged_lines(
        self, tenant_id: str, operation_id: str, kinds: Sequence[str], *, after: int, limit: int
    ) -> list[StagedLine]:
        """Lines of some types by number, those after a number."""
        ...

    async def restage_lines(
        self, tenant_id: str, operation_id: str, lines: Mapping[int, AnyLine]
    ) -> None:
        """Put lines in the place of staged ones of the same name."""
        ...

    async def commit_import(
        self,
        tenant_id: str,
        operation_id: str,
        *,
        owner: Owner,
        forgetting_state: str | None,
    ) -> Operation:
        """Make rows of all staged lines at once, with the jobs that index them.

        A thing that is there already stays as it is. The lines of another owner get ids of their
        own, always the same. The operation ends with counts as its result, or failed with the
        errors, and then nothing was changed; one that has ended is returned as it is.

        Raises:
            ForgottenMeanwhile: the lines were held against other tombstones.
        """
        ...

    async def abandon_import(self, tenant_id: str, operation_id: str, *, reason: str) -> None:
        """Drop what was staged and end the operation as failed, unless it was sealed."""
        ...
