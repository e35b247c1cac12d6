"""The chain of the audit trail shows every change, gap and swap."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from lightmem.domain.audit import GENESIS, AuditEntry, first_break, seal

START = datetime(2024, 5, 8, 12, 0, 0, 123456, tzinfo=UTC)


def chain(length: int) -> list[AuditEntry]:
    entries: list[AuditEntry] = []
    for seq in range(1, length + 1):
        entries.append(
            seal(
                id=f"id-{seq}",
                tenant_id="acme",
                seq=seq,
                at=START + timedelta(seconds=seq),
                actor="key-1",
                action="turns.append",
                target=f"operation-{seq}",
                prev_hash=entries[-1].hash if entries else GENESIS,
            )
        )
    return entries


def test_an_untouched_chain_holds() -> None:
    assert first_break(chain(5)) is None
    assert first_break([]) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda entry: replace(entry, actor="someone else"),
        lambda entry: replace(entry, target="another"),
        lambda entry: replace(entry, at=entry.at + timedelta(microseconds=1)),
        lambda entry: replace(entry, tenant_id="other"),
        lambda entry: replace(entry, hash="f" * 64),
    ],
)
def test_a_changed_field_breaks_the_chain_there(
    change: Callable[[AuditEntry], AuditEntry],
) -> None:
    entries = chain(5)
    entries[2] = change(entries[2])

    assert first_break(entries) == entries[2]


def test_an_entry_left_out_breaks_the_chain_at_the_next() -> None:
    entries = chain(5)
    del entries[1]

    assert first_break(entries) == entries[1]


def test_two_entries_swapped_break_the_chain() -> None:
    entries = chain(5)
    entries[1], entries[2] = entries[2], entries[1]

    assert first_break(entries) == entries[1]


def test_the_hash_is_of_the_moment_and_not_of_its_zone() -> None:
    local = START.astimezone(timezone(timedelta(hours=5)))

    utc, zoned = (
        seal(
            id="1",
            tenant_id="t",
            seq=1,
            at=moment,
            actor="a",
            action="b",
            target="c",
            prev_hash=GENESIS,
        )
        for moment in (START, local)
    )

    assert utc == zoned
