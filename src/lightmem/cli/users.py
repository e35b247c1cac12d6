"""`lightmem export`, `import` and `erase`: a user out, in again, and away."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from lightmem.cli import options
from lightmem.cli.connection import Connection, connected
from lightmem.cli.failures import UsageError, failures_told
from lightmem.cli.output import console, print_json
from lightmem.client import ErasureReceipt, ImportResult
from lightmem.errors import InvalidInput

CHUNK_BYTES = 256 * 1024
#: Faults told before the rest is only counted.
FAULTS_TOLD = 20


def export(
    user: options.UserId,
    *,
    out: Annotated[
        Path | None, typer.Option("--out", dir_okay=False, help="A file; left out: stdout.")
    ] = None,
    url: options.Url = None,
    key: options.Key = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """Write all that is kept of a user, as JSON lines. A file appears once it is whole."""
    with failures_told(as_json=as_json):
        if as_json and out is None:
            raise UsageError("--json goes with --out: stdout has the export itself")
        size = asyncio.run(_export(Connection(url, key, data_dir), user, out))
        if as_json:
            print_json({"file": str(out), "bytes": size})
        elif out is not None:
            console(stderr=True).print(f"{size} bytes written to {out}", markup=False)


def import_(
    user: options.UserId,
    file: Annotated[Path, typer.Argument(help="The export; - is stdin.", allow_dash=True)],
    *,
    url: options.Url = None,
    key: options.Key = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """Bring in what an export wrote, all of it or nothing. Doing it again adds nothing."""
    with failures_told(as_json=as_json):
        try:
            done = asyncio.run(_import(Connection(url, key, data_dir), user, file))
        except InvalidInput as exc:
            _tell_faults(exc)
            raise
        _show_import(done, as_json=as_json)


def erase(
    user: options.UserId,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    url: options.Url = None,
    key: options.Key = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """Erase a user from every store. This cannot be undone; an export can be imported again."""
    with failures_told(as_json=as_json):
        if not yes and not _confirmed(user):
            raise UsageError("nothing was erased; --yes erases without asking")
        receipt = asyncio.run(_erase(Connection(url, key, data_dir), user))
        _show_receipt(receipt, as_json=as_json)


def _confirmed(user: str) -> bool:
    if not sys.stdin.isatty():
        return False
    return typer.confirm(f"Erase all that is kept of {user!r}?", err=True)


async def _export(connection: Connection, user: str, out: Path | None) -> int:
    async with connected(connection) as client:
        pieces = client.export_user(user)
        if out is None:
            return await _write(pieces, sys.stdout.buffer)
        draft = out.with_name(f".{out.name}.part")
        try:
            with os.fdopen(
                os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb"
            ) as to:
                size = await _write(pieces, to)
            draft.replace(out)
        except OSError as exc:
            raise InvalidInput(f"{out} cannot be written: {exc.strerror}") from exc
        finally:
            draft.unlink(missing_ok=True)
        return size


async def _write(pieces: AsyncIterator[bytes], to: BinaryIO) -> int:
    size = 0
    async for piece in pieces:
        to.write(piece)
        size += len(piece)
    to.flush()
    return size


async def _import(connection: Connection, user: str, file: Path) -> ImportResult:
    try:
        opened = contextlib.nullcontext(sys.stdin.buffer) if file == Path("-") else file.open("rb")
    except OSError as exc:
        raise InvalidInput(f"{file} cannot be read: {exc.strerror}") from exc
    with opened as source:
        async with connected(connection) as client:
            return await client.import_user(user, _read(source))


async def _read(source: BinaryIO) -> AsyncIterator[bytes]:
    while chunk := await asyncio.to_thread(source.read, CHUNK_BYTES):
        yield chunk


async def _erase(connection: Connection, user: str) -> ErasureReceipt:
    async with connected(connection) as client:
        return await client.erase_user(user)


def _tell_faults(error: InvalidInput) -> None:
    err = console(stderr=True)
    for fault in error.errors[:FAULTS_TOLD]:
        err.print(f"bad: {fault.field}: {fault.message}", markup=False)
    if len(error.errors) > FAULTS_TOLD:
        err.print(f"… and {len(error.errors) - FAULTS_TOLD} more")


def _show_import(done: ImportResult, *, as_json: bool) -> None:
    if as_json:
        print_json(done)
        return
    out = console()
    for name in ("turns", "memories", "tombstones"):
        counts = getattr(done, name)
        out.print(f"{name}: {counts['added']} new, {counts.get('present', 0)} already there")
    for note in done.notes:
        out.print(note, markup=False)


def _show_receipt(receipt: ErasureReceipt, *, as_json: bool) -> None:
    if as_json:
        print_json(receipt)
        return
    out = console()
    for store in receipt.stores:
        out.print(f"{store.store}: {store.removed} removed, {store.remaining} remaining")
    out.print(f"[dim]receipt {receipt.digest}[/]")
