"""Operations: what became of each turn."""

from lightmem_gateway.dependencies import (
    CallerDep,
    GatewayDep,
    NarrowedIdempotencyDep,
    guarded_router,
    known_shape,
)
from lightmem_gateway.routes.answers import problems
from lightmem_gateway.turn_views import OperationView

router = guarded_router("operations")


@router.get("/v1/operations/{operation_id:segment}", responses=problems(404))
async def get_operation(operation_id: str, caller: CallerDep, gateway: GatewayDep) -> OperationView:
    """Follow an operation; each turn ends in exactly one outcome."""
    operation = await gateway.ledger.get_operation(
        caller.tenant_id, known_shape("operation", operation_id), user_id=caller.user_id
    )
    return OperationView.of(operation)


@router.post(
    "/v1/operations/{operation_id:segment}/retry",
    status_code=202,
    responses=problems(404, 409),
)
async def retry_operation(
    operation_id: str, caller: CallerDep, idempotency: NarrowedIdempotencyDep, gateway: GatewayDep
) -> OperationView:
    """Run the quarantined turns of an operation again."""
    known = known_shape("operation", operation_id)

    async def retry() -> dict[str, object]:
        operation = await gateway.ledger.retry_operation(
            caller.tenant_id, known, user_id=caller.user_id, actor=caller.actor
        )
        gateway.notify()
        return {**OperationView.of(operation).model_dump(mode="json"), "user_id": operation.user_id}

    return OperationView.model_validate(await gateway.once(caller.tenant_id, idempotency, retry))
