"""Attributes of memories that come without a word on them, as exports of earlier versions do.

Their keys follow from their words, as the Writer would have found them. Of several that claim the
same attribute the one said last holds; the others are closed where that one begins.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from lightmem.adapters.ledger.arriving import Arrival
from lightmem.adapters.ledger.claiming import claimed_key, told_in
from lightmem.adapters.ledger.tables import memories
from lightmem.domain.portable import MemoryLine
from lightmem.model import MemoryStatus


@dataclass(frozen=True, slots=True)
class _Holder:
    said_at: datetime
    number: int
    memory_id: str
    starts: datetime


@dataclass(slots=True)
class ArrivingClaims:
    """The keys by the number of the line, and which memory holds each."""

    keys: dict[int, str] = field(default_factory=dict)
    holders: dict[str, _Holder] = field(default_factory=dict)

    @classmethod
    def of(cls, arrival: Arrival) -> "ArrivingClaims":
        """What the active memories claim whose lines say nothing about it."""
        claims = cls()
        for piece in arrival.pieces("memory"):
            claims._read(
                arrival,
                {
                    one.number: one.line
                    for one in piece
                    if isinstance(one.line, MemoryLine) and _is_silent(one.line)
                },
            )
        return claims

    def _read(self, arrival: Arrival, lines: Mapping[int, MemoryLine]) -> None:
        own = {number: arrival.id_of(line.id) for number, line in lines.items()}
        present = arrival.known(memories, list(own.values()))
        turn_ids = [arrival.id_of(line.sources[0].turn_id) for line in lines.values()]
        whose = arrival.whose
        told = told_in(arrival.connection, whose["tenant_id"], whose["user_id"], turn_ids)
        for number, line in lines.items():
            first = line.sources[0]
            turn = told.get(arrival.id_of(first.turn_id))
            if turn is None or own[number] in present or first.quote not in turn.content:
                continue
            key = claimed_key(line.text, line.language, turn)
            if key is None:
                continue
            self.keys[number] = key
            starts = line.valid_from or turn.occurred_at
            holder = _Holder(turn.occurred_at, number, own[number], starts)
            last = self.holders.get(key, holder)
            later = max(last, holder, key=lambda one: (one.said_at, one.number))
            self.holders[key] = later


def _is_silent(line: MemoryLine) -> bool:
    """Whether a line has no field of it at all; one that has it empty claims nothing."""
    is_active = line.status is MemoryStatus.ACTIVE and bool(line.sources)
    return is_active and "attribute_key" not in line.model_fields_set
