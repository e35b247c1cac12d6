"""API keys: made from randomness, shown once, stored by their hash."""

import secrets
from hashlib import sha256

from lightmem.model import KeyRole

_RANDOM_BYTES = 32  # 43 characters of base64url


def new_key(role: KeyRole) -> str:
    """A fresh key, `lm_<role>_<43 base64url characters>`. The role in it is for the eye alone."""
    return f"lm_{role.value}_{secrets.token_urlsafe(_RANDOM_BYTES)}"


def hash_key(key: str) -> str:
    """What is stored of a key: SHA-256, in hex.

    A key holds 256 random bits, so that a plain hash cannot be searched; a text that is no key
    hashes too, and is then found nowhere.
    """
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
