"""The schema goes up and down in both databases, by many processes at once, and is the tables'."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, create_engine, inspect

from lightmem.adapters.ledger import SqlLedger, open_ledger
from lightmem.adapters.ledger.schema import downgrade, head_revision, revision_of, upgrade
from lightmem.adapters.ledger.tables import metadata
from lightmem.model import Health
from support.backends import backend_url
from support.clock import FixedClock
from support.ledgers import BACKENDS, fresh_postgres_database, in_child, say


@pytest.fixture(params=BACKENDS)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """URL of a database without any table."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / '100 %' / 'ledger.db'}"
        return
    with fresh_postgres_database(backend_url("postgres")) as url:
        yield url


@pytest.fixture
def empty_engine(empty_url: str, tmp_path: Path) -> Iterator[Engine]:
    (tmp_path / "100 %").mkdir(exist_ok=True)
    engine = create_engine(empty_url)
    yield engine
    engine.dispose()


def opened(url: str) -> SqlLedger:
    return open_ledger(url, clock=FixedClock())


async def test_migrating_makes_a_working_ledger(empty_url: str) -> None:
    ledger = opened(empty_url)
    before = await ledger.check()

    await ledger.migrate()

    assert before == Health("ledger", "down", "its schema has another revision")
    assert await ledger.check() == Health("ledger", "ok")
    tenant = await ledger.create_tenant("acme", k_anonymity=3, actor="test")
    assert len((await say(ledger, tenant.id, "One.")).turns) == 1
    await ledger.close()


async def test_migrating_again_keeps_what_is_there(empty_url: str) -> None:
    ledger = opened(empty_url)
    await ledger.migrate()
    tenant = await ledger.create_tenant("acme", k_anonymity=3, actor="test")

    await ledger.migrate()

    assert await ledger.get_tenant(tenant.id) == tenant
    await ledger.close()


async def test_several_may_migrate_at_once(empty_url: str) -> None:
    ledgers = [opened(empty_url) for _ in range(4)]

    await asyncio.gather(*[ledger.migrate() for ledger in ledgers])

    assert [await ledger.check() for ledger in ledgers] == [Health("ledger", "ok")] * 4
    for ledger in ledgers:
        await ledger.close()


async def test_processes_may_migrate_at_once(empty_url: str) -> None:
    children = await asyncio.gather(*[in_child("migrate", empty_url) for _ in range(2)])

    ledger = opened(empty_url)
    assert [status for status, _ in children] == [0, 0]
    assert await ledger.check() == Health("ledger", "ok")
    await ledger.close()


def test_the_migrations_make_exactly_the_tables(empty_engine: Engine) -> None:
    with empty_engine.begin() as connection:
        upgrade(connection)

    with empty_engine.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), metadata)

    assert differences == []


def test_the_schema_goes_down_and_up_again(empty_engine: Engine) -> None:
    with empty_engine.begin() as connection:
        upgrade(connection)
        downgrade(connection)
    left = inspect(empty_engine).get_table_names()

    with empty_engine.begin() as connection:
        upgrade(connection)

    assert left == ["alembic_version"]
    assert set(inspect(empty_engine).get_table_names()) == {"alembic_version", *metadata.tables}


def test_a_migration_that_fails_leaves_the_schema_as_it_was(empty_engine: Engine) -> None:
    with pytest.raises(ZeroDivisionError):
        _upgrade_and_fail(empty_engine)

    with empty_engine.connect() as connection:
        assert revision_of(connection) is None
    assert inspect(empty_engine).get_table_names() == []


def _upgrade_and_fail(engine: Engine) -> None:
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            # As the ledger does itself: the driver would begin only before a change of rows.
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        upgrade(connection)
        raise ZeroDivisionError


def test_every_table_has_the_tenant_in_its_key_or_an_index() -> None:
    without = [
        table.name
        for table in metadata.tables.values()
        if "tenant_id" not in table.primary_key.columns
        and not any(index.columns.keys()[0] == "tenant_id" for index in table.indexes)
    ]

    assert sorted(without) == ["meta", "tenants"]


def test_there_is_one_newest_revision() -> None:
    assert head_revision() is not None
