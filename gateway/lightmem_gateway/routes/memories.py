"""Memories: what was learnt."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Query, Response

from lightmem.model import MemoryKind, MemoryStatus
from lightmem_gateway.auth import Caller
from lightmem_gateway.bodies import check_text_filter
from lightmem_gateway.dependencies import (
    CallerDep,
    GatewayDep,
    NarrowedIdempotencyDep,
    PagingDep,
    UserDep,
    guarded_router,
    known_shape,
)
from lightmem_gateway.forgetting_views import (
    ForgettingView,
    ForgotView,
    MemoryPatchBody,
    answer_of,
    view_of,
)
from lightmem_gateway.gateway import Gateway
from lightmem_gateway.memory_views import MemoryView
from lightmem_gateway.routes.answers import problems
from lightmem_gateway.views import PageView, page_view

router = guarded_router("memories")


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which of a user's memories are asked for."""

    status: MemoryStatus | None
    kind: MemoryKind | None
    query: str | None


async def memory_filter(
    status: MemoryStatus | None = None,
    kind: MemoryKind | None = None,
    query: Annotated[str | None, Query(description="A part of the text, in any case.")] = None,
) -> MemoryFilter:
    """The filter of the query string."""
    return MemoryFilter(status, kind, check_text_filter("query", query))


@router.get("/v1/users/{user_id:segment}/memories", responses=problems(404))
async def list_memories(
    user: UserDep,
    paging: PagingDep,
    gateway: GatewayDep,
    wanted: Annotated[MemoryFilter, Depends(memory_filter)],
) -> PageView[MemoryView]:
    """List a user's memories, the latest first."""
    page = await gateway.ledger.list_memories(
        user.tenant_id,
        user.user_id,
        status=wanted.status,
        kind=wanted.kind,
        query=wanted.query,
        limit=paging.limit,
        cursor=paging.cursor,
    )
    return page_view(page, MemoryView.of)


@router.get("/v1/memories/{memory_id:segment}", responses=problems(404))
async def get_memory(memory_id: str, caller: CallerDep, gateway: GatewayDep) -> MemoryView:
    """Read one memory."""
    memory = await gateway.ledger.get_memory(
        caller.tenant_id, known_shape("memory", memory_id), user_id=caller.user_id
    )
    return MemoryView.of(memory)


@router.get("/v1/memories/{memory_id:segment}/history", responses=problems(404))
async def memory_history(
    memory_id: str, caller: CallerDep, gateway: GatewayDep
) -> PageView[MemoryView]:
    """Read every version of a memory, newest first."""
    versions = await gateway.ledger.memory_history(
        caller.tenant_id, known_shape("memory", memory_id), user_id=caller.user_id
    )
    return PageView(items=[MemoryView.of(version) for version in versions], next_cursor=None)


@router.patch("/v1/memories/{memory_id:segment}", responses=problems(400, 404, 409, 413, 415))
async def correct_memory(
    memory_id: str,
    body: MemoryPatchBody,
    caller: CallerDep,
    idempotency: NarrowedIdempotencyDep,
    gateway: GatewayDep,
) -> MemoryView:
    """Correct a memory: its next version. What it said before stays in the history."""
    known = known_shape("memory", memory_id)
    correction = body.to_correction()
    owner = await _owner(gateway, caller, known)

    async def act() -> dict[str, object]:
        memory = await gateway.correct(
            caller.tenant_id, known, correction, user_id=caller.user_id, actor=caller.actor
        )
        return MemoryView.of(memory).model_dump(mode="json")

    answer = await gateway.once(caller.tenant_id, idempotency, act, about=owner)
    return MemoryView.model_validate(answer)


@router.delete(
    "/v1/memories/{memory_id:segment}",
    response_model=ForgotView | ForgettingView,
    responses={
        202: {"model": ForgettingView, "description": "It takes long; follow the operation."},
        **problems(404, 409),
    },
)
async def forget_memory(
    memory_id: str,
    caller: CallerDep,
    idempotency: NarrowedIdempotencyDep,
    gateway: GatewayDep,
    response: Response,
) -> ForgotView | ForgettingView:
    """Forget a memory for good, with the words it rests on."""
    known = known_shape("memory", memory_id)
    owner = await _owner(gateway, caller, known)

    async def act() -> dict[str, object]:
        done = await gateway.forget(caller.tenant_id, owner, [known], actor=caller.actor)
        return answer_of(done)

    return view_of(await gateway.once(caller.tenant_id, idempotency, act), response)


async def _owner(gateway: Gateway, caller: Caller, memory_id: str) -> str:
    """Whose memory it is, within what the caller reaches."""
    memory = await gateway.ledger.get_memory(caller.tenant_id, memory_id, user_id=caller.user_id)
    return memory.user_id
