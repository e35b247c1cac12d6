"""`scripts/stack`: the distributed system as local processes with the real servers.

    scripts/stack start     install what is missing, start everything, say where it is
    scripts/stack status    what runs where
    scripts/stack stop      end everything; the data stays for the next start
    scripts/stack remove    end everything and remove its data

A Qdrant server of your own is used when LIGHTMEM_QDRANT_URL is set (qdrant://HOST:GRPC_PORT) or
`qdrant` is on PATH; else a stand-in over the same engine serves the index.
"""

import argparse
import os
from pathlib import Path

from local_system.install import CannotInstall, say
from local_system.services import REPOSITORY, keys_file
from local_system.stack import Stack
from local_system.state import RunFolder


def main() -> int:
    """Run the command line; 1 when something could not be done."""
    parser = argparse.ArgumentParser(
        prog="stack", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=["start", "stop", "status", "remove"])
    parser.add_argument("--run", type=Path, default=REPOSITORY / ".lightmem" / "stack")
    arguments = parser.parse_args()
    folder = RunFolder(arguments.run)
    try:
        with folder.locked():
            {"start": _start, "stop": _stop, "status": _status, "remove": _remove}[
                arguments.action
            ](Stack(folder, env=_chosen()))
    except (CannotInstall, RuntimeError) as exc:
        say(f"stack: {exc}")
        return 1
    return 0


def _chosen() -> dict[str, str]:
    """Settings that the caller may change for the whole stack: they do not say where things are."""
    names = ("LIGHTMEM_LOG_LEVEL", "LIGHTMEM_JOB_LEASE_S", "LIGHTMEM_OTLP_ENDPOINT")
    return {name: os.environ[name] for name in names if name in os.environ}


def _start(stack: Stack) -> None:
    say("Starting LightMem as services (under a minute once everything is installed)")
    try:
        stack.start()
    except BaseException:
        stack.stop()
        raise
    finally:
        stack.folder.save()
    _status(stack)
    _say_what_next(stack)


def _say_what_next(stack: Stack) -> None:
    data = stack.folder.data("data")
    say(
        f"""
Keys:       {keys_file(stack.folder)} (admin_key, tenant_key)
API:        {stack.url}/docs
Logs:       {stack.folder.path}/*.log

Next: LIGHTMEM_DATA_DIR={data} .venv/bin/lightmem demo
Stop: make stack-stop (the data stays; scripts/stack remove takes it away)"""
    )


def _status(stack: Stack) -> None:
    urls = stack.urls() if stack.folder.entries else {}
    print(f"{'part':11}{'state':7}{'pid':9}where")
    for part in stack.parts:
        entry = stack.folder.entries.get(part)
        runs = entry is not None and entry.runs
        pid = str(entry.process.pid) if entry and entry.process and runs else "-"
        where = _without_password(urls.get(part, "")) if runs else ""
        print(f"{part:11}{'up' if runs else 'down':7}{pid:9}{where}".rstrip())


def _without_password(url: str) -> str:
    before, at, after = url.rpartition("@")
    return f"{before.rpartition(':')[0]}:…@{after}" if at else url


def _stop(stack: Stack) -> None:
    stack.stop()
    stack.folder.save()


def _remove(stack: Stack) -> None:
    stack.stop()
    stack.remove()
