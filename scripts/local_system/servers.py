"""`scripts/servers`: the real servers of a test run, started, named in an env file, stopped.

    scripts/servers install            put them on this machine (slow things once, in a cache)
    scripts/servers start              start them and write servers.env for the tests
    scripts/servers env                print servers.env: eval "$(scripts/servers env)"
    scripts/servers status             what runs where
    scripts/servers stop               end them all and remove their data

`--only postgres,redis` limits a call to some; `--run DIR` keeps a second set apart from the first.
"""

import argparse
import shlex
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from local_system.backends import BACKENDS, Backend
from local_system.install import CannotInstall, say
from local_system.process import free_ports
from local_system.state import Entry, RunFolder, write_private

REPOSITORY = Path(__file__).resolve().parents[2]


def main() -> int:
    """Run the command line; 1 when something could not be done."""
    parser = argparse.ArgumentParser(
        prog="servers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=["install", "start", "stop", "env", "status"])
    parser.add_argument("--only", default=",".join(BACKENDS), help="names, with commas between")
    parser.add_argument("--run", type=Path, default=REPOSITORY / ".lightmem" / "servers")
    arguments = parser.parse_args()
    names = [name.strip() for name in arguments.only.split(",") if name.strip()]
    if unknown := sorted(set(names) - set(BACKENDS)):
        parser.error(f"unknown server {unknown[0]!r}; there are {', '.join(BACKENDS)}")
    actions = {"start": start, "stop": stop, "env": env, "status": status, "install": install}
    try:
        actions[arguments.action](RunFolder(arguments.run), names)
    except (CannotInstall, RuntimeError) as exc:
        say(f"servers: {exc}")
        return 1
    return 0


def install(folder: RunFolder, names: Sequence[str]) -> None:
    """Put the named servers on this machine."""
    for name in names:
        BACKENDS[name].install()
        say(f"✓ {name} is installed")


def start(folder: RunFolder, names: Sequence[str]) -> None:
    """Start whichever of the named servers does not run, all at once, and write the env file."""
    with folder.locked():
        bring_up(folder, names)
        write_private(env_file(folder), _exports(folder))
    say(f"servers: {env_file(folder)} has their URLs")


def bring_up(folder: RunFolder, names: Sequence[str]) -> None:
    """Install and start the named servers; needs the folder's lock."""
    for name in names:
        BACKENDS[name].install()
    stopped = [name for name in names if not _runs(folder, name)]
    missing = [name for name in stopped if name not in folder.entries]
    for name, port in zip(missing, free_ports(len(missing)), strict=True):
        folder.entries[name] = Entry(port)
    with ThreadPoolExecutor(max_workers=max(1, len(stopped))) as pool:
        try:
            list(pool.map(lambda name: _start_one(folder, BACKENDS[name]), stopped))
        finally:
            folder.save()


def _runs(folder: RunFolder, name: str) -> bool:
    return name in folder.entries and folder.entries[name].runs


def _start_one(folder: RunFolder, backend: Backend) -> None:
    entry = folder.entries[backend.name]
    say(f"· starting {backend.name} on port {entry.port} (about {backend.usual_s} s)")
    backend.start(folder, entry)
    say(f"✓ {backend.name} answers")


def stop(folder: RunFolder, names: Sequence[str]) -> None:
    """End the named servers and remove their data; the env file goes with the last."""
    with folder.locked():
        take_down(folder, names, remove_data=True)
        folder.entries = {name: kept for name, kept in folder.entries.items() if name not in names}
        folder.save()
        if not folder.entries:
            env_file(folder).unlink(missing_ok=True)
        else:
            write_private(env_file(folder), _exports(folder))


def take_down(folder: RunFolder, names: Sequence[str], *, remove_data: bool) -> None:
    """End the named servers, all at once; needs the folder's lock."""
    known = [name for name in names if name in folder.entries]
    with ThreadPoolExecutor(max_workers=max(1, len(known))) as pool:
        for name, ran in zip(
            known, pool.map(lambda name: _stop_one(folder, name), known), strict=True
        ):
            if ran:
                say(f"✓ {name} is stopped")
    for name in known:
        folder.entries[name].process = None
        if remove_data:
            BACKENDS[name].remove(folder)
            folder.log(name).unlink(missing_ok=True)
    folder.save()


def _stop_one(folder: RunFolder, name: str) -> bool:
    entry = folder.entries[name]
    ran = entry.runs
    BACKENDS[name].stop(entry)
    return ran


def env(folder: RunFolder, names: Sequence[str]) -> None:
    """Print the exports of the servers that run."""
    with folder.locked():
        sys.stdout.write(_exports(folder))


def env_file(folder: RunFolder) -> Path:
    """The file that a test run sources; beside the default run folder, else inside it."""
    default = REPOSITORY / ".lightmem" / "servers"
    return default.with_suffix(".env") if folder.path == default else folder.path / "servers.env"


def _exports(folder: RunFolder) -> str:
    lines = []
    for name, backend in BACKENDS.items():
        if _runs(folder, name):
            url = backend.url(folder.entries[name])
            lines.append(f"export LIGHTMEM_TEST_{name.upper()}_URL={shlex.quote(url)}\n")
    return "".join(lines)


def status(folder: RunFolder, names: Sequence[str]) -> None:
    """Print a line for each server."""
    with folder.locked():
        for name in names:
            entry = folder.entries.get(name)
            runs = entry is not None and entry.runs
            where = f"port {entry.port}, log {folder.log(name)}" if entry and runs else ""
            print(f"{name:10} {'up' if runs else 'down':5} {where}".rstrip())
