"""Plans for tests, and what a ledger holds of a user, to compare it before and after."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Engine, create_engine, event, select

from lightmem.adapters.ledger import SqlLedger
from lightmem.adapters.ledger.belonging import OF_USERS
from lightmem.model import (
    Dream,
    DreamAction,
    DreamPlan,
    DreamtMemory,
    Memory,
    MemoryKind,
    MemoryRef,
    MemoryStatus,
    PlannedStep,
    Role,
    Source,
    Turn,
)
from lightmem.ports.dreams import DreamWish
from lightmem_consolidator.known import Known, known_of
from lightmem_consolidator.validate import Circumstances, validate
from support.ledgers import NOON

#: What a user has: all that an export carries.
CARRIED = ("sessions", "turns", "memories", "memory_versions", "memory_sources")


def refs(*memories: Memory) -> list[MemoryRef]:
    """The memories as they were read."""
    return [MemoryRef(memory.id, memory.version) for memory in memories]


def merge(text: str, *memories: Memory) -> PlannedStep:
    """One memory of this text in the place of several."""
    first = memories[0]
    after = DreamtMemory(text, first.kind, first.language, first.entities)
    return PlannedStep(DreamAction.MERGE, refs(*memories), after)


def update(text: str, *memories: Memory) -> PlannedStep:
    """The last memory, or one of this text, in the place of the earlier ones."""
    last = memories[-1]
    after = DreamtMemory(text, last.kind, last.language, last.entities, last.valid_from)
    return PlannedStep(DreamAction.UPDATE, refs(*memories), after)


def forget(*memories: Memory) -> PlannedStep:
    """Memories that leave the index."""
    return PlannedStep(DreamAction.FORGET, refs(*memories))


async def planned(
    ledger: SqlLedger,
    tenant_id: str,
    *steps: PlannedStep,
    wish: DreamWish | None = None,
    user_id: str = "ana",
    read_up_to: str | None = None,
) -> Dream:
    """A dream with this plan."""
    dream = await ledger.request_dream(tenant_id, user_id, wish or DreamWish(), actor="test")
    assert dream is not None
    plan = DreamPlan(steps, read_up_to=read_up_to)
    return await ledger.commit_plan(tenant_id, user_id, dream.id, plan)


@contextmanager
def last_transaction() -> Iterator[list[str]]:
    """The statements of the transaction that began last, in their order."""
    statements: list[str] = []

    def begun(connection: object) -> None:
        statements.clear()

    def executed(connection: object, cursor: object, statement: str, *others: object) -> None:
        statements.append(statement)

    event.listen(Engine, "begin", begun)
    event.listen(Engine, "before_cursor_execute", executed)
    try:
        yield statements
    finally:
        event.remove(Engine, "begin", begun)
        event.remove(Engine, "before_cursor_execute", executed)


def rows_of_user(
    ledger_url: str, tenant_id: str, *, user_id: str = "ana", tables: Sequence[str] = CARRIED
) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of the user in these tables, in order."""
    engine = create_engine(ledger_url)
    with engine.connect() as connection:
        found = {
            name: sorted(
                (
                    tuple(row)
                    for row in connection.execute(
                        select(OF_USERS[name].table).where(OF_USERS[name].rows(tenant_id, user_id))
                    )
                ),
                key=repr,
            )
            for name in tables
        }
    engine.dispose()
    return found


# --- memories as a dream reads them --------------------------------------------------------------


def known(
    text: str,
    *,
    at: datetime = NOON,
    speaker: str | None = "Ana",
    role: Role = Role.USER,
    turns: int = 1,
    **changes: Any,
) -> Known:
    """A memory of these words with the turns it quotes, said at a time."""
    memory_id = changes.pop("id", text)
    said = [
        Turn(
            id=f"turn {number} of {memory_id}",
            tenant_id="acme",
            user_id="ana",
            session_id="s1",
            seq=number,
            role=role,
            content=text,
            occurred_at=at,
            recorded_at=at,
            speaker=speaker,
        )
        for number in range(1, turns + 1)
    ]
    memory = Memory(
        id=memory_id,
        tenant_id="acme",
        user_id="ana",
        kind=changes.pop("kind", MemoryKind.FACT),
        text=text,
        language=changes.pop("language", "en"),
        entities=changes.pop("entities", ()),
        status=MemoryStatus.ACTIVE,
        version=1,
        recorded_at=at,
        sources=[Source(turn.id, text) for turn in said],
        **changes,
    )
    return known_of([memory], {turn.id: turn for turn in said})[memory_id]


def judged(*steps: PlannedStep, known: Sequence[Known], **given: Any) -> list[PlannedStep]:
    """The steps with their verdicts, where much may go and nothing is forgotten."""
    circumstances = {"active": 100, "max_removed_fraction": 0.5, **given}
    return validate(steps, Circumstances({one.id: one for one in known}, **circumstances))
