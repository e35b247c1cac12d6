"""Bring a user in: lines are kept aside as they come, held against what was forgotten, then stored.

What the user had forgotten does not come back with an import: its words are struck from the lines
before they become turns and memories, by the same rules as from what is said.
"""

from collections.abc import Mapping, Sequence

from lightmem.domain.forgetting import strings_in, with_strings
from lightmem.domain.owners import Owner
from lightmem.domain.portable import (
    AnyLine,
    MemoryLine,
    TombstoneLine,
    TurnLine,
    VersionLine,
)
from lightmem.errors import ForgottenMeanwhile, InvalidInput, LedgerUnavailable
from lightmem.forgetting import ROUNDS, ForgottenValues
from lightmem.model import Operation, OperationStatus
from lightmem.ports import Encoder, Ledger, StagedLine

#: Lines held against tombstones at a time.
PIECE = 200


class ImportUser:
    """Imports users.

    Args:
        secret: The installation's secret, by which it knows its own exports.
    """

    def __init__(
        self, *, ledger: Ledger, forgotten: ForgottenValues, encoder: Encoder, secret: bytes
    ) -> None:
        self._ledger = ledger
        self._encoder = encoder
        self._forgotten = forgotten
        self._secret = secret

    def owner(self, tenant_id: str, user_id: str) -> Owner:
        """The user as exports know them."""
        return Owner.of(self._secret, tenant_id, user_id)

    def check(self, staged: StagedLine) -> None:
        """Raise `InvalidInput` for a tombstone with vectors that its encoder cannot have made."""
        line = staged.line
        if not isinstance(line, TombstoneLine) or line.encoder_id != self._encoder.encoder_id:
            return
        for place, form in enumerate(line.forms):
            if form.dim != self._encoder.dim:
                field = f"lines.{staged.number}.forms.{place}.vector"
                raise InvalidInput.of(field, f"must have {self._encoder.dim} numbers")

    async def end(self, operation: Operation) -> Operation:
        """Make a sealed import the user's, or let it fail as a whole; may be repeated.

        Raises:
            NotFound: the user was erased meanwhile.
        """
        tenant_id, user_id = operation.tenant_id, operation.user_id
        for _ in range(ROUNDS):
            if operation.status is not OperationStatus.RUNNING:
                return operation
            state = await self._strike(operation)
            try:
                operation = await self._ledger.commit_import(
                    tenant_id,
                    operation.id,
                    owner=self.owner(tenant_id, user_id),
                    forgetting_state=state,
                )
            except ForgottenMeanwhile:
                continue
            return operation
        raise LedgerUnavailable("this user's memory changes too fast to import something")

    async def _strike(self, operation: Operation) -> str | None:
        """Strike what the user had forgotten from the lines; the state they were held against."""
        tenant_id, user_id = operation.tenant_id, operation.user_id
        state, matcher = await self._forgotten.matcher(tenant_id, user_id)
        if matcher is None or matcher.is_empty:
            return state
        after = 0
        kinds = ("turn", "memory", "memory_version")
        while lines := await self._ledger.staged_lines(
            tenant_id, operation.id, kinds, after=after, limit=PIECE
        ):
            changed = await self._struck(tenant_id, user_id, lines)
            if changed:
                await self._ledger.restage_lines(tenant_id, operation.id, changed)
            after = lines[-1].number
        return state

    async def _struck(
        self, tenant_id: str, user_id: str, lines: Sequence[StagedLine]
    ) -> dict[int, AnyLine]:
        """Those of the lines that said a forgotten value, as they are without it."""
        texts = list(dict.fromkeys(text for one in lines for text in _texts(one.line)))
        screened = await self._forgotten.screen(tenant_id, user_id, texts)
        struck = {
            text: found.text
            for text, found in zip(texts, screened.texts, strict=True)
            if found.is_struck
        }
        return {
            one.number: _without(one.line, struck)
            for one in lines
            if any(text in struck for text in _texts(one.line))
        }


def _texts(line: AnyLine) -> list[str]:
    match line:
        case TurnLine():
            return [line.content, *strings_in(line.metadata)]
        case MemoryLine() | VersionLine():
            return [text for text in (line.text, *line.entities) if text]
        case _:
            return []


def _without(line: AnyLine, struck: Mapping[str, str]) -> AnyLine:
    """A turn keeps what else it says; a memory that says a forgotten value says nothing."""
    match line:
        case TurnLine():
            changed = {
                "content": struck.get(line.content, line.content),
                "metadata": with_strings(line.metadata, lambda text: struck.get(text, text)),
            }
            return line.model_copy(update=changed)
        case MemoryLine():
            return line.forgotten(line.recorded_at)
        case VersionLine():
            return line.without_words()
        case _:
            return line
