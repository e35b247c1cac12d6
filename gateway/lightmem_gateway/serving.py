"""The server process: opens the system, serves it, drains its requests and closes it again."""

import asyncio
import logging
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from lightmem.data_folder import announced
from lightmem.domain.keys import hash_key
from lightmem.errors import InvalidInput, LightMemError, Unavailable
from lightmem.installation import open_installation
from lightmem.model import KeyRole
from lightmem.ports import TenantDirectory
from lightmem.settings import Settings
from lightmem.telemetry import configure_logging
from lightmem.warming import spare_the_collector
from lightmem_gateway.app import create_app
from lightmem_gateway.auth import is_key
from lightmem_gateway.gateway import Gateway
from lightmem_gateway.routes.health import metrics_response

logger = logging.getLogger(__name__)

#: How long requests under way may take after the order to stop.
DRAIN_S = 30
#: Longer than clients keep idle connections, so that none is closed under a request.
KEEP_ALIVE_S = 75

_STOP = (signal.SIGINT, signal.SIGTERM)


def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT; requests under way are finished first.

    What keeps it from serving is logged, and the process ends with status 1.
    """
    configure_logging(settings.log_level)
    try:
        asyncio.run(run(settings))
    except asyncio.CancelledError:
        logger.info("told to stop before the system was open")
    except LightMemError as exc:
        logger.critical("cannot serve: %s", exc.message)
        sys.exit(1)


async def run(settings: Settings, *, ready: Callable[[str], None] = lambda url: None) -> None:
    """Open the system, listen, and serve until told to stop.

    Args:
        ready: Called with the server's URL once it listens.

    Raises:
        WrongState: another process has the data folder.
        Unavailable: the address cannot be listened on.
    """
    with ExitStack() as held, _stopping() as stop:
        public = held.enter_context(_bound(settings.host, settings.port))
        async with open_installation(settings) as (services, _):
            await store_bootstrap_key(services.ledger, settings)
            app = create_app(services)
            url = url_of(settings.host, public.getsockname()[1])
            async with _metrics_served(settings, app.state.gateway):
                with ExitStack() as notes:

                    def started() -> None:
                        spare_the_collector()
                        notes.enter_context(announced(settings.data_dir, url))
                        logger.info("listening", extra={"fields": {"url": url}})
                        ready(url)

                    server = _Server(app, started=started)
                    stop.callback = server.stop
                    await server.serve(sockets=[public])


async def store_bootstrap_key(directory: TenantDirectory, settings: Settings) -> None:
    """Make the admin key that the operator chose known, so that a fresh installation has one."""
    if settings.bootstrap_admin_key is None:
        return
    key = settings.bootstrap_admin_key.get_secret_value()
    if not is_key(key, KeyRole.ADMIN):
        raise InvalidInput.of("LIGHTMEM_BOOTSTRAP_ADMIN_KEY", "must be lm_admin_ and 43 characters")
    hashed = hash_key(key)
    if await directory.find_key(hashed) is not None:
        return
    try:
        await directory.create_key(
            None,
            key_hash=hashed,
            role=KeyRole.ADMIN,
            user_id=None,
            expires_at=None,
            actor="bootstrap",
        )
    except Exception:
        # Another gateway that starts at the same time was first.
        if await directory.find_key(hashed) is None:
            raise


def url_of(host: str, port: int) -> str:
    """How this machine itself reaches the server."""
    everywhere = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}  # noqa: S104
    reachable = everywhere.get(host, host)
    return f"http://[{reachable}]:{port}" if ":" in reachable else f"http://{reachable}:{port}"


# --- stopping -------------------------------------------------------------------------------


class _Stop:
    """What the order to stop does: end the opening of the system, and later its serving."""

    def __init__(self, callback: Callable[[], object]) -> None:
        self.callback = callback

    def __call__(self) -> None:
        self.callback()


@contextmanager
def _stopping() -> Iterator[_Stop]:
    """Take both signals for the time that the block runs in the current task."""
    task = asyncio.current_task()
    assert task is not None
    stop = _Stop(task.cancel)
    loop = asyncio.get_running_loop()
    for number in _STOP:
        loop.add_signal_handler(number, stop)
    try:
        yield stop
    finally:
        for number in _STOP:
            loop.remove_signal_handler(number)


class _Server(uvicorn.Server):
    """uvicorn without its own hold on signals: its caller closes what it opened."""

    def __init__(self, app: ASGIApp, *, started: Callable[[], None] = lambda: None) -> None:
        config = uvicorn.Config(
            app,
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=DRAIN_S,
        )
        super().__init__(config)
        self._on_started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then tell so."""
        await super().startup(sockets)
        if self.started:
            self._on_started()

    def stop(self) -> None:
        """Take no more requests and finish those under way; the second time, end at once."""
        self.force_exit = self.should_exit
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to `run`."""
        yield


# --- sockets --------------------------------------------------------------------------------


@contextmanager
def _bound(host: str, port: int) -> Iterator[socket.socket]:
    """A socket on the address that does not listen yet: who asks too early is refused."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small answers at once (TCP_NODELAY) only where the protocol is told: without it
    # each answer waits some 40 ms for the caller's acknowledgement of its head.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as bound:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind((host, port))
        except OSError as exc:
            raise Unavailable(f"cannot listen on {host} port {port}: {exc.strerror}") from exc
        yield bound


@asynccontextmanager
async def _metrics_served(settings: Settings, gateway: Gateway) -> AsyncIterator[None]:
    """The numbers on the internal port, open to whoever reaches it."""
    if settings.metrics_port is None:
        yield
        return
    with _bound(settings.host, settings.metrics_port) as internal:
        server = _Server(metrics_app(gateway))
        serving = asyncio.create_task(server.serve(sockets=[internal]), name="metrics")
        try:
            yield
        finally:
            server.stop()
            await serving


def metrics_app(gateway: Gateway) -> Starlette:
    """`/metrics` alone, without a key."""

    async def metrics(_: Request) -> Response:
        return await metrics_response(gateway)

    return Starlette(routes=[Route("/metrics", metrics)])
