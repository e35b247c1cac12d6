"""Tenants and their keys, for admin keys alone."""

import secrets
from datetime import UTC
from typing import Any

from fastapi import Response

from lightmem.domain.keys import hash_key, new_key
from lightmem.model import ApiKey, Idempotency, KeyRole
from lightmem_gateway.admin_views import KeyView, NewKeyView, TenantView
from lightmem_gateway.bodies import KeyBody, TenantBody
from lightmem_gateway.dependencies import (
    AdminDep,
    GatewayDep,
    IdempotencyDep,
    PagingDep,
    guarded_router,
    known_shape,
)
from lightmem_gateway.gateway import Gateway
from lightmem_gateway.idempotency import derived_key
from lightmem_gateway.routes.answers import problems
from lightmem_gateway.views import PageView, page_view

router = guarded_router("admin")

#: Scope of idempotency keys on routes that belong to no tenant.
INSTALLATION = "admin"


def _actor(key: ApiKey) -> str:
    return f"key:{key.id}"


# --- tenants --------------------------------------------------------------------------------


@router.post("/v1/admin/tenants", status_code=201, responses=problems(403, 409))
async def create_tenant(
    admin: AdminDep, body: TenantBody, idempotency: IdempotencyDep, gateway: GatewayDep
) -> TenantView:
    """Make a tenant."""
    body.check()

    async def create() -> dict[str, Any]:
        tenant = await gateway.ledger.create_tenant(
            body.name, k_anonymity=body.k_anonymity, actor=_actor(admin)
        )
        return TenantView.of(tenant).model_dump(mode="json")

    return TenantView.model_validate(await gateway.once(INSTALLATION, idempotency, create))


@router.get("/v1/admin/tenants", responses=problems(403))
async def list_tenants(
    admin: AdminDep, paging: PagingDep, gateway: GatewayDep
) -> PageView[TenantView]:
    """List the tenants."""
    page = await gateway.ledger.list_tenants(limit=paging.limit, cursor=paging.cursor)
    return page_view(page, TenantView.of)


@router.get("/v1/admin/tenants/{tenant_id:segment}", responses=problems(403, 404))
async def get_tenant(tenant_id: str, admin: AdminDep, gateway: GatewayDep) -> TenantView:
    """Read one tenant."""
    return TenantView.of(await gateway.ledger.get_tenant(known_shape("tenant", tenant_id)))


@router.delete(
    "/v1/admin/tenants/{tenant_id:segment}", status_code=204, responses=problems(403, 404)
)
async def delete_tenant(
    tenant_id: str, admin: AdminDep, idempotency: IdempotencyDep, gateway: GatewayDep
) -> Response:
    """Delete a tenant with its keys and all that is kept of its users."""
    known = known_shape("tenant", tenant_id)

    async def delete() -> dict[str, Any]:
        await gateway.ledger.delete_tenant(known, actor=_actor(admin))
        return {}

    await gateway.once(INSTALLATION, idempotency, delete)
    gateway.keys.forget_tenant(known)
    return Response(status_code=204)


# --- keys -----------------------------------------------------------------------------------


@router.post(
    "/v1/admin/tenants/{tenant_id:segment}/keys",
    status_code=201,
    responses=problems(403, 404, 409),
)
async def create_key(
    tenant_id: str,
    admin: AdminDep,
    body: KeyBody,
    idempotency: IdempotencyDep,
    gateway: GatewayDep,
) -> NewKeyView:
    """Make a key. It is shown in this answer alone; only its hash is stored.

    A key of role `admin` belongs to the installation, whichever tenant the path names.
    """
    known = known_shape("tenant", tenant_id)
    body.check()
    salt = secrets.token_hex(16)
    text = _key_text(body.role, salt, idempotency, gateway)

    async def create() -> dict[str, Any]:
        key = await gateway.ledger.create_key(
            None if body.role is KeyRole.ADMIN else known,
            key_hash=hash_key(text),
            role=body.role,
            user_id=body.user_id,
            expires_at=body.expires_at.astimezone(UTC) if body.expires_at else None,
            actor=_actor(admin),
        )
        return {"key": KeyView.of(key).model_dump(mode="json"), "salt": salt}

    await gateway.ledger.get_tenant(known)
    made = await gateway.once(INSTALLATION, idempotency, create)
    if made["salt"] != salt:
        text = _key_text(body.role, made["salt"], idempotency, gateway)
    return NewKeyView.with_key(made["key"], text)


def _key_text(role: KeyRole, salt: str, idempotency: Idempotency | None, gateway: Gateway) -> str:
    """A fresh key; under an idempotency key one that the same salt gives again."""
    if idempotency is None:
        return new_key(role)
    return derived_key(role, gateway.secret, salt=salt, idempotency=idempotency)


@router.get("/v1/admin/tenants/{tenant_id:segment}/keys", responses=problems(403, 404))
async def list_keys(
    tenant_id: str, admin: AdminDep, paging: PagingDep, gateway: GatewayDep
) -> PageView[KeyView]:
    """List a tenant's keys, without the keys themselves."""
    known = known_shape("tenant", tenant_id)
    await gateway.ledger.get_tenant(known)
    page = await gateway.ledger.list_keys(known, limit=paging.limit, cursor=paging.cursor)
    return page_view(page, KeyView.of)


@router.get(
    "/v1/admin/tenants/{tenant_id:segment}/keys/{key_id:segment}", responses=problems(403, 404)
)
async def get_key(tenant_id: str, key_id: str, admin: AdminDep, gateway: GatewayDep) -> KeyView:
    """Read one key of a tenant, or one of the installation, without the key itself."""
    known = known_shape("tenant", tenant_id)
    wanted = known_shape("key", key_id)
    await gateway.ledger.get_tenant(known)
    return KeyView.of(await gateway.ledger.get_key(known, wanted))


@router.delete(
    "/v1/admin/tenants/{tenant_id:segment}/keys/{key_id:segment}",
    status_code=204,
    responses=problems(403, 404, 409),
)
async def delete_key(
    tenant_id: str,
    key_id: str,
    admin: AdminDep,
    idempotency: IdempotencyDep,
    gateway: GatewayDep,
) -> Response:
    """Delete a key. It stops here at once, and within seconds in other processes.

    A key of role `admin` is deleted below any tenant; the last one that does not end stays (409).
    """
    known = known_shape("tenant", tenant_id)
    wanted = known_shape("key", key_id)

    async def delete() -> dict[str, Any]:
        await gateway.ledger.delete_key(known, wanted, actor=_actor(admin))
        return {}

    await gateway.once(INSTALLATION, idempotency, delete)
    gateway.keys.forget_key(wanted)
    return Response(status_code=204)
