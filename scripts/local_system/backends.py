"""The servers that the system stands on: how each is started, asked, stopped and removed."""

import json
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from local_system import install
from local_system.process import Process, answers, end, is_alive, spawn, tail, wait_until
from local_system.state import Entry, RunFolder, write_private

#: Bolt's handshake: the magic number and four proposals, of which 5.x is the first.
BOLT_HELLO = bytes.fromhex("6060b01700080805000000040000000000000000")


class Backend(Protocol):
    """One server."""

    name: str
    usual_s: int

    def install(self) -> None: ...

    def start(self, folder: RunFolder, entry: Entry) -> None:
        """Start it, wait until it answers, and keep its process in `entry`."""
        ...

    def stop(self, entry: Entry) -> None: ...

    def remove(self, folder: RunFolder) -> None:
        """Remove its data."""
        ...

    def url(self, entry: Entry) -> str: ...


def _await(
    process: Process, ready: Callable[[], bool], *, name: str, log: Path, timeout_s: float
) -> None:
    """Wait for a new process to answer; the message of the error ends with its log."""
    settled = wait_until(lambda: ready() or not is_alive(process), timeout_s=timeout_s)
    if not settled or not is_alive(process):
        end(process, timeout_s=5.0)
        raise RuntimeError(f"{name} did not come up; the end of {log}:\n{tail(log)}")


def _is_gone(process: Process) -> bool:
    return not is_alive(process)


class Redis:
    """Redis without persistence: a lost queue is made again from the outbox."""

    name = "redis"
    usual_s = 1

    def install(self) -> None:
        install.redis_server()

    def start(self, folder: RunFolder, entry: Entry) -> None:
        data = folder.data(self.name)
        data.mkdir(exist_ok=True)
        options = ("--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(data))
        command = [install.redis_server(), "--port", str(entry.port), *options]
        log = folder.log(self.name)
        entry.process = spawn(command, log=log, env=os.environ)
        _await(
            entry.process,
            lambda: answers(entry.port, b"PING\r\n", b"+PONG"),
            name=self.name,
            log=log,
            timeout_s=20.0,
        )

    def stop(self, entry: Entry) -> None:
        if entry.process is not None:
            end(entry.process)

    def remove(self, folder: RunFolder) -> None:
        shutil.rmtree(folder.data(self.name), ignore_errors=True)

    def url(self, entry: Entry) -> str:
        return f"redis://127.0.0.1:{entry.port}/0"


class Postgres:
    """PostgreSQL as an unprivileged user, with a password, reached by TCP on the loopback only."""

    name = "postgres"
    usual_s = 4

    def install(self) -> None:
        install.postgres_folder()

    def start(self, folder: RunFolder, entry: Entry) -> None:
        programs = install.postgres_folder()
        data = self._data(folder)
        user = "postgres" if os.geteuid() == 0 else None
        if not (data / "PG_VERSION").exists():
            entry.secrets["password"] = secrets.token_urlsafe(24)
            self._initdb(programs, data, entry.secrets["password"], user)
        command = [str(programs / "postgres"), "-D", str(data), "-p", str(entry.port)]
        for setting in (
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "max_connections=200",
            "fsync=on",
        ):
            command += ["-c", setting]
        log = folder.log(self.name)
        ready = [str(programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(entry.port)]
        entry.process = self._spawn_when_free(command, log, user)
        _await(
            entry.process,
            lambda: subprocess.run(ready, check=False).returncode == 0,
            name=self.name,
            log=log,
            timeout_s=60.0,
        )

    @staticmethod
    def _spawn_when_free(command: list[str], log: Path, user: str | None) -> Process:
        """Start it; after a kill its last backends hold the folder for a moment: try again."""
        deadline = time.monotonic() + 10.0
        while True:
            before = log.stat().st_size if log.exists() else 0
            process = spawn(command, log=log, env=os.environ, cwd=Path("/"), user=user)
            died = wait_until(partial(_is_gone, process), timeout_s=1.0)
            held = "shared memory block" in log.read_text(errors="replace")[before:]
            if not (died and held) or time.monotonic() > deadline:
                return process

    def _data(self, folder: RunFolder) -> Path:
        """In the run folder; for root elsewhere, since the server's user cannot enter a home."""
        if os.geteuid() != 0:
            return folder.data(self.name)
        digest = sha256(str(folder.path).encode()).hexdigest()[:12]
        return Path(tempfile.gettempdir()) / f"lightmem-postgres-{digest}"

    @staticmethod
    def _initdb(programs: Path, data: Path, password: str, user: str | None) -> None:
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir(parents=True, mode=0o700)
        # initdb reads the password as the server's user, so the file lies in that user's folder.
        secret = data.with_name(f"{data.name}.password")
        write_private(secret, password)
        if user is not None:
            shutil.chown(data, user, user)
            shutil.chown(secret, user, user)
        try:
            subprocess.run(
                [
                    *(str(programs / "initdb"), "-D", str(data), "-U", "lightmem", "-E", "UTF8"),
                    *("--locale=C.UTF-8", "-A", "scram-sha-256", f"--pwfile={secret}"),
                ],
                check=True,
                capture_output=True,
                text=True,
                cwd="/",
                user=user,
                group=user,
                extra_groups=None if user is None else [],
            )
        except subprocess.CalledProcessError as exc:
            raise RuntimeError(f"initdb failed:\n{exc.stderr}") from exc
        finally:
            secret.unlink()

    def stop(self, entry: Entry) -> None:
        if entry.process is not None:
            # SIGINT is PostgreSQL's fast shutdown: it does not wait for clients to leave.
            end(entry.process, with_signal=signal.SIGINT)

    def remove(self, folder: RunFolder) -> None:
        shutil.rmtree(self._data(folder), ignore_errors=True)

    def url(self, entry: Entry) -> str:
        password = entry.secrets["password"]
        return f"postgresql+psycopg://lightmem:{password}@127.0.0.1:{entry.port}/postgres"


class Neo4j:
    """Neo4j Community from its libraries, started by a small launcher; no authentication."""

    name = "neo4j"
    usual_s = 30

    def install(self) -> None:
        install.neo4j_class_path()

    def start(self, folder: RunFolder, entry: Entry) -> None:
        data = folder.data(self.name)
        data.mkdir(exist_ok=True)
        packages = ("java.nio", "java.lang", "sun.nio.ch")
        opens = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in packages]
        # One core's worth of JVM threads: the machine is shared with what is tested.
        limits = ["-Xms128m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        main = ["-cp", install.neo4j_class_path(), "Neo4jLauncher", str(data), str(entry.port)]
        log = folder.log(self.name)
        marker = data / "ready"
        marker.unlink(missing_ok=True)
        entry.process = spawn(["java", *limits, *opens, *main], log=log, env=os.environ)
        _await(
            entry.process,
            lambda: marker.exists() and answers(entry.port, BOLT_HELLO, b"\x00"),
            name=self.name,
            log=log,
            timeout_s=180.0,
        )

    def stop(self, entry: Entry) -> None:
        if entry.process is not None:
            end(entry.process, timeout_s=30.0)

    def remove(self, folder: RunFolder) -> None:
        shutil.rmtree(folder.data(self.name), ignore_errors=True)

    def url(self, entry: Entry) -> str:
        return f"bolt://127.0.0.1:{entry.port}"


class Ollama:
    """Ollama with SmolLM2-135M; the model's files stay in the cache."""

    name = "ollama"
    usual_s = 3

    def install(self) -> None:
        install.ollama()
        install.model_file()

    def start(self, folder: RunFolder, entry: Entry) -> None:
        data = folder.data(self.name)
        data.mkdir(exist_ok=True)
        program = install.ollama()
        env = self._env(data, entry.port)
        log = folder.log(self.name)
        entry.process = spawn([program, "serve"], log=log, env=env)
        _await(
            entry.process,
            lambda: self._models(entry.port) is not None,
            name=self.name,
            log=log,
            timeout_s=60.0,
        )
        if install.MODEL_NAME not in (self._models(entry.port) or []):
            self._create(program, env, data)

    @staticmethod
    def _env(data: Path, port: int) -> dict[str, str]:
        return {
            **os.environ,
            "HOME": str(data),
            "OLLAMA_HOST": f"127.0.0.1:{port}",
            "OLLAMA_MODELS": str(install.cache() / "ollama" / "models"),
            "OLLAMA_NOPRUNE": "1",
            "OLLAMA_NUM_PARALLEL": "1",
            "OLLAMA_MAX_LOADED_MODELS": "1",
            "OLLAMA_CONTEXT_LENGTH": "4096",
        }

    @staticmethod
    def _create(program: str, env: dict[str, str], data: Path) -> None:
        """Register the model; one thread, for more than the cores really free is slower by far."""
        recipe = data / "Modelfile"
        recipe.write_text(f"FROM {install.model_file()}\nPARAMETER num_thread 1\n")
        install.say(f"· registering {install.MODEL_NAME} with Ollama (seconds, once)")
        install.run([program, "create", install.MODEL_NAME, "-f", str(recipe)], env=env)

    @staticmethod
    def _models(port: int) -> list[str] | None:
        """Names of the models it has, or None when it does not answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/tags", timeout=2) as reply:
                return [model["name"] for model in json.load(reply)["models"]]
        except (urllib.error.URLError, OSError):
            return None

    def stop(self, entry: Entry) -> None:
        if entry.process is not None:
            end(entry.process)

    def remove(self, folder: RunFolder) -> None:
        shutil.rmtree(folder.data(self.name), ignore_errors=True)

    def url(self, entry: Entry) -> str:
        return f"ollama://127.0.0.1:{entry.port}"


BACKENDS: dict[str, Backend] = {
    backend.name: backend for backend in (Postgres(), Redis(), Neo4j(), Ollama())
}
