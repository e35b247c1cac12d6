"""A user goes out and comes in again the same, or as somebody else, wholly or not at all."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from sqlalchemy import Table

from lightmem.adapters.ledger import SqlLedger
from lightmem.adapters.ledger.exporting import NOT_CARRIED
from lightmem.adapters.ledger.tables import (
    memories,
    memory_versions,
    sessions,
    tombstones,
    turns,
)
from lightmem.adapters.ledger.tombstones import from_tombstone
from lightmem.domain.portable import (
    Line,
    MemoryLine,
    SessionLine,
    TombstoneLine,
    TurnLine,
    VersionLine,
)
from lightmem.errors import InvalidInput, NotFound, WrongState
from lightmem.model import (
    AddMemory,
    Form,
    JobKind,
    MemoryKind,
    MemoryStatus,
    NewTurn,
    OperationStatus,
    Precision,
    Role,
    Source,
    Statement,
    SupersedeMemory,
    Tombstone,
)
from support.clock import FixedClock
from support.ledgers import FREE, NOON, add, learn, say, stored
from support.portability import documents, exported, faults, imported, owner, staged, text_of

UNKNOWN = "01900000-0000-7000-8000-000000000000"
EMPTY = {"qdrant": 0, "neo4j": 0, "redis": 0}


async def a_life(ledger: SqlLedger, tenant_id: str, user_id: str = "ana") -> None:
    """Two sessions, a memory that gave way to another, one forgotten, in several scripts."""
    lisbon = timezone(timedelta(hours=1))
    turns = [
        NewTurn(
            Role.USER,
            "Vivo em Lisboa 🐟, eu acho",
            datetime(2024, 5, 8, 10, 15, 0, 123456, lisbon).astimezone(UTC),
            client_id="c1",
            speaker="Ana",
            metadata={"n": 1.5, "deep": {"list": [None, True, "二"]}},
            utc_offset_minutes=60,
        ),
        NewTurn(Role.ASSISTANT, "Noted.\nLine two\u2028three", NOON),
        NewTurn(Role.SYSTEM, "Be kind.", NOON),
    ]
    accepted = await ledger.append_turns(tenant_id, user_id, "s 1/é", turns, actor="test")
    old = Statement(
        "Ana vive em Lisboa.",
        MemoryKind.FACT,
        "pt",
        ["Ana", "Lisboa"],
        [Source(accepted.turn_ids[0], "Vivo em Lisboa")],
        valid_from=NOON,
        valid_precision=Precision.DAY,
    )
    (memory,) = await ledger.commit_writing(
        tenant_id,
        user_id,
        accepted.operation.id,
        changes=[AddMemory(old, "old")],
        outcomes=stored(accepted.turns[0]),
        extraction=FREE,
    )
    moved = await say(ledger, tenant_id, "Moved to Porto.", user_id=user_id, session_id="s2")
    new = add("Ana lives in Porto.", Source(moved.turn_ids[0], "Moved to Porto"))
    await ledger.commit_writing(
        tenant_id,
        user_id,
        moved.operation.id,
        changes=[SupersedeMemory(memory.id, memory.version, new, NOON)],
        outcomes=stored(moved.turns[0]),
        extraction=FREE,
    )
    gone = await learn(ledger, tenant_id, "A secret.", user_id=user_id)
    await ledger.delete_turn(tenant_id, gone.sources[0].turn_id, user_id=user_id, actor="test")


async def wipe(ledger: SqlLedger, tenant_id: str, user_id: str = "ana") -> None:
    begun = await ledger.begin_erasure(tenant_id, user_id, actor="test")
    await ledger.end_erasure(tenant_id, begun.id, remaining=EMPTY)


async def drop_jobs(ledger: SqlLedger, clock: FixedClock) -> None:
    clock.advance(100_000)
    for job in await ledger.lease_jobs(list(JobKind), limit=100, lease_s=1):
        await ledger.complete_job(job.id)


async def test_an_export_is_the_same_bytes_twice(ledger: SqlLedger, acme: str) -> None:
    await a_life(ledger, acme)

    first, second = await exported(ledger, acme), await exported(ledger, acme)

    assert first == second
    kinds = [one["type"] for one in documents(first)]
    assert kinds == sorted(
        kinds, key=["session", "turn", "memory", "memory_version", "tombstone"].index
    )
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        "session": 2,
        "turn": 4,
        "memory": 3,
        "memory_version": 5,
    }


async def test_an_export_tells_a_turn_as_it_was_said(ledger: SqlLedger, acme: str) -> None:
    await a_life(ledger, acme)

    turn = documents(await exported(ledger, acme), "turn")[0]

    assert turn["occurred_at"] == "2024-05-08T10:15:00.123456+01:00"
    assert turn["content"] == "Vivo em Lisboa 🐟, eu acho"
    assert turn["metadata"] == {"n": 1.5, "deep": {"list": [None, True, "二"]}}


async def test_a_user_who_never_was_is_exported_as_nothing(ledger: SqlLedger, acme: str) -> None:
    assert await exported(ledger, acme, "nobody") == b""


async def test_a_user_comes_back_the_same_after_an_erasure(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    await a_life(ledger, acme)
    before = await exported(ledger, acme)
    await wipe(ledger, acme)
    assert await exported(ledger, acme) == b""

    done = await imported(ledger, acme, before, piece=2)

    assert done.status is OperationStatus.SUCCEEDED
    assert done.result is not None
    assert done.result["is_same_user"] is True
    assert done.result["turns"] == {"added": 4, "present": 0}
    assert await exported(ledger, acme) == before


async def test_importing_twice_adds_nothing(ledger: SqlLedger, acme: str) -> None:
    await a_life(ledger, acme)
    before = await exported(ledger, acme)

    done = await imported(ledger, acme, before)

    assert done.result is not None
    assert done.result["turns"] == {"added": 0, "present": 4}
    assert done.result["memories"]["added"] == 0
    assert await exported(ledger, acme) == before


async def test_under_another_user_all_ids_are_new_and_stay_the_same(
    ledger: SqlLedger, acme: str
) -> None:
    await a_life(ledger, acme)
    lines = await exported(ledger, acme)

    for _ in range(2):
        done = await imported(ledger, acme, lines, "bob")
        assert done.status is OperationStatus.SUCCEEDED, done.result

    theirs, mine = await exported(ledger, acme, "bob"), await exported(ledger, acme)
    assert mine == lines
    assert not _ids(theirs) & _ids(mine)
    assert [_words(one) for one in documents(theirs)] == [_words(one) for one in documents(mine)]


async def test_two_tenants_with_one_user_id_are_two_users(ledger: SqlLedger, acme: str) -> None:
    other = (await ledger.create_tenant("globex", k_anonymity=3, actor="test")).id
    await a_life(ledger, acme)
    lines = await exported(ledger, acme)

    done = await imported(ledger, other, lines, "ana")

    assert done.result is not None
    assert done.result["is_same_user"] is False
    assert await exported(ledger, acme) == lines
    assert not _ids(await exported(ledger, other)) & _ids(lines)


async def test_ids_that_somebody_else_has_are_not_taken_from_them(
    ledger: SqlLedger, acme: str
) -> None:
    await a_life(ledger, acme, "bob")
    theirs = await exported(ledger, acme, "bob")
    forged = text_of([{**one, "owner": owner(acme, "ana").mark} for one in documents(theirs)])

    done = await imported(ledger, acme, forged, "ana")

    assert done.status is OperationStatus.SUCCEEDED
    assert await exported(ledger, acme, "bob") == theirs
    assert not _ids(await exported(ledger, acme)) & _ids(theirs)


async def test_turns_that_come_with_memories_are_indexed_and_not_learnt_again(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    await a_life(ledger, acme)
    lines = await exported(ledger, acme)
    await drop_jobs(ledger, ledger_clock)

    await imported(ledger, acme, lines, "bob")

    pending = await ledger.pending_jobs()
    assert pending[JobKind.INDEX_TURNS] == 1
    assert pending[JobKind.INDEX_MEMORIES] == 1
    assert pending[JobKind.WRITE] == 0
    assert pending[JobKind.IMPORT] == 0


async def test_turns_that_come_alone_are_learnt_from(ledger: SqlLedger, acme: str) -> None:
    await a_life(ledger, acme)
    lines = [
        one for one in documents(await exported(ledger, acme)) if one["type"] in {"session", "turn"}
    ]

    done = await imported(ledger, acme, text_of(lines), "bob")

    assert done.result is not None
    (operation_id,) = done.result["learning"]
    operation = await ledger.get_operation(acme, operation_id)
    assert len(operation.outcomes) == 3


async def test_an_import_joins_what_is_there(ledger: SqlLedger, acme: str) -> None:
    await a_life(ledger, acme)
    lines = await exported(ledger, acme)
    await say(ledger, acme, "My own.", user_id="bob", session_id="s2")
    known = await learn(ledger, acme, "Ana lives in Porto.", user_id="bob")

    done = await imported(ledger, acme, lines, "bob")

    assert done.result is not None
    assert done.result["memories"]["merged"] in {0, 1}
    page = await ledger.list_turns(acme, "bob", session_id="s2", limit=10, cursor=None)
    assert sorted(turn.seq for turn in page.items) == [1, 2]
    active = await ledger.list_memories(
        acme, "bob", status=MemoryStatus.ACTIVE, kind=None, query="porto", limit=9, cursor=None
    )
    assert known.id in {memory.id for memory in active.items}


async def test_the_same_client_id_is_the_same_turn(ledger: SqlLedger, acme: str) -> None:
    turn = NewTurn(Role.USER, "Once.", NOON, client_id="c")
    await ledger.append_turns(acme, "ana", "s", [turn], actor="test")
    lines = await exported(ledger, acme)
    await wipe(ledger, acme)
    kept = await ledger.append_turns(acme, "ana", "t", [turn], actor="test")

    done = await imported(ledger, acme, lines)

    assert done.result is not None
    assert done.result["turns"] == {"added": 0, "present": 1}
    page = await ledger.list_turns(acme, "ana", session_id=None, limit=10, cursor=None)
    assert [one.id for one in page.items] == list(kept.turn_ids)


async def test_what_the_target_forgot_is_not_brought_back(ledger: SqlLedger, acme: str) -> None:
    memory = await learn(ledger, acme, "A secret.")
    lines = await exported(ledger, acme)
    await ledger.delete_turn(acme, memory.sources[0].turn_id, user_id="ana", actor="test")

    done = await imported(ledger, acme, lines)

    assert done.status is OperationStatus.SUCCEEDED
    assert (await ledger.get_memory(acme, memory.id)).status is MemoryStatus.FORGOTTEN


async def test_tombstones_hold_again_for_the_same_user_and_for_no_other(
    ledger: SqlLedger, acme: str
) -> None:
    await say(ledger, acme, "Hello.")
    form = Form(3, "0a", ["0b"], ["0c"], ["0d"], [0.5, -0.25], has_number=True, is_spaced=False)
    tombstone = Tombstone(UNKNOWN, acme, "ana", NOON, "requested", "encoder", [form])
    lines = await exported(ledger, acme) + text_of([_line_of(tombstone)])

    mine = await imported(ledger, acme, lines)
    others = await imported(ledger, acme, lines, "bob")

    assert mine.result is not None
    assert others.result is not None
    assert mine.result["tombstones"] == {"added": 1, "present": 0, "not_carried": 0}
    assert (await ledger.tombstones(acme, "ana")).items == [replace(tombstone, forms=(_as(form),))]
    again = await exported(ledger, acme)
    assert documents(again, "tombstone") == [_line_of(tombstone)]
    await wipe(ledger, acme)
    await imported(ledger, acme, again)
    assert await exported(ledger, acme) == again
    assert others.result["tombstones"]["not_carried"] == 1
    assert "not carried over" in others.result["notes"][0]
    assert (await ledger.tombstones(acme, "bob")).items == []


@pytest.mark.parametrize(
    ("table", "line"),
    [
        (sessions, SessionLine),
        (turns, TurnLine),
        (memories, MemoryLine),
        (memory_versions, VersionLine),
        (tombstones, TombstoneLine),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_every_column_travels_or_is_said_not_to(table: Table, line: type[Line]) -> None:
    columns = {column.name for column in table.c} - NOT_CARRIED

    assert columns <= set(line.model_fields), "a new column needs a field in domain/portable.py"


# --- what is refused ------------------------------------------------------------------------

Change = Callable[[dict[str, Any]], None]


def _set(kind: str, **values: Any) -> Change:
    def change(line: dict[str, Any]) -> None:
        if line["type"] == kind:
            line.update(values)

    return change


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (_set("turn", session_id="nowhere"), "session_id"),
        (_set("session", turns=99), "turns"),
        (_set("memory", sources=[{"turn_id": UNKNOWN, "quote": "x"}]), "sources.0.turn_id"),
        (_set("memory", superseded_by=UNKNOWN), "superseded_by"),
        (_set("memory", version=7), "version"),
        (_set("memory", text="Something else."), "text"),
        (_set("memory_version", version=9), "version"),
    ],
    ids=str,
)
async def test_lines_that_do_not_fit_together_change_nothing(
    ledger: SqlLedger, acme: str, change: Change, field: str
) -> None:
    await learn(ledger, acme, "One.")
    lines = documents(await exported(ledger, acme))
    for line in lines:
        change(line)

    done = await imported(ledger, acme, text_of(lines), "bob")

    assert done.status is OperationStatus.FAILED
    assert faults(done)[0].endswith(field)
    assert await exported(ledger, acme, "bob") == b""
    assert (await ledger.pending_jobs())[JobKind.IMPORT] == 0


async def test_a_quote_that_its_turn_does_not_say_is_refused(ledger: SqlLedger, acme: str) -> None:
    await learn(ledger, acme, "One.")
    lines = documents(await exported(ledger, acme))
    for line in lines:
        for source in line.get("sources", ()):
            source["quote"] = "Never said"

    done = await imported(ledger, acme, text_of(lines), "bob")

    assert faults(done) == ["lines.3.sources.0.quote"]


async def test_memories_that_give_way_to_each_other_are_refused(
    ledger: SqlLedger, acme: str
) -> None:
    for content in ("One.", "Two.", "Three."):
        await learn(ledger, acme, content)
    lines = documents(await exported(ledger, acme))
    circle = [line for line in lines if line["type"] == "memory"]
    for line, after in zip(circle, [*circle[1:], circle[0]], strict=True):
        line.update(status="superseded", superseded_by=after["id"])

    done = await imported(ledger, acme, text_of(lines), "bob")

    assert done.status is OperationStatus.FAILED
    assert [field.split(".")[-1] for field in faults(done)] == ["superseded_by"] * 3


async def test_a_line_that_comes_twice_is_refused(ledger: SqlLedger, acme: str) -> None:
    await learn(ledger, acme, "One.")
    lines = staged(await exported(ledger, acme) * 2)
    begun = await ledger.begin_import(acme, "ana", actor="test")
    half = len(lines) // 2

    await ledger.stage_lines(acme, begun.id, lines[:half])
    with pytest.raises(InvalidInput) as refused:
        await ledger.stage_lines(acme, begun.id, lines[half:])

    assert refused.value.errors[0].field == f"lines.{half + 1}"


async def test_lines_of_several_owners_are_refused(ledger: SqlLedger, acme: str) -> None:
    await learn(ledger, acme, "One.")
    lines = documents(await exported(ledger, acme))
    lines[-1]["owner"] = None

    done = await imported(ledger, acme, text_of(lines), "bob")

    assert faults(done) == [f"lines.{len(lines)}.owner"]


# --- what happens meanwhile -----------------------------------------------------------------


async def test_nothing_is_seen_of_an_import_before_it_is_done(ledger: SqlLedger, acme: str) -> None:
    await a_life(ledger, acme)
    lines = staged(await exported(ledger, acme))
    begun = await ledger.begin_import(acme, "bob", actor="test")

    await ledger.stage_lines(acme, begun.id, lines)
    await ledger.seal_import(acme, begun.id)

    assert await exported(ledger, acme, "bob") == b""
    with pytest.raises(WrongState):
        await ledger.stage_lines(acme, begun.id, lines)


async def test_an_import_that_is_committed_twice_is_done_once(ledger: SqlLedger, acme: str) -> None:
    await learn(ledger, acme, "One.")
    done = await imported(ledger, acme, await exported(ledger, acme), "bob")

    again = await ledger.commit_import(
        acme, done.id, owner=owner(acme, "bob"), forgetting_state=None
    )

    assert again == done


async def test_an_erasure_takes_an_import_under_way_with_it(ledger: SqlLedger, acme: str) -> None:
    await learn(ledger, acme, "One.")
    lines = staged(await exported(ledger, acme))
    begun = await ledger.begin_import(acme, "bob", actor="test")
    await ledger.stage_lines(acme, begun.id, lines)

    await wipe(ledger, acme, "bob")

    with pytest.raises(NotFound):
        await ledger.seal_import(acme, begun.id)
    assert await exported(ledger, acme, "bob") == b""


async def test_an_abandoned_import_leaves_nothing(ledger: SqlLedger, acme: str) -> None:
    await learn(ledger, acme, "One.")
    begun = await ledger.begin_import(acme, "bob", actor="test")
    await ledger.stage_lines(acme, begun.id, staged(await exported(ledger, acme)))

    await ledger.abandon_import(acme, begun.id, reason="the body ended early")

    ended = await ledger.get_operation(acme, begun.id)
    assert ended.status is OperationStatus.FAILED
    assert await ledger.staged_lines(acme, begun.id, ["turn"], after=0, limit=9) == []


def _ids(text: bytes) -> set[str]:
    return {one[name] for one in documents(text) for name in ("id", "memory_id") if name in one}


def _words(line: dict[str, Any]) -> Any:
    return {name: line[name] for name in ("type", "content", "text", "version") if name in line}


def _line_of(tombstone: Tombstone) -> dict[str, Any]:
    row = from_tombstone(tombstone)
    return {
        "type": "tombstone",
        "owner": owner(tombstone.tenant_id, tombstone.user_id).mark,
        "id": row["id"],
        "created_at": row["created_at"].isoformat(),
        "reason": row["reason"],
        "encoder_id": row["encoder_id"],
        "forms": row["forms"],
    }


def _as(form: Form) -> Form:
    """The form as it is read again."""
    lists: dict[str, Any] = {
        name: tuple(getattr(form, name)) for name in ("words", "values", "telling")
    }
    return replace(form, **lists)
