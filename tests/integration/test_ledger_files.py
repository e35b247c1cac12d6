"""The SQLite ledger's files are the owner's alone, and hold no words that were deleted."""

import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lightmem.adapters.ledger import SqlLedger, open_ledger
from support.clock import FixedClock
from support.ledgers import learn

SECRET = "Xylophonist Quetzal"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the ledger will be; nothing is there yet."""
    return tmp_path / "data"


@pytest.fixture
async def local(folder: Path) -> AsyncIterator[SqlLedger]:
    ledger = open_ledger(f"sqlite:///{folder / 'ledger.db'}", clock=FixedClock())
    await ledger.migrate()
    yield ledger
    await ledger.close()


@pytest.fixture
async def tenant_id(local: SqlLedger) -> str:
    return (await local.create_tenant("acme", k_anonymity=3, actor="test")).id


def bytes_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def modes_in(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in [folder, *folder.iterdir()]}


async def test_the_files_and_their_folder_are_the_owners_alone(
    local: SqlLedger, folder: Path
) -> None:
    modes = modes_in(folder)

    assert modes.pop(folder.name) == 0o700
    assert "ledger.db" in modes
    assert set(modes.values()) == {0o600}


async def test_no_words_of_a_deleted_turn_are_left_in_a_file(
    local: SqlLedger, tenant_id: str, folder: Path
) -> None:
    memory = await learn(local, tenant_id, f"I am the {SECRET}.")
    before = bytes_in(folder)

    await local.delete_turn(tenant_id, memory.sources[0].turn_id, user_id="ana", actor="test")

    after = bytes_in(folder)
    assert SECRET.encode() in before
    assert SECRET.encode() not in after
    assert SECRET.casefold().encode() not in after


async def test_no_words_of_a_deleted_tenant_are_left_in_a_file(
    local: SqlLedger, tenant_id: str, folder: Path
) -> None:
    await learn(local, tenant_id, f"I am the {SECRET}.")

    await local.delete_tenant(tenant_id, actor="test")

    assert SECRET.encode() not in bytes_in(folder)


async def test_what_was_written_is_read_by_the_next_to_open_it(
    local: SqlLedger, tenant_id: str, folder: Path
) -> None:
    memory = await learn(local, tenant_id, "Tea.")
    await local.close()

    reopened = open_ledger(f"sqlite:///{folder / 'ledger.db'}", clock=FixedClock())
    found = await reopened.get_memory(tenant_id, memory.id)
    await reopened.close()

    assert found == memory
