"""`python -m lightmem_writer.relay`: brings due jobs from the outbox to the queue `write`."""

import asyncio
import logging
import signal

from lightmem.bootstrap import open_relay
from lightmem.settings import Settings
from lightmem.telemetry import configure_logging, configure_tracing

logger = logging.getLogger(__name__)


async def relay(settings: Settings) -> None:
    """Relay until the process is told to stop."""
    async with open_relay(settings) as outbox_relay:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, outbox_relay.stop)
        logger.info("the relay begins")
        await outbox_relay.run()
        logger.info("the relay stops")


def main() -> None:
    """Run the relay by the settings of the environment."""
    settings = Settings()
    configure_logging(settings.log_level)
    configure_tracing("lightmem-relay", otlp_endpoint=settings.otlp_endpoint)
    asyncio.run(relay(settings))


if __name__ == "__main__":
    main()
