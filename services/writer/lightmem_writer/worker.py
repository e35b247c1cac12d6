"""`python -m lightmem_writer.worker`: runs the jobs of the queue `write`.

One event loop lives as long as the process, in a thread of its own, and the services are opened
on it once; Celery's threads hand it the jobs and wait for them.
"""

import argparse
import asyncio
import logging
import sys
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from lightmem.adapters.celery import serve_queue
from lightmem.bootstrap import Services, open_services
from lightmem.settings import Settings
from lightmem.telemetry import configure_logging, configure_tracing

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


def main(arguments: list[str] | None = None) -> int:
    """Serve the queue until the process is told to stop."""
    parser = argparse.ArgumentParser(prog="python -m lightmem_writer.worker", description=__doc__)
    parser.add_argument("--concurrency", type=int, default=1, help="jobs run at the same time")
    concurrency = parser.parse_args(arguments).concurrency
    settings = Settings()
    configure_logging(settings.log_level)
    configure_tracing("lightmem-write-worker", otlp_endpoint=settings.otlp_endpoint)
    with LoopThread() as loop, opened_services(settings, loop) as services:
        logger.info("the write worker takes jobs, %d at a time", concurrency)

        def run(job_id: str) -> None:
            attending = services.runner.attend_by_id(job_id, lease_s=settings.job_lease_s)
            loop.submit(attending).result()

        return serve_queue(
            settings.queue_url, run, concurrency=concurrency, log_level=settings.log_level
        )


async def _enter(opening: Any) -> Services:
    services: Services = await opening.__aenter__()
    return services


async def _leave(opening: Any) -> None:
    await opening.__aexit__(None, None, None)


if __name__ == "__main__":
    sys.exit(main())
