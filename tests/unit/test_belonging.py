"""Every table holds users' rows or is said not to; every column, words or none."""

from collections.abc import Mapping, Set

import pytest
from sqlalchemy import Boolean, Float, Integer

from lightmem.adapters.ledger.belonging import NOT_OF_USERS, OF_USERS, children_first
from lightmem.adapters.ledger.columns import UtcDateTime
from lightmem.adapters.ledger.tables import metadata
from lightmem.adapters.ledger.word_columns import WORDLESS, WORDS, is_listed_once


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


# --- columns with words -----------------------------------------------------------------------

WITHOUT_TEXT = (Integer, Float, Boolean, UtcDateTime)
USERS_TABLES = [*OF_USERS, "idempotency"]


@pytest.mark.parametrize("name", USERS_TABLES)
def test_every_column_that_can_hold_text_is_said_to_hold_words_or_none(name: str) -> None:
    can_hold_text = [
        column.name
        for column in metadata.tables[name].columns
        if not isinstance(column.type, WITHOUT_TEXT)
    ]

    unclear = [column for column in can_hold_text if not is_listed_once(name, column)]

    assert unclear == [], "each needs a place in lightmem/adapters/ledger/word_columns.py"


def test_a_column_that_nobody_listed_is_noticed() -> None:
    assert not is_listed_once("turns", "summary")
    assert not is_listed_once("no_such_table", "content")


@pytest.mark.parametrize("listed", [WORDS, WORDLESS], ids=["words", "wordless"])
def test_what_is_listed_is_there(listed: Mapping[str, Set[str]]) -> None:
    for table, columns in listed.items():
        assert table in USERS_TABLES
        assert columns <= set(metadata.tables[table].columns.keys())
