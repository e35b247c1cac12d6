"""Where the real servers of a test run are. `make servers` starts them and sets these variables."""

import os

import pytest


def backend_url(name: str) -> str:
    """URL of a real server from `LIGHTMEM_TEST_<NAME>_URL`.

    Without one the test skips; where `LIGHTMEM_REQUIRE_BACKENDS` is set it fails.

    Args:
        name: postgres, redis, neo4j, ollama or qdrant.
    """
    variable = f"LIGHTMEM_TEST_{name.upper()}_URL"
    url = os.environ.get(variable, "")
    if not url:
        if os.environ.get("LIGHTMEM_REQUIRE_BACKENDS"):
            pytest.fail(f"{variable} is not set, and LIGHTMEM_REQUIRE_BACKENDS is")
        pytest.skip(f"{variable} is not set")
    return url
