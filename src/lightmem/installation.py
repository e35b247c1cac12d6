"""An installation on first use: the default tenant and the keys that the command finds by itself.

`open_app` opens the whole system over them in this process.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lightmem.data_folder import held_data_folder, make_data_folder, write_private
from lightmem.domain.ids import new_id
from lightmem.domain.keys import hash_key, new_key
from lightmem.domain.paging import every
from lightmem.errors import NotFound, WrongState
from lightmem.model import Idempotency, KeyRole
from lightmem.ports import Ledger, TenantDirectory
from lightmem.settings import Settings

if TYPE_CHECKING:
    from fastapi import FastAPI

    from lightmem.bootstrap import Services

KEYS_FILE = "keys.json"
DEFAULT_TENANT = "default"
DEFAULT_K_ANONYMITY = 3
ACTOR = "installation"
#: Whoever makes the default tenant holds this claim of the ledger meanwhile.
CLAIM_SCOPE = "admin"
CLAIM = Idempotency(route="installation", key=DEFAULT_TENANT, body_hash="-")
CLAIM_S = 30.0
CLAIM_POLL_S = 0.1
#: A short command may meet another that is about to end.
WAIT_FOR_FOLDER_S = 5.0


@dataclass(frozen=True, slots=True)
class Installation:
    """The default tenant and the keys to it, as they are kept in the data folder."""

    tenant_id: str
    admin_key: str
    tenant_key: str


def read_installation(folder: Path) -> Installation | None:
    """The keys kept in a data folder; None when it holds none that can be read."""
    try:
        kept = json.loads((folder / KEYS_FILE).read_text(encoding="utf-8"))
        return Installation(**{name: str(kept[name]) for name in Installation.__slots__})
    except (OSError, ValueError, KeyError, TypeError):
        return None


async def ensure_installation(ledger: Ledger, data_dir: Path) -> Installation:
    """Make the default tenant, an admin key and a tenant key unless they are there.

    Gateways that start together on one ledger make one tenant. The keys are kept in `keys.json`
    of the data folder, mode 0600. Keys that this ledger does not know, as after it was
    exchanged, are made anew.
    """
    kept = read_installation(data_dir)
    if kept is not None and await _is_known(ledger, kept):
        return kept
    tenant_id = await _default_tenant(ledger)
    installation = Installation(
        tenant_id=tenant_id,
        admin_key=await _fresh_key(ledger, KeyRole.ADMIN, None),
        tenant_key=await _fresh_key(ledger, KeyRole.TENANT, tenant_id),
    )
    make_data_folder(data_dir)
    write_private(data_dir / KEYS_FILE, json.dumps(asdict(installation), indent=2) + "\n")
    return installation


@asynccontextmanager
async def open_installation(
    settings: Settings, *, wait_s: float = 0.0
) -> AsyncIterator[tuple["Services", Installation]]:
    """Hold the data folder, open the system in it and make sure of its keys.

    Raises:
        DataFolderInUse: another process has the data folder.
    """
    from lightmem.bootstrap import open_services  # noqa: PLC0415  (keeps importing light)

    async with (
        held_data_folder(settings, wait_s=wait_s),
        open_services(settings) as services,
    ):
        yield services, await ensure_installation(services.ledger, settings.data_dir)


@asynccontextmanager
async def open_app(
    settings: Settings | None = None, *, wait_s: float = WAIT_FOR_FOLDER_S
) -> AsyncIterator[tuple["FastAPI", Installation]]:
    """The gateway's app over the whole system in this process, started, and the keys to it."""
    from lightmem_gateway.app import create_app  # noqa: PLC0415  (keeps importing light)

    async with open_installation(settings or Settings(), wait_s=wait_s) as (services, keys):
        app = create_app(services)
        async with app.router.lifespan_context(app):
            yield app, keys


async def _is_known(ledger: TenantDirectory, kept: Installation) -> bool:
    for key in (kept.admin_key, kept.tenant_key):
        if await ledger.find_key(hash_key(key)) is None:
            return False
    try:
        await ledger.get_tenant(kept.tenant_id)
    except NotFound:
        return False
    return True


async def _default_tenant(ledger: Ledger) -> str:
    """The id of the default tenant; made by one process alone where it is missing."""
    while (tenant_id := await _tenant_named(ledger, DEFAULT_TENANT)) is None:
        owner = new_id()
        try:
            await ledger.claim(CLAIM_SCOPE, CLAIM, lease_s=CLAIM_S, owner=owner)
        except WrongState:
            await asyncio.sleep(CLAIM_POLL_S)
            continue
        try:
            if await _tenant_named(ledger, DEFAULT_TENANT) is None:
                await ledger.create_tenant(
                    DEFAULT_TENANT, k_anonymity=DEFAULT_K_ANONYMITY, actor=ACTOR
                )
        finally:
            await ledger.release(CLAIM_SCOPE, CLAIM, owner=owner)
    return tenant_id


async def _tenant_named(ledger: TenantDirectory, name: str) -> str | None:
    async for tenant in every(lambda cursor: ledger.list_tenants(limit=200, cursor=cursor)):
        if tenant.name == name:
            return tenant.id
    return None


async def _fresh_key(ledger: TenantDirectory, role: KeyRole, tenant_id: str | None) -> str:
    key = new_key(role)
    await ledger.create_key(
        tenant_id,
        key_hash=hash_key(key),
        role=role,
        user_id=None,
        expires_at=None,
        actor=ACTOR,
    )
    return key
