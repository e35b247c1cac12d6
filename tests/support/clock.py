"""A clock that stands still until a test turns it."""

from datetime import UTC, datetime, timedelta


class FixedClock:
    """Tells the time it was set to."""

    def __init__(self, now: datetime = datetime(2024, 5, 8, 12, 0, tzinfo=UTC)) -> None:
        self._now = now

    def now(self) -> datetime:
        return self._now

    def advance(self, seconds: float) -> None:
        """Turn the clock forward (or back, by a negative number)."""
        self._now += timedelta(seconds=seconds)
