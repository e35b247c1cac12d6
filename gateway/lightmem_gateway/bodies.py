"""Bodies of requests: JSON in, values of the domain out. Limits are the core's to check."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict, WithJsonSchema
from pydantic_core import PydanticCustomError

from lightmem.domain.limits import check_id, fault_of_text, moment_of
from lightmem.errors import InvalidInput
from lightmem.model import (
    AsOf,
    ItemKind,
    KeyRole,
    Layer,
    NewTurn,
    RecallFilters,
    RecallMode,
    RecallRequest,
    Role,
)

MAX_K_ANONYMITY = 1_000_000


def parse_time(value: Any) -> datetime:
    """An RFC 3339 time with its offset, as an aware datetime that keeps the offset."""
    moment = moment_of(value) if isinstance(value, str) else None
    if moment is not None:
        return moment
    raise PydanticCustomError("invalid_time", "must be an RFC 3339 time with an offset")


Time = Annotated[
    datetime,
    BeforeValidator(parse_time),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
Whole = Annotated[int, Strict()]
Flag = Annotated[bool, Strict()]


def offset_minutes(moment: datetime) -> int:
    """The offset from UTC that a time was given with, in whole minutes."""
    offset = moment.utcoffset()
    return int(offset.total_seconds() // 60) if offset else 0


class Body(BaseModel):
    """A request's body. Unknown fields are refused by name."""

    model_config = ConfigDict(extra="forbid", frozen=True)


# --- turns ----------------------------------------------------------------------------------


class TurnBody(Body):
    """One message."""

    role: Role
    content: str = Field(description="Verbatim words, 1 to 32,768 code points.")
    client_id: str | None = Field(None, description="The caller's own id, kept once a user.")
    speaker: str | None = None
    occurred_at: Time | None = Field(None, description="When it was said; now if absent.")
    metadata: dict[str, Any] | None = None

    def to_turn(self, now: datetime) -> NewTurn:
        """The turn as the core takes it."""
        moment = self.occurred_at or now
        return NewTurn(
            role=self.role,
            content=self.content,
            occurred_at=moment.astimezone(UTC),
            client_id=self.client_id,
            speaker=self.speaker,
            metadata=self.metadata or {},
            utc_offset_minutes=offset_minutes(moment),
        )


class TurnsBody(Body):
    """Turns of one session to remember."""

    session_id: str
    turns: list[TurnBody] = Field(description="1 to 1,000 turns.")
    wait: Literal["none", "indexed", "written"] = "none"

    def to_turns(self, now: datetime) -> list[NewTurn]:
        """The turns as the core takes them."""
        check_id("session_id", self.session_id)
        return [turn.to_turn(now) for turn in self.turns]


# --- recall and chat ------------------------------------------------------------------------


class FiltersBody(Body):
    """Hard limits on what is recalled. Empty means all."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=False)

    start: Time | None = Field(None, alias="from", description="Inclusive, on `occurred_at`.")
    end: Time | None = Field(None, alias="to", description="Exclusive, on `occurred_at`.")
    speakers: list[str] = []
    kinds: list[ItemKind] = []
    session_ids: list[str] = []

    def to_filters(self) -> RecallFilters:
        """The filters as the core takes them."""
        return RecallFilters(
            start=_utc(self.start),
            end=_utc(self.end),
            speakers=tuple(self.speakers),
            kinds=tuple(self.kinds),
            session_ids=tuple(self.session_ids),
        )


class AsOfBody(Body):
    """What was true at `valid`, by what was known at `known`."""

    valid: Time | None = None
    known: Time | None = None


class RecallBody(Body):
    """A question to the memory."""

    query: str = Field(description="1 to 8,192 characters.")
    session_id: str | None = None
    top_k: Whole = Field(5, description="Most items, 1 to 50.")
    budget_tokens: Whole = Field(1150, description="Bounds `context` as a whole, 1 to 8,000.")
    layers: list[Layer] = [Layer.SHORT_TERM, Layer.MID_TERM, Layer.LONG_TERM]
    mode: RecallMode = RecallMode.FAST
    filters: FiltersBody | None = None
    as_of: AsOfBody | None = None
    now: Time | None = Field(None, description="The asker's present; the clock's if absent.")
    explain: Flag = False

    def to_request(self, now: datetime) -> RecallRequest:
        """The request as the core takes it."""
        moment = self.now or now
        as_of = self.as_of or AsOfBody()
        return RecallRequest(
            query=self.query,
            now=moment.astimezone(UTC),
            session_id=self.session_id,
            top_k=self.top_k,
            budget_tokens=self.budget_tokens,
            layers=tuple(self.layers),
            mode=self.mode,
            filters=(self.filters or FiltersBody()).to_filters(),
            as_of=AsOf(valid=_utc(as_of.valid), known=_utc(as_of.known)),
            explain=self.explain,
            utc_offset_minutes=offset_minutes(moment),
        )


class ChatBody(Body):
    """A message to answer with memory."""

    session_id: str
    message: str
    stream: Flag = False
    memory: Literal["lightmem", "rag", "none"] = "lightmem"
    occurred_at: Time | None = None


# --- administration -------------------------------------------------------------------------


class TenantBody(Body):
    """A tenant to make."""

    name: str
    k_anonymity: Whole = Field(
        3,
        ge=1,
        le=MAX_K_ANONYMITY,
        description="Users a shared concept needs to be served; 1 is for a tenant of one person.",
    )

    def check(self) -> None:
        """Raise `InvalidInput` for a name that is none."""
        check_id("name", self.name)


class KeyBody(Body):
    """A key to make."""

    role: KeyRole
    user_id: str | None = Field(None, description="For role `user`, and for it alone.")
    expires_at: Time | None = None

    def check(self) -> None:
        """Raise `InvalidInput` where role and user do not fit together."""
        if self.role is KeyRole.USER:
            if self.user_id is None:
                raise InvalidInput.of("user_id", "is required for role 'user'")
            check_id("user_id", self.user_id)
        elif self.user_id is not None:
            raise InvalidInput.of("user_id", "is for role 'user' alone")


# --- what queries and paths carry -------------------------------------------------------------


def check_text_filter(field: str, value: str | None) -> str | None:
    """A filter of a list: None when it is empty, refused when no stored text could match it."""
    if not value:
        return None
    if fault := fault_of_text(f"x{value}"):
        raise InvalidInput.of(field, fault)
    return value


def _utc(moment: datetime | None) -> datetime | None:
    return moment.astimezone(UTC) if moment is not None else None
