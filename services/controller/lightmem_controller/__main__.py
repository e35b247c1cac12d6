"""`python -m lightmem_controller`: serves the Controller over gRPC."""

import asyncio
from functools import partial

from lightmem.adapters.grpc.server import serve_role
from lightmem.bootstrap import open_controller
from lightmem.settings import Settings
from lightmem.telemetry import configure_logging, configure_tracing
from lightmem.warming import spare_the_collector, warm_up
from lightmem_controller.servicer import SERVICE, add_controller


async def serve(settings: Settings) -> None:
    """Serve until the process is told to stop."""
    async with open_controller(settings) as controller:
        await warm_up(controller=controller)
        spare_the_collector()
        await serve_role(
            settings.rpc_address, service=SERVICE, add=partial(add_controller, controller)
        )


def main() -> None:
    """Serve by the settings of the environment."""
    settings = Settings()
    configure_logging(settings.log_level)
    configure_tracing("lightmem-controller", otlp_endpoint=settings.otlp_endpoint)
    asyncio.run(serve(settings))


if __name__ == "__main__":
    main()
