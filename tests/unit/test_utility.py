"""Utility: what serves is worth more than what does not, and nothing is worth more than all."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from lightmem.domain.utility import utility
from support.turns import SAID_AT

counts = st.integers(0, 10_000)
ages = st.floats(0, 5_000)


def worth(
    *, age: float = 0, accesses: int = 0, quotes: int = 1, is_superseded: bool = False
) -> float:
    return utility(
        now=SAID_AT + timedelta(days=age),
        learnt_at=SAID_AT,
        used_at=None,
        accesses=accesses,
        quotes=quotes,
        is_superseded=is_superseded,
    )


@given(age=ages, accesses=counts, quotes=counts)
def test_utility_lies_between_nothing_and_one(age: float, accesses: int, quotes: int) -> None:
    assert 0.0 <= worth(age=age, accesses=accesses, quotes=quotes) <= 1.0


@given(age=ages, accesses=counts, quotes=counts)
def test_more_use_more_support_and_less_age_are_worth_more(
    age: float, accesses: int, quotes: int
) -> None:
    base = worth(age=age, accesses=accesses, quotes=quotes)

    assert worth(age=age, accesses=accesses + 1, quotes=quotes) > base
    assert worth(age=age, accesses=accesses, quotes=quotes + 1) > base
    assert worth(age=age + 1, accesses=accesses, quotes=quotes) <= base


def test_use_makes_a_memory_young_again() -> None:
    day = timedelta(days=100)

    used = utility(
        now=SAID_AT + day, learnt_at=SAID_AT, used_at=SAID_AT + day, accesses=1, quotes=1
    )

    assert used > worth(age=100, accesses=1)


def test_what_was_superseded_is_worth_half() -> None:
    assert worth(is_superseded=True) == worth() / 2
