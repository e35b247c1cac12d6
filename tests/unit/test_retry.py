"""How long to wait before trying again."""

from lightmem.domain.retry import retry_delay_s


def test_the_wait_doubles_up_to_its_most() -> None:
    waits = [retry_delay_s(attempts, first_s=1, most_s=10) for attempts in range(7)]

    assert waits == [1, 1, 2, 4, 8, 10, 10]


def test_any_number_of_attempts_has_a_wait() -> None:
    assert retry_delay_s(10_000_000, most_s=60) == 60
