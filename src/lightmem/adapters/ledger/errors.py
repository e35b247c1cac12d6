"""What the drivers raise, said once in our words."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import exc

from lightmem.errors import InvalidInput, LedgerUnavailable

#: A statement that the schema does not know is a fault of ours, not of the server.
_SQLITE_OWN_FAULTS = frozenset({sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISUSE})
_SQLITE_UNREADABLE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


@contextmanager
def ledger_errors() -> Iterator[None]:
    """Raise `LedgerUnavailable` where the database does not answer, within its patience."""
    try:
        yield
    except (exc.DataError, UnicodeEncodeError) as error:
        raise InvalidInput("the ledger cannot hold this text") from error
    except exc.DBAPIError as error:
        if not is_unavailable(error):
            raise
        raise LedgerUnavailable("the ledger does not answer") from error
    except (exc.TimeoutError, OSError) as error:
        raise LedgerUnavailable("the ledger does not answer") from error


def is_unavailable(error: exc.DBAPIError) -> bool:
    """Whether the same call may succeed later: no connection, a lock held, a full disk."""
    if isinstance(error.orig, sqlite3.Error):
        code = getattr(error.orig, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if isinstance(error.orig, sqlite3.OperationalError):
            return code not in _SQLITE_OWN_FAULTS
        return code in _SQLITE_UNREADABLE
    return error.connection_invalidated or isinstance(
        error, exc.OperationalError | exc.InterfaceError
    )
