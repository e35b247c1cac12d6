"""How long to wait before trying again."""


def retry_delay_s(attempts: int, *, first_s: float = 1.0, most_s: float = 60.0) -> float:
    """Seconds to wait after `attempts` tries: doubled each time, up to `most_s`."""
    return float(min(most_s, first_s * 2.0 ** min(max(attempts - 1, 0), 32)))
