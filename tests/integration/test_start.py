"""What a system refuses to start with."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import SecretStr

from lightmem.bootstrap import open_indexing, open_services
from lightmem.errors import IncompatibleIndex, OtherSecret
from lightmem.model import NewTurn, Role
from lightmem.queue_worker import serve_services
from lightmem.settings import Settings


async def test_an_index_that_is_filled_in_part_is_refused_until_it_is_whole(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data", worker_threads=0)
    async with open_services(settings) as services:
        tenant = await services.ledger.create_tenant("acme", k_anonymity=3, actor="test")
        said = NewTurn(Role.USER, "We moved to Lisbon.", datetime(2024, 5, 8, tzinfo=UTC))
        await services.ledger.append_turns(tenant.id, "ana", "s1", [said], actor="test")

    def stop(done: int) -> None:
        raise KeyboardInterrupt

    async with open_indexing(settings) as indexing:
        with pytest.raises(KeyboardInterrupt):
            await indexing.reembed(stop)

    with pytest.raises(IncompatibleIndex, match="lightmem reindex"):
        async with open_services(settings):
            pytest.fail("it was opened")
    async with open_indexing(settings) as indexing:
        await indexing.reembed(lambda done: None)
    async with open_services(settings) as services:
        assert await services.index.count(tenant.id) == 1


async def test_a_process_with_another_secret_than_the_first_one_is_refused(tmp_path: Path) -> None:
    ledger_url = f"sqlite:///{tmp_path / 'ledger.db'}"
    first = Settings(data_dir=tmp_path / "first", ledger_url=ledger_url, secret=SecretStr("one"))
    other = Settings(data_dir=tmp_path / "other", ledger_url=ledger_url, secret=SecretStr("two"))
    unset = Settings(data_dir=tmp_path / "unset", ledger_url=ledger_url)
    same = Settings(data_dir=tmp_path / "same", ledger_url=ledger_url, secret=SecretStr("one"))
    async with open_services(first):
        pass

    for wrong in (other, unset):
        with pytest.raises(OtherSecret, match="LIGHTMEM_SECRET"):
            async with open_services(wrong):
                pytest.fail("it was opened")

    async with open_services(same) as services:
        assert services.secret == b"one"


async def test_a_worker_with_another_secret_says_so_and_ends(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings(data_dir=tmp_path, secret=SecretStr("one"))
    async with open_services(settings):
        pass
    other = settings.model_copy(update={"secret": SecretStr("two")})

    code = await asyncio.to_thread(
        serve_services, other, queue="write", concurrency=1, greeting="it takes jobs"
    )

    assert code == 1
    assert "LIGHTMEM_SECRET" in caplog.text
    assert "it takes jobs" not in caplog.text


async def test_an_embedded_system_knows_its_secret_again(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    async with open_services(settings) as services:
        first = services.secret

    async with open_services(settings) as services:
        assert services.secret == first

    (tmp_path / "data" / "secret").unlink()
    with pytest.raises(OtherSecret, match="`secret` in the data folder"):
        async with open_services(settings):
            pytest.fail("it was opened")
