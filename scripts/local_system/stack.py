"""A running LightMem: started as a whole, each part killed and started again by its name."""

import os
import secrets
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from local_system.backends import BACKENDS
from local_system.install import say
from local_system.process import (
    end,
    free_ports,
    is_alive,
    kill,
    port_accepts,
    spawn,
    tail,
    wait_until,
)
from local_system.services import SERVICES, Service, command, environment, python
from local_system.state import Entry, RunFolder

EMBEDDED = ("gateway",)
DISTRIBUTED = (*BACKENDS, *SERVICES)
READY_TIMEOUT_S = 120.0


class Stack:
    """The parts of one system in one run folder: `gateway` alone, or all of them."""

    def __init__(
        self,
        folder: RunFolder,
        *,
        parts: Sequence[str] = DISTRIBUTED,
        env: Mapping[str, str] | None = None,
        quiet: bool = False,
    ) -> None:
        self.folder = folder
        self._env = dict(env or {})
        self._say: Callable[[str], None] = (lambda text: None) if quiet else say
        outside = {"qdrant"} if self._outside_qdrant() else set()
        self.parts = tuple(part for part in parts if part not in outside)

    @property
    def url(self) -> str:
        """Where the gateway answers."""
        return f"http://127.0.0.1:{self.folder.entries['gateway'].port}"

    def start(self) -> None:
        """Start whatever does not run: the servers, then the services, each kind all at once."""
        self._add_entries()
        for part in self.parts:
            if part in BACKENDS:
                BACKENDS[part].install()
        for kind in (BACKENDS, SERVICES):
            self._all_at_once([part for part in self.parts if part in kind], self.start_part)

    def stop(self) -> None:
        """End the parts cleanly, those that ask before those that are asked."""
        asking = [part for part in reversed(self.parts) if part in SERVICES and part != "qdrant"]
        for part in asking:
            self.stop_part(part)
        self._all_at_once([part for part in self.parts if part not in asking], self.stop_part)

    def remove(self) -> None:
        """Remove the data and logs of a stopped system."""
        for part in self.parts:
            if part in BACKENDS:
                BACKENDS[part].remove(self.folder)
        shutil.rmtree(self.folder.path, ignore_errors=True)
        self.folder.entries.clear()

    def start_part(self, part: str) -> None:
        """Start one part, on the port that it had, and wait until it is ready."""
        entry = self.folder.entries[part]
        if entry.runs:
            return
        self._say(f"· starting {part} on port {entry.port}")
        began = time.monotonic()
        if part in BACKENDS:
            BACKENDS[part].start(self.folder, entry)
        else:
            self._start_service(SERVICES[part], entry)
        self._say(f"✓ {part} is ready after {time.monotonic() - began:.0f} s")

    def stop_part(self, part: str) -> None:
        """End one part cleanly."""
        entry = self.folder.entries.get(part)
        if entry is None or entry.process is None:
            return
        ran = entry.runs
        if part in BACKENDS:
            BACKENDS[part].stop(entry)
        else:
            end(entry.process, timeout_s=30.0)
        entry.process = None
        if ran:
            self._say(f"✓ {part} is stopped")

    def kill_part(self, part: str) -> None:
        """SIGKILL one part and its children: nothing is flushed, no goodbye is said."""
        process = self.folder.entries[part].process
        if process is None or not is_alive(process):
            raise RuntimeError(f"{part} does not run")
        kill(process)

    def kill_all(self) -> None:
        """SIGKILL everything that was started."""
        for entry in self.folder.entries.values():
            if entry.process is not None:
                kill(entry.process)

    def urls(self) -> dict[str, str]:
        """Where each part is, as the settings spell it; empty for the embedded system."""
        entries = self.folder.entries
        if "controller" not in entries:
            return {}
        urls = {part: BACKENDS[part].url(entries[part]) for part in BACKENDS}
        for role in ("controller", "selector", "writer"):
            urls[role] = f"grpc://127.0.0.1:{entries[role].port}"
        urls["qdrant"] = self._outside_qdrant() or f"qdrant://127.0.0.1:{entries['qdrant'].port}"
        urls["gateway"] = self.url
        return urls

    def _outside_qdrant(self) -> str:
        return self._env.get("LIGHTMEM_QDRANT_URL") or os.environ.get("LIGHTMEM_QDRANT_URL", "")

    def _add_entries(self) -> None:
        missing = [part for part in self.parts if part not in self.folder.entries]
        *ports, metrics_port = free_ports(len(missing) + 1)
        for part, port in zip(missing, ports, strict=True):
            self.folder.entries[part] = Entry(port)
        if "gateway" in missing:
            self.folder.entries["gateway"].secrets = {
                "installation": secrets.token_urlsafe(32),
                "metrics_port": str(metrics_port),
            }

    @staticmethod
    def _all_at_once(parts: Sequence[str], action: Callable[[str], None]) -> None:
        with ThreadPoolExecutor(max_workers=max(1, len(parts))) as pool:
            list(pool.map(action, parts))

    def _start_service(self, service: Service, entry: Entry) -> None:
        self.folder.data("data").mkdir(mode=0o700, exist_ok=True)
        log = self.folder.log(service.name)
        seen = log.stat().st_size if log.exists() else 0
        env = environment(service, self.folder, self.urls(), self._env)
        process = spawn(command(service, self.folder), log=log, env=env, cwd=self.folder.path)
        entry.process = process

        def ready() -> bool:
            return self._is_ready(service, entry.port, log_from=seen)

        def settled() -> bool:
            return ready() or not is_alive(process)

        if not wait_until(settled, timeout_s=READY_TIMEOUT_S) or not is_alive(process):
            kill(process)
            raise RuntimeError(f"{service.name} did not come up; the end of {log}:\n{tail(log)}")

    def _is_ready(self, service: Service, port: int, *, log_from: int) -> bool:
        match service.ready:
            case "port":
                return port_accepts(port)
            case "http":
                return _http_ok(f"http://127.0.0.1:{port}/healthz")
            case "grpc":
                return port_accepts(port) and _grpc_serves(port)
            case _:
                output = self.folder.log(service.name).read_bytes()[log_from:]
                return service.ready_text.encode() in output


def _http_ok(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as reply:
            return bool(reply.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _grpc_serves(port: int) -> bool:
    """Whether the health service says SERVING, asked by the same probe as in the images."""
    probe = [python(), "-m", "lightmem.adapters.grpc.probe", f"127.0.0.1:{port}"]
    return subprocess.run(probe, check=False, capture_output=True).returncode == 0
