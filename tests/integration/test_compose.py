"""docker-compose.yml: valid by the Compose schema, hardened, and wired to what is there."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from lightmem.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "tests" / "vendor" / "compose-spec" / "compose-spec.json"
OURS = {
    *("controller", "selector", "writer", "relay", "write-worker"),
    *("consolidator", "schedule", "gateway"),
}
STORES = {"postgres", "redis", "qdrant", "neo4j"}
SIDECARS = {f"{role}-ollama": role for role in ("controller", "writer", "consolidator")}

Service = dict[str, Any]


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    """The file with its anchors and merges resolved."""
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return loaded


@pytest.fixture(scope="module")
def services(compose: dict[str, Any]) -> dict[str, Service]:
    found: dict[str, Service] = compose["services"]
    return found


def test_the_file_is_valid_by_the_compose_schema(compose: dict[str, Any]) -> None:
    schema = json.loads(SCHEMA.read_text())

    errors = list(jsonschema.Draft202012Validator(schema).iter_errors(compose))

    assert [f"{list(error.absolute_path)}: {error.message}" for error in errors] == []


def test_a_misspelt_key_would_be_noticed(compose: dict[str, Any]) -> None:
    wrong = {**compose, "services": {"gateway": {"image": "x", "helthcheck": {}}}}

    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))

    assert not validator.is_valid(wrong)


def test_every_part_of_the_system_is_there(services: dict[str, Service]) -> None:
    assert set(services) == OURS | STORES | set(SIDECARS) | {"model-pull"}


@pytest.mark.parametrize("name", sorted(OURS))
def test_a_part_of_ours_runs_unprivileged_on_a_read_only_root(
    services: dict[str, Service], name: str
) -> None:
    service = services[name]

    assert service["read_only"] is True
    assert service["user"] == "10001:10001"
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert any(mount.startswith("/tmp:") for mount in service["tmpfs"])


def test_every_service_restarts_is_limited_and_says_whether_it_is_well(
    services: dict[str, Service],
) -> None:
    for name, service in services.items():
        limits = service["deploy"]["resources"]["limits"]
        assert service["restart"] in {"unless-stopped", "on-failure:5"}, name
        assert {"cpus", "memory", "pids"} <= set(limits), name
        assert "healthcheck" in service, name


def test_every_image_that_is_not_built_here_is_pinned_to_a_version(
    services: dict[str, Service],
) -> None:
    for name in STORES | set(SIDECARS):
        assert re.fullmatch(r"docker\.io/[a-z0-9/]+:v?\d+\.\d+[.\da-z-]*", services[name]["image"])


def test_every_dockerfile_that_is_named_is_there_and_runs_as_the_same_user(
    services: dict[str, Service],
) -> None:
    for name in OURS:
        dockerfile = ROOT / services[name]["build"]["dockerfile"]
        lines = dockerfile.read_text().splitlines()
        assert "USER 10001:10001" in lines, name
        assert any(line.startswith("HEALTHCHECK") for line in lines), name


def test_no_secret_has_a_default(services: dict[str, Service]) -> None:
    for name, service in services.items():
        for variable, value in service.get("environment", {}).items():
            if re.search(r"PASSWORD|SECRET|INDEX_API_KEY|AUTH|_URL$", variable):
                for reference in re.findall(r"\$\{([A-Z0-9_]+)([^}]*)\}", str(value)):
                    is_choice = reference[0].startswith("LIGHTMEM_RESPONDER")
                    assert is_choice or reference[1].startswith(":?"), (name, variable)


def test_every_setting_is_one_that_is_read(services: dict[str, Service]) -> None:
    known = {f"LIGHTMEM_{field.upper()}" for field in Settings.model_fields}

    given = {variable for name in OURS for variable in services[name].get("environment", {})}

    assert given <= known


def test_every_host_in_a_url_is_a_service_on_a_network_that_both_share(
    services: dict[str, Service],
) -> None:
    for name in OURS:
        for variable, value in services[name].get("environment", {}).items():
            host = re.search(r"://(?:[^@/]*@)?([a-z][a-z0-9-]*):\d+", str(value))
            if variable.endswith("_URL") and host is not None:
                shared = set(services[name]["networks"]) & set(services[host[1]]["networks"])
                assert shared, (name, variable)


def test_only_the_gateway_is_published_and_the_stores_reach_nothing_outside(
    compose: dict[str, Any], services: dict[str, Service]
) -> None:
    assert {name for name, service in services.items() if "ports" in service} == {"gateway"}
    assert compose["networks"]["data"]["internal"] is True
    assert all(services[name]["networks"] == ["data"] for name in STORES)


@pytest.mark.parametrize(("sidecar", "role"), sorted(SIDECARS.items()))
def test_a_model_is_a_sidecar_of_its_role_pinned_to_cores_of_its_own(
    services: dict[str, Service], sidecar: str, role: str
) -> None:
    assert services[sidecar]["network_mode"] == f"service:{role}"
    assert services[sidecar]["cpuset"]
    assert services[role]["environment"]["LIGHTMEM_MODEL_URL"] == "ollama://127.0.0.1:11434"


def test_the_two_models_have_different_cores(services: dict[str, Service]) -> None:
    assert len({services[sidecar]["cpuset"] for sidecar in SIDECARS}) == len(SIDECARS)


def test_write_workers_and_selectors_are_scaled_by_themselves(
    services: dict[str, Service],
) -> None:
    assert services["write-worker"]["deploy"]["replicas"] == "${LIGHTMEM_WRITE_WORKERS:-1}"
    assert services["selector"]["deploy"]["replicas"] == "${LIGHTMEM_SELECTORS:-1}"
