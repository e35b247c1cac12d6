"""A whole LightMem as processes of this machine, for tests and measures that ask as users do.

The parts are those of `make stack`, started by the same code: what is tested is what is run.
"""

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

from local_system.services import installation_keys
from local_system.stack import DISTRIBUTED, EMBEDDED, Stack
from local_system.state import RunFolder

PARTS = {"embedded": EMBEDDED, "distributed": DISTRIBUTED}


@dataclass(frozen=True, slots=True)
class TenantAccess:
    """A tenant made for one test, and the key to it."""

    tenant_id: str
    key: str


class System:
    """One running system: its URL, its keys, and its parts by name.

    `mode` is `embedded` (the part `gateway` is all) or `distributed`.
    """

    def __init__(self, mode: str, folder: Path, *, env: Mapping[str, str] | None = None) -> None:
        self.mode = mode
        self._stack = Stack(RunFolder(folder), parts=PARTS[mode], env=env, quiet=True)
        self._stack.folder.path.mkdir(parents=True, exist_ok=True)

    @property
    def parts(self) -> Sequence[str]:
        """Names of its processes."""
        return self._stack.parts

    @property
    def url(self) -> str:
        """Where the gateway answers."""
        return self._stack.url

    @property
    def urls(self) -> Mapping[str, str]:
        """Where each part of a distributed system answers."""
        return self._stack.urls()

    @property
    def data_dir(self) -> Path:
        """The gateway's data folder."""
        return self._stack.folder.data("data")

    @property
    def admin_key(self) -> str:
        """A key to the whole installation."""
        return installation_keys(self._stack.folder)["admin_key"]

    def client(self, key: str | None = None, *, timeout_s: float = 60.0) -> httpx.AsyncClient:
        """An HTTP client of the gateway with a key, the admin's unless another is given."""
        headers = {"Authorization": f"Bearer {key or self.admin_key}"}
        return httpx.AsyncClient(base_url=self.url, headers=headers, timeout=timeout_s)

    async def new_tenant(self, name: str, *, k_anonymity: int = 3) -> TenantAccess:
        """A tenant of its own for a test, with a tenant key."""
        async with self.client() as admin:
            body = {"name": name, "k_anonymity": k_anonymity}
            made = await admin.post("/v1/admin/tenants", json=body)
            made.raise_for_status()
            tenant_id = made.json()["id"]
            keys = f"/v1/admin/tenants/{tenant_id}/keys"
            key = await admin.post(keys, json={"role": "tenant"})
            key.raise_for_status()
        return TenantAccess(tenant_id, key.json()["key"])

    def runs(self, part: str) -> bool:
        """Whether the process of a part is alive."""
        return self._stack.folder.entries[part].runs

    async def kill(self, part: str) -> None:
        """SIGKILL a part and its children."""
        await asyncio.to_thread(self._stack.kill_part, part)

    async def start(self, part: str) -> None:
        """Start a part that was killed, on its old port and data; returns when it is ready."""
        await asyncio.to_thread(self._stack.start_part, part)

    async def stop(self, part: str) -> None:
        """Ask a part to end, and wait for it."""
        await asyncio.to_thread(self._stack.stop_part, part)

    def log(self, part: str) -> str:
        """What a part has written so far."""
        return self._stack.folder.log(part).read_text(errors="replace")

    def start_all(self) -> None:
        """Start every part and wait until each is ready."""
        self._stack.start()

    def end(self, *, keep_logs_in: Path | None = None) -> None:
        """Kill every part and remove its data; the logs may be kept."""
        self._stack.kill_all()
        if keep_logs_in is not None:
            keep_logs_in.mkdir(parents=True, exist_ok=True)
            for log in self._stack.folder.path.glob("*.log"):
                shutil.copy(log, keep_logs_in)
        self._stack.remove()
