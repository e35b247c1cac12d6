"""The SQL system of record: SQLite in one process, PostgreSQL for many, one code."""

from lightmem.adapters.ledger.ledger import SqlLedger, open_ledger

__all__ = ["SqlLedger", "open_ledger"]
