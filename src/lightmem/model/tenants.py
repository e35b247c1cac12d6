"""Whose: tenants and the keys that reach them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class KeyRole(StrEnum):
    """What a key may reach: the installation, one tenant, or one user of one tenant."""

    ADMIN = "admin"
    TENANT = "tenant"
    USER = "user"


@dataclass(frozen=True, slots=True)
class Tenant:
    """An isolated customer of the installation."""

    id: str
    name: str
    k_anonymity: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A credential as it is stored: by hash, never the key itself.

    `tenant_id` is None for ADMIN keys only; `user_id` is set for USER keys only.
    """

    id: str
    role: KeyRole
    tenant_id: str | None
    user_id: str | None
    created_at: datetime
    expires_at: datetime | None = None
