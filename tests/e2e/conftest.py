"""The system that the end-to-end tests ask: as one process, and as services over real servers."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from local_system.backends import BACKENDS
from local_system.install import CannotInstall
from local_system.system import System

#: What was lost with a worker or a queue falls due again soon, and a small model that is slow on
#: a busy machine is given up soon: tests do not wait for minutes.
#: Nobody dreams unasked, so that memories are what a test said.
SOON = {
    "LIGHTMEM_JOB_LEASE_S": "1.5",
    "LIGHTMEM_MODEL_TIMEOUT_S": "8",
    "LIGHTMEM_DREAMS": "off",
}
LOGS = Path(__file__).resolve().parents[2] / ".lightmem" / "logs"


@pytest.fixture(
    scope="session",
    params=["embedded", pytest.param("distributed", marks=pytest.mark.server)],
)
def system(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[System]:
    """A running system, one of each mode for the whole session; tests bring their own tenants."""
    yield from running_system(request.param, tmp_path_factory.mktemp(request.param))


def running_system(mode: str, folder: Path) -> Iterator[System]:
    """Start a system, and at the end kill it whatever happened; its logs stay in `LOGS`."""
    if mode == "distributed":
        require_servers()
    running = System(mode, folder / "run", env=SOON)
    try:
        running.start_all()
        yield running
    finally:
        running.end(keep_logs_in=LOGS / folder.name)


def require_servers() -> None:
    """Skip where the servers were not asked for; fail where they must be there."""
    required = bool(os.environ.get("LIGHTMEM_REQUIRE_BACKENDS"))
    if not required and "LIGHTMEM_TEST_POSTGRES_URL" not in os.environ:
        pytest.skip("the real servers were not asked for: see 'make servers'")
    try:
        for backend in BACKENDS.values():
            backend.install()
    except CannotInstall as exc:
        if required:
            pytest.fail(str(exc))
        pytest.skip(str(exc))
