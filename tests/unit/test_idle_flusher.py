"""When a changed index is flushed."""

import threading

from lightmem.adapters.embedded.qdrant_edge.flusher import IdleFlusher


def test_a_change_is_flushed_once_when_nothing_else_is_asked() -> None:
    flushed = threading.Semaphore(0)
    flusher = IdleFlusher(flushed.release, idle_s=0.02, latest_s=60)

    flusher.note_use()
    flusher.note_change()
    flusher.note_change()

    assert flushed.acquire(timeout=5)
    assert not flushed.acquire(timeout=0.1)


def test_a_change_is_flushed_at_the_latest_though_use_goes_on() -> None:
    flushed = threading.Event()
    flusher = IdleFlusher(flushed.set, idle_s=0.05, latest_s=0.2)

    flusher.note_change()
    for _ in range(1_000):
        flusher.note_use()
        if flushed.wait(timeout=0.01):
            break

    assert flushed.is_set()


def test_nothing_is_flushed_after_a_stop() -> None:
    flushed = threading.Event()
    flusher = IdleFlusher(flushed.set, idle_s=0.05, latest_s=60)
    flusher.note_change()

    flusher.stop()

    assert not flushed.wait(timeout=0.2)
