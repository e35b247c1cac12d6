"""Forgetting: what is not to come back, and the way to let it."""

from fastapi import Response

from lightmem_gateway.dependencies import (
    GatewayDep,
    IdempotencyDep,
    PagingDep,
    UserDep,
    guarded_router,
    known_shape,
)
from lightmem_gateway.forgetting_views import (
    ForgetBody,
    ForgettingView,
    ForgotView,
    TombstoneView,
    WouldForgetView,
    answer_of,
    view_of,
)
from lightmem_gateway.routes.answers import problems
from lightmem_gateway.views import PageView, page_view

router = guarded_router("memories")

_ONE = "/v1/users/{user_id:segment}/tombstones/{tombstone_id:segment}"


@router.post(
    "/v1/users/{user_id:segment}/forget",
    response_model=ForgotView | WouldForgetView | ForgettingView,
    responses={
        202: {"model": ForgettingView, "description": "It takes long; follow the operation."},
        **problems(400, 404, 409, 410, 413, 415),
    },
)
async def forget(
    user: UserDep,
    body: ForgetBody,
    idempotency: IdempotencyDep,
    gateway: GatewayDep,
    response: Response,
) -> ForgotView | WouldForgetView | ForgettingView:
    """Tell which memories a question means; or forget those with the ids, for good.

    Forgetting strikes their words from turns, histories and indexes, and leaves a tombstone for
    each, so that the value does not come back.
    """
    body.check()
    whose = (user.tenant_id, user.user_id)
    if body.query is not None:
        return WouldForgetView.of(await gateway.find_memories(*whose, body.query))
    ids = [known_shape("memory", one) for one in body.ids or ()]
    if body.dry_run:
        would = await gateway.forget.would_forget(*whose, ids, actor=user.actor)
        return WouldForgetView.of(await gateway.ledger.get_memories(*whose, would))

    async def act() -> dict[str, object]:
        return answer_of(await gateway.forget(*whose, ids, actor=user.actor))

    answer = await gateway.once(user.tenant_id, idempotency, act, about=user.user_id)
    return view_of(answer, response)


@router.get("/v1/users/{user_id:segment}/tombstones", responses=problems(404))
async def list_tombstones(
    user: UserDep, paging: PagingDep, gateway: GatewayDep
) -> PageView[TombstoneView]:
    """List what was forgotten, the latest first: when and why, never what."""
    page = await gateway.ledger.list_tombstones(
        user.tenant_id, user.user_id, limit=paging.limit, cursor=paging.cursor
    )
    return page_view(page, TombstoneView.of)


@router.get(_ONE, responses=problems(404))
async def get_tombstone(user: UserDep, tombstone_id: str, gateway: GatewayDep) -> TombstoneView:
    """Read one tombstone."""
    known = known_shape("tombstone", tombstone_id)
    found = await gateway.ledger.get_tombstone(user.tenant_id, user.user_id, known)
    return TombstoneView.of(found)


@router.delete(_ONE, status_code=204, responses=problems(404, 409, 410))
async def lift_tombstone(
    user: UserDep, tombstone_id: str, idempotency: IdempotencyDep, gateway: GatewayDep
) -> Response:
    """Let a value be learnt again. Nothing is restored."""
    known = known_shape("tombstone", tombstone_id)

    async def act() -> dict[str, object]:
        await gateway.ledger.lift_tombstone(user.tenant_id, user.user_id, known, actor=user.actor)
        return {}

    await gateway.once(user.tenant_id, idempotency, act, about=user.user_id)
    return Response(status_code=204)
