"""The command `lightmem` as its users run it: processes of its own on a data folder of its own."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lightmem.client import AsyncClient
from lightmem.data_folder import running_server
from lightmem.installation import read_installation

#: The command beside the interpreter that runs the tests.
INSTALLED = Path(sys.executable).parent / "lightmem"
START_S = 60.0
POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Done:
    """A command that ended."""

    code: int
    stdout: str
    stderr: str

    def json(self) -> Any:
        """What it printed, read as JSON."""
        return json.loads(self.stdout)


class Command:
    """The command over one data folder."""

    def __init__(self, data_dir: Path, *, executable: Path = INSTALLED) -> None:
        self.data_dir = data_dir
        self._executable = executable
        kept = {n: v for n, v in os.environ.items() if not n.startswith("LIGHTMEM_")}
        kept.pop("PYTHONPATH", None)
        self._env = {**kept, "LIGHTMEM_DATA_DIR": str(data_dir)}

    async def run(self, *arguments: str, **env: str) -> Done:
        """Run the command to its end."""
        process = await self.begin(*arguments, **env)
        stdout, stderr = await process.communicate()
        assert process.returncode is not None
        return Done(process.returncode, stdout.decode(), stderr.decode())

    async def begin(self, *arguments: str, **env: str) -> asyncio.subprocess.Process:
        """Start the command, outside the checkout, with its output piped."""
        return await asyncio.create_subprocess_exec(
            str(self._executable),
            *arguments,
            env={**self._env, **env},
            cwd=self.data_dir.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    async def serve(self) -> "Served":
        """Start the server on a free port and wait until it answers."""
        log = self.data_dir.parent / "serve.log"
        with log.open("ab") as file:
            process = await asyncio.create_subprocess_exec(
                str(self._executable),
                "serve",
                "--port",
                "0",
                env=self._env,
                cwd=self.data_dir.parent,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
            )

        async def announced() -> str | None:
            if process.returncode is not None:
                raise AssertionError(f"the server ended: {log.read_text(errors='replace')}")
            noted = running_server(self.data_dir)
            return noted.url if noted is not None and noted.pid == process.pid else None

        return Served(process, await until(announced), self.data_dir)


@dataclass(frozen=True, slots=True)
class Served:
    """A server that runs."""

    process: asyncio.subprocess.Process
    url: str
    data_dir: Path

    def client(self) -> AsyncClient:
        """A client with the tenant key of the data folder."""
        keys = read_installation(self.data_dir)
        assert keys is not None
        return AsyncClient(self.url, keys.tenant_key)

    async def kill(self) -> None:
        """SIGKILL, as a power cut would."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()

    async def stop(self) -> int:
        """SIGTERM, as an operator would; the exit code."""
        self.process.terminate()
        return await self.process.wait()


async def until(ask: Callable[[], Awaitable[str | None]], *, within_s: float = START_S) -> str:
    """What `ask` answers once it answers something."""
    async with asyncio.timeout(within_s):
        while True:
            if (answer := await ask()) is not None:
                return answer
            await asyncio.sleep(POLL_S)
