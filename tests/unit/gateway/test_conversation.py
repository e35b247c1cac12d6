"""Turns last whatever is down; recall answers whatever is down, and says what it lacked."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import cast

import pytest

from lightmem.adapters.embedded.short_term import InProcessShortTermBuffer
from lightmem.adapters.lexical import SnowballLexicalEncoder
from lightmem.adapters.tokens import open_tokenizer
from lightmem.errors import (
    ControllerUnavailable,
    DeadlineExceeded,
    IndexUnavailable,
    InvalidInput,
    SelectorUnavailable,
    ShortTermUnavailable,
)
from lightmem.model import (
    AcceptedTurns,
    Gathering,
    Idempotency,
    Item,
    ItemKind,
    Layer,
    NewTurn,
    Operation,
    OperationKind,
    OperationStatus,
    Plan,
    PlannedQuery,
    RecallFilters,
    RecallRequest,
    Role,
    Selection,
    Turn,
)
from lightmem.ports import Ledger
from lightmem_gateway.recalling import RecallMemory
from lightmem_gateway.remembering import FEW_TURNS, Remember
from support.turns import SAID_AT, a_talk, a_turn

NOW = datetime(2024, 5, 9, tzinfo=UTC)
SAID = NewTurn(role=Role.USER, content="I keep bees.", occurred_at=SAID_AT)


class Accepting:
    """The ledger as far as remembering asks it: takes every turn."""

    def __init__(self, status: OperationStatus = OperationStatus.PENDING) -> None:
        self.status = status
        self.completed: list[str] = []
        self.gathered: list[Gathering | None] = []
        self.deferred_s: list[float] = []
        self.asked_for_job = 0

    async def append_turns(
        self,
        tenant_id: str,
        user_id: str,
        session_id: str,
        turns: Sequence[NewTurn],
        *,
        actor: str,
        idempotency: Idempotency | None = None,
        gathering: Gathering | None = None,
        forgetting_state: str | None = None,
    ) -> AcceptedTurns:
        self.gathered.append(gathering)
        stored = [a_turn(turn.content, number=place) for place, turn in enumerate(turns, 1)]
        return AcceptedTurns(self._operation(), [turn.id for turn in stored], stored, "job-1")

    async def complete_job(self, job_id: str) -> None:
        self.completed.append(job_id)

    async def defer_job(self, job_id: str, *, delay_s: float, reason: str) -> None:
        self.deferred_s.append(delay_s)

    async def get_job(self, job_id: str) -> None:
        self.asked_for_job += 1
        return None

    async def get_operation(self, tenant_id: str, operation_id: str) -> Operation:
        return self._operation()

    def _operation(self) -> Operation:
        return Operation("op-1", "acme", "ana", OperationKind.WRITE, self.status, (), SAID_AT)


class Indexing:
    """Indexes, or raises what it was made with."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.indexed: list[str] = []
        self.by_word: list[str] = []

    async def index_words(self, tenant_id: str, user_id: str, turn_ids: Sequence[str]) -> None:
        if self.error is not None:
            raise self.error
        self.by_word += turn_ids

    async def index_turns(
        self, tenant_id: str, user_id: str, turn_ids: Sequence[str], **_: object
    ) -> None:
        if self.error is not None:
            raise self.error
        self.indexed += turn_ids


class DownBuffer(InProcessShortTermBuffer):
    """A buffer whose server does not answer."""

    async def append(self, tenant_id: str, user_id: str, turns: Sequence[Turn]) -> None:
        raise ShortTermUnavailable("down")

    async def recent(
        self, tenant_id: str, user_id: str, *, session_id: str | None, limit: int
    ) -> list[Turn]:
        raise ShortTermUnavailable("down")


class Planning:
    """Plans the question itself, or raises."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    async def plan(self, tenant_id: str, user_id: str, request: RecallRequest) -> Plan:
        if self.error is not None:
            raise self.error
        return Plan((PlannedQuery(request.query, 1.0, "query"),), None, (), request.layers)


class Selecting:
    """Selects what it was made with, or raises."""

    def __init__(self, found: Sequence[Item] | Exception = ()) -> None:
        self.found = found
        self.plans: list[Plan] = []

    async def select(
        self, tenant_id: str, user_id: str, request: RecallRequest, plan: Plan
    ) -> Selection:
        self.plans.append(plan)
        if isinstance(self.found, Exception):
            raise self.found
        return Selection(items=self.found, timings_ms={"embed": 1.5, "gather": 2.5, "select": 3.5})


@pytest.fixture
def buffer() -> InProcessShortTermBuffer:
    return InProcessShortTermBuffer(20)


def remember(
    ledger: Accepting,
    buffer: InProcessShortTermBuffer,
    indexing: Indexing,
    *,
    has_workers: bool = True,
) -> Remember:
    return Remember(
        ledger=cast(Ledger, ledger),
        short_term=buffer,
        indexing=indexing,
        notify=lambda: None,
        has_workers=has_workers,
    )


def recall(
    *,
    controller: Planning | None = None,
    selector: Selecting | None = None,
    buffer: InProcessShortTermBuffer | None = None,
) -> RecallMemory:
    return RecallMemory(
        controller=controller or Planning(),
        selector=selector or Selecting(),
        tokenizer=open_tokenizer(),
        short_term=buffer or InProcessShortTermBuffer(20),
        lexical=SnowballLexicalEncoder(),
    )


# --- remember -------------------------------------------------------------------------------


async def test_accepted_turns_are_at_hand_indexed_and_their_job_is_done(
    buffer: InProcessShortTermBuffer,
) -> None:
    ledger, indexing = Accepting(), Indexing()
    use = remember(ledger, buffer, indexing)

    remembered = await use("acme", "ana", "s1", [SAID], actor="key:1")
    await use.settle()

    [kept] = await buffer.recent("acme", "ana", session_id=None, limit=5)
    assert [kept.id] == indexing.indexed == list(remembered.accepted.turn_ids)
    assert ledger.completed == ["job-1"]


@pytest.mark.parametrize("error", [IndexUnavailable("down"), RuntimeError("broken")])
async def test_turns_that_cannot_be_indexed_now_are_accepted_and_left_to_their_job(
    buffer: InProcessShortTermBuffer, error: Exception
) -> None:
    ledger = Accepting()
    use = remember(ledger, buffer, Indexing(error))

    remembered = await use("acme", "ana", "s1", [SAID], actor="key:1", wait="indexed")
    await use.settle()

    assert len(remembered.accepted.turn_ids) == 1
    assert ledger.completed == []


async def test_a_buffer_that_is_down_does_not_refuse_turns() -> None:
    indexing = Indexing()

    await remember(Accepting(), DownBuffer(20), indexing)("acme", "ana", "s1", [SAID], actor="k")

    assert len(indexing.indexed) == 1


async def test_many_turns_are_put_by_word_and_their_job_is_due_at_once(
    buffer: InProcessShortTermBuffer,
) -> None:
    ledger, indexing = Accepting(), Indexing()
    use = remember(ledger, buffer, indexing)

    remembered = await use("acme", "ana", "s1", [SAID] * (FEW_TURNS + 1), actor="key:1")
    await use.settle()

    assert indexing.by_word == list(remembered.accepted.turn_ids)
    assert indexing.indexed == []
    assert ledger.deferred_s == [0]
    assert ledger.completed == []


async def test_without_workers_many_turns_are_indexed_before_the_answer(
    buffer: InProcessShortTermBuffer,
) -> None:
    ledger, indexing = Accepting(), Indexing()
    use = remember(ledger, buffer, indexing, has_workers=False)

    remembered = await use("acme", "ana", "s1", [SAID] * (FEW_TURNS + 1), actor="key:1")
    await use.settle()

    assert indexing.indexed == list(remembered.accepted.turn_ids)
    assert ledger.completed == ["job-1"]


@pytest.mark.parametrize(("count", "asked"), [(FEW_TURNS, 0), (FEW_TURNS + 1, 1)])
async def test_waiting_for_the_index_waits_for_the_job_where_it_has_the_work(
    buffer: InProcessShortTermBuffer, count: int, asked: int
) -> None:
    ledger = Accepting()

    await remember(ledger, buffer, Indexing())(
        "acme", "ana", "s1", [SAID] * count, actor="key:1", wait="indexed"
    )

    assert ledger.asked_for_job == asked


async def test_one_bad_turn_stores_none(buffer: InProcessShortTermBuffer) -> None:
    blank = NewTurn(role=Role.USER, content=" ", occurred_at=SAID_AT)
    indexing = Indexing()

    with pytest.raises(InvalidInput):
        await remember(Accepting(), buffer, indexing)("acme", "ana", "s", [SAID, blank], actor="k")

    assert indexing.indexed == []


@pytest.mark.parametrize("status", [OperationStatus.SUCCEEDED, OperationStatus.FAILED])
async def test_waiting_ends_with_the_operation_however_it_ends(
    buffer: InProcessShortTermBuffer, status: OperationStatus
) -> None:
    use = remember(Accepting(status), buffer, Indexing())

    remembered = await use("acme", "ana", "s1", [SAID], actor="key:1", wait="written")

    assert remembered.ended is not None
    assert remembered.ended.status is status


# --- recall ---------------------------------------------------------------------------------


async def test_a_recall_tells_what_each_stage_took() -> None:
    found = await recall()("acme", "ana", RecallRequest(query="bees", now=NOW))

    assert found.timings_ms["embed"] == 1.5
    assert found.timings_ms["gather"] == 2.5
    assert found.timings_ms["select"] == 3.5
    assert found.timings_ms["total"] > 0


@pytest.mark.parametrize("error", [ControllerUnavailable("x"), DeadlineExceeded("x")])
async def test_without_a_controller_the_question_itself_is_searched_for(error: Exception) -> None:
    selector = Selecting()

    found = await recall(controller=Planning(error), selector=selector)(
        "acme", "ana", RecallRequest(query="bees", now=NOW)
    )

    assert [query.text for query in selector.plans[0].queries] == ["bees"]
    assert [part.split(":")[0] for part in found.degraded] == ["controller"]


@pytest.mark.parametrize(
    ("error", "part"),
    [
        (SelectorUnavailable("x"), "selector"),
        (DeadlineExceeded("x"), "selector"),
        (IndexUnavailable("x"), "index"),
    ],
)
async def test_without_a_selector_the_latest_turns_answer(
    buffer: InProcessShortTermBuffer, error: Exception, part: str
) -> None:
    talk = a_talk(("Ana", "I keep bees."), ("Bob", "Nice."), ("Ana", "Bees make honey, my bees."))
    await buffer.append("acme", "ana", talk)

    found = await recall(selector=Selecting(error), buffer=buffer)(
        "acme", "ana", RecallRequest(query="Who keeps a bee?", now=NOW, top_k=1)
    )

    [item] = found.items
    assert (item.layer, item.kind, item.text) == (
        Layer.SHORT_TERM,
        ItemKind.TURN,
        "I keep bees.",
    )
    assert [named.split(":")[0] for named in found.degraded] == [part]


async def test_the_latest_turns_obey_the_filters_too(buffer: InProcessShortTermBuffer) -> None:
    await buffer.append("acme", "ana", a_talk(("Ana", "I keep bees."), ("Bob", "I keep bees.")))
    filters = RecallFilters(speakers=("Bob",))

    found = await recall(selector=Selecting(SelectorUnavailable("x")), buffer=buffer)(
        "acme", "ana", RecallRequest(query="bees", now=NOW, filters=filters)
    )

    assert [item.speaker for item in found.items] == ["Bob"]


async def test_with_all_down_recall_answers_that_it_has_nothing() -> None:
    found = await recall(
        controller=Planning(ControllerUnavailable("x")),
        selector=Selecting(SelectorUnavailable("x")),
        buffer=DownBuffer(20),
    )("acme", "ana", RecallRequest(query="bees", now=NOW))

    assert found.items == ()
    assert [part.split(":")[0] for part in found.degraded] == [
        "controller",
        "selector",
        "short_term",
    ]


async def test_a_question_outside_the_limits_is_refused_before_anything_is_asked() -> None:
    selector = Selecting()

    with pytest.raises(InvalidInput):
        await recall(selector=selector)("acme", "ana", RecallRequest(query="", now=NOW))

    assert selector.plans == []
