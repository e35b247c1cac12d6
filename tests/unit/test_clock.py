"""The clocks tell aware UTC times."""

from datetime import UTC, datetime, timedelta

from lightmem.domain.clock import SystemClock
from support.clock import FixedClock


def test_the_system_clock_tells_the_present_in_utc() -> None:
    before = datetime.now(UTC)

    now = SystemClock().now()

    assert now.tzinfo is UTC
    assert before <= now <= datetime.now(UTC)


def test_a_fixed_clock_moves_only_when_it_is_turned() -> None:
    clock = FixedClock()
    start = clock.now()

    clock.advance(1.5)

    assert clock.now() == start + timedelta(seconds=1.5)
    assert clock.now() == clock.now()
