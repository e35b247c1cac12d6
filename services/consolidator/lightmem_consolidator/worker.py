"""`python -m lightmem_consolidator.worker`: runs the jobs of the queue `consolidate`.

It plans dreams, and at each beat of the schedule looks for users whose time has come.
"""

import argparse
import logging
import sys

from lightmem.adapters.celery import CONSOLIDATE
from lightmem.queue_worker import serve_services
from lightmem.settings import Settings
from lightmem.telemetry import configure_logging, configure_tracing
from lightmem_consolidator.schedule import LOOK

logger = logging.getLogger(__name__)


def main(arguments: list[str] | None = None) -> int:
    """Serve the queue until the process is told to stop."""
    parser = argparse.ArgumentParser(
        prog="python -m lightmem_consolidator.worker", description=__doc__
    )
    parser.add_argument("--concurrency", type=int, default=1, help="dreams at the same time")
    concurrency = parser.parse_args(arguments).concurrency
    settings = Settings()
    configure_logging(settings.log_level)
    configure_tracing("lightmem-consolidator", otlp_endpoint=settings.otlp_endpoint)
    return serve_services(
        settings,
        queue=CONSOLIDATE,
        concurrency=concurrency,
        greeting="the consolidator takes jobs",
        beats=[LOOK],
    )


if __name__ == "__main__":
    sys.exit(main())
