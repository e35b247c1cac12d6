"""Looking up what stands beside recalled items, over the ledgers."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

import pytest

from lightmem.adapters.embedded.short_term import InProcessShortTermBuffer
from lightmem.adapters.ledger import SqlLedger
from lightmem.domain.surroundings import Surroundings
from lightmem.errors import LedgerUnavailable
from lightmem.model import AsOf, Item, ItemKind, Layer, RecallFilters, RecallRequest, Turn
from lightmem.ports import Ledger
from lightmem_gateway.surroundings import FindSurroundings
from support.clock import FixedClock
from support.ledgers import NOON, learn, said

LINES = (
    ("Ben", "Which instrument do you play?"),
    ("Ana", "The violin."),
    ("Ben", "I bought a blue kayak for the trip to the lake."),
    ("Ana", "My sister paints landscapes of the old harbour."),
)


class Down:
    """A ledger that does not answer."""

    async def get_turns_around(self, *_: object, **__: object) -> list[Turn]:
        raise LedgerUnavailable("down")


def item_of(turn: Turn) -> Item:
    return Item(
        turn.id, Layer.MID_TERM, ItemKind.TURN, turn.content, 1.0, turn.speaker, turn.occurred_at
    )


async def talk(ledger: SqlLedger, acme: str) -> list[Turn]:
    turns = [replace(said(words), speaker=speaker) for speaker, words in LINES]
    accepted = await ledger.append_turns(acme, "ana", "s1", turns, actor="test")
    return list(accepted.turns)


async def beside(
    ledger: SqlLedger | Down, acme: str, turns: Sequence[Turn], **changes: Any
) -> Surroundings:
    request = RecallRequest(**{"query": "What?", "now": NOON, "session_id": "s1", **changes})
    buffer = InProcessShortTermBuffer(20)
    await buffer.append(acme, "ana", turns)
    find = FindSurroundings(ledger=cast(Ledger, ledger), short_term=buffer)
    items = [item_of(turn) for turn in turns[1:3]]
    return await find(acme, "ana", request, items, with_latest=True)


async def test_a_reply_brings_its_question_and_a_statement_nothing(
    ledger: SqlLedger, acme: str
) -> None:
    turns = await talk(ledger, acme)

    found = await beside(ledger, acme, turns)

    assert [item.id for item in found.beside[turns[1].id]] == [turns[0].id]
    assert found.beside[turns[2].id] == []
    assert [item.id for item in found.latest] == [turn.id for turn in turns]


@pytest.mark.parametrize(
    "changes",
    [
        {"filters": RecallFilters(speakers=("Ana",))},
        {"filters": RecallFilters(session_ids=("s2",))},
        {"filters": RecallFilters(kinds=(ItemKind.MEMORY,))},
        {"filters": RecallFilters(end=NOON - timedelta(days=9))},
        {"as_of": AsOf(known=NOON - timedelta(days=9))},
    ],
)
async def test_the_callers_limits_hold_for_what_stands_beside(
    ledger: SqlLedger, acme: str, changes: dict[str, Any]
) -> None:
    turns = await talk(ledger, acme)

    found = await beside(ledger, acme, turns, **changes)

    shown = [*found.beside[turns[1].id], *found.latest]
    assert "Ben" not in {item.speaker for item in shown}


async def test_what_was_recorded_after_the_moment_asked_about_is_not_beside(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    told_later = [
        replace(said(words), speaker=speaker, occurred_at=NOON - timedelta(days=400))
        for speaker, words in LINES
    ]
    ledger_clock.advance(timedelta(days=1).total_seconds())
    accepted = await ledger.append_turns(acme, "ana", "s1", told_later, actor="test")

    found = await beside(ledger, acme, list(accepted.turns), as_of=AsOf(known=NOON))

    assert [*found.beside[accepted.turns[1].id], *found.latest] == []


async def test_another_user_s_turns_are_never_beside(ledger: SqlLedger, acme: str) -> None:
    turns = await talk(ledger, acme)
    find = FindSurroundings(ledger=ledger, short_term=InProcessShortTermBuffer(20))

    found = await find(
        acme,
        "ben",
        RecallRequest(query="What?", now=NOON),
        [item_of(turns[1])],
        with_latest=True,
    )

    assert found.beside[turns[1].id] == []


async def test_a_memory_brings_the_words_that_it_rests_on(ledger: SqlLedger, acme: str) -> None:
    memory = await learn(ledger, acme, "I drink green tea.")
    find = FindSurroundings(ledger=ledger, short_term=InProcessShortTermBuffer(20))
    item = Item(memory.id, Layer.MID_TERM, ItemKind.MEMORY, memory.text, 1.0)

    found = await find(
        acme, "ana", RecallRequest(query="What?", now=NOON), [item], with_latest=True
    )

    assert [quote.words for quote in found.quotes[memory.id]] == [memory.sources[0].quote]


async def test_with_the_ledger_down_items_stand_alone(ledger: SqlLedger, acme: str) -> None:
    turns = await talk(ledger, acme)

    assert await beside(Down(), acme, turns) == Surroundings()
