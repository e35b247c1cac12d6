"""Processes that outlive their starter: spawned, found again by pid and birth, ended, killed."""

import contextlib
import os
import pwd
import random
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Process:
    """A process as the state file keeps it. `born` tells it from a later one of the same pid."""

    pid: int
    born: str


def spawn(
    command: Sequence[str],
    *,
    log: Path,
    env: Mapping[str, str],
    cwd: Path | None = None,
    user: str | None = None,
) -> Process:
    """Start `command` in a session of its own, its output appended to `log`."""
    account = None if user is None else pwd.getpwnam(user)
    with log.open("ab") as output:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(env),
            cwd=cwd,
            start_new_session=True,
            user=account.pw_uid if account else None,
            group=account.pw_gid if account else None,
            extra_groups=[] if account else None,
        )
    # The child is not waited for: it lives on when this program ends.
    child.returncode = 0
    return Process(child.pid, _birth(child.pid) or "")


def _birth(pid: int) -> str | None:
    """When a living process began, or None. Zombies are dead. Without /proc it is always ''."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return None if Path("/proc/self/stat").exists() else _birth_by_signal(pid)
    except ProcessLookupError:
        return None
    return None if fields[0] in {"Z", "X"} else fields[19]


def _birth_by_signal(pid: int) -> str | None:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    return ""


def is_alive(process: Process) -> bool:
    """Whether this very process still runs."""
    return _birth(process.pid) == process.born


def end(process: Process, *, with_signal: int = signal.SIGTERM, timeout_s: float = 20.0) -> None:
    """Ask the process to end, wait, and kill what is left of its group afterwards."""
    if is_alive(process):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, with_signal)
        wait_until(lambda: not is_alive(process), timeout_s=timeout_s)
    kill(process)


def kill(process: Process) -> None:
    """SIGKILL to the process and its group; returns when it is gone."""
    was_alive = is_alive(process)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    if was_alive and not wait_until(lambda: not is_alive(process), timeout_s=10.0):
        raise RuntimeError(f"process {process.pid} did not end")


def wait_until(holds: Callable[[], bool], *, timeout_s: float, every_s: float = 0.1) -> bool:
    """Poll until `holds()`; False when it did not within `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    while not holds():
        if time.monotonic() >= deadline:
            return False
        time.sleep(every_s)
    return True


def free_ports(count: int) -> list[int]:
    """Different TCP ports of the loopback that nobody listens on now.

    Below the range that outgoing connections are given, so that a port stays free while
    the server that owns it is down.
    """
    found: list[int] = []
    for port in random.sample(range(20_000, 32_000), k=2_000):
        if len(found) == count:
            break
        if _is_free(port):
            found.append(port)
    return found


def _is_free(port: int) -> bool:
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def port_accepts(port: int) -> bool:
    """Whether something accepts connections on a port of the loopback."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1.0):
            return True
    except OSError:
        return False


def answers(port: int, request: bytes, expected: bytes) -> bool:
    """Whether a server on `port` replies to `request` with bytes that begin as expected."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1.0) as connection:
            connection.settimeout(2.0)
            connection.sendall(request)
            return connection.recv(256).startswith(expected)
    except OSError:
        return False


def tail(log: Path, *, lines: int = 15) -> str:
    """The end of a log, for a message about a process that did not come up."""
    if not log.exists():
        return "(no log)"
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
