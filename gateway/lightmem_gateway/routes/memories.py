"""Memories: what was learnt."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Query, Response

from lightmem.errors import NotFound
from lightmem.model import Idempotency, MemoryKind, MemoryStatus, Page
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
    owner_of,
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
from lightmem_gateway.paging import number_of, numbered
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
    memory_id: str, caller: CallerDep, paging: PagingDep, gateway: GatewayDep
) -> PageView[MemoryView]:
    """Read every version of a memory, newest first."""
    before = number_of("history", paging.cursor)
    versions = await gateway.ledger.memory_history(
        caller.tenant_id, known_shape("memory", memory_id), user_id=caller.user_id
    )
    left = [each for each in versions if before is None or each.version < before]
    shown = left[: paging.limit]
    more = len(left) > len(shown)
    page = Page(shown, numbered("history", shown[-1].version) if more else None)
    return page_view(page, MemoryView.of)


@router.patch("/v1/memories/{memory_id:segment}", responses=problems(400, 404, 409, 410, 413, 415))
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
    owner = await _owner(gateway, caller, known, idempotency)

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
        **problems(404, 409, 410),
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
    owner = await _owner(gateway, caller, known, idempotency)

    async def act() -> dict[str, object]:
        if owner is None:
            raise NotFound(f"no memory {known!r}", memory_id=known)
        done = await gateway.forget(caller.tenant_id, owner, [known], actor=caller.actor)
        return answer_of(done)

    answer = await gateway.once(caller.tenant_id, idempotency, act, about=owner)
    return view_of(answer, response)


async def _owner(
    gateway: Gateway, caller: Caller, memory_id: str, idempotency: Idempotency | None
) -> str | None:
    """Whose memory it is, within what the caller reaches; None as `owner_of` has it."""
    memory = gateway.ledger.get_memory(caller.tenant_id, memory_id, user_id=caller.user_id)
    return await owner_of(memory, idempotency)
