"""Shared batches: rows of concurrent requests meet in one thread, and short requests go first.

Nothing waits for a batch to fill: what is there when the thread is free is taken. A large request
is cut into small batches, so a query waits for one of them at most.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from lightmem.ports import Encoded

Tokens = Sequence[int]
#: Rows, and whether their tokens are wanted too.
Embed = Callable[[Sequence[Tokens], bool], Sequence[Encoded]]

#: Padded tokens of one batch. More gained little on CPUs, and a query would wait for longer.
BATCH_TOKENS = 128
#: A request of at most this many rows goes before larger ones.
URGENT_ROWS = 4
#: So many urgent batches in a row, then a large request has its turn: it is slow, never stuck.
URGENT_RUN = 8


@dataclass(slots=True)
class _Request:
    """One caller's rows, and the loop and future to answer on."""

    output: dict[int, Encoded]
    rows: int
    with_tokens: bool
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[list[Encoded]]
    is_over: bool = False

    def finish(self, error: BaseException | None = None) -> None:
        """Answer the caller, once, from the encoder's thread."""
        if self.is_over:
            return
        self.is_over = True
        # A caller whose loop has closed waits for nothing any more.
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self._resolve, error)

    def _resolve(self, error: BaseException | None) -> None:
        if self.future.done():
            return
        if error is None:
            self.future.set_result([self.output[position] for position in range(self.rows)])
        else:
            self.future.set_exception(error)


@dataclass(frozen=True, slots=True)
class _Row:
    """One text of a request; `position` is its place in the answer."""

    request: _Request
    position: int
    tokens: Tokens


@dataclass(slots=True)
class _Lanes:
    """The rows that wait: those of short requests, and those of large ones."""

    urgent: deque[_Row] = field(default_factory=deque)
    bulk: deque[_Row] = field(default_factory=deque)
    run: int = 0

    def take(self) -> list[_Row]:
        """The next batch; empty when nothing waits."""
        while self.urgent or self.bulk:
            is_bulk_due = bool(self.bulk) and (not self.urgent or self.run >= URGENT_RUN)
            self.run = 0 if is_bulk_due else self.run + 1
            batch = _cut(self.bulk if is_bulk_due else self.urgent)
            if batch:
                return batch
        return []


def _cut(lane: deque[_Row]) -> list[_Row]:
    """Rows from the head of the lane, as many as fit padded; rows nobody waits for are dropped."""
    batch: list[_Row] = []
    longest = 0
    while lane:
        row = lane[0]
        longest = max(longest, len(row.tokens))
        if batch and longest * (len(batch) + 1) > BATCH_TOKENS:
            break
        lane.popleft()
        if not (row.request.is_over or row.request.future.cancelled()):
            batch.append(row)
    return batch


class MicroBatcher:
    """Runs `embed` in a thread of its own over the rows of all callers."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._lanes = _Lanes()
        self._changed = threading.Condition()
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="lightmem-encoder", daemon=True)
        self._thread.start()

    async def submit(self, rows: Sequence[Tokens], *, with_tokens: bool = True) -> list[Encoded]:
        """Vectors of the rows, in their order, and of their tokens where they are wanted."""
        loop = asyncio.get_running_loop()
        request = _Request({}, len(rows), with_tokens, loop, loop.create_future())
        # Neighbours in length share a batch, so little of it is padding.
        order = sorted(range(len(rows)), key=lambda position: len(rows[position]))
        waiting = [_Row(request, position, rows[position]) for position in order]
        with self._changed:
            if self._is_closed:
                raise RuntimeError("the encoder is closed")
            is_urgent = len(rows) <= URGENT_ROWS
            (self._lanes.urgent if is_urgent else self._lanes.bulk).extend(waiting)
            self._changed.notify()
        return await request.future

    def close(self) -> None:
        """Stop after the batch at hand; who still waits gets an error."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while (batch := self._next()) is not None:
            try:
                with_tokens = any(row.request.with_tokens for row in batch)
                answers = self._embed([row.tokens for row in batch], with_tokens)
            except Exception as exc:
                for row in batch:
                    row.request.finish(exc)
                continue
            for row, answer in zip(batch, answers, strict=True):
                row.request.output[row.position] = answer
                if len(row.request.output) == row.request.rows:
                    row.request.finish()

    def _next(self) -> list[_Row] | None:
        """Wait for the next batch; None once closed."""
        with self._changed:
            while not self._is_closed:
                batch = self._lanes.take()
                if batch:
                    return batch
                self._changed.wait()
            for row in (*self._lanes.urgent, *self._lanes.bulk):
                row.request.finish(RuntimeError("the encoder is closed"))
            return None
