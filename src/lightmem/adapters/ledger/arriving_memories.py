"""Memories of an import, with their quotes: each rests on words of its turns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select

from lightmem.adapters.ledger.arriving import Arrival, insert
from lightmem.adapters.ledger.arriving_claims import ArrivingClaims
from lightmem.adapters.ledger.arriving_versions import statement_of
from lightmem.adapters.ledger.claiming import told_in
from lightmem.adapters.ledger.database import slices
from lightmem.adapters.ledger.remembering import add_sources
from lightmem.adapters.ledger.rows import folded, from_source
from lightmem.adapters.ledger.tables import (
    memories,
    memory_sources,
)
from lightmem.domain.fingerprint import fingerprint
from lightmem.domain.forgetting import MARKER
from lightmem.domain.portable import MemoryLine
from lightmem.model import JobKind, MemoryStatus, Source


@dataclass(slots=True)
class Learnt:
    """The memories that an import has made so far."""

    #: By id: the number of their line, and the version they stand at.
    new: dict[str, tuple[int, int]] = field(default_factory=dict)
    #: Which memory each gave way to, by the id that came.
    successors: dict[str, str] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)
    #: Rows of those that are closed by what the user has already.
    overtaken: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class _Batch:
    """What comes of one piece of lines.

    `same`: the active memories that say the words of one of the lines, by fingerprint.
    """

    same: dict[str, str]
    rows: list[dict[str, Any]] = field(default_factory=list)
    sources: list[dict[str, Any]] = field(default_factory=list)
    #: Memories that are here in the same words, and the quotes they gain.
    joined: list[tuple[str, Sequence[Source]]] = field(default_factory=list)


class ArrivingMemories:
    """Makes rows of the lines of memories."""

    def __init__(self, arrival: Arrival) -> None:
        self._arrival = arrival
        self._connection = arrival.connection
        self._learnt = Learnt()
        self._claims = ArrivingClaims()

    def arrive(self) -> Learnt:
        """Put all of them; their versions have to follow.

        Raises:
            InvalidInput: a quote that its turn does not say.
        """
        self._claims = ArrivingClaims.of(self._arrival)
        for piece in self._arrival.pieces("memory"):
            lines = {one.number: one.line for one in piece if isinstance(one.line, MemoryLine)}
            self._put(lines)
        self._arrival.check()
        return self._learnt

    def _put(self, lines: Mapping[int, MemoryLine]) -> None:
        ids = {number: self._arrival.id_of(line.id) for number, line in lines.items()}
        present = self._arrival.known(memories, list(ids.values()))
        self._arrival.count("memories_present", len(present))
        new = {number: line for number, line in lines.items() if ids[number] not in present}
        quotes = self._quotes(new)
        self._arrival.check()
        same = self._active(memories.c.fingerprint, [fingerprint(one.text) for one in new.values()])
        batch = _Batch(same)
        for number, line in new.items():
            is_struck = bool(line.sources) and not quotes[number]
            standing = line.forgotten(self._arrival.now) if is_struck else line
            self._sort(batch, number, standing, ids[number], quotes[number])
        self._give_way(batch.rows)
        insert(self._connection, memories, batch.rows)
        insert(self._connection, memory_sources, batch.sources)
        for existing, gained in batch.joined:
            add_sources(self._connection, self._arrival.whose["tenant_id"], existing, gained)
        self._arrival.count("memories", len(batch.rows))
        self._arrival.count("memories_merged", len(batch.joined))
        changed = [row["id"] for row in batch.rows] + [existing for existing, _ in batch.joined]
        self._arrival.index_later(JobKind.INDEX_MEMORIES, "memory_ids", changed)

    def _sort(
        self,
        batch: _Batch,
        number: int,
        line: MemoryLine,
        own_id: str,
        quotes: Sequence[Source],
    ) -> None:
        """A memory of its own, or words that the user's own memory says already."""
        key = fingerprint(line.text)
        if line.status is MemoryStatus.ACTIVE:
            if key in batch.same:
                self._arrival.aliases[own_id] = batch.same[key]
                batch.joined.append((batch.same[key], quotes))
                return
            batch.same[key] = own_id
        self._learnt.new[own_id] = (number, line.version)
        claimed = self._claims.keys.get(number, line.attribute_key)
        batch.rows.append(self._row(line, own_id, key, claimed))
        batch.sources += self._source_rows(own_id, quotes)

    def _row(self, line: MemoryLine, own_id: str, key: str, claimed: str | None) -> dict[str, Any]:
        if line.superseded_by is not None:
            self._learnt.successors[own_id] = line.superseded_by
        is_forgotten = line.status is MemoryStatus.FORGOTTEN
        if is_forgotten:
            self._learnt.forgotten.add(own_id)
            self._arrival.count("memories_forgotten")
        return {
            **self._arrival.whose,
            **statement_of(self._arrival, line),
            "id": own_id,
            "folded": folded(line.text),
            "fingerprint": None if is_forgotten else key,
            "attribute_key": None if is_forgotten else claimed,
            "utility": float(line.utility),
            "access_count": line.access_count,
            "last_accessed_at": line.last_accessed_at,
        }

    def _source_rows(self, own_id: str, quotes: Sequence[Source]) -> list[dict[str, Any]]:
        return [
            from_source(
                quote,
                memory_id=own_id,
                position=position,
                tenant_id=self._arrival.whose["tenant_id"],
            )
            for position, quote in enumerate(dict.fromkeys(quotes), start=1)
        ]

    def _give_way(self, rows: Sequence[dict[str, Any]]) -> None:
        """Where only one value can hold, the one that the user has already does."""
        is_active = MemoryStatus.ACTIVE.value
        keys = [row["attribute_key"] for row in rows if row["attribute_key"] is not None]
        holding = self._active(memories.c.attribute_key, keys)
        for row in rows:
            key = row["attribute_key"]
            if key is None or row["status"] != is_active:
                continue
            if key not in holding:
                holding[key] = self._said_last(row, key)
            if holding[key] != row["id"]:
                self._close(row, holding[key])

    def _said_last(self, row: dict[str, Any], key: str) -> str:
        """Which memory of the import holds the attribute; the others end where it begins."""
        holder = self._claims.holders.get(key)
        if holder is None:
            return str(row["id"])
        return self._arrival.aliases.get(holder.memory_id, holder.memory_id)

    def _close(self, row: dict[str, Any], successor: str) -> None:
        holder = self._claims.holders.get(row["attribute_key"])
        if holder is not None and row["valid_to"] is None:
            row["valid_to"] = max(holder.starts, row["valid_from"] or holder.starts)
        row["status"] = MemoryStatus.SUPERSEDED.value
        row["version"] += 1
        row["superseded_at"] = self._arrival.now
        row["superseded_by"] = successor
        self._learnt.overtaken.append(row)
        self._arrival.count("memories_superseded")

    def _active(self, column: Any, values: Sequence[str]) -> dict[str, str]:
        """The user's active memories with one of these values, by it."""
        found: dict[str, str] = {}
        for some in slices(values):
            rows = self._connection.execute(
                select(column.label("value"), memories.c.id)
                .filter_by(**self._arrival.whose)
                .where(column.in_(some), memories.c.status == MemoryStatus.ACTIVE.value)
            )
            found.update((row.value, row.id) for row in rows)
        return found

    # --- quotes -------------------------------------------------------------------------------

    def _quotes(self, lines: Mapping[int, MemoryLine]) -> dict[int, list[Source]]:
        """The quotes of each line that its turns hold as they now stand.

        Of a turn that words were struck from a quote may be gone; of any other it has to be there.
        """
        given = {one.turn_id for line in lines.values() for one in line.sources}
        own = {turn_id: self._arrival.id_of(turn_id) for turn_id in given}
        contents = self._contents(list(own.values()))
        quotes: dict[int, list[Source]] = {number: [] for number in lines}
        for number, line in lines.items():
            for place, source in enumerate(line.sources):
                content = contents.get(own[source.turn_id])
                if content is None:
                    path = f"sources.{place}.turn_id"
                    self._arrival.refuse(number, path, "there is no such turn")
                elif source.quote in content:
                    quotes[number].append(Source(own[source.turn_id], source.quote))
                elif MARKER not in content:
                    path = f"sources.{place}.quote"
                    self._arrival.refuse(number, path, "its turn does not say this")
        return quotes

    def _contents(self, ids: Sequence[str]) -> dict[str, str]:
        whose = self._arrival.whose
        told = told_in(self._connection, whose["tenant_id"], whose["user_id"], ids)
        return {turn_id: turn.content for turn_id, turn in told.items()}
