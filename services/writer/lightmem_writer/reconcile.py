"""Reconciliation: what to do with statements, held against each other and against what is known.

The same words are one memory, whoever repeats them and however often: their sources add up. A
statement is added under the fingerprint of its words, and the ledger, which sees all writers, lets
the memory that has the fingerprint already gain the sources instead.
"""

from collections.abc import Sequence
from dataclasses import replace

from lightmem.domain.fingerprint import fingerprint
from lightmem.model import AddMemory, MemoryChange, Source, Statement, SupportMemory


def reconcile(statements: Sequence[Statement]) -> list[MemoryChange]:
    """One change for each distinct statement, in the order they were first said."""
    merged: dict[str, Statement] = {}
    for statement in statements:
        key = fingerprint(statement.text)
        first = merged.get(key)
        merged[key] = statement if first is None else _with_sources(first, statement.sources)
    return [AddMemory(statement, key) for key, statement in merged.items()]


def sources_of(change: MemoryChange) -> Sequence[Source]:
    """The quotes that a change rests on."""
    if isinstance(change, SupportMemory):
        return change.sources
    if isinstance(change, AddMemory):
        return change.statement.sources
    return change.successor.statement.sources


def _with_sources(statement: Statement, sources: Sequence[Source]) -> Statement:
    return replace(statement, sources=tuple(dict.fromkeys([*statement.sources, *sources])))
