"""`python -m lightmem_consolidator.schedule`: the beat that lets consolidators look for dreams.

It holds nothing and opens nothing but the queue; one is enough, two do no harm. In one process
there is none: a task looks, see `look.py`.
"""

import logging

from lightmem.adapters.celery import CONSOLIDATE, send_beats
from lightmem.settings import Settings
from lightmem.telemetry import configure_logging, configure_tracing

logger = logging.getLogger(__name__)

#: The task of a beat.
LOOK = "lightmem.look_for_dreams"


def main() -> None:
    """Send beats by the settings of the environment until told to stop."""
    settings = Settings()
    configure_logging(settings.log_level)
    configure_tracing("lightmem-dream-schedule", otlp_endpoint=settings.otlp_endpoint)
    logger.info("the schedule begins, a beat every %g s", settings.dream_look_s)
    send_beats(
        settings.queue_url,
        LOOK,
        queue=CONSOLIDATE,
        every_s=settings.dream_look_s,
        log_level=settings.log_level,
    )


if __name__ == "__main__":
    main()
