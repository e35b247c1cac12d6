"""Ids are UUIDs of version 7 that keep the order in which they were made."""

import time
from concurrent.futures import ThreadPoolExecutor
from uuid import RFC_4122, UUID

from lightmem.domain.ids import new_id


def milliseconds(value: str) -> int:
    return UUID(value).int >> 80


def test_an_id_is_a_uuid_of_version_7() -> None:
    value = UUID(new_id())

    assert value.version == 7
    assert value.variant == RFC_4122


def test_ids_of_one_process_sort_by_creation() -> None:
    made = [new_id() for _ in range(10_000)]

    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_a_bulk_of_ids_does_not_run_ahead_of_the_clock() -> None:
    for _ in range(10_000):
        new_id()

    ahead_ms = milliseconds(new_id()) - time.time_ns() // 1_000_000

    assert ahead_ms <= 5


def test_ids_made_by_many_threads_differ() -> None:
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda _: new_id(), range(5_000)))

    assert len(set(made)) == 5_000
