"""What a system refuses to start with."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from lightmem.bootstrap import open_indexing, open_services
from lightmem.errors import IncompatibleIndex
from lightmem.model import NewTurn, Role
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
