"""The data folder: who has it, and where the server that has it is reached.

The embedded index lives in one process, so a process that opens it holds the folder's lock; the
operating system lets go of it however the process ends. A server leaves its address in
`server.json`, so that commands on the same folder go through it.
"""

import asyncio
import json
import os
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

from lightmem.errors import Unavailable
from lightmem.settings import Settings

SERVER_FILE = "server.json"
LOCK_FILE = "lock"
LOCK_POLL_S = 0.1


class DataFolderInUse(Unavailable):
    """Another process has the embedded index of this data folder open."""

    code = "DATA_FOLDER_IN_USE"


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server's own note of where it is."""

    url: str
    pid: int

    @property
    def is_alive(self) -> bool:
        """Whether its process still runs."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True


def make_data_folder(folder: Path) -> None:
    """Make the folder, for its owner alone, where it is missing."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def write_private(path: Path, text: str) -> None:
    """Put a file in place whole, readable by its owner alone from its first byte on."""
    draft = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


@asynccontextmanager
async def held_data_folder(settings: Settings, *, wait_s: float = 0.0) -> AsyncIterator[None]:
    """Hold the folder while the embedded index is open; a server's index needs no holding.

    Args:
        wait_s: How long to wait for another process to let go of it.

    Raises:
        DataFolderInUse: another process has it; the message says which and what to do.
    """
    make_data_folder(settings.data_dir)
    if urlsplit(settings.url("index")).scheme != "edge":
        yield
        return
    path = settings.data_dir / LOCK_FILE
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        await _locked(handle, settings.data_dir, wait_s)
        os.truncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(handle)


@contextmanager
def announced(folder: Path, url: str) -> Iterator[None]:
    """Leave the server's address in the folder while it serves."""
    path = folder / SERVER_FILE
    write_private(path, json.dumps(asdict(RunningServer(url, os.getpid()))))
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def running_server(folder: Path) -> RunningServer | None:
    """The server that has the folder, by its own note; None when its process is gone."""
    try:
        noted = json.loads((folder / SERVER_FILE).read_text(encoding="utf-8"))
        server = RunningServer(url=str(noted["url"]), pid=int(noted["pid"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return server if server.is_alive else None


async def _locked(handle: int, folder: Path, wait_s: float) -> None:
    end = asyncio.get_running_loop().time() + wait_s
    while not _try_lock(handle):
        if asyncio.get_running_loop().time() >= end:
            raise DataFolderInUse(_in_use(handle, folder))
        await asyncio.sleep(LOCK_POLL_S)


def _try_lock(handle: int) -> bool:
    import fcntl  # noqa: PLC0415  (not on Windows, where the embedded system does not run)

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _in_use(handle: int, folder: Path) -> str:
    pid = os.pread(handle, 20, 0).decode(errors="replace")
    process = f"process {pid}" if pid.isdigit() else "another process"
    return (
        f"{process} is using the data folder {folder}, and the embedded index is one process's. "
        "Wait for it to end, or run `lightmem serve`: commands then go through the server."
    )
