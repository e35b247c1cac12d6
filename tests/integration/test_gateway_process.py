"""The gateway as a process: how it starts, what it listens on, and how it stops."""

import asyncio
import json
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from lightmem.data_folder import running_server
from lightmem.domain.keys import new_key
from lightmem.installation import read_installation
from lightmem.model import KeyRole

START_S = 60


@dataclass(slots=True)
class Gateway:
    """A gateway that listens."""

    process: asyncio.subprocess.Process
    url: str
    log: list[str]

    def client(self, key: str) -> httpx.AsyncClient:
        """A client with a key."""
        headers = {"Authorization": f"Bearer {key}"}
        return httpx.AsyncClient(base_url=self.url, headers=headers, timeout=30)

    async def read_on(self) -> None:
        """Take its log, so that it never waits for a reader."""
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            self.log.append(line.decode())


async def start(data_dir: Path, **env: str) -> asyncio.subprocess.Process:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LIGHTMEM_")}
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "lightmem_gateway"),
        env={**kept, "LIGHTMEM_DATA_DIR": str(data_dir), "LIGHTMEM_PORT": "0", **env},
        stderr=asyncio.subprocess.PIPE,
    )


@asynccontextmanager
async def serving(data_dir: Path, **env: str) -> AsyncIterator[Gateway]:
    """A gateway on a free port, killed at the end if it still runs."""
    process = await start(data_dir, **env)
    assert process.stderr is not None
    log: list[str] = []
    try:
        async with asyncio.timeout(START_S):
            while not log or "listening" not in log[-1]:
                line = await process.stderr.readline()
                assert line, "".join(log)
                log.append(line.decode())
        gateway = Gateway(process, json.loads(log[-1])["url"], log)
        reading = asyncio.create_task(gateway.read_on())
        yield gateway
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
    await reading


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


async def test_a_first_start_makes_keys_and_tells_where_it_is(tmp_path: Path) -> None:
    async with serving(tmp_path) as gateway:
        installation = read_installation(tmp_path)
        noted = running_server(tmp_path)

        assert installation is not None
        assert noted is not None
        assert noted.url == gateway.url
        async with gateway.client(installation.tenant_key) as client:
            assert (await client.get("/v1/users/ana/turns")).status_code == 200
        modes = {name: mode_of(tmp_path / name) for name in ("keys.json", "secret", "ledger.db")}
        assert set(modes.values()) == {0o600}


async def test_an_answer_is_sent_at_once(tmp_path: Path) -> None:
    async with serving(tmp_path) as gateway, gateway.client("none") as client:
        took = []
        for _ in range(30):
            begun = time.perf_counter()
            await client.get("/healthz")
            took.append(time.perf_counter() - begun)

    # A connection that gathers small packets would make each wait 40 ms.
    assert min(took[1:]) < 0.03


async def test_sigterm_finishes_the_requests_under_way(tmp_path: Path) -> None:
    async with serving(tmp_path) as gateway:
        installation = read_installation(tmp_path)
        assert installation is not None
        turns = [{"role": "user", "content": f"I keep {n} bees in hive {n}."} for n in range(40)]
        async with gateway.client(installation.tenant_key) as client:
            await client.get("/healthz")
            under_way = asyncio.create_task(
                client.post("/v1/users/ana/turns", json={"session_id": "s", "turns": turns})
            )
            await asyncio.sleep(0.1)
            gateway.process.send_signal(signal.SIGTERM)

            answer = await under_way

        assert answer.status_code == 202
        assert await asyncio.wait_for(gateway.process.wait(), 30) == 0
        assert running_server(tmp_path) is None


async def test_the_internal_port_shows_the_numbers_without_a_key(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    async with (
        serving(tmp_path, LIGHTMEM_METRICS_PORT=str(port)) as gateway,
        httpx.AsyncClient() as client,
    ):
        inner = await client.get(f"http://127.0.0.1:{port}/metrics")
        outer = await client.get(f"{gateway.url}/metrics")
        other = await client.get(f"http://127.0.0.1:{port}/v1/users/ana/turns")

        assert "lightmem_http_requests_total" in inner.text
        assert (inner.status_code, outer.status_code, other.status_code) == (200, 401, 404)


async def test_a_chosen_admin_key_is_known_at_every_start(tmp_path: Path) -> None:
    key = new_key(KeyRole.ADMIN)
    for _ in range(2):
        async with (
            serving(tmp_path, LIGHTMEM_BOOTSTRAP_ADMIN_KEY=key) as gateway,
            gateway.client(key) as client,
        ):
            assert (await client.get("/v1/admin/tenants")).status_code == 200


async def test_a_second_gateway_on_one_folder_says_why_it_cannot(tmp_path: Path) -> None:
    async with serving(tmp_path):
        second = await start(tmp_path)
        _, log = await asyncio.wait_for(second.communicate(), START_S)

        assert second.returncode == 1
        assert "using the data folder" in log.decode()
        assert "Traceback" not in log.decode()


async def test_the_log_holds_no_words_of_a_user(tmp_path: Path) -> None:
    async with serving(tmp_path) as gateway:
        installation = read_installation(tmp_path)
        assert installation is not None
        async with gateway.client(installation.tenant_key) as client:
            body = {
                "session_id": "sess-secret",
                "turns": [{"role": "user", "content": "My xylophone is secret."}],
                "wait": "written",
            }
            await client.post("/v1/users/user-secret/turns", json=body)
            await client.post("/v1/users/user-secret/recall", json={"query": "xylophone?"})
            await client.post("/v1/users/user-secret/turns", json={"xylophone": "secret"})
        gateway.process.send_signal(signal.SIGTERM)
        await gateway.process.wait()
        log = "".join(gateway.log)

    requests = [line for line in log.splitlines() if '"lightmem.access"' in line]
    assert len(requests) == 3
    assert all(json.loads(line)["tenant_id"] == installation.tenant_id for line in requests)
    for word in ("xylophone", "secret", installation.tenant_key):
        assert word not in log
