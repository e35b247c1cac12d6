"""The schema's revisions: Alembic scripts in this package, run without any file of settings."""

import threading
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

_SCRIPTS = Path(__file__).with_name("migrations")
_ADVISORY_LOCK = 0x4C4D_4C45_4447  # "LMLEDG"

#: Alembic keeps the running migration in the module `alembic.context`: one at a time.
_one_at_a_time = threading.Lock()


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Bring the schema to a newer revision; all of it or, if this fails, nothing."""
    with _one_at_a_time:
        _wait_for_others(connection)
        if revision == "head" and revision_of(connection) == head_revision():
            return
        command.upgrade(_config(connection), revision)


def downgrade(connection: Connection, revision: str = "base") -> None:
    """Take the schema back to an older revision; what it cannot hold is lost."""
    with _one_at_a_time:
        _wait_for_others(connection)
        command.downgrade(_config(connection), revision)


def revision_of(connection: Connection) -> str | None:
    """The revision that the schema has; None before the first."""
    return MigrationContext.configure(connection).get_current_revision()


@cache
def head_revision() -> str | None:
    """The newest revision there is a script for."""
    return ScriptDirectory(str(_SCRIPTS)).get_current_head()


def _wait_for_others(connection: Connection) -> None:
    """Let one process migrate at a time. On SQLite the transaction itself is the lock."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL lock_timeout = 0"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
