"""Turns: what was said, and the sessions that it was said in."""

from typing import Annotated

from fastapi import Query, Response

from lightmem_gateway.bodies import TurnsBody, check_text_filter
from lightmem_gateway.dependencies import (
    CallerDep,
    GatewayDep,
    IdempotencyDep,
    NarrowedIdempotencyDep,
    PagingDep,
    UserDep,
    guarded_router,
    known_shape,
)
from lightmem_gateway.routes.answers import problems
from lightmem_gateway.turn_views import AcceptedView, SessionView, TurnView, WrittenView
from lightmem_gateway.views import PageView, page_view

router = guarded_router("turns")


@router.post(
    "/v1/users/{user_id:segment}/turns",
    status_code=202,
    response_model=WrittenView | AcceptedView,
    responses={
        200: {"model": WrittenView, "description": "Written."},
        **problems(404, 409, 410, 413),
    },
)
async def remember_turns(
    user: UserDep,
    body: TurnsBody,
    idempotency: IdempotencyDep,
    gateway: GatewayDep,
    response: Response,
) -> AcceptedView:
    """Remember turns of a session, word for word. They are durable when this returns."""
    remembered = await gateway.remember(
        user.tenant_id,
        user.user_id,
        body.session_id,
        body.to_turns(gateway.clock.now()),
        actor=user.actor,
        idempotency=idempotency,
        wait=body.wait,
    )
    if remembered.ended is None:
        return AcceptedView.of(remembered.accepted)
    response.status_code = 200
    return WrittenView.of_operation(remembered.ended, remembered.accepted.turn_ids)


@router.get("/v1/users/{user_id:segment}/turns", responses=problems(404))
async def list_turns(
    user: UserDep,
    paging: PagingDep,
    gateway: GatewayDep,
    session_id: Annotated[str | None, Query(description="One session alone.")] = None,
) -> PageView[TurnView]:
    """List a user's turns, oldest first."""
    page = await gateway.ledger.list_turns(
        user.tenant_id,
        user.user_id,
        session_id=check_text_filter("session_id", session_id),
        limit=paging.limit,
        cursor=paging.cursor,
    )
    return page_view(page, TurnView.of)


@router.get("/v1/users/{user_id:segment}/sessions", responses=problems(404))
async def list_sessions(
    user: UserDep, paging: PagingDep, gateway: GatewayDep
) -> PageView[SessionView]:
    """List a user's conversations, the latest first."""
    page = await gateway.ledger.list_sessions(
        user.tenant_id, user.user_id, limit=paging.limit, cursor=paging.cursor
    )
    return page_view(page, SessionView.of)


@router.get("/v1/turns/{turn_id:segment}", responses=problems(404))
async def get_turn(turn_id: str, caller: CallerDep, gateway: GatewayDep) -> TurnView:
    """Read one turn."""
    turn = await gateway.ledger.get_turn(
        caller.tenant_id, known_shape("turn", turn_id), user_id=caller.user_id
    )
    return TurnView.of(turn)


@router.delete("/v1/turns/{turn_id:segment}", status_code=204, responses=problems(404, 409, 410))
async def delete_turn(
    turn_id: str, caller: CallerDep, idempotency: NarrowedIdempotencyDep, gateway: GatewayDep
) -> Response:
    """Delete a turn and all that derives from it."""
    known = known_shape("turn", turn_id)

    async def delete() -> dict[str, object]:
        owner = await gateway.delete_turn(
            caller.tenant_id, known, user_id=caller.user_id, actor=caller.actor
        )
        return {"user_id": owner}

    await gateway.once(caller.tenant_id, idempotency, delete)
    return Response(status_code=204)
