"""The script that starts servers: again and again, killed or asked, it leaves nothing behind."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from local_system.install import CannotInstall, ollama
from local_system.process import answers, free_ports, is_alive, kill
from local_system.servers import REPOSITORY
from local_system.state import RunFolder
from support.backends import backend_url

SCRIPT = REPOSITORY / "scripts" / "servers"
PING, PONG = b"PING\r\n", b"+PONG"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[RunFolder]:
    """A run folder of its own, in which nothing runs any more at the end."""
    folder = RunFolder(tmp_path / "run")
    yield folder
    servers(folder, "stop")


def servers(folder: RunFolder, action: str) -> str:
    """Run the script on Redis alone and read the state that it left."""
    backend_url("redis")
    command = [str(SCRIPT), action, "--only", "redis", "--run", str(folder.path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    folder.entries.clear()
    folder.load()
    return done.stdout


@pytest.mark.server
def test_start_writes_a_private_file_that_says_where_the_server_answers(folder: RunFolder) -> None:
    servers(folder, "start")

    entry = folder.entries["redis"]
    exports = folder.path / "servers.env"
    url = f"redis://127.0.0.1:{entry.port}/0"
    assert exports.read_text() == f"export LIGHTMEM_TEST_REDIS_URL={url}\n"
    assert exports.stat().st_mode & 0o777 == 0o600
    assert answers(entry.port, PING, PONG)
    assert servers(folder, "env") == exports.read_text()


@pytest.mark.server
def test_starting_twice_starts_once(folder: RunFolder) -> None:
    servers(folder, "start")
    first = folder.entries["redis"].process

    servers(folder, "start")

    assert folder.entries["redis"].process == first


@pytest.mark.server
def test_a_killed_server_is_started_again_where_it_was(folder: RunFolder) -> None:
    servers(folder, "start")
    port, killed = folder.entries["redis"].port, folder.entries["redis"].process
    assert killed is not None
    kill(killed)

    servers(folder, "start")

    assert folder.entries["redis"].port == port
    assert folder.entries["redis"].process != killed
    assert answers(port, PING, PONG)


@pytest.mark.server
def test_stop_leaves_neither_process_nor_data(folder: RunFolder) -> None:
    servers(folder, "start")
    entry = folder.entries["redis"]
    assert entry.process is not None

    servers(folder, "stop")

    assert not is_alive(entry.process)
    assert not answers(entry.port, PING, PONG)
    assert sorted(path.name for path in folder.path.iterdir()) == ["lock", "state.json"]


def test_what_cannot_be_installed_is_named_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("LIGHTMEM_CACHE", str(tmp_path))

    with pytest.raises(CannotInstall, match="install Ollama"):
        ollama()


def test_free_ports_are_different_and_free() -> None:
    ports = free_ports(20)

    assert len(set(ports)) == 20
    assert not any(answers(port, PING, b"") for port in ports)
