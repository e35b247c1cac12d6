"""Chat: recall, answer, remember; whole or as server-sent events."""

import json
from collections.abc import AsyncIterator, Mapping
from datetime import UTC
from typing import Any

from fastapi import Request
from fastapi.responses import StreamingResponse

from lightmem.errors import LightMemError
from lightmem.model import Idempotency
from lightmem.telemetry import current_trace_id
from lightmem_gateway.answering import Answered, ChatEvent, ChatRequest, Piece, Recalled
from lightmem_gateway.bodies import ChatBody, offset_minutes
from lightmem_gateway.dependencies import (
    GatewayDep,
    IdempotencyDep,
    PathUser,
    UserDep,
    guarded_router,
)
from lightmem_gateway.gateway import Gateway
from lightmem_gateway.problems import problem, request_id_of
from lightmem_gateway.recall_views import ChatView, RecallView
from lightmem_gateway.routes.answers import problems

router = guarded_router("chat")


@router.post(
    "/v1/users/{user_id:segment}/chat",
    response_model=ChatView,
    responses={
        200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}},
        **problems(400, 404, 409, 410, 413, 415),
    },
)
async def chat(
    user: UserDep,
    body: ChatBody,
    idempotency: IdempotencyDep,
    gateway: GatewayDep,
    request: Request,
) -> ChatView | StreamingResponse:
    """Answer a message with memory, then remember both.

    With `stream` the answer comes as events: `recall`, `token` for each piece, then `done`, or
    `error` with a problem.
    """
    question = _question(body, gateway)
    gateway.chat.check(question)
    if not body.stream:
        return ChatView.model_validate(await _whole(gateway, user, question, idempotency))
    frames = _frames(gateway, user, question, idempotency)
    # What is refused before anything was sent has its own status.
    first = await anext(frames)
    return StreamingResponse(
        _guarded(first, frames, request_id_of(request)),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


def _question(body: ChatBody, gateway: Gateway) -> ChatRequest:
    moment = body.occurred_at or gateway.clock.now()
    return ChatRequest(
        session_id=body.session_id,
        message=body.message,
        occurred_at=moment.astimezone(UTC),
        memory=body.memory,
        utc_offset_minutes=offset_minutes(moment),
    )


# --- whole ----------------------------------------------------------------------------------


async def _whole(
    gateway: Gateway, user: PathUser, question: ChatRequest, idempotency: Idempotency | None
) -> Mapping[str, Any]:
    async def answer() -> dict[str, Any]:
        gathered: dict[str, Any] = {}
        async for event in _events(gateway, user, question, stream=False):
            gathered.update(_members(event))
        return gathered

    return await gateway.once(
        user.tenant_id, idempotency, answer, lease_s=_lease_s(gateway), about=user.user_id
    )


def _events(
    gateway: Gateway, user: PathUser, question: ChatRequest, *, stream: bool
) -> AsyncIterator[ChatEvent]:
    return gateway.chat(user.tenant_id, user.user_id, question, actor=user.actor, stream=stream)


def _lease_s(gateway: Gateway) -> float:
    """Longer than an answer may take, so that a claim ends only with its holder."""
    return gateway.model_timeout_s + 30.0


def _members(event: ChatEvent) -> dict[str, Any]:
    """What an event adds to the answer as a whole."""
    match event:
        case Recalled(recall):
            if recall is None:
                return {"recall": None}
            view = RecallView.of(recall, trace_id=current_trace_id())
            return {"recall": view.model_dump(mode="json")}
        case Answered(answer, model, operation_id, timings_ms):
            return {
                "answer": answer,
                "model": model,
                "operation_id": operation_id,
                "timings_ms": timings_ms,
            }
        case Piece():
            return {}


# --- as events ------------------------------------------------------------------------------


async def _frames(
    gateway: Gateway, user: PathUser, question: ChatRequest, idempotency: Idempotency | None
) -> AsyncIterator[bytes]:
    """The events of an answer, or of the one kept under the idempotency key."""
    if idempotency is None:
        async for event in _events(gateway, user, question, stream=True):
            yield _frame_of(event, _members(event))
        return
    async with gateway.once.claimed(
        user.tenant_id, idempotency, lease_s=_lease_s(gateway), about=user.user_id
    ) as claim:
        if claim.kept is not None:
            for frame in _kept_frames(claim.kept):
                yield frame
            return
        gathered: dict[str, Any] = {}
        async for event in _events(gateway, user, question, stream=True):
            members = _members(event)
            gathered.update(members)
            if isinstance(event, Answered):
                await claim.keep(gathered)
            yield _frame_of(event, members)


def _kept_frames(kept: Mapping[str, Any]) -> list[bytes]:
    done = {name: value for name, value in kept.items() if name != "recall"}
    return [
        _frame("recall", kept["recall"]),
        _frame("token", {"text": kept["answer"]}),
        _frame("done", done),
    ]


def _frame_of(event: ChatEvent, members: Mapping[str, Any]) -> bytes:
    match event:
        case Recalled():
            return _frame("recall", members["recall"])
        case Piece(text):
            return _frame("token", {"text": text})
        case Answered():
            return _frame("done", members)


def _frame(name: str, data: Any) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode("ascii")


async def _guarded(
    first: bytes, frames: AsyncIterator[bytes], request_id: str
) -> AsyncIterator[bytes]:
    """The frames; an error after the first byte becomes the last one."""
    yield first
    try:
        async for frame in frames:
            yield frame
    except LightMemError as exc:
        yield _frame("error", problem(exc, request_id=request_id))
