"""`lightmem doctor`: are ledger, index, graph and short-term memory in agreement?"""

import asyncio
from typing import Annotated

import typer
from rich.table import Table

from lightmem.cli import options
from lightmem.cli.connection import Connection, connected
from lightmem.cli.failures import ExitCode, failures_told
from lightmem.cli.output import console, print_json
from lightmem.client import DoctorReport


def doctor(
    *,
    repair: Annotated[
        bool, typer.Option("--repair", help="Rebuild from the ledger what does not agree with it.")
    ] = False,
    url: options.Url = None,
    key: options.Key = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """Hold every store against the ledger. Ends with 1 where something is not as it ought to be."""
    with failures_told(as_json=as_json):
        report = asyncio.run(_look(Connection(url, key, data_dir, is_admin=True), repair=repair))
        if as_json:
            print_json(report)
        else:
            _show(report)
    if not report.ok:
        raise typer.Exit(ExitCode.FAILED)


async def _look(connection: Connection, *, repair: bool) -> DoctorReport:
    async with connected(connection) as client:
        return await client.doctor(repair=repair)


def _show(report: DoctorReport) -> None:
    table = Table("check", "expected", "found", "repaired", "", box=None)
    for check in report.checks:
        numbers = (str(check.expected), str(check.found), str(check.repaired))
        table.add_row(check.name, *numbers, "ok" if check.ok else "[bold]not ok[/]")
    console().print(table)
