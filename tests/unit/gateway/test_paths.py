"""A segment of a path holds any text, and a text is one segment."""

from urllib.parse import quote

import pytest

from lightmem_gateway.paths import SegmentConvertor, routed_path

ODD = ["a/b", "100%", "%2F", "a%2Fb", "*", "ünï-码", "a b", "..", "x/turns", "?#&=", "\x00"]


@pytest.mark.parametrize("user_id", ODD)
def test_an_encoded_id_comes_back_as_it_was(user_id: str) -> None:
    raw = f"/v1/users/{quote(user_id, safe='')}/turns".encode()

    path = routed_path({"raw_path": raw, "path": "not looked at"})

    empty, version, users, segment, turns = path.split("/")
    assert (empty, version, users, turns) == ("", "v1", "users", "turns")
    assert SegmentConvertor().convert(segment) == user_id


def test_a_slash_that_is_not_encoded_stays_a_border() -> None:
    assert routed_path({"raw_path": b"/v1/users/a/b/turns", "path": ""}).count("/") == 5


def test_the_query_is_no_part_of_the_path() -> None:
    assert routed_path({"raw_path": b"/healthz?x=/y", "path": ""}) == "/healthz"


def test_bytes_that_are_no_text_become_what_no_id_may_hold() -> None:
    path = routed_path({"raw_path": b"/v1/users/%ff/turns", "path": ""})

    assert "\udcff" in path


def test_a_server_without_raw_paths_is_served() -> None:
    assert routed_path({"path": "/v1/turns/7"}) == "/v1/turns/7"


def test_the_host_that_a_proxy_names_is_no_part_of_the_path() -> None:
    path = routed_path(
        {"raw_path": b"HTTP://host:8080/v1/users/http%3A%2F%2Fana/turns", "path": ""}
    )

    assert path == "/v1/users/http:%2F%2Fana/turns"
