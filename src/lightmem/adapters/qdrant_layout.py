"""How an item lies in a Qdrant point, on the server and on the edge alike, and how it is read.

A point's id is derived from its owner and the item's id, so no owner can touch another's point.
Every read and write is bound to the owner, a hash of tenant and user.
"""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

import numpy as np

from lightmem.domain.turn_items import speaker_key
from lightmem.errors import IncompatibleIndex
from lightmem.model import (
    IndexEntry,
    IndexPoint,
    Item,
    ItemKind,
    Layer,
    MemoryKind,
    Precision,
    RecallFilters,
    SparseVector,
    TokenVectors,
    View,
)
from lightmem.ports import Encoded

DENSE_VIEWS = (View.DENSE, View.WINDOW_DENSE)
SPARSE_VIEWS = (View.BM25, View.WINDOW_BM25)
#: What is read back of a point to put it again with new windows.
ENCODED_VIEWS = (View.DENSE, View.TOKENS)
#: Payload fields that are filtered by exact value; OWNER splits the store.
OWNER, TENANT = "owner", "tenant_id"
#: The turn that a point is a passage of; other points have none.
PASSAGE_OF = "passage_of"
#: Whose it is and of which kind, in one.
OWNER_KIND = "owner_kind"
KEYWORD_FIELDS = (OWNER, TENANT, OWNER_KIND, PASSAGE_OF, "kind", "session_ids", "speaker_keys")
#: Those that are filtered by a range of time.
TIME_FIELDS = ("occurred_at", "recorded_at")
#: What a search reads back of a payload.
ITEM_FIELDS = (
    "id",
    "kind",
    "text",
    "speaker",
    "occurred_at",
    "valid_from",
    "valid_to",
    "source_turn_ids",
    "session_id",
    "seq",
    "recorded_at",
    "superseded_at",
    "superseded_by",
    "valid_precision",
    "memory_kind",
    "holds_from",
)
_KINDS = {kind.value: kind for kind in ItemKind}
_MEMORY_KINDS = {kind.value: kind for kind in MemoryKind}
_PRECISIONS = {precision.value: precision for precision in Precision}
#: What is read of a payload to hold it against the ledger.
ENTRY_FIELDS = (TENANT, "user_id", "id", "kind", "text", PASSAGE_OF)
#: Part of what an index was filled by: another layout of points must be filled again.
LAYOUT = "layout-4"
#: Who speaks, and how many of them are told.
SPEAKERS, MOST_SPEAKERS = "speaker_keys", 64


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a point must meet: one of the values for each field, and ranges of its times."""

    any_of: Mapping[str, Sequence[str]]
    #: From (inclusive) and to (exclusive) by field; None is open.
    times: Mapping[str, tuple[datetime | None, datetime | None]] = field(default_factory=dict)


def owner_of(tenant_id: str, user_id: str) -> str:
    """One keyword for a user of a tenant; the length keeps "a", "bc" and "ab", "c" apart."""
    text = f"{len(tenant_id)}\n{tenant_id}\n{user_id}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def point_id(owner: str, item_id: str, passage: int = 0) -> str:
    """The point's UUID, version 8: a hash of the owner, the item's id and which passage it is."""
    name = f"{owner}\n{item_id}\n{passage}" if passage else f"{owner}\n{item_id}"
    digest = bytearray(blake2b(name.encode(), digest_size=16).digest())
    digest[6] = 0x80 | digest[6] & 0x0F
    digest[8] = 0x80 | digest[8] & 0x3F
    return str(uuid.UUID(bytes=bytes(digest)))


def filled_by(encoder_id: str) -> str:
    """What an index keeps, to tell whose vectors it holds."""
    return f"{encoder_id}/{LAYOUT}"


def check_filled_by(found: str, encoder_id: str) -> None:
    """Raise `IncompatibleIndex` unless this encoder filled the index."""
    if found != filled_by(encoder_id):
        raise IncompatibleIndex(
            f"the index was filled by {found!r}, and {filled_by(encoder_id)!r} is to read it:"
            " run `lightmem reindex` to embed what the ledger holds again",
            found=found,
            expected=filled_by(encoder_id),
        )


def conditions(tenant_id: str, user_id: str, filters: RecallFilters) -> Conditions:
    """The owner's points within the caller's filters."""
    any_of: dict[str, Sequence[str]] = {OWNER: [owner_of(tenant_id, user_id)]}
    if filters.kinds:
        any_of["kind"] = [kind.value for kind in filters.kinds]
    if filters.session_ids:
        any_of["session_ids"] = list(filters.session_ids)
    if filters.speakers:
        any_of["speaker_keys"] = [speaker_key(speaker) for speaker in filters.speakers]
    times: dict[str, tuple[datetime | None, datetime | None]] = {}
    if filters.start is not None or filters.end is not None:
        times["occurred_at"] = (filters.start, filters.end)
    if filters.known_before is not None:
        times["recorded_at"] = (None, filters.known_before)
    return Conditions(any_of, times)


def of_kind(chosen: Conditions, kind: ItemKind | None) -> Conditions:
    """The same for one kind of an owner's items alone, where that is chosen at all.

    Owner and kind are one field: the engine looks at thousands of points, and twice for two.
    """
    if kind is None:
        return chosen
    others = {name: values for name, values in chosen.any_of.items() if name not in (OWNER, "kind")}
    is_chosen = kind.value in chosen.any_of.get("kind", [kind.value])
    owners = chosen.any_of[OWNER] if is_chosen else []
    any_of = {OWNER_KIND: [f"{owner}:{kind.value}" for owner in owners], **others}
    return replace(chosen, any_of=any_of)


def belonging(tenant_id: str | None, user_id: str | None) -> Conditions:
    """All points of one user, of a tenant, or of all."""
    if tenant_id is None:
        return Conditions({})
    if user_id is None:
        return Conditions({TENANT: [tenant_id]})
    return owned(tenant_id, user_id)


def owned(tenant_id: str, user_id: str) -> Conditions:
    """All points of one user."""
    return Conditions({OWNER: [owner_of(tenant_id, user_id)]})


def passages(tenant_id: str, user_id: str, ids: Sequence[str]) -> Conditions:
    """The passages of these turns of one user."""
    return Conditions({OWNER: [owner_of(tenant_id, user_id)], PASSAGE_OF: list(ids)})


def id_of(tenant_id: str, user_id: str, point: IndexPoint) -> str:
    """The id of a point of one user."""
    return point_id(owner_of(tenant_id, user_id), point.item.id, point.passage)


def payload_of(tenant_id: str, user_id: str, point: IndexPoint) -> dict[str, Any]:
    """The payload of a point: the item's own fields, and those that only filters look at."""
    item = point.item
    sessions = point.session_ids or ([item.session_id] if item.session_id else [])
    owner = owner_of(tenant_id, user_id)
    payload = {
        OWNER: owner,
        OWNER_KIND: f"{owner}:{item.kind.value}",
        TENANT: tenant_id,
        "user_id": user_id,
        "id": item.id,
        "kind": item.kind.value,
        "text": item.text,
        "speaker": item.speaker,
        "speaker_keys": speaker_keys_of(point),
        "occurred_at": _written(item.occurred_at),
        "valid_from": _written(item.valid_from),
        "valid_to": _written(item.valid_to),
        "source_turn_ids": list(item.source_turn_ids),
        "session_id": item.session_id,
        "session_ids": list(sessions),
        "seq": item.seq,
        "recorded_at": _written(item.recorded_at),
        "superseded_at": _written(item.superseded_at),
        "superseded_by": item.superseded_by,
        "valid_precision": item.valid_precision.value if item.valid_precision else None,
        "memory_kind": item.memory_kind.value if item.memory_kind else None,
        "holds_from": _written(item.holds_from),
        PASSAGE_OF: item.id if point.passage else None,
    }
    return {name: value for name, value in payload.items() if value is not None}


def speaker_keys_of(point: IndexPoint) -> list[str]:
    """Who speaks in a point, as it is compared and counted."""
    own = [point.item.speaker] if point.item.speaker else []
    return [speaker_key(speaker) for speaker in point.speakers or own]


def item_of(payload: Mapping[str, Any], score: float = 0.0) -> Item:
    """The item that a payload holds, with a score."""
    get = payload.get
    return Item(
        id=payload["id"],
        layer=Layer.MID_TERM,
        kind=_KINDS[payload["kind"]],
        text=payload["text"],
        score=score,
        speaker=get("speaker"),
        occurred_at=_read(get("occurred_at")),
        valid_from=_read(get("valid_from")),
        valid_to=_read(get("valid_to")),
        source_turn_ids=tuple(get("source_turn_ids") or ()),
        session_id=get("session_id"),
        seq=get("seq", 0),
        recorded_at=_read(get("recorded_at")),
        superseded_at=_read(get("superseded_at")),
        superseded_by=get("superseded_by"),
        valid_precision=_PRECISIONS.get(get("valid_precision", "")),
        memory_kind=_MEMORY_KINDS.get(get("memory_kind", "")),
        holds_from=_read(get("holds_from")),
    )


def entry_of(payload: Mapping[str, Any], *, is_encoded: bool) -> IndexEntry | None:
    """What a point holds, as it is held against the ledger; a passage goes with its turn."""
    if PASSAGE_OF in payload:
        return None
    return IndexEntry(
        tenant_id=payload[TENANT],
        user_id=payload["user_id"],
        id=payload["id"],
        kind=_KINDS[payload["kind"]],
        text=payload["text"],
        is_encoded=is_encoded,
    )


def most_heard(counted: Iterable[tuple[str, int]]) -> list[str]:
    """Speakers by how often they are heard; equals by name."""
    return [name for name, _ in sorted(counted, key=lambda one: (-one[1], one[0]))]


StoredVector = list[float] | SparseVector | TokenVectors


def stored_vectors(point: IndexPoint) -> dict[str, StoredVector]:
    """A point's vectors by name; one without terms or tokens is left out."""
    vectors: dict[str, StoredVector] = {}
    for view, vector in point.vectors.items():
        if isinstance(vector, SparseVector):
            if vector.indices:
                vectors[view.value] = vector
        elif isinstance(vector, TokenVectors):
            if vector.rows:
                vectors[view.value] = vector
        else:
            vectors[view.value] = floats(vector)
    return vectors


def encoded_of(named: Mapping[str, Any]) -> Encoded | None:
    """The vectors of a text and of its tokens, as a point holds them; None if by word alone."""
    if View.DENSE.value not in named:
        return None
    tokens = named.get(View.TOKENS.value)
    return Encoded(
        np.asarray(named[View.DENSE.value], np.float32),
        np.empty((0, 0), np.float32) if tokens is None else np.asarray(tokens, np.float32),
    )


def floats(vector: Sequence[float]) -> list[float]:
    """A vector as a plain list; arrays give theirs fastest themselves."""
    to_list = getattr(vector, "tolist", None)
    return to_list() if to_list is not None else list(vector)


def items_in_order(ids: Sequence[str], payloads: Iterable[Mapping[str, Any]]) -> list[Item]:
    """The items that were found, in the order of the ids asked for."""
    found = {payload["id"]: payload for payload in payloads}
    return [item_of(found[item_id]) for item_id in ids if item_id in found]


def _written(time: datetime | None) -> str | None:
    return time.astimezone(UTC).isoformat() if time is not None else None


def _read(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
