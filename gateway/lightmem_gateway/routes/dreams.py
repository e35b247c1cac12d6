"""Dreams: consolidation while idle, shown before it is done and taken back in one call."""

from collections.abc import Awaitable, Callable

from lightmem.model import Dream, Idempotency
from lightmem.ports.dreams import DreamWish
from lightmem_gateway.auth import Caller
from lightmem_gateway.dependencies import (
    CallerDep,
    GatewayDep,
    IdempotencyDep,
    NarrowedIdempotencyDep,
    PagingDep,
    UserDep,
    guarded_router,
    known_shape,
    owner_of,
)
from lightmem_gateway.dream_bodies import ApplyBody, DreamBody
from lightmem_gateway.dream_views import DreamAskedView, DreamView
from lightmem_gateway.gateway import Gateway
from lightmem_gateway.routes.answers import problems
from lightmem_gateway.views import PageView, page_view

router = guarded_router("dreams")


@router.post(
    "/v1/users/{user_id:segment}/dreams", status_code=202, responses=problems(404, 409, 410)
)
async def request_dream(
    user: UserDep,
    idempotency: IdempotencyDep,
    gateway: GatewayDep,
    body: DreamBody | None = None,
) -> DreamAskedView:
    """Dream over what is new: under `review` the plan waits for you, under `auto` it is applied."""
    asked = body or DreamBody()
    wish = DreamWish(asked.policy, asked.max_removed_fraction)

    async def request() -> dict[str, object]:
        dream = await gateway.dreaming.request(user.tenant_id, user.user_id, wish, actor=user.actor)
        return {"operation_id": dream.operation_id, "dream_id": dream.id}

    answer = await gateway.once(user.tenant_id, idempotency, request, about=user.user_id)
    return DreamAskedView.model_validate(answer)


@router.get("/v1/users/{user_id:segment}/dreams", responses=problems(404))
async def list_dreams(user: UserDep, paging: PagingDep, gateway: GatewayDep) -> PageView[DreamView]:
    """List a user's dreams, the latest first."""
    page = await gateway.ledger.list_dreams(
        user.tenant_id, user.user_id, limit=paging.limit, cursor=paging.cursor
    )
    return page_view(page, DreamView.of)


@router.get("/v1/dreams/{dream_id:segment}", responses=problems(404))
async def get_dream(dream_id: str, caller: CallerDep, gateway: GatewayDep) -> DreamView:
    """Read a dream: each step, what it works on, and why it may be done or not."""
    dream = await gateway.ledger.get_dream(
        caller.tenant_id, known_shape("dream", dream_id), user_id=caller.user_id
    )
    return DreamView.of(dream)


@router.post("/v1/dreams/{dream_id:segment}/apply", responses=problems(404, 409, 410))
async def apply_dream(
    dream_id: str,
    caller: CallerDep,
    idempotency: NarrowedIdempotencyDep,
    gateway: GatewayDep,
    body: ApplyBody | None = None,
) -> DreamView:
    """Do all accepted steps of a plan, or those named; a memory changed since aborts its step."""
    known = known_shape("dream", dream_id)
    named = body.step_ids if body is not None else None
    step_ids = None if named is None else [known_shape("step", each) for each in named]
    return await _decided(
        gateway,
        caller,
        idempotency,
        known,
        lambda: gateway.dreaming.apply(
            caller.tenant_id,
            known,
            step_ids=step_ids,
            user_id=caller.user_id,
            actor=caller.actor,
        ),
    )


@router.post("/v1/dreams/{dream_id:segment}/undo", responses=problems(404, 409, 410))
async def undo_dream(
    dream_id: str, caller: CallerDep, idempotency: NarrowedIdempotencyDep, gateway: GatewayDep
) -> DreamView:
    """Take an applied dream back: memories are as they were before it."""
    known = known_shape("dream", dream_id)
    return await _decided(
        gateway,
        caller,
        idempotency,
        known,
        lambda: gateway.dreaming.undo(
            caller.tenant_id, known, user_id=caller.user_id, actor=caller.actor
        ),
    )


@router.post("/v1/dreams/{dream_id:segment}/reject", responses=problems(404, 409, 410))
async def reject_dream(
    dream_id: str, caller: CallerDep, idempotency: NarrowedIdempotencyDep, gateway: GatewayDep
) -> DreamView:
    """Put a plan aside; nothing of it is done."""
    known = known_shape("dream", dream_id)
    return await _decided(
        gateway,
        caller,
        idempotency,
        known,
        lambda: gateway.dreaming.reject(
            caller.tenant_id, known, user_id=caller.user_id, actor=caller.actor
        ),
    )


async def _decided(
    gateway: Gateway,
    caller: Caller,
    idempotency: Idempotency | None,
    dream_id: str,
    decide: Callable[[], Awaitable[Dream]],
) -> DreamView:
    """The dream as a decision left it; what is kept under a key is that it was taken."""
    dream = gateway.ledger.get_dream(caller.tenant_id, dream_id, user_id=caller.user_id)
    about = await owner_of(dream, idempotency)

    async def act() -> dict[str, object]:
        return DreamView.of(await decide()).model_dump(mode="json")

    answer = await gateway.once(caller.tenant_id, idempotency, act, about=about)
    return DreamView.model_validate(answer)
