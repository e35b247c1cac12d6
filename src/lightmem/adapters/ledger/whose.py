"""Tenants and users within a transaction: that they are there, and whose turn it is to write."""

from datetime import datetime

from sqlalchemy import Connection, literal, select
from sqlalchemy.exc import IntegrityError

from lightmem.adapters.ledger.database import insert_into
from lightmem.adapters.ledger.tables import tenants, users
from lightmem.errors import NotFound, WrongState


def lock_user(connection: Connection, tenant_id: str, user_id: str, *, now: datetime) -> None:
    """Make the user known and let its changes happen one after the other until we commit.

    One lock a user, taken before any other, keeps places in a session, client ids and
    fingerprints unique without deadlocks.

    Raises:
        NotFound: no such tenant, or it is just being deleted.
        WrongState: the user is just being erased, and can begin anew soon.
    """
    new = insert_into(connection, users).from_select(
        ["tenant_id", "user_id", "created_at", "last_active_at"],
        select(
            tenants.c.id,
            literal(user_id),
            literal(now, users.c.created_at.type),
            literal(now, users.c.created_at.type),
        ).where(tenants.c.id == tenant_id),
    )
    statement = new.on_conflict_do_update(
        index_elements=["tenant_id", "user_id"],
        set_={"last_active_at": new.excluded.last_active_at},
    ).returning(users.c.erasing)
    try:
        found = connection.execute(statement).one_or_none()
    except IntegrityError as error:
        raise no_tenant(tenant_id) from error
    if found is None:
        raise no_tenant(tenant_id)
    if found.erasing is not None:
        raise WrongState("the user is being erased", retry_after_s=1)


def require_tenant(connection: Connection, tenant_id: str, *, exclusive: bool = False) -> None:
    """Raise `NotFound` for an unknown tenant; else keep it from being deleted until we commit."""
    row = select(tenants.c.id).where(tenants.c.id == tenant_id)
    row = row.with_for_update() if exclusive else row.with_for_update(read=True, key_share=True)
    if connection.execute(row).one_or_none() is None:
        raise no_tenant(tenant_id)


def no_tenant(tenant_id: str) -> NotFound:
    return NotFound(f"no tenant {tenant_id!r}", tenant_id=tenant_id)
