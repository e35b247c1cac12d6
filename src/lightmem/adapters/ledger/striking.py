"""One transaction that takes a forgotten value out of all that the ledger holds of a user."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from lightmem.adapters.ledger.database import slices
from lightmem.adapters.ledger.dream_striking import reach_dreams
from lightmem.adapters.ledger.kept_words import strike_kept
from lightmem.adapters.ledger.marking import read_marks
from lightmem.adapters.ledger.outbox import JOB_IDS, NewJob, put_jobs
from lightmem.adapters.ledger.remembering import (
    add_sources,
    change_memory,
    load_memories,
    strike_memory,
)
from lightmem.adapters.ledger.tables import memories, memory_sources, memory_versions, turns
from lightmem.adapters.ledger.tombstones import new_state, put_tombstones
from lightmem.adapters.ledger.trail import record
from lightmem.adapters.ledger.whose import lock_user
from lightmem.domain.forgetting import (
    Span,
    entities_left,
    merged,
    says_little,
    spans_of,
    struck,
    struck_quote,
    without,
)
from lightmem.errors import ForgottenMeanwhile, NotFound
from lightmem.model import (
    Forgetting,
    Forgot,
    JobKind,
    Memory,
    MemoryStatus,
    Source,
    VersionText,
)


@dataclass(frozen=True, slots=True)
class Striking:
    """A forgetting to be done, for whom, by whom and when."""

    tenant_id: str
    user_id: str
    forgetting: Forgetting
    actor: str
    now: datetime


@dataclass(slots=True)
class _Struck:
    """What has been done so far, by id and in order."""

    turns: dict[str, None] = field(default_factory=dict)
    forgotten: dict[str, None] = field(default_factory=dict)
    changed: dict[str, None] = field(default_factory=dict)
    #: What the forgotten memories said, and their names.
    texts: set[str] = field(default_factory=set)


def strike(connection: Connection, striking: Striking) -> Forgot:
    """Do all of it or nothing; see `ForgettingLedger.commit_forgetting`."""
    tenant_id, user_id, now = striking.tenant_id, striking.user_id, striking.now
    wish = striking.forgetting
    lock_user(connection, tenant_id, user_id, now=now)
    if read_marks(connection, tenant_id, user_id) != wish.marks:
        raise ForgottenMeanwhile("turns or memories came to it meanwhile")
    named = _memories(connection, striking, wish.memory_ids)
    if len(named) < len(set(wish.memory_ids)):
        raise NotFound("no such memory")
    done = _Struck()
    _strike_turns(connection, striking, named, done)
    for memory in named:
        _forget(connection, memory, done, now=now)
    _rewrite(connection, striking, done)
    _reach_dreams(connection, striking, done)
    strike_kept(connection, tenant_id, user_id, lambda text: without(wish.strike(text), done.texts))
    put_tombstones(connection, wish.tombstones)
    new_state(connection, tenant_id, user_id)
    put_jobs(connection, tenant_id, user_id, _jobs(done), now=now)
    for memory in named:
        record(
            connection,
            tenant_id,
            at=now,
            actor=striking.actor,
            action="memory.forget",
            target=memory.id,
        )
    return Forgot(
        forgotten=list(done.forgotten),
        tombstones=[one.id for one in wish.tombstones],
        redacted_turns=list(done.turns),
        changed=[one for one in done.changed if one not in done.forgotten],
    )


def _memories(connection: Connection, striking: Striking, ids: Sequence[str]) -> list[Memory]:
    return load_memories(connection, striking.tenant_id, ids, user_id=striking.user_id)


def _forget(connection: Connection, memory: Memory, done: _Struck, *, now: datetime) -> None:
    if memory.status is MemoryStatus.FORGOTTEN or memory.id in done.forgotten:
        return
    strike_memory(connection, memory, now=now)
    done.forgotten[memory.id] = None
    done.texts.update((memory.text, *memory.entities))


def _reach_dreams(connection: Connection, striking: Striking, done: _Struck) -> None:
    """Take what dreams made of forgotten memories with them."""
    reached = reach_dreams(
        connection,
        striking.tenant_id,
        striking.user_id,
        done.forgotten,
        named=striking.forgetting.memory_ids,
        now=striking.now,
    )
    for memory in reached.forgotten:
        done.forgotten[memory.id] = None
        done.texts.update((memory.text, *memory.entities))
    done.changed.update(reached.restored)


# --- turns and their quotes -------------------------------------------------------------------


def _strike_turns(
    connection: Connection, striking: Striking, named: Sequence[Memory], done: _Struck
) -> None:
    """Strike the spans planned and every quote of the memories named, as turns stand now."""
    planned = {one.turn.id: one for one in striking.forgetting.strikes}
    quoted: dict[str, list[str]] = {}
    for source in (source for memory in named for source in memory.sources):
        quoted.setdefault(source.turn_id, []).append(source.quote)
    bereft: dict[str, None] = {}
    for row in _rows(connection, striking, {*planned, *quoted}):
        plan = planned.get(row.id)
        quotes = [span for quote in quoted.get(row.id, ()) for span in spans_of(row.content, quote)]
        spans = merged([*(plan.spans if plan else ()), *quotes])
        metadata = plan.metadata if plan else row.metadata
        if not spans and metadata == row.metadata:
            continue
        values = {"content": struck(row.content, spans), "metadata": dict(metadata)}
        connection.execute(turns.update().where(turns.c.id == row.id).values(values))
        done.turns[row.id] = None
        bereft.update(dict.fromkeys(_strike_quotes(connection, row, spans, done)))
    for memory in _memories(connection, striking, list(bereft)):
        if not memory.sources:
            _forget(connection, memory, done, now=striking.now)


def _rows(connection: Connection, striking: Striking, turn_ids: set[str]) -> Iterator[Any]:
    for ids in slices(sorted(turn_ids)):
        yield from connection.execute(
            select(turns).where(
                turns.c.tenant_id == striking.tenant_id,
                turns.c.user_id == striking.user_id,
                turns.c.id.in_(ids),
            )
        ).all()


def _strike_quotes(
    connection: Connection, turn: Any, spans: Sequence[Span], done: _Struck
) -> list[str]:
    """Let every quote be a part of the turn as it now stands; the memories that lost one."""
    of_turn = memory_sources.select().where(
        memory_sources.c.tenant_id == turn.tenant_id, memory_sources.c.turn_id == turn.id
    )
    lost = []
    for row in connection.execute(of_turn).all():
        left = struck_quote(turn.content, spans, row.quote)
        if left == row.quote:
            continue
        connection.execute(
            memory_sources.delete().where(
                memory_sources.c.memory_id == row.memory_id,
                memory_sources.c.turn_id == turn.id,
                memory_sources.c.quote_hash == row.quote_hash,
            )
        )
        done.changed[row.memory_id] = None
        if left is None:
            lost.append(row.memory_id)
        else:
            add_sources(connection, turn.tenant_id, row.memory_id, [Source(turn.id, left)])
    return lost


# --- other memories and their versions --------------------------------------------------------


def _rewrite(connection: Connection, striking: Striking, done: _Struck) -> None:
    """Take the value out of memories that say other things too, and out of their histories."""
    by_memory: dict[str, list[VersionText]] = {}
    for one in striking.forgetting.rewritten:
        by_memory.setdefault(one.memory_id, []).append(one)
    for memory in _memories(connection, striking, list(by_memory)):
        if memory.status is MemoryStatus.FORGOTTEN or memory.id in done.forgotten:
            continue
        texts = {one.version: _left(one.text) for one in by_memory[memory.id]}
        _rewrite_versions(connection, memory, texts)
        if memory.version not in texts:
            continue
        if not texts[memory.version]:
            _forget(connection, memory, done, now=striking.now)
            continue
        text = texts[memory.version]
        # Both follow from words that it had, and the key may name whom it told of.
        row = memories.update().where(memories.c.id == memory.id)
        connection.execute(row.values(fingerprint=None, attribute_key=None))
        entities = entities_left(memory.entities, text)
        change_memory(connection, replace(memory, text=text, entities=entities))
        done.changed[memory.id] = None


def _left(text: str) -> str:
    return "" if says_little(text) else text


def _rewrite_versions(connection: Connection, memory: Memory, texts: Mapping[int, str]) -> None:
    of_memory = memory_versions.c.memory_id == memory.id
    wanted = select(memory_versions).where(of_memory, memory_versions.c.version.in_(list(texts)))
    for row in connection.execute(wanted).all():
        text = texts[row.version]
        values = {"text": text, "entities": entities_left(row.entities, text)}
        one = memory_versions.update().where(of_memory, memory_versions.c.version == row.version)
        connection.execute(one.values(values))


# --- what follows -----------------------------------------------------------------------------


def _jobs(done: _Struck) -> Iterator[NewJob]:
    for ids in slices(list(done.forgotten), JOB_IDS):
        yield NewJob(JobKind.DELETE_POINTS, {"ids": list(ids)})
    for ids in slices(list(done.turns), JOB_IDS):
        yield NewJob(JobKind.INDEX_TURNS, {"turn_ids": list(ids), "anew": True})
    changed = [one for one in done.changed if one not in done.forgotten]
    for ids in slices(changed, JOB_IDS):
        yield NewJob(JobKind.INDEX_MEMORIES, {"memory_ids": list(ids), "anew": True})
