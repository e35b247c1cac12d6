"""What routes ask for by type: the gateway, the caller, the user of the path, a page."""

import re
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Annotated, Protocol

from fastapi import APIRouter, Depends, Header, Path, Query, Request
from fastapi.security import HTTPBearer

from lightmem.domain.limits import MAX_PAGE, check_id
from lightmem.errors import NotAllowed, NotFound
from lightmem.model import ApiKey, Idempotency
from lightmem_gateway.auth import TENANT_HEADER, Caller, key_of, require_admin
from lightmem_gateway.gateway import Gateway
from lightmem_gateway.idempotency import HEADER as IDEMPOTENCY_HEADER
from lightmem_gateway.idempotency import idempotency_of
from lightmem_gateway.requests import GuardedRoute

DEFAULT_PAGE = 50

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

#: Documents the header; `GuardedRoute` is what reads it.
_bearer = HTTPBearer(auto_error=False, description="`Authorization: Bearer KEY`")


def guarded_router(tag: str) -> APIRouter:
    """A router whose routes need a key."""
    return APIRouter(route_class=GuardedRoute, tags=[tag], dependencies=[Depends(_bearer)])


async def gateway_of(request: Request) -> Gateway:
    """The gateway that the app was made with."""
    gateway: Gateway = request.app.state.gateway
    return gateway


GatewayDep = Annotated[Gateway, Depends(gateway_of)]


# --- who ------------------------------------------------------------------------------------


async def caller_of(
    request: Request,
    gateway: GatewayDep,
    named_tenant: Annotated[
        str | None, Header(alias=TENANT_HEADER, description="The tenant that an admin key means.")
    ] = None,
) -> Caller:
    """Who the request speaks for, within one tenant."""
    return await gateway.keys.caller(key_of(request), named_tenant)


CallerDep = Annotated[Caller, Depends(caller_of)]


async def tenant_caller(caller: CallerDep) -> Caller:
    """Who speaks for a whole tenant; a key of one user does not."""
    if caller.user_id is not None:
        raise NotAllowed("only a tenant key or an admin key reaches this")
    return caller


TenantDep = Annotated[Caller, Depends(tenant_caller)]


@dataclass(frozen=True, slots=True)
class PathUser:
    """The user that a path names, within the caller's tenant."""

    tenant_id: str
    user_id: str
    actor: str


async def path_user(
    caller: CallerDep,
    user_id: Annotated[str, Path(description="Any text of 1 to 255 characters, URL-encoded.")],
) -> PathUser:
    """The path's user; for a key of another user there is no such one."""
    check_id("user_id", user_id)
    if caller.user_id is not None and caller.user_id != user_id:
        raise NotFound(f"no user {user_id!r}")
    return PathUser(caller.tenant_id, user_id, caller.actor)


UserDep = Annotated[PathUser, Depends(path_user)]


async def admin_of(request: Request) -> ApiKey:
    """The request's key, which is an admin key."""
    key = key_of(request)
    require_admin(key)
    return key


AdminDep = Annotated[ApiKey, Depends(admin_of)]


# --- what -----------------------------------------------------------------------------------


def known_shape(thing: str, given: str) -> str:
    """An id as it came, when it can be one of ours; every other text is an unknown id."""
    if _UUID.fullmatch(given) is None:
        raise NotFound(f"no {thing} {given[:64]!r}")
    return given


@dataclass(frozen=True, slots=True)
class Paging:
    """Which slice of a list is asked for."""

    limit: int
    cursor: str | None


async def paging_of(
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE)] = DEFAULT_PAGE,
    cursor: Annotated[str | None, Query(max_length=1_000, description="`next_cursor`.")] = None,
) -> Paging:
    """The slice that the query asks for."""
    return Paging(limit, cursor or None)


PagingDep = Annotated[Paging, Depends(paging_of)]

_IdempotencyHeader = Annotated[
    str | None,
    Header(
        alias=IDEMPOTENCY_HEADER,
        description="1 to 255 visible ASCII characters; the same key and body get the first "
        "answer again, for 7 days.",
    ),
]


async def path_idempotency(request: Request, _key: _IdempotencyHeader = None) -> Idempotency | None:
    """The idempotency key of a route whose path says whose thing it is."""
    return idempotency_of(request)


async def narrowed_idempotency(
    request: Request, caller: CallerDep, _key: _IdempotencyHeader = None
) -> Idempotency | None:
    """The idempotency key of a route by id: what one user's key got is not another's."""
    return idempotency_of(request, narrowed_to=caller.user_id)


class Owned(Protocol):
    """A thing of one user."""

    @property
    def user_id(self) -> str: ...


async def owner_of(thing: Awaitable[Owned], idempotency: Idempotency | None) -> str | None:
    """Whose a thing is; None where it is gone and an answer about it may be kept under a key.

    Raises:
        NotFound: it is gone, or not the caller's, and there is no key.
    """
    try:
        return (await thing).user_id
    except NotFound:
        # What is kept under the key may still say that its user was erased.
        if idempotency is None:
            raise
        return None


IdempotencyDep = Annotated[Idempotency | None, Depends(path_idempotency)]
NarrowedIdempotencyDep = Annotated[Idempotency | None, Depends(narrowed_idempotency)]
