"""A worker process on a job queue: the services are opened once, and threads hand them the jobs.

One event loop lives as long as the process, in a thread of its own; Celery's threads submit to it
and wait.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from lightmem.adapters.celery import serve_queue
from lightmem.bootstrap import Services, open_services
from lightmem.errors import LightMemError, Unavailable
from lightmem.settings import Settings

logger = logging.getLogger(__name__)


class LoopThread:
    """An event loop in a thread, for callers in other threads."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="services", daemon=True)

    def __enter__(self) -> "LoopThread":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def submit(self, work: Coroutine[Any, Any, Any]) -> "Future[Any]":
        """Begin some work on the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)


@contextmanager
def opened_services(settings: Settings, loop: LoopThread) -> Iterator[Services]:
    """The services, opened and closed on the loop; what is down is waited for."""
    opening = open_services(settings)
    services = loop.submit(_enter(opening)).result()
    try:
        yield services
    finally:
        loop.submit(_leave(opening)).result()


def serve_services(
    settings: Settings, *, queue: str, concurrency: int, greeting: str, beats: Sequence[str] = ()
) -> int:
    """Run the jobs of a queue until the process is told to stop; returns the exit code.

    Args:
        greeting: Logged once jobs are taken.
        beats: Names of the tasks at which users to be dreamt over are looked for.
    """
    try:
        return _served(
            settings, queue=queue, concurrency=concurrency, greeting=greeting, beats=beats
        )
    except LightMemError as exc:
        logger.critical("cannot take jobs: %s", exc.message)
        return 1


def _served(
    settings: Settings, *, queue: str, concurrency: int, greeting: str, beats: Sequence[str]
) -> int:
    with LoopThread() as loop, opened_services(settings, loop) as services:
        logger.info("%s, %d at a time", greeting, concurrency)

        def run(job_id: str) -> None:
            attending = services.runner.attend_by_id(job_id, lease_s=settings.job_lease_s)
            loop.submit(attending).result()

        look = _looking(services, loop)
        return serve_queue(
            settings.queue_url,
            run,
            concurrency=concurrency,
            log_level=settings.log_level,
            queue=queue,
            beats=dict.fromkeys(beats, look),
        )


def _looking(services: Services, loop: LoopThread) -> Callable[[], None]:
    async def look() -> None:
        try:
            await services.look_for_dreams()
        except Unavailable as exc:
            logger.warning("nobody is dreamt over for now: %s", exc.message)

    return task_of(lambda: loop.submit(look()).result())


def task_of(act: Callable[[], object]) -> Callable[[], None]:
    """A function with a name of its own: Celery cannot read the signature of a lambda."""

    def acting() -> None:
        act()

    return acting


async def _enter(opening: Any) -> Services:
    services: Services = await opening.__aenter__()
    return services


async def _leave(opening: Any) -> None:
    await opening.__aexit__(None, None, None)
