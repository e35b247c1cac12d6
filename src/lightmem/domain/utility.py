"""How much a memory is worth keeping at hand: how lately and how often it served, how often said.

    utility = 0.5 * recency + 0.3 * use + 0.2 * support

recency = 2 ** (-days since it last served or was learnt / 30)
use     = accesses / (accesses + 5)
support = quotes / (quotes + 2)

Each part is in [0, 1], and so is the sum. Beyond a few accesses or quotes more of them add little,
so that no memory is safe for having served often once: recency falls for all alike. What was
superseded is worth half: it answers questions about the past alone.
"""

from datetime import datetime

RECENCY, USE, SUPPORT = 0.5, 0.3, 0.2
HALF_LIFE_DAYS = 30.0
#: Accesses and quotes that make up half of their part.
HALF_USE, HALF_SUPPORT = 5.0, 2.0
SUPERSEDED = 0.5


def utility(
    *,
    now: datetime,
    learnt_at: datetime,
    used_at: datetime | None,
    accesses: int,
    quotes: int,
    is_superseded: bool = False,
) -> float:
    """The utility of a memory in [0, 1]; higher is kept longer.

    Args:
        used_at: When it last served in a recall; None before it ever did.
        quotes: How many quotes of turns it rests on.
    """
    latest = learnt_at if used_at is None else max(learnt_at, used_at)
    age_days = max((now - latest).total_seconds(), 0.0) / 86_400
    worth: float = (
        RECENCY * 2.0 ** (-age_days / HALF_LIFE_DAYS)
        + USE * accesses / (accesses + HALF_USE)
        + SUPPORT * quotes / (quotes + HALF_SUPPORT)
    )
    return worth * SUPERSEDED if is_superseded else worth
