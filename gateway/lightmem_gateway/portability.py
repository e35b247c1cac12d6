"""Users out, in and away, for a caller who waits a while and is told where to look after that."""

import asyncio
import hashlib
import logging
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any, BinaryIO, cast

from lightmem.bootstrap.upkeep import Upkeep
from lightmem.errors import (
    Erased,
    FieldError,
    InvalidInput,
    LightMemError,
    NotFound,
    Unavailable,
)
from lightmem.model import Idempotency, Operation, OperationStatus
from lightmem.ports import Ledger, StagedLine
from lightmem_gateway.idempotency import AnswerOnce
from lightmem_gateway.remembering import Notify
from lightmem_gateway.under_way import UnderWay

logger = logging.getLogger(__name__)

#: Of an export, what is kept in memory before it goes to a file that has no name.
SPOOL_BYTES = 1024 * 1024
#: Bytes sent at a time; lines staged at a time.
CHUNK_BYTES = 64 * 1024
LINES_AT_ONCE = 200

_ENDED = frozenset({OperationStatus.SUCCEEDED, OperationStatus.FAILED})


class Portability:
    """Exports, imports and erases users.

    Args:
        wait_s: How long a caller waits for an import or an erasure before it is told to come back.
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        upkeep: Upkeep,
        once: AnswerOnce,
        notify: Notify,
        wait_s: float,
    ) -> None:
        self._ledger = ledger
        self._upkeep = upkeep
        self._once = once
        self._notify = notify
        self._wait_s = wait_s
        self._under_way = UnderWay()

    # --- out ----------------------------------------------------------------------------------

    async def export(self, tenant_id: str, user_id: str) -> BinaryIO:
        """The user as lines, read at one moment, in a file that vanishes when it is closed.

        So the ledger is read as fast as it can, however slowly the caller takes the lines.
        """
        owner = self._upkeep.bring_in.owner(tenant_id, user_id)
        into = cast(BinaryIO, tempfile.SpooledTemporaryFile(SPOOL_BYTES))  # noqa: SIM115
        try:
            await self._ledger.export_user(tenant_id, user_id, into, owner=owner.mark)
        except BaseException:
            into.close()
            raise
        return into

    # --- in -----------------------------------------------------------------------------------

    async def bring_in(
        self,
        tenant_id: str,
        user_id: str,
        lines: AsyncIterator[StagedLine],
        *,
        digest: "hashlib._Hash",
        actor: str,
        idempotency: Idempotency | None,
    ) -> Operation:
        """Import the lines, all or nothing; the operation, which has ended or goes on by itself.

        Args:
            digest: The hash of the body, once all lines were read.

        Raises:
            InvalidInput: lines that are none, or do not fit together; nothing was changed.
            Erased: the user was erased meanwhile.
        """
        operation = begun = await self._ledger.begin_import(tenant_id, user_id, actor=actor)

        async def seal() -> dict[str, Any]:
            nonlocal operation
            operation = await self._sealed(begun)
            return {"operation_id": begun.id}

        try:
            await self._stage(begun, lines)
            given = idempotency and replace(idempotency, body_hash=digest.hexdigest())
            kept = await self._once(tenant_id, given, seal, about=user_id)
        except BaseException as exc:
            await asyncio.shield(self._abandon(begun, exc))
            if isinstance(exc, NotFound):
                raise Erased("the user was erased while this was brought in") from exc
            raise
        if kept["operation_id"] == begun.id:
            return operation
        await self._abandon(begun, None)
        return await self._ledger.get_operation(tenant_id, kept["operation_id"])

    async def _stage(self, begun: Operation, lines: AsyncIterator[StagedLine]) -> None:
        batch: list[StagedLine] = []
        async for line in lines:
            self._upkeep.bring_in.check(line)
            batch.append(line)
            if len(batch) == LINES_AT_ONCE:
                await self._ledger.stage_lines(begun.tenant_id, begun.id, batch)
                batch = []
        await self._ledger.stage_lines(begun.tenant_id, begun.id, batch)

    async def _sealed(self, begun: Operation) -> Operation:
        """The import once all its lines are there: it has ended, or goes on by itself."""
        sealed = await self._ledger.seal_import(begun.tenant_id, begun.id)
        ended = await self._while_waited_for(sealed, self._upkeep.bring_in.end)
        if ended.status is OperationStatus.FAILED:
            raise failure_of(ended)
        return ended

    async def _abandon(self, begun: Operation, reason: BaseException | None) -> None:
        said = reason.message if isinstance(reason, LightMemError) else "the body ended early"
        try:
            await self._ledger.abandon_import(begun.tenant_id, begun.id, reason=said)
        except LightMemError as exc:
            # The import's own job does it later; or the user was erased, and this with them.
            logger.warning("an import is abandoned later: %s", exc.code)

    # --- away ---------------------------------------------------------------------------------

    async def erase(
        self, tenant_id: str, user_id: str, *, actor: str, idempotency: Idempotency | None
    ) -> Operation:
        """Erase the user; the operation, which has ended with its receipt or goes on by itself.

        A repeated call with the same key is told of the first erasure again, whoever has begun
        under that name since.
        """

        async def begin() -> dict[str, Any]:
            return {
                "operation_id": (await self._upkeep.erase.begin(tenant_id, user_id, actor=actor)).id
            }

        begun = await self._once(tenant_id, idempotency, begin)
        operation = await self._ledger.get_operation(tenant_id, begun["operation_id"])
        return await self._while_waited_for(operation, self._upkeep.erase.end)

    # --- waiting ------------------------------------------------------------------------------

    async def _while_waited_for(
        self, operation: Operation, end: Callable[[Operation], Awaitable[Operation]]
    ) -> Operation:
        """The operation once it was ended, or as it is after a while; then it goes on here.

        What is down is waited for by the operation's job.
        """
        if operation.status in _ENDED:
            return operation
        task = self._under_way.begin(self._ended(operation, end))
        done, _ = await asyncio.wait({task}, timeout=self._wait_s)
        return task.result() if done else operation

    async def _ended(
        self, operation: Operation, end: Callable[[Operation], Awaitable[Operation]]
    ) -> Operation:
        try:
            ended = await end(operation)
        except Unavailable as exc:
            logger.warning("an operation of kind %s goes on later: %s", operation.kind, exc.code)
            return operation
        self._notify()
        return ended

    async def settle(self) -> None:
        """Wait a while for what is under way, then leave it to its jobs."""
        await self._under_way.settle()


def failure_of(operation: Operation) -> InvalidInput:
    """What a failed import tells."""
    result = operation.result or {}
    errors = [FieldError(one["field"], one["message"]) for one in result.get("errors", ())]
    detail = f"{errors[0].field}: {errors[0].message}" if errors else "the import failed"
    return InvalidInput(detail, errors=errors)


async def chunks_of(file: BinaryIO) -> AsyncIterator[bytes]:
    """A file from its beginning, which is closed at its end."""
    try:
        file.seek(0)
        while chunk := await asyncio.to_thread(file.read, CHUNK_BYTES):
            yield chunk
    finally:
        file.close()
