"""Whose export a line is, and the ids that its things get under somebody else."""

import hmac
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

_LOW_BITS = 62


@dataclass(frozen=True, slots=True)
class Owner:
    """A user of a tenant of this installation, as exports know them.

    `mark` is a keyed hash: it tells nothing of tenant and user, and another installation, whose
    secret is another, makes another of the same names.
    """

    mark: str
    secret: bytes

    @classmethod
    def of(cls, secret: bytes, tenant_id: str, user_id: str) -> "Owner":
        """The owner by name."""
        return cls(_digest(secret, "owner", tenant_id, user_id).hex()[:32], secret)

    def own_id(self, id: str) -> str:
        """The id under which this owner has what came as `id` from elsewhere: always the same.

        The half with the time stays, so that what is listed by id keeps its order.
        """
        digest = _digest(self.secret, "import", self.mark, id)
        low = 0b10 << _LOW_BITS | int.from_bytes(digest[:8], "big") >> (64 - _LOW_BITS)
        return str(UUID(int=UUID(id).int >> 64 << 64 | low))


def _digest(secret: bytes, *parts: str) -> bytes:
    """HMAC-SHA256 of several texts; their lengths go in, so no two lists run together."""
    message = "".join(f"{len(part)}:{part}" for part in parts)
    return hmac.new(secret, message.encode("utf-8", "surrogatepass"), sha256).digest()
