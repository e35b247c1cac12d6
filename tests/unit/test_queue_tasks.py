"""What a worker registers is something that Celery can run, and it runs on after a failure."""

import ssl
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from celery.worker import state

from lightmem.adapters import celery as queue
from lightmem.adapters.celery import TASK, make_app, serve_queue
from lightmem.queue_worker import task_of
from lightmem_consolidator.schedule import LOOK


class EndingWorker:
    """A worker that ends at once: of itself, or because it was told to."""

    def __init__(self, *, is_told: bool) -> None:
        self._is_told = is_told
        self.exitcode: int | None = None

    def start(self) -> None:
        self.exitcode = 0 if self._is_told else 1
        if self._is_told:
            state.should_stop = 0


@pytest.fixture(autouse=True)
def _nobody_was_told() -> Iterator[None]:
    yield
    state.should_stop = None


def test_every_task_of_a_worker_can_be_registered_under_its_name() -> None:
    app = make_app("memory://")

    for name in (TASK, LOOK):
        app.task(task_of(lambda: None), name=name)
    app.finalize()

    assert {TASK, LOOK} <= set(app.tasks)


def test_a_worker_that_ends_of_itself_is_begun_anew_until_it_is_told_to_stop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workers = [EndingWorker(is_told=is_told) for is_told in (False, False, True)]
    waited: list[float] = []
    monkeypatch.setattr(queue, "_make_worker", lambda *_, **__: workers.pop(0))
    monkeypatch.setattr(queue, "time", SimpleNamespace(monotonic=lambda: 0.0, sleep=waited.append))

    code = serve_queue("redis://127.0.0.1:1/0", print, concurrency=1, log_level="INFO")

    assert (code, workers) == (0, [])
    assert waited == sorted(waited)
    assert len(waited) == 2


@pytest.mark.parametrize(
    ("query", "wanted"), [("", ssl.CERT_REQUIRED), ("?ssl_cert_reqs=none", ssl.CERT_NONE)]
)
def test_a_broker_over_tls_shows_its_certificate_unless_the_url_says_otherwise(
    query: str, wanted: ssl.VerifyMode
) -> None:
    connection = make_app(f"rediss://queue.example:6379/0{query}").connection()

    assert connection.ssl["ssl_cert_reqs"] == wanted
