"""A user as a whole: out as lines, in again, and away."""

import hashlib
from collections.abc import AsyncIterator
from typing import Any

from fastapi import Request, Response
from starlette.responses import StreamingResponse

from lightmem.model import OperationStatus
from lightmem_gateway.dependencies import GatewayDep, IdempotencyDep, UserDep, guarded_router
from lightmem_gateway.lines import MEDIA_TYPE, check_content_type, lines_of
from lightmem_gateway.portability import chunks_of, failure_of
from lightmem_gateway.routes.answers import problems
from lightmem_gateway.upkeep_views import ImportedView, ReceiptView, UnderWayView

router = guarded_router("users")

_UNDER_WAY: dict[int | str, dict[str, Any]] = {
    202: {"model": UnderWayView, "description": "It goes on; its operation tells when it ended."}
}
_LINES = {"schema": {"type": "string", "description": "One JSON object a line, with its `type`."}}


@router.get(
    "/v1/users/{user_id:segment}/export",
    response_class=StreamingResponse,
    responses={200: {"content": {MEDIA_TYPE: _LINES}}, **problems(404)},
)
async def export_user(user: UserDep, gateway: GatewayDep) -> StreamingResponse:
    """Read all that is kept of a user, as it stands at one moment.

    Lines of type `session`, `turn`, `memory`, `memory_version` and `tombstone`, in this order; the
    same state is always the same bytes.
    """
    file = await gateway.portability.export(user.tenant_id, user.user_id)
    headers = {"Content-Length": str(file.tell())}
    return StreamingResponse(chunks_of(file), media_type=MEDIA_TYPE, headers=headers)


@router.post(
    "/v1/users/{user_id:segment}/import",
    response_model=ImportedView | UnderWayView,
    responses={**_UNDER_WAY, **problems(404, 409, 410, 413, 415)},
    openapi_extra={"requestBody": {"required": True, "content": {MEDIA_TYPE: _LINES}}},
)
async def import_user(
    user: UserDep,
    idempotency: IdempotencyDep,
    gateway: GatewayDep,
    request: Request,
    response: Response,
) -> ImportedView | UnderWayView:
    """Bring in what an export wrote: all of it or nothing; what is there already stays.

    The same user of the same tenant gets the same ids back, any other one ids of their own.
    The body may have any length, plain or gzip.
    """
    check_content_type(request)
    digest = hashlib.sha256()

    async def hashed() -> AsyncIterator[bytes]:
        async for chunk in request.stream():
            digest.update(chunk)
            yield chunk

    is_gzip = "gzip" in request.headers.get("content-encoding", "").lower()
    operation = await gateway.portability.bring_in(
        user.tenant_id,
        user.user_id,
        lines_of(hashed(), is_gzip=is_gzip),
        digest=digest,
        actor=user.actor,
        idempotency=idempotency,
    )
    if operation.status is OperationStatus.FAILED:
        raise failure_of(operation)
    if operation.status is OperationStatus.SUCCEEDED:
        return ImportedView.of(operation)
    response.status_code = 202
    return UnderWayView.of(operation)


@router.delete(
    "/v1/users/{user_id:segment}",
    response_model=ReceiptView | UnderWayView,
    responses={**_UNDER_WAY, **problems(404, 409)},
)
async def erase_user(
    user: UserDep, idempotency: IdempotencyDep, gateway: GatewayDep, response: Response
) -> ReceiptView | UnderWayView:
    """Erase a user from every store; the receipt is counted by reading each of them again.

    Nothing is written for the user until it has ended; after that they may begin anew. Keys of
    the user stay: they are the tenant's to delete.
    """
    operation = await gateway.portability.erase(
        user.tenant_id, user.user_id, actor=user.actor, idempotency=idempotency
    )
    if operation.status is OperationStatus.SUCCEEDED:
        return ReceiptView.of(operation)
    response.status_code = 202
    return UnderWayView.of(operation)
