"""Turns are stored once, word for word, in order, with all that has to follow them."""

import asyncio
from datetime import UTC, datetime, timedelta, timezone

import pytest

from lightmem.adapters.ledger import SqlLedger, open_ledger
from lightmem.errors import IdempotencyConflict, InvalidInput, NotFound
from lightmem.model import (
    Idempotency,
    JobKind,
    NewTurn,
    OperationStatus,
    Outcome,
    Role,
    Session,
)
from support.clock import FixedClock
from support.ledgers import NOON, ids, in_child, said, say

KEY = Idempotency("turns", "key-1", "body-1")
DAY_S = 86_400.0


# --- appending ------------------------------------------------------------------------------


async def test_a_turn_comes_back_as_it_was_given(ledger: SqlLedger, acme: str) -> None:
    given = NewTurn(
        role=Role.TOOL,
        content="  Nos mudamos a Lisboa 🇵🇹\r\n\tayer. ",
        occurred_at=datetime(2024, 5, 8, 10, 15, 0, 123456, tzinfo=timezone(timedelta(hours=2))),
        client_id="c1",
        speaker="Ana",
        metadata={"a": [1, 2.5, None, "é\u2028"], "b": {"c": True}},
        utc_offset_minutes=120,
    )

    accepted = await ledger.append_turns(acme, "ana", "s1", [given], actor="test")

    (turn,) = accepted.turns
    assert turn == await ledger.get_turn(acme, turn.id)
    assert turn.content == given.content
    assert turn.occurred_at == given.occurred_at
    assert turn.occurred_at.utcoffset() == timedelta(0)
    assert turn.recorded_at == NOON
    assert turn.metadata == given.metadata
    assert (turn.role, turn.client_id, turn.speaker) == (Role.TOOL, "c1", "Ana")
    assert (turn.seq, turn.utc_offset_minutes) == (1, 120)


@pytest.mark.parametrize(
    "moment",
    [
        datetime(1, 1, 2, tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        datetime(2024, 3, 31, 1, 30, 0, 1, tzinfo=UTC),
        datetime(9999, 12, 30, 23, 59, 59, 999999, tzinfo=UTC),
    ],
)
async def test_any_moment_is_kept_to_the_microsecond(
    ledger: SqlLedger, acme: str, moment: datetime
) -> None:
    accepted = await ledger.append_turns(
        acme, "ana", "s1", [said("Then.", at=moment)], actor="test"
    )

    turn = await ledger.get_turn(acme, accepted.turn_ids[0])

    assert turn.occurred_at == moment


async def test_new_turns_are_pending_and_put_two_jobs_in_the_outbox(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    accepted = await say(ledger, acme, "One.", "Two.")

    operation = await ledger.get_operation(acme, accepted.operation.id)
    assert operation == accepted.operation
    assert operation.status is OperationStatus.PENDING
    assert [each.turn_id for each in operation.outcomes] == accepted.turn_ids
    assert {each.outcome for each in operation.outcomes} == {Outcome.PENDING}
    assert accepted.index_job_id is not None
    index = await ledger.get_job(accepted.index_job_id)
    assert index is not None
    assert (index.kind, index.payload) == (JobKind.INDEX_TURNS, {"turn_ids": accepted.turn_ids})
    (write,) = await ledger.lease_jobs([JobKind.WRITE], limit=10, lease_s=60.0)
    assert write.payload == {"operation_id": operation.id}
    assert (write.tenant_id, write.user_id) == (acme, "ana")


async def test_the_index_job_waits_for_the_caller_to_index_first(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    await say(ledger, acme, "One.")

    at_once = await ledger.lease_jobs([JobKind.INDEX_TURNS], limit=10, lease_s=60.0)
    ledger_clock.advance(10.0)
    later = await ledger.lease_jobs([JobKind.INDEX_TURNS], limit=10, lease_s=60.0)

    assert at_once == []
    assert len(later) == 1


async def test_a_system_turn_is_kept_and_gives_no_facts(ledger: SqlLedger, acme: str) -> None:
    accepted = await ledger.append_turns(
        acme, "ana", "s1", [said("Be brief.", role=Role.SYSTEM)], actor="test"
    )

    assert [each.outcome for each in accepted.operation.outcomes] == [Outcome.NO_FACTS]
    assert accepted.operation.status is OperationStatus.SUCCEEDED
    assert accepted.operation.finished_at == NOON
    assert accepted.index_job_id is not None
    assert (await ledger.pending_jobs())[JobKind.WRITE] == 0


async def test_places_in_a_session_count_on_from_1(ledger: SqlLedger, acme: str) -> None:
    await say(ledger, acme, "One.", "Two.")
    await say(ledger, acme, "Elsewhere.", session_id="s2")
    await say(ledger, acme, "Three.")

    page = await ledger.list_turns(acme, "ana", session_id="s1", limit=10, cursor=None)

    assert [(turn.seq, turn.content) for turn in page.items] == [
        (1, "One."),
        (2, "Two."),
        (3, "Three."),
    ]


async def test_an_unknown_tenant_is_not_found_and_nothing_is_stored(ledger: SqlLedger) -> None:
    with pytest.raises(NotFound):
        await say(ledger, "nobody", "One.")

    assert await ledger.turn_ids(after=None, limit=10) == []
    assert set((await ledger.pending_jobs()).values()) == {0}


async def test_a_thousand_turns_are_stored_in_one_call(ledger: SqlLedger, acme: str) -> None:
    accepted = await say(ledger, acme, *[f"Turn {number}." for number in range(1000)])

    assert len(set(accepted.turn_ids)) == 1000
    turns = await ledger.get_turns(acme, "ana", accepted.turn_ids)
    assert ids(turns) == accepted.turn_ids
    assert [turn.seq for turn in turns] == list(range(1, 1001))


# --- client ids -----------------------------------------------------------------------------


async def test_the_same_client_id_and_words_are_the_same_turn(ledger: SqlLedger, acme: str) -> None:
    first = await ledger.append_turns(
        acme, "ana", "s1", [said("One.", client_id="c1")], actor="test"
    )

    again = await ledger.append_turns(
        acme, "ana", "s1", [said("One.", client_id="c1")], actor="test"
    )

    assert again.turn_ids == first.turn_ids
    assert again.turns == []
    assert again.index_job_id is None
    assert [each.outcome for each in again.operation.outcomes] == [Outcome.DUPLICATE]
    assert again.operation.status is OperationStatus.SUCCEEDED
    assert len(await ledger.turn_ids(after=None, limit=10)) == 1


async def test_the_same_client_id_with_other_words_is_rejected(
    ledger: SqlLedger, acme: str
) -> None:
    first = await ledger.append_turns(
        acme, "ana", "s1", [said("One.", client_id="c1")], actor="test"
    )

    other = await ledger.append_turns(
        acme, "ana", "s1", [said("Two.", client_id="c1"), said("Three.")], actor="test"
    )

    rejected, new = other.operation.outcomes
    assert (rejected.outcome, rejected.reason) == (Outcome.REJECTED, "CLIENT_ID_CONFLICT")
    assert new.outcome is Outcome.PENDING
    assert rejected.turn_id not in first.turn_ids
    assert (await ledger.get_turn(acme, first.turn_ids[0])).content == "One."
    with pytest.raises(NotFound):
        await ledger.get_turn(acme, rejected.turn_id)


@pytest.mark.parametrize("role", [Role.ASSISTANT, Role.TOOL])
async def test_the_same_words_of_another_role_are_another_turn(
    ledger: SqlLedger, acme: str, role: Role
) -> None:
    await ledger.append_turns(acme, "ana", "s1", [said("One.", client_id="c1")], actor="test")

    other = await ledger.append_turns(
        acme, "ana", "s1", [said("One.", client_id="c1", role=role)], actor="test"
    )

    assert other.operation.outcomes[0].outcome is Outcome.REJECTED


async def test_a_client_id_given_twice_in_one_call_is_one_turn(
    ledger: SqlLedger, acme: str
) -> None:
    turns = [
        said("One.", client_id="c1"),
        said("One.", client_id="c1"),
        said("Two.", client_id="c1"),
    ]

    accepted = await ledger.append_turns(acme, "ana", "s1", turns, actor="test")

    assert [each.outcome for each in accepted.operation.outcomes] == [
        Outcome.PENDING,
        Outcome.DUPLICATE,
        Outcome.REJECTED,
    ]
    assert accepted.turn_ids[0] == accepted.turn_ids[1]
    assert len(accepted.turns) == 1


async def test_a_client_id_is_the_users_own(ledger: SqlLedger, acme: str) -> None:
    turns = [said("One.", client_id="c1")]
    await ledger.append_turns(acme, "ana", "s1", turns, actor="test")

    other_user = await ledger.append_turns(acme, "bob", "s1", turns, actor="test")
    other_session = await ledger.append_turns(acme, "ana", "s2", turns, actor="test")

    assert other_user.operation.outcomes[0].outcome is Outcome.PENDING
    assert other_session.operation.outcomes[0].outcome is Outcome.DUPLICATE


async def test_the_same_words_without_a_client_id_are_two_turns(
    ledger: SqlLedger, acme: str
) -> None:
    accepted = await say(ledger, acme, "One.", "One.")

    assert len(set(accepted.turn_ids)) == 2


async def test_one_client_id_from_many_callers_at_once_is_one_turn(
    ledger: SqlLedger, acme: str
) -> None:
    answers = await asyncio.gather(
        *[
            ledger.append_turns(
                acme, "ana", f"s{number % 3}", [said("One.", client_id="c1")], actor="test"
            )
            for number in range(20)
        ]
    )

    assert len({answer.turn_ids[0] for answer in answers}) == 1
    assert sum(len(answer.turns) for answer in answers) == 1
    assert len(await ledger.turn_ids(after=None, limit=100)) == 1


async def test_many_callers_at_once_get_each_place_once(ledger: SqlLedger, acme: str) -> None:
    await asyncio.gather(*[say(ledger, acme, f"{number}.", "And.") for number in range(30)])

    page = await ledger.list_turns(acme, "ana", session_id="s1", limit=100, cursor=None)

    assert [turn.seq for turn in page.items] == list(range(1, 61))


# --- idempotency ----------------------------------------------------------------------------


async def test_a_repeated_key_gives_the_first_answer_again(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    turns = [said("One."), said("Two.")]
    first = await ledger.append_turns(acme, "ana", "s1", turns, actor="test", idempotency=KEY)
    ledger_clock.advance(6.9 * DAY_S)

    again = await ledger.append_turns(acme, "ana", "s1", turns, actor="test", idempotency=KEY)

    assert again.turn_ids == first.turn_ids
    assert again.operation == first.operation
    assert (again.turns, again.index_job_id) == ([], None)
    assert len(await ledger.turn_ids(after=None, limit=10)) == 2


async def test_a_key_outlives_a_restart(
    ledger: SqlLedger, acme: str, ledger_url: str, ledger_clock: FixedClock
) -> None:
    first = await ledger.append_turns(
        acme, "ana", "s1", [said("One.")], actor="test", idempotency=KEY
    )
    await ledger.close()
    reopened = open_ledger(ledger_url, clock=ledger_clock)

    again = await reopened.append_turns(
        acme, "ana", "s1", [said("One.")], actor="test", idempotency=KEY
    )
    await reopened.close()

    assert again.operation.id == first.operation.id


async def test_fifty_requests_under_one_key_at_once_are_one_operation(
    ledger: SqlLedger, acme: str
) -> None:
    answers = await asyncio.gather(
        *[
            ledger.append_turns(acme, "ana", "s1", [said("One.")], actor="test", idempotency=KEY)
            for _ in range(50)
        ]
    )

    assert len({answer.operation.id for answer in answers}) == 1
    assert len({answer.turn_ids[0] for answer in answers}) == 1
    assert sum(len(answer.turns) for answer in answers) == 1
    assert len(await ledger.turn_ids(after=None, limit=100)) == 1
    assert (await ledger.pending_jobs())[JobKind.WRITE] == 1


async def test_processes_under_one_key_at_once_are_one_operation(
    ledger: SqlLedger, acme: str, ledger_url: str
) -> None:
    children = await asyncio.gather(
        *[in_child("append", ledger_url, acme, "one-key") for _ in range(2)]
    )

    assert [status for status, _ in children] == [0, 0]
    operations = [line for _, lines in children for line in lines]
    assert len(operations) == 20
    assert len(set(operations)) == 1
    assert len(await ledger.turn_ids(after=None, limit=100)) == 1


async def test_a_key_with_another_body_conflicts(ledger: SqlLedger, acme: str) -> None:
    await ledger.append_turns(acme, "ana", "s1", [said("One.")], actor="test", idempotency=KEY)

    with pytest.raises(IdempotencyConflict):
        await ledger.append_turns(
            acme,
            "ana",
            "s1",
            [said("Two.")],
            actor="test",
            idempotency=Idempotency(KEY.route, KEY.key, "body-2"),
        )

    assert len(await ledger.turn_ids(after=None, limit=10)) == 1


async def test_a_key_shows_nothing_to_another_user(ledger: SqlLedger, acme: str) -> None:
    await ledger.append_turns(acme, "ana", "s1", [said("One.")], actor="test", idempotency=KEY)

    with pytest.raises(IdempotencyConflict):
        await ledger.append_turns(acme, "bob", "s1", [said("One.")], actor="test", idempotency=KEY)


async def test_a_key_is_of_its_tenant_and_route(ledger: SqlLedger, acme: str) -> None:
    other = (await ledger.create_tenant("other", k_anonymity=3, actor="test")).id
    route = Idempotency("other route", KEY.key, "body-2")
    turns = [said("One.")]
    first = await ledger.append_turns(acme, "ana", "s1", turns, actor="t", idempotency=KEY)

    in_other_tenant = await ledger.append_turns(
        other, "ana", "s1", turns, actor="t", idempotency=KEY
    )
    on_other_route = await ledger.append_turns(
        acme, "ana", "s1", turns, actor="t", idempotency=route
    )

    made = {each.operation.id for each in (first, in_other_tenant, on_other_route)}
    assert len(made) == 3


async def test_a_refused_write_does_not_use_up_the_key(ledger: SqlLedger, acme: str) -> None:
    naive = NewTurn(Role.USER, "One.", datetime(2024, 5, 8))  # noqa: DTZ001
    unknown = Idempotency("turns", "key-2", "body-1")
    with pytest.raises(NotFound):
        await ledger.append_turns(
            "nobody", "ana", "s1", [said("One.")], actor="t", idempotency=unknown
        )
    with pytest.raises(InvalidInput):
        await ledger.append_turns(acme, "ana", "s1", [naive], actor="t", idempotency=KEY)

    accepted = await ledger.append_turns(
        acme,
        "ana",
        "s1",
        [said("One.")],
        actor="test",
        idempotency=Idempotency(KEY.route, KEY.key, "another body"),
    )

    assert len(accepted.turns) == 1


async def test_after_seven_days_a_key_is_new_again(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    first = await ledger.append_turns(
        acme, "ana", "s1", [said("One.")], actor="test", idempotency=KEY
    )
    ledger_clock.advance(7 * DAY_S)

    second = await ledger.append_turns(
        acme, "ana", "s1", [said("One.")], actor="test", idempotency=KEY
    )

    assert second.operation.id != first.operation.id
    assert len(second.turns) == 1


# --- reading --------------------------------------------------------------------------------


async def test_turns_are_listed_oldest_first_by_pages(ledger: SqlLedger, acme: str) -> None:
    first = await say(ledger, acme, "One.", "Two.", "Three.")
    second = await say(ledger, acme, "Four.", session_id="s2")
    found: list[str] = []
    cursor = None
    pages = 0

    while cursor is not None or pages == 0:
        page = await ledger.list_turns(acme, "ana", session_id=None, limit=2, cursor=cursor)
        found += ids(page.items)
        cursor = page.next_cursor
        pages += 1

    assert found == [*first.turn_ids, *second.turn_ids]
    assert pages == 2


async def test_an_empty_list_has_no_next_page(ledger: SqlLedger, acme: str) -> None:
    page = await ledger.list_turns(acme, "nobody", session_id=None, limit=2, cursor=None)

    assert (page.items, page.next_cursor) == ([], None)


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "é",
        "W10",
        "bnVsbA",
        "WyJ0dXJucyIsIDFd",
        "!!!",
        "WyJzZXNzaW9ucyIsICJ4Il0",
        "x" * 999,
    ],
)
async def test_a_cursor_of_no_list_is_refused_by_name(
    ledger: SqlLedger, acme: str, cursor: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        await ledger.list_turns(acme, "ana", session_id=None, limit=2, cursor=cursor)

    assert [error.field for error in refused.value.errors] == ["cursor"]


async def test_sessions_are_listed_latest_first_by_pages(ledger: SqlLedger, acme: str) -> None:
    for number in (2, 3, 1, 3):
        at = NOON + timedelta(days=number)
        await ledger.append_turns(acme, "ana", f"s{number}", [said("Hi.", at=at)], actor="test")

    first = await ledger.list_sessions(acme, "ana", limit=2, cursor=None)
    second = await ledger.list_sessions(acme, "ana", limit=2, cursor=first.next_cursor)

    assert [each.session_id for each in first.items] == ["s3", "s2"]
    assert [each.session_id for each in second.items] == ["s1"]
    assert second.next_cursor is None
    day_3 = NOON + timedelta(days=3)
    assert first.items[0] == Session("s3", day_3, day_3, turns=2)


async def test_a_session_spans_its_turns_in_whatever_order_they_came(
    ledger: SqlLedger, acme: str
) -> None:
    for hours in (5, 1, 9, 3):
        at = NOON + timedelta(hours=hours)
        await ledger.append_turns(acme, "ana", "s1", [said("Hi.", at=at)], actor="test")

    (session,) = (await ledger.list_sessions(acme, "ana", limit=10, cursor=None)).items

    assert session == Session("s1", NOON + timedelta(hours=1), NOON + timedelta(hours=9), turns=4)


async def test_neighbours_are_those_of_the_session_each_once(ledger: SqlLedger, acme: str) -> None:
    accepted = await say(ledger, acme, *[f"{number}." for number in range(12)])
    await say(ledger, acme, "Between.", session_id="s2")
    wanted = [accepted.turn_ids[position] for position in (9, 0, 4, 5)]

    turns = await ledger.get_turns(acme, "ana", wanted, neighbours=1)

    assert [turn.content for turn in turns] == [
        "0.",
        "1.",
        "3.",
        "4.",
        "5.",
        "6.",
        "8.",
        "9.",
        "10.",
    ]


async def test_a_neighbour_is_the_nearest_that_is_left(ledger: SqlLedger, acme: str) -> None:
    accepted = await say(ledger, acme, *[f"{number}." for number in range(8)])
    for position in (2, 4, 5):
        turn_id = accepted.turn_ids[position]
        await ledger.delete_turn(acme, turn_id, user_id=None, actor="test")

    turns = await ledger.get_turns(acme, "ana", [accepted.turn_ids[3]], neighbours=2)

    assert [turn.content for turn in turns] == ["0.", "1.", "3.", "6.", "7."]


async def test_only_turns_that_exist_are_given(ledger: SqlLedger, acme: str) -> None:
    accepted = await say(ledger, acme, "One.")

    turns = await ledger.get_turns(acme, "ana", ["nothing", *accepted.turn_ids, *accepted.turn_ids])

    assert ids(turns) == accepted.turn_ids
    assert await ledger.get_turns(acme, "ana", []) == []


async def test_what_is_around_turns_is_told_by_place_each_once(
    ledger: SqlLedger, acme: str
) -> None:
    turns = [said(f"number {number}") for number in range(8)]
    accepted = await ledger.append_turns(acme, "ana", "s1", turns, actor="test")
    await ledger.append_turns(acme, "ana", "s2", turns, actor="test")
    await ledger.append_turns(acme, "bob", "s1", turns, actor="test")
    await ledger.delete_turn(acme, accepted.turn_ids[3], user_id="ana", actor="test")
    asked = [accepted.turn_ids[number] for number in (0, 1, 4, 3)]

    around = await ledger.get_turns_around(acme, "ana", asked, places=1)

    assert [(turn.session_id, turn.content) for turn in around] == [
        ("s1", f"number {number}") for number in (0, 1, 2, 4, 5)
    ]
    assert await ledger.get_turns_around(acme, "bob", asked, places=1) == []
    assert await ledger.get_turns_around(acme, "ana", [], places=1) == []
