"""Bodies and answers about forgetting and correcting."""

from collections.abc import Mapping
from datetime import UTC, datetime, time
from typing import Any

from pydantic import Field
from starlette.responses import Response

from lightmem.domain.limits import MAX_QUERY_CODE_POINTS, MAX_TURN_CODE_POINTS, fault_of_text
from lightmem.errors import InvalidInput
from lightmem.model import Forgot, Memory, MemoryKind, Precision, Tombstone
from lightmem_gateway.bodies import Body, Flag, Time
from lightmem_gateway.correcting import Correction
from lightmem_gateway.forgetting import GoesOn
from lightmem_gateway.memory_views import MemoryView
from lightmem_gateway.views import View

#: Memories that one call forgets at most.
MAX_IDS = 1_000


class ForgetBody(Body):
    """What is to be forgotten: found by a question, then named by ids."""

    query: str | None = Field(None, description="Finds what would be forgotten; a dry run alone.")
    ids: list[str] | None = Field(None, description="1 to 1,000 ids of memories.")
    dry_run: Flag = Field(True, description="Tell what would be forgotten, and change nothing.")

    def check(self) -> None:
        """Raise `InvalidInput` unless there is a question or ids, and ids to really forget."""
        if (self.query is None) == (self.ids is None):
            raise InvalidInput.of("query", "give either query or ids")
        if self.query is not None:
            if not self.dry_run:
                raise InvalidInput.of("query", "finds in a dry run alone; forget by ids")
            if fault := _fault(self.query, MAX_QUERY_CODE_POINTS):
                raise InvalidInput.of("query", fault)
        elif not 1 <= len(self.ids or ()) <= MAX_IDS:
            raise InvalidInput.of("ids", f"must hold 1 to {MAX_IDS} ids")


class WouldForgetView(View):
    """What would be forgotten: send the ids back to forget them."""

    dry_run: bool
    ids: list[str]
    memories: list[MemoryView]

    @classmethod
    def of(cls, memories: list[Memory]) -> "WouldForgetView":
        """The view of memories."""
        views = [MemoryView.of(memory) for memory in memories]
        return cls(dry_run=True, ids=[memory.id for memory in memories], memories=views)


class ForgotView(View):
    """What was forgotten: memories, the tombstones they left, and how many turns lost words."""

    forgotten: list[str]
    tombstones: list[str]
    redacted_turns: int

    @classmethod
    def of(cls, done: Forgot) -> "ForgotView":
        """The view of a forgetting."""
        return cls(
            forgotten=list(done.forgotten),
            tombstones=list(done.tombstones),
            redacted_turns=len(done.redacted_turns),
        )


class ForgettingView(View):
    """A forgetting that takes long; the operation has its result."""

    operation_id: str


class TombstoneView(View):
    """That something is not to come back; not what."""

    id: str
    created_at: datetime
    reason: str

    @classmethod
    def of(cls, tombstone: Tombstone) -> "TombstoneView":
        """The view of a tombstone."""
        return cls(id=tombstone.id, created_at=tombstone.created_at, reason=tombstone.reason)


class MemoryPatchBody(Body):
    """What changes in a memory; a time that is null is taken away."""

    text: str | None = Field(None, description="1 to 32,768 code points.")
    kind: MemoryKind | None = None
    valid_from: Time | None = None
    valid_to: Time | None = None

    def to_correction(self) -> Correction:
        """The change as the use case takes it."""
        given = self.model_fields_set
        if not given:
            raise InvalidInput.of("body", "name at least one of text, kind, valid_from, valid_to")
        changed: dict[str, Any] = {}
        if "text" in given:
            changed["text"] = self._text()
        if "kind" in given:
            if self.kind is None:
                raise InvalidInput.of("kind", "must not be null")
            changed["kind"] = self.kind
        for name in ("valid_from", "valid_to"):
            if name in given:
                moment: datetime | None = getattr(self, name)
                changed[name] = moment.astimezone(UTC) if moment is not None else None
        return Correction(changed, _precision(self.valid_from or self.valid_to))

    def _text(self) -> str:
        if self.text is None:
            raise InvalidInput.of("text", "must not be null")
        if fault := _fault(self.text, MAX_TURN_CODE_POINTS):
            raise InvalidInput.of("text", fault)
        return self.text.strip()


def _precision(moment: datetime | None) -> Precision | None:
    """A day for what is given as its midnight, else the instant."""
    if moment is None:
        return None
    return Precision.DAY if moment.timetz().replace(tzinfo=None) == time() else Precision.INSTANT


def _fault(text: str, most: int) -> str | None:
    if len(text) > most:
        return f"must have at most {most} characters"
    return fault_of_text(text)


# --- one answer, kept under an idempotency key as JSON -----------------------------------------


def answer_of(done: Forgot | GoesOn) -> dict[str, Any]:
    """The answer to a forgetting, as it is kept."""
    if isinstance(done, GoesOn):
        return ForgettingView(operation_id=done.operation_id).model_dump(mode="json")
    return ForgotView.of(done).model_dump(mode="json")


def view_of(answer: Mapping[str, Any], response: Response) -> ForgotView | ForgettingView:
    """The view of an answer, with its status: 202 for what goes on."""
    if "operation_id" in answer:
        response.status_code = 202
        return ForgettingView.model_validate(answer)
    return ForgotView.model_validate(answer)
