"""LightMem's own processes: each role's command, and the settings that join it to the others."""

import json
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from local_system.install import MODEL_NAME
from local_system.process import free_ports
from local_system.state import RunFolder

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Service:
    """A process of LightMem: `python -m module`, and how one sees that it is ready."""

    name: str
    module: str
    #: `grpc`: its health service says SERVING; `http`: /healthz; `port`: it accepts connections;
    #: `log`: its output has `ready_text`.
    ready: str
    ready_text: str = ""


SERVICES = {
    service.name: service
    for service in (
        Service("qdrant", "support.qdrant_standin", "port"),
        Service("controller", "lightmem_controller", "grpc"),
        Service("selector", "lightmem_selector", "grpc"),
        Service("writer", "lightmem_writer", "grpc"),
        Service("worker", "lightmem_writer.worker", "log", "takes jobs"),
        Service("relay", "lightmem_writer.relay", "log", "the relay begins"),
        Service("consolidator", "lightmem_consolidator.worker", "log", "takes jobs"),
        Service("schedule", "lightmem_consolidator.schedule", "log", "the schedule begins"),
        Service("gateway", "lightmem_gateway", "http"),
    )
}


KEYS_FILE = "keys.json"


def keys_file(folder: RunFolder) -> Path:
    """Where the gateway leaves the keys that it made on its first start."""
    return folder.data("data") / KEYS_FILE


def installation_keys(folder: RunFolder) -> dict[str, str]:
    """`tenant_id`, `admin_key` and `tenant_key` of a gateway that has started."""
    keys: dict[str, str] = json.loads(keys_file(folder).read_text())
    return keys


def python() -> str:
    """The interpreter that has LightMem: this repository's, else the one that runs this."""
    own = REPOSITORY / ".venv" / "bin" / "python"
    return str(own if own.exists() else sys.executable)


def command(service: Service, folder: RunFolder) -> list[str]:
    """What starts the service."""
    port = str(folder.entries[service.name].port)
    if service.name != "qdrant":
        return [python(), "-m", service.module]
    if shutil.which("qdrant") is not None:
        return ["qdrant"]
    data = str(folder.data("qdrant"))
    return [python(), "-m", service.module, "--port", port, "--path", data]


def environment(
    service: Service, folder: RunFolder, urls: Mapping[str, str], extra: Mapping[str, str]
) -> dict[str, str]:
    """The service's whole environment: this one, the settings of its kind, then `extra`."""
    kept = {name: value for name, value in os.environ.items() if not _is_setting(name)}
    return {**kept, **_threads(), **_settings(service, folder, urls), **extra}


def _is_setting(name: str) -> bool:
    """A setting of the caller's own installation must not leak into this one."""
    return name.startswith("LIGHTMEM_") and name != "LIGHTMEM_CACHE"


def _threads() -> dict[str, str]:
    return {
        "LIGHTMEM_CPUS": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "PYTHONUNBUFFERED": "1",
    }


def _settings(service: Service, folder: RunFolder, urls: Mapping[str, str]) -> dict[str, str]:
    port = folder.entries[service.name].port
    settings = {"LIGHTMEM_DATA_DIR": str(folder.data("data"))}
    match service.name:
        case "qdrant":
            settings |= {
                "PYTHONPATH": str(REPOSITORY / "tests"),
                "QDRANT__SERVICE__HOST": "127.0.0.1",
                "QDRANT__SERVICE__GRPC_PORT": str(port),
                "QDRANT__SERVICE__HTTP_PORT": str(free_ports(1)[0]),
                "QDRANT__STORAGE__SNAPSHOTS_PATH": str(folder.data("qdrant") / "snapshots"),
                "QDRANT__STORAGE__STORAGE_PATH": str(folder.data("qdrant")),
            }
        case "controller" | "writer":
            settings |= _rpc(port) | _model(urls)
        case "selector":
            settings |= _rpc(port) | _finding(urls)
        case "worker" | "relay" | "schedule":
            settings |= _finding(urls) | _ledger(folder, urls) | _roles(urls)
        case "consolidator":
            settings |= _finding(urls) | _ledger(folder, urls) | _roles(urls) | _model(urls)
        case "gateway":
            settings |= {"LIGHTMEM_HOST": "127.0.0.1", "LIGHTMEM_PORT": str(port)}
            settings["LIGHTMEM_METRICS_PORT"] = folder.entries["gateway"].secrets["metrics_port"]
            if urls:
                settings |= _finding(urls) | _ledger(folder, urls) | _roles(urls) | _model(urls)
    return settings


def _rpc(port: int) -> dict[str, str]:
    return {"LIGHTMEM_RPC_ADDRESS": f"127.0.0.1:{port}"}


def _model(urls: Mapping[str, str]) -> dict[str, str]:
    return {"LIGHTMEM_MODEL_URL": urls["ollama"], "LIGHTMEM_MODEL_NAME": MODEL_NAME}


def _finding(urls: Mapping[str, str]) -> dict[str, str]:
    return {
        "LIGHTMEM_INDEX_URL": urls["qdrant"],
        "LIGHTMEM_GRAPH_URL": urls["neo4j"],
        "LIGHTMEM_SHORT_TERM_URL": urls["redis"],
    }


def _ledger(folder: RunFolder, urls: Mapping[str, str]) -> dict[str, str]:
    return {
        "LIGHTMEM_LEDGER_URL": urls["postgres"],
        "LIGHTMEM_QUEUE_URL": urls["redis"].removesuffix("0") + "1",
        "LIGHTMEM_SECRET": folder.entries["gateway"].secrets["installation"],
    }


def _roles(urls: Mapping[str, str]) -> dict[str, str]:
    return {
        f"LIGHTMEM_{role.upper()}_URL": urls[role] for role in ("controller", "selector", "writer")
    }
