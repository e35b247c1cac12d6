"""Decides when a changed index is flushed: a flush stops the process for tens of milliseconds."""

from collections.abc import Callable
from threading import Lock, Timer
from time import monotonic

#: Seconds without a call that make a good moment, and the most that a change waits for one.
IDLE_S, LATEST_S = 2.0, 60.0


class IdleFlusher:
    """Calls `flush` when nothing was asked for a while, or when the oldest change is too old.

    A change that was not flushed is in the write-ahead log: it outlives the process, not the
    machine's power.
    """

    def __init__(
        self, flush: Callable[[], object], *, idle_s: float = IDLE_S, latest_s: float = LATEST_S
    ) -> None:
        self._flush = flush
        self._idle_s = idle_s
        self._latest_s = latest_s
        self._lock = Lock()
        self._used_at = 0.0
        self._changed_at: float | None = None
        self._timer: Timer | None = None

    def note_use(self) -> None:
        """Somebody asks something now."""
        self._used_at = monotonic()

    def note_change(self) -> None:
        """Something has changed that is not flushed."""
        with self._lock:
            if self._changed_at is None:
                self._changed_at = monotonic()
                self._wake_after(self._idle_s)

    def stop(self) -> None:
        """No flush is begun after this."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()

    def _wake_after(self, seconds: float) -> None:
        self._timer = Timer(seconds, self._wake)
        self._timer.daemon = True
        self._timer.start()

    def _wake(self) -> None:
        with self._lock:
            now = monotonic()
            idle_s = now - self._used_at
            waited_s = now - (self._changed_at or now)
            if idle_s < self._idle_s and waited_s < self._latest_s:
                self._wake_after(self._idle_s - idle_s)
                return
            self._changed_at = None
        self._flush()
