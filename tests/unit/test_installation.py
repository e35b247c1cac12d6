"""A data folder gets its tenant and keys once, and is one process's at a time."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lightmem.adapters.ledger import open_ledger
from lightmem.data_folder import (
    SERVER_FILE,
    DataFolderInUse,
    announced,
    held_data_folder,
    running_server,
)
from lightmem.domain.clock import SystemClock
from lightmem.domain.keys import hash_key
from lightmem.installation import KEYS_FILE, ensure_installation, read_installation
from lightmem.model import KeyRole
from lightmem.ports import Ledger
from lightmem.settings import Settings


async def opened(file: Path) -> Ledger:
    """A migrated ledger."""
    ledger = open_ledger(f"sqlite:///{file}", clock=SystemClock())
    await ledger.migrate()
    return ledger


async def test_a_new_folder_gets_a_tenant_and_keys_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    ledger = await opened(tmp_path / "ledger.db")

    made = await ensure_installation(ledger, folder)

    admin = await ledger.find_key(hash_key(made.admin_key))
    tenant = await ledger.find_key(hash_key(made.tenant_key))
    await ledger.close()
    assert admin is not None
    assert admin.role is KeyRole.ADMIN
    assert tenant is not None
    assert (tenant.role, tenant.tenant_id) == (KeyRole.TENANT, made.tenant_id)
    assert (folder / KEYS_FILE).stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert read_installation(folder) == made


async def test_a_second_start_makes_nothing_new(tmp_path: Path) -> None:
    ledger = await opened(tmp_path / "ledger.db")
    first = await ensure_installation(ledger, tmp_path)

    second = await ensure_installation(ledger, tmp_path)

    tenants = await ledger.list_tenants(limit=10, cursor=None)
    await ledger.close()
    assert second == first
    assert len(tenants.items) == 1


async def test_gateways_that_start_together_make_one_tenant(tmp_path: Path) -> None:
    ledgers = [await opened(tmp_path / "ledger.db") for _ in range(4)]

    made = await asyncio.gather(
        *(ensure_installation(one, tmp_path / str(n)) for n, one in enumerate(ledgers))
    )

    tenants = await ledgers[0].list_tenants(limit=10, cursor=None)
    for one in ledgers:
        await one.close()
    assert len(tenants.items) == 1
    assert len({each.tenant_id for each in made}) == 1
    assert len({each.tenant_key for each in made}) == 4


async def test_keys_that_the_ledger_does_not_know_are_made_anew(tmp_path: Path) -> None:
    old = await opened(tmp_path / "old.db")
    before = await ensure_installation(old, tmp_path)
    await old.close()
    ledger = await opened(tmp_path / "new.db")

    after = await ensure_installation(ledger, tmp_path)

    known = await ledger.find_key(hash_key(after.tenant_key))
    await ledger.close()
    assert after.tenant_key != before.tenant_key
    assert known is not None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"tenant_id": "t"}'])
def test_a_key_file_that_cannot_be_read_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / KEYS_FILE).write_text(text)

    assert read_installation(tmp_path) is None


async def test_a_folder_is_held_by_one_and_the_next_is_told_by_whom(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)

    async with held_data_folder(settings):
        with pytest.raises(DataFolderInUse, match=str(os.getpid())):
            async with held_data_folder(settings):
                pass

    async with held_data_folder(settings):
        pass


async def test_the_next_may_wait_for_the_first_to_end(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    order = []
    held = asyncio.Event()

    async def first() -> None:
        async with held_data_folder(settings):
            held.set()
            await asyncio.sleep(0)
            order.append("first")

    async def second() -> None:
        await held.wait()
        async with held_data_folder(settings, wait_s=30):
            order.append("second")

    await asyncio.gather(first(), second())

    assert order == ["first", "second"]


async def test_a_killed_process_lets_go_of_the_folder(tmp_path: Path) -> None:
    code = (
        "import asyncio, pathlib, sys\n"
        "from lightmem.data_folder import held_data_folder\n"
        "from lightmem.settings import Settings\n"
        "async def hold():\n"
        "    async with held_data_folder(Settings(data_dir=pathlib.Path(sys.argv[1]))):\n"
        "        print('held', flush=True)\n"
        "        await asyncio.sleep(600)\n"
        "asyncio.run(hold())\n"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(tmp_path), stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"held\n"
    process.kill()
    await process.wait()

    async with held_data_folder(Settings(data_dir=tmp_path)):
        pass


async def test_an_index_server_needs_no_folder_of_its_own(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, index_url="qdrant://host:6334")

    async with held_data_folder(settings), held_data_folder(settings):
        pass


def test_a_server_is_found_while_it_serves(tmp_path: Path) -> None:
    with announced(tmp_path, "http://127.0.0.1:1"):
        during = running_server(tmp_path)

    assert during is not None
    assert (during.url, during.pid) == ("http://127.0.0.1:1", os.getpid())
    assert running_server(tmp_path) is None


def test_the_note_of_a_server_that_was_killed_is_not_believed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pass
    note = {"url": "http://127.0.0.1:1", "pid": process.pid}
    (tmp_path / SERVER_FILE).write_text(json.dumps(note))

    assert running_server(tmp_path) is None
