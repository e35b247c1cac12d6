"""The time as the machine tells it; tests turn a clock of their own."""

from datetime import UTC, datetime


class SystemClock:
    """The present, as an aware UTC datetime."""

    def now(self) -> datetime:
        return datetime.now(UTC)
