"""The run folder: which processes were started, where they listen, and one lock over it."""

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from local_system.process import Process, is_alive


@dataclass(slots=True)
class Entry:
    """One part of the system: its port and secrets stay the same over restarts."""

    port: int
    process: Process | None = None
    secrets: dict[str, str] = field(default_factory=dict)

    @property
    def runs(self) -> bool:
        """Whether its process is alive."""
        return self.process is not None and is_alive(self.process)


class RunFolder:
    """Where a set of processes keeps its data, its logs and `state.json`."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.entries: dict[str, Entry] = {}
        self._state = self.path / "state.json"

    def load(self) -> None:
        """Read what an earlier call has started."""
        if not self._state.exists():
            return
        for name, kept in json.loads(self._state.read_text()).items():
            process = Process(**kept["process"]) if kept["process"] else None
            self.entries[name] = Entry(kept["port"], process, kept["secrets"])

    def save(self) -> None:
        """Write the state, readable by its owner alone since it holds passwords."""
        kept = {
            name: {
                "port": entry.port,
                "process": entry.process and {"pid": entry.process.pid, "born": entry.process.born},
                "secrets": entry.secrets,
            }
            for name, entry in self.entries.items()
        }
        write_private(self._state, json.dumps(kept, indent=1))

    def log(self, name: str) -> Path:
        """Where a part's output goes."""
        return self.path / f"{name}.log"

    def data(self, name: str) -> Path:
        """Where a part keeps its files."""
        return self.path / name

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder alone, its state freshly read; waits for whoever has it."""
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.load()
            yield


def write_private(path: Path, text: str) -> None:
    """Write a file of mode 0600 in one step."""
    draft = path.with_name(f".{path.name}.new")
    draft.touch(mode=0o600)
    draft.chmod(0o600)
    draft.write_text(text)
    draft.replace(path)
