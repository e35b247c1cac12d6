"""Fixtures that several suites share."""

from support.ledgers import (
    acme,
    ledger,
    ledger_clock,
    ledger_url,
    postgres_ledger_url,
    sqlite_template,
)

__all__ = [
    "acme",
    "ledger",
    "ledger_clock",
    "ledger_url",
    "postgres_ledger_url",
    "sqlite_template",
]
