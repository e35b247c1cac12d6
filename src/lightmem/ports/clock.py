"""The time, injected."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The time, injected so that tests can turn it."""

    def now(self) -> datetime:
        """The present as an aware UTC datetime."""
        ...
