"""Every table of the ledger is one that holds users' rows, or one that is said not to."""

import pytest

from lightmem.adapters.ledger.belonging import NOT_OF_USERS, OF_USERS, children_first
from lightmem.adapters.ledger.tables import metadata


def test_every_table_is_classified_once() -> None:
    of_users, others = set(OF_USERS), set(NOT_OF_USERS)

    assert of_users | others == set(metadata.tables), (
        "a new table needs a line in lightmem/adapters/ledger/belonging.py"
    )
    assert not of_users & others


@pytest.mark.parametrize("name", sorted(set(NOT_OF_USERS) - {"api_keys", "idempotency"}))
def test_a_table_that_names_users_is_not_passed_over(name: str) -> None:
    assert "user_id" not in metadata.tables[name].c


@pytest.mark.parametrize("name", sorted(OF_USERS))
def test_the_rows_of_one_user_can_be_chosen(name: str) -> None:
    chosen = str(OF_USERS[name].rows("acme", "ana"))

    assert f"{name}.tenant_id" in chosen
    assert "user_id" in chosen


def test_tables_are_emptied_before_those_they_refer_to() -> None:
    order = [one.table.name for one in children_first()]

    assert order.index("memory_sources") < order.index("turns")
    assert order.index("sessions") < order.index("users")
