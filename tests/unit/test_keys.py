"""Keys are unguessable, tell their role to the eye, and are stored by hash."""

import re

import pytest

from lightmem.domain.keys import hash_key, new_key
from lightmem.model import KeyRole


@pytest.mark.parametrize("role", list(KeyRole))
def test_a_key_names_its_role_and_carries_256_random_bits(role: KeyRole) -> None:
    key = new_key(role)

    assert re.fullmatch(rf"lm_{role.value}_[A-Za-z0-9_-]{{43}}", key)


def test_no_two_keys_are_the_same() -> None:
    keys = {new_key(KeyRole.USER) for _ in range(1000)}

    assert len(keys) == 1000


def test_the_hash_is_stable_and_shows_nothing_of_the_key() -> None:
    key = new_key(KeyRole.TENANT)

    digest = hash_key(key)

    assert digest == hash_key(key)
    assert re.fullmatch("[0-9a-f]{64}", digest)
    assert key not in digest


@pytest.mark.parametrize("text", ["", "é", "\ud800", "\x00"])
def test_a_text_that_is_no_key_hashes_too(text: str) -> None:
    assert len(hash_key(text)) == 64
