"""`python -m lightmem_writer.worker`: runs the jobs of the queue `write`."""

import argparse
import sys

from lightmem.adapters.celery import WRITE
from lightmem.queue_worker import serve_services
from lightmem.settings import Settings
from lightmem.telemetry import configure_logging, configure_tracing


def main(arguments: list[str] | None = None) -> int:
    """Serve the queue until the process is told to stop."""
    parser = argparse.ArgumentParser(prog="python -m lightmem_writer.worker", description=__doc__)
    parser.add_argument("--concurrency", type=int, default=1, help="jobs run at the same time")
    concurrency = parser.parse_args(arguments).concurrency
    settings = Settings()
    configure_logging(settings.log_level)
    configure_tracing("lightmem-write-worker", otlp_endpoint=settings.otlp_endpoint)
    return serve_services(
        settings,
        queue=WRITE,
        concurrency=concurrency,
        greeting="the write worker takes jobs",
    )


if __name__ == "__main__":
    sys.exit(main())
