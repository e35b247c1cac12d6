"""Each route as a value: what to send, how the answer reads, and whether sending twice is safe.

Both clients send these, so a route is described once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar
from urllib.parse import quote

from lightmem.client.answers import (
    Chat,
    Memory,
    NewKey,
    Operation,
    Page,
    Recall,
    Remembered,
    Session,
    Tenant,
    Turn,
)
from lightmem.client.turns import SaidTurn
from lightmem.model import (
    ItemKind,
    KeyRole,
    Layer,
    MemoryKind,
    MemoryStatus,
    RecallMode,
)

T = TypeVar("T")
Wait = Literal["none", "indexed", "written"]


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request.

    `repeat` says when it may be sent again: `always` (a read, or a write under an idempotency
    key) or only while it was certainly `unsent`.
    """

    method: str
    path: str
    read: Callable[[Any], T]
    body: Mapping[str, Any] | None = None
    params: Mapping[str, str | int] = field(default_factory=dict)
    repeat: Literal["always", "unsent"] = "always"
    is_write: bool = False
    tenant_id: str | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """Hard limits of a recall. Empty is all; `start` is inclusive, `end` exclusive."""

    start: datetime | None = None
    end: datetime | None = None
    speakers: Sequence[str] = ()
    kinds: Sequence[ItemKind] = ()
    session_ids: Sequence[str] = ()

    def body(self) -> dict[str, Any]:
        """The `filters` of the HTTP API."""
        return _given(
            {
                "from": _time(self.start),
                "to": _time(self.end),
                "speakers": list(self.speakers),
                "kinds": [str(kind) for kind in self.kinds],
                "session_ids": list(self.session_ids),
            }
        )


def remember(
    user_id: str, session_id: str, turns: Sequence[SaidTurn], *, wait: Wait
) -> Call[Remembered]:
    """Store turns."""
    return Call(
        "POST",
        f"{user_path(user_id)}/turns",
        Remembered.model_validate,
        body={
            "session_id": session_id,
            "turns": [turn.body() for turn in turns],
            "wait": wait,
        },
        is_write=True,
    )


def recall(
    user_id: str,
    query: str,
    *,
    session_id: str | None,
    top_k: int,
    budget_tokens: int,
    layers: Sequence[Layer] | None,
    mode: RecallMode,
    limits: Limits | None,
    now: datetime | None,
    explain: bool,
) -> Call[Recall]:
    """Ask what is relevant."""
    body = {
        "query": query,
        "session_id": session_id,
        "top_k": top_k,
        "budget_tokens": budget_tokens,
        "layers": [str(layer) for layer in layers or ()],
        "mode": str(mode),
        "filters": limits.body() if limits else None,
        "now": _time(now),
        "explain": explain,
    }
    path = f"{user_path(user_id)}/recall"
    return Call("POST", path, Recall.model_validate, body=_given(body))


def chat(
    user_id: str, session_id: str, message: str, *, memory: str, stream: bool = False
) -> Call[Chat]:
    """Answer with memory and remember the exchange."""
    body = {"session_id": session_id, "message": message, "memory": memory, "stream": stream}
    return Call(
        "POST", f"{user_path(user_id)}/chat", Chat.model_validate, body=body, repeat="unsent"
    )


def operation(operation_id: str) -> Call[Operation]:
    """Read how a piece of work stands."""
    return Call("GET", f"/v1/operations/{part_of(operation_id)}", Operation.model_validate)


def retry(operation_id: str) -> Call[Operation]:
    """Run the quarantined turns of an operation again."""
    path = f"/v1/operations/{part_of(operation_id)}/retry"
    return Call("POST", path, Operation.model_validate, repeat="unsent")


def turn(turn_id: str) -> Call[Turn]:
    """Read a turn."""
    return Call("GET", f"/v1/turns/{part_of(turn_id)}", Turn.model_validate)


def turns(
    user_id: str, *, session_id: str | None, limit: int, cursor: str | None
) -> Call[Page[Turn]]:
    """List what was said, oldest first."""
    params = params_of(session_id=session_id, limit=limit, cursor=cursor)
    return Call("GET", f"{user_path(user_id)}/turns", Page[Turn].model_validate, params=params)


def sessions(user_id: str, *, limit: int, cursor: str | None) -> Call[Page[Session]]:
    """List conversations, latest first."""
    params = params_of(limit=limit, cursor=cursor)
    return Call(
        "GET", f"{user_path(user_id)}/sessions", Page[Session].model_validate, params=params
    )


def memory(memory_id: str) -> Call[Memory]:
    """Read a memory."""
    return Call("GET", f"/v1/memories/{part_of(memory_id)}", Memory.model_validate)


def memories(
    user_id: str,
    *,
    status: MemoryStatus | None,
    kind: MemoryKind | None,
    query: str | None,
    limit: int,
    cursor: str | None,
) -> Call[Page[Memory]]:
    """List what was learnt, latest first."""
    params = params_of(status=status, kind=kind, query=query, limit=limit, cursor=cursor)
    return Call("GET", f"{user_path(user_id)}/memories", Page[Memory].model_validate, params=params)


def tenants(*, limit: int, cursor: str | None) -> Call[Page[Tenant]]:
    """List the installation's tenants."""
    params = params_of(limit=limit, cursor=cursor)
    return Call("GET", "/v1/admin/tenants", Page[Tenant].model_validate, params=params)


def create_tenant(name: str, *, k_anonymity: int | None) -> Call[Tenant]:
    """Make a tenant."""
    body = _given({"name": name, "k_anonymity": k_anonymity})
    return Call("POST", "/v1/admin/tenants", Tenant.model_validate, body=body, is_write=True)


def create_key(
    tenant_id: str, *, role: KeyRole, user_id: str | None, expires_at: datetime | None
) -> Call[NewKey]:
    """Make a key."""
    body = _given({"role": str(role), "user_id": user_id, "expires_at": _time(expires_at)})
    path = f"/v1/admin/tenants/{part_of(tenant_id)}/keys"
    return Call("POST", path, NewKey.model_validate, body=body, is_write=True)


def health() -> Call[Mapping[str, Any]]:
    """Ask whether the process is alive."""
    return Call("GET", "/healthz", dict)


def user_path(user_id: str) -> str:
    """The path of what is a user's."""
    return f"/v1/users/{part_of(user_id)}"


def part_of(text: str) -> str:
    """A text as one part of a path."""
    return quote(text, safe="")


def _time(value: datetime | None) -> str | None:
    return value.isoformat() if value is not None else None


def _given(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if value not in (None, [], {})}


def params_of(**values: str | int | None) -> dict[str, str | int]:
    """The parameters that were given."""
    return {name: value for name, value in values.items() if value is not None}
