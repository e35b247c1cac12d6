"""The job queue on Celery and Redis, and the worker that reads it.

A message holds the id of a job and nothing else: the outbox holds the job. A message that is lost
or brought twice does no harm, so nothing here is relied on for durability.
"""

import asyncio
import logging
import ssl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from celery import Celery
from celery.worker import state
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from lightmem.adapters.celery_transport import TRANSPORT
from lightmem.domain.retry import retry_delay_s
from lightmem.errors import QueueUnavailable
from lightmem.model import Health, Job, JobKind

#: The queue of those who write and index, and that of those who dream.
WRITE, CONSOLIDATE = "write", "consolidate"
TASK = "lightmem.run_job"
#: Redis serves lower numbers first: indexing is quick and is waited for.
_PRIORITY_INDEX, _PRIORITY_LEARN = 0, 5
_SOCKET_TIMEOUT_S = 5.0
#: A worker that ran for so long had found its broker.
_STEADY_S = 30.0

logger = logging.getLogger(__name__)


def make_app(url: str) -> Celery:
    """A Celery application on a broker; opens no connection."""
    app = Celery("lightmem", broker=url, set_as_current=False)
    scheme = urlsplit(url).scheme
    if scheme in {"redis", "rediss"}:
        app.conf.broker_transport = TRANSPORT
    if scheme == "rediss":
        # What the URL itself says of certificates goes before.
        app.conf.broker_use_ssl = {"ssl_cert_reqs": ssl.CERT_REQUIRED}
    app.conf.update(
        task_default_queue=WRITE,
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        # A worker takes no more messages than it has threads: the others are for its like.
        task_acks_late=True,
        worker_prefetch_multiplier=1,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            "queue_order_strategy": "priority",
            "priority_steps": [_PRIORITY_INDEX, _PRIORITY_LEARN],
            "socket_timeout": _SOCKET_TIMEOUT_S,
            "socket_connect_timeout": _SOCKET_TIMEOUT_S,
            # Whoever sends learns soon that the broker is down.
            "max_retries": 1,
            "interval_start": 0,
            "interval_step": 0.1,
        },
        worker_hijack_root_logger=False,
        worker_send_task_events=False,
    )
    return app


@contextmanager
def queue_errors() -> Iterator[None]:
    """Turn what Kombu and its transport raise into ours."""
    try:
        yield
    except (KombuError, RedisError, OSError) as exc:
        raise QueueUnavailable("the job queue did not answer") from exc


class CeleryJobQueue:
    """Sends the ids of jobs to a queue."""

    def __init__(self, url: str, *, queue: str = WRITE) -> None:
        self._app = make_app(url)
        self._queue = queue

    async def send(self, jobs: Sequence[Job]) -> None:
        """Hand jobs to workers, all over one connection."""
        if jobs:
            await asyncio.to_thread(self._send, list(jobs))

    async def waiting(self) -> int:
        """Messages in the queue; those that a worker holds are not counted."""
        return await asyncio.to_thread(self._waiting)

    async def check(self) -> Health:
        try:
            await self.waiting()
        except QueueUnavailable as exc:
            return Health("queue", "down", exc.message)
        return Health("queue", "ok")

    async def close(self) -> None:
        await asyncio.to_thread(self._app.close)

    def _send(self, jobs: Sequence[Job]) -> None:
        with queue_errors(), self._app.producer_or_acquire() as producer:
            for job in jobs:
                self._app.send_task(
                    TASK,
                    args=(job.id,),
                    queue=self._queue,
                    priority=_PRIORITY_LEARN if job.kind is JobKind.WRITE else _PRIORITY_INDEX,
                    producer=producer,
                    retry=False,
                )

    def _waiting(self) -> int:
        with queue_errors(), self._app.connection_or_acquire() as connection:
            declared = connection.default_channel.queue_declare(queue=self._queue)
            return int(declared.message_count)


def serve_queue(
    url: str,
    run: Callable[[str], None],
    *,
    concurrency: int,
    log_level: str,
    queue: str = WRITE,
    beats: Mapping[str, Callable[[], None]] | None = None,
) -> int:
    """Run the jobs of a queue until the process is told to stop; returns the exit code.

    SIGTERM lets the jobs under way end. While the broker is down it is waited for, and a worker
    that ends of itself, as Celery's do after some ways of losing a broker, is begun anew.

    Args:
        run: Runs a job by its id and returns when it has ended; called in `concurrency` threads.
        beats: What is done at each beat of `send_beats`, by the name of its task.
    """
    # Their lines tell of each message; the runner tells of each job that is worth it.
    for chatty in ("celery.worker.strategy", "celery.app.trace"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    failures = 0
    while True:
        begun = time.monotonic()
        worker = _make_worker(
            url, run, concurrency=concurrency, log_level=log_level, queue=queue, beats=beats or {}
        )
        worker.start()
        if state.should_stop is not None or state.should_terminate is not None:
            return int(worker.exitcode or 0)
        failures = failures + 1 if time.monotonic() - begun < _STEADY_S else 1
        logger.error("the worker of the queue %r ended of itself and is begun anew", queue)
        time.sleep(retry_delay_s(failures, first_s=0.2, most_s=5.0))


def _make_worker(
    url: str,
    run: Callable[[str], None],
    *,
    concurrency: int,
    log_level: str,
    queue: str,
    beats: Mapping[str, Callable[[], None]],
) -> Any:
    """A Celery worker in threads of this process, not yet started."""
    app = make_app(url)

    def run_job(job_id: str) -> None:
        run(job_id)

    app.task(run_job, name=TASK)
    for name, act in beats.items():
        app.task(act, name=name)
    return app.Worker(
        pool="threads",
        concurrency=concurrency,
        queues=[queue],
        loglevel=logging.getLevelNamesMapping()[log_level.upper()],
        optimization="fair",
        without_gossip=True,
        without_mingle=True,
        quiet=True,
    )


def send_beats(url: str, task: str, *, queue: str, every_s: float, log_level: str) -> None:
    """Send a task to a queue again and again until the process is told to stop (Celery beat).

    A beat that no worker takes up is void once the next one is due.
    """
    app = make_app(url)
    app.conf.beat_schedule = {
        task: {
            "task": task,
            "schedule": every_s,
            "options": {"queue": queue, "expires": every_s},
        }
    }
    logging.getLogger("celery.beat").setLevel(logging.WARNING)
    # It keeps no file: every beat is due again after a restart, and none does harm.
    beat: Any = app.Beat(
        scheduler_cls="celery.beat:Scheduler",
        loglevel=logging.getLevelNamesMapping()[log_level.upper()],
        quiet=True,
    )
    beat.run()
