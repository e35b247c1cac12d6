"""`lightmem keys`: credentials for an application, a user or an operator."""

import asyncio
from typing import Annotated

import typer

from lightmem.cli import options
from lightmem.cli.connection import Connection, connected
from lightmem.cli.failures import UsageError, failures_told
from lightmem.cli.output import console, print_json
from lightmem.client import AsyncClient, NewKey, calls
from lightmem.domain.paging import every
from lightmem.errors import NotFound
from lightmem.installation import DEFAULT_TENANT
from lightmem.model import KeyRole

app = typer.Typer(no_args_is_help=True, help="Credentials.")


@app.command("create")
def create(
    *,
    role: Annotated[KeyRole, typer.Option(help="What the key may reach.")],
    tenant: Annotated[str, typer.Option(help="The tenant, by id or name.")] = DEFAULT_TENANT,
    user: Annotated[str | None, typer.Option(help="The user of a user key.")] = None,
    expires_at: Annotated[
        str | None, typer.Option(help="When it ends, with an offset; else never.")
    ] = None,
    url: options.Url = None,
    key: options.Key = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """Make a key; it is shown this once. An admin key is needed: the data folder has one."""

    async def make() -> None:
        until = options.moment("--expires-at", expires_at)
        async with connected(Connection(url, key, data_dir, is_admin=True)) as client:
            tenant_id = await _tenant_id(client, tenant)
            call = calls.create_key(tenant_id, role=role, user_id=user, expires_at=until)
            _show(await client.send(call), as_json=as_json)

    with failures_told(as_json=as_json):
        if (role is KeyRole.USER) != (user is not None):
            raise UsageError("--user goes with --role user, and with it alone")
        asyncio.run(make())


async def _tenant_id(client: AsyncClient, tenant: str) -> str:
    """The id of a tenant given by id or by name."""
    tenants = every(lambda cursor: client.send(calls.tenants(limit=200, cursor=cursor)))
    async for found in tenants:
        if tenant in (found.id, found.name):
            return found.id
    raise NotFound(f"no tenant {tenant!r}")


def _show(made: NewKey, *, as_json: bool) -> None:
    if as_json:
        print_json(made)
        return
    out = console()
    out.print(made.key, markup=False)
    out.print(f"[dim]id {made.id}, role {made.role}; it is not shown again[/]")
