"""Remember what was said: turns are durable before anything else is tried.

It goes on with every other part of the system down: the outbox brings what is missing to them.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from lightmem.domain.limits import check_turns
from lightmem.errors import Erased, NotFound, Unavailable
from lightmem.forgetting import ForgottenValues
from lightmem.model import (
    AcceptedTurns,
    Idempotency,
    NewTurn,
    Operation,
    OperationStatus,
    Turn,
)
from lightmem.ports import (
    Encoded,
    Encoder,
    Ledger,
    ShortTermBuffer,
)
from lightmem.telemetry import WRITE_SECONDS, StageTimer
from lightmem_gateway.ahead import Ahead, encoding_ahead
from lightmem_gateway.pressure import Pressure
from lightmem_gateway.screening import AppendScreened
from lightmem_gateway.waiting import polls

logger = logging.getLogger(__name__)

Wait = Literal["none", "indexed", "written"]
#: Tells the workers of this process, if it has any, that the outbox has work.
Notify = Callable[[], None]

#: How long a caller waits for the Writer, or for the index, before it is told to come back.
WAIT_S = 30.0

#: Turns of a call that are encoded before it is answered, some 10 ms for each, and their
#: code points in all. More are found by word when it is answered, and by meaning once a worker has
#: encoded them.
FEW_TURNS, FEW_CODE_POINTS = 4, 4_000

_ENDED = frozenset({OperationStatus.SUCCEEDED, OperationStatus.FAILED})


class TurnIndexing(Protocol):
    """Puts turns into the index: by every view, or by word alone, which is quick."""

    async def index_words(
        self, tenant_id: str, user_id: str, turn_ids: Sequence[str]
    ) -> object: ...

    async def index_turns(
        self,
        tenant_id: str,
        user_id: str,
        turn_ids: Sequence[str],
        *,
        encoded: Mapping[str, tuple[str, Encoded]] | None = None,
    ) -> object: ...


@dataclass(frozen=True, slots=True)
class Remembered:
    """Turns that are durable; `ended` is their operation where the Writer was waited for."""

    accepted: AcceptedTurns
    ended: Operation | None = None


class Remember:
    """Stores turns so that they last, and so that a recall made right after finds them.

    Args:
        notify: Wakes the workers, wherever they are.
        has_workers: Whether anybody takes up jobs; without, many turns are indexed here as well.
        forgotten: What users had forgotten, which is struck before turns are stored.
        encoder: Encodes few turns while they are stored; without, indexing does it after.
        pressure: How calls come to the Writer; None hands each over by itself and at once.
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        short_term: ShortTermBuffer,
        indexing: TurnIndexing,
        notify: Notify,
        has_workers: bool = True,
        pressure: Pressure | None = None,
        forgotten: ForgottenValues | None = None,
        encoder: Encoder | None = None,
    ) -> None:
        self._encoder = encoder
        self._ledger = ledger
        self._append = AppendScreened(ledger=ledger, short_term=short_term, forgotten=forgotten)
        self._short_term = short_term
        self._indexing = indexing
        self._notify = notify
        self._has_workers = has_workers
        self._pressure = pressure
        self._closing: set[asyncio.Task[None]] = set()

    async def __call__(
        self,
        tenant_id: str,
        user_id: str,
        session_id: str,
        turns: Sequence[NewTurn],
        *,
        actor: str,
        idempotency: Idempotency | None = None,
        wait: Wait = "none",
    ) -> Remembered:
        """Store the turns, put them at hand and index them.

        Args:
            wait: `written` waits for the Writer and `indexed` for the index, at most `WAIT_S`.

        Raises:
            InvalidInput: a turn cannot be stored; none is.
            Erased: the user was erased while the Writer was waited for.
            IdempotencyConflict: the key came with other turns before.
            LedgerUnavailable: nothing was stored.
            LimitExceeded: too much of the tenant's waits for the Writer; nothing was stored.
        """
        check_turns(turns)
        gathering = None
        if self._pressure is not None:
            await self._pressure.check(tenant_id)
            gathering = self._pressure.gathering(turns, wait)
        timer = StageTimer(WRITE_SECONDS, run="write")
        is_indexed = True
        few = turns if _are_few(turns) else ()
        with encoding_ahead(self._encoder, few) as ahead:
            with timer.stage("ledger"):
                accepted = await self._append(
                    tenant_id,
                    user_id,
                    session_id,
                    turns,
                    actor=actor,
                    idempotency=idempotency,
                    gathering=gathering,
                )
            if accepted.turns:
                is_indexed = await self._bring(tenant_id, user_id, accepted, ahead, timer)
        timer.finish()
        if wait == "written":
            return Remembered(accepted, await self._until_written(tenant_id, accepted.operation))
        if wait == "indexed" and not is_indexed:
            await self._until_indexed(accepted)
        return Remembered(accepted)

    async def _bring(
        self, tenant_id: str, user_id: str, accepted: AcceptedTurns, ahead: Ahead, timer: StageTimer
    ) -> bool:
        """Put stored turns at hand and index them; whether they are in the index by every view."""
        with timer.stage("short_term"):
            await self._put_at_hand(tenant_id, user_id, accepted.turns)
        with timer.stage("index"):
            is_indexed, _ = await asyncio.gather(
                self._index(tenant_id, user_id, accepted, ahead),
                self._append.mend(tenant_id, user_id, accepted.turns),
            )
        self._notify()
        return is_indexed

    async def settle(self) -> None:
        """Wait for what is still written down after answers were given."""
        await asyncio.gather(*self._closing)

    async def _put_at_hand(self, tenant_id: str, user_id: str, turns: Sequence[Turn]) -> None:
        try:
            await self._short_term.append(tenant_id, user_id, turns)
        except Exception as exc:
            _log_later("short_term", exc)

    async def _index(
        self, tenant_id: str, user_id: str, accepted: AcceptedTurns, ahead: Ahead
    ) -> bool:
        """Whether the turns are in the index now, by every view."""
        ids = [turn.id for turn in accepted.turns]
        is_left_to_job = self._has_workers and not _are_few(accepted.turns)
        try:
            if is_left_to_job:
                await self._indexing.index_words(tenant_id, user_id, ids)
                await self._hasten(accepted.index_job_id)
            else:
                encoded = await ahead.known(accepted.turns)
                await self._indexing.index_turns(tenant_id, user_id, ids, encoded=encoded)
        except Exception as exc:
            # The turns are durable and their job is in the outbox. An error told here would make
            # the caller send them again.
            _log_later("index", exc)
            return False
        if not is_left_to_job and accepted.index_job_id is not None:
            # The answer need not wait for this: a job that stays is done twice, to no effect.
            closing = asyncio.create_task(self._close(accepted.index_job_id))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
        return not is_left_to_job

    async def _hasten(self, job_id: str | None) -> None:
        """Make the job due now that it has all the work: by itself it gives the caller time."""
        if job_id is not None:
            await self._ledger.defer_job(job_id, delay_s=0, reason="found by word alone")

    async def _close(self, job_id: str) -> None:
        try:
            await self._ledger.complete_job(job_id)
        except Unavailable as exc:
            _log_later("index", exc)

    async def _until_indexed(self, accepted: AcceptedTurns) -> None:
        job_id = accepted.index_job_id
        async for _ in polls(WAIT_S):
            try:
                if job_id is None or await self._ledger.get_job(job_id) is None:
                    return
            except Unavailable:
                continue

    async def _until_written(self, tenant_id: str, operation: Operation) -> Operation | None:
        async for _ in polls(WAIT_S):
            try:
                current = await self._ledger.get_operation(tenant_id, operation.id)
            except Unavailable:
                continue
            except NotFound as exc:
                raise Erased("the user was erased while this was written") from exc
            if current.status in _ENDED:
                return current
        return None


def _are_few(turns: Sequence[NewTurn] | Sequence[Turn]) -> bool:
    """Whether turns are encoded soon enough to be waited for."""
    return len(turns) <= FEW_TURNS and sum(len(one.content) for one in turns) <= FEW_CODE_POINTS


def _log_later(part: str, exc: Exception) -> None:
    logger.warning(
        "turns are durable, the outbox will bring them to %s", part, exc_info=_of_class(exc)
    )


def _of_class(exc: Exception) -> tuple[type[Exception], Exception, None]:
    return type(exc), exc, None
