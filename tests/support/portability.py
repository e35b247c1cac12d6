"""Exports and imports for tests: a user as bytes, and bytes as a user."""

import io
import json
from collections.abc import Sequence
from typing import Any

from lightmem.adapters.ledger import SqlLedger
from lightmem.domain.owners import Owner
from lightmem.domain.portable import line_of
from lightmem.model import Operation
from lightmem.ports import StagedLine

SECRET = b"a secret of tests"


def owner(tenant_id: str, user_id: str, *, secret: bytes = SECRET) -> Owner:
    """The owner as this installation, or one of another secret, knows it."""
    return Owner.of(secret, tenant_id, user_id)


async def exported(ledger: SqlLedger, tenant_id: str, user_id: str = "ana") -> bytes:
    """The user as lines."""
    into = io.BytesIO()
    await ledger.export_user(tenant_id, user_id, into, owner=owner(tenant_id, user_id).mark)
    return into.getvalue()


async def imported(
    ledger: SqlLedger, tenant_id: str, text: bytes, user_id: str = "ana", *, piece: int = 100
) -> Operation:
    """The import of these lines, ended."""
    begun = await ledger.begin_import(tenant_id, user_id, actor="test")
    lines = staged(text)
    for start in range(0, len(lines), piece):
        await ledger.stage_lines(tenant_id, begun.id, lines[start : start + piece])
    await ledger.seal_import(tenant_id, begun.id)
    state = await ledger.forgetting_state(tenant_id, user_id)
    return await ledger.commit_import(
        tenant_id, begun.id, owner=owner(tenant_id, user_id), forgetting_state=state
    )


def staged(text: bytes) -> list[StagedLine]:
    """The lines by number; all of them must be good."""
    found = []
    for number, raw in enumerate(text.splitlines(), start=1):
        line = line_of(json.loads(raw))
        assert not isinstance(line, list), line
        found.append(StagedLine(number, line))
    return found


def documents(text: bytes, kind: str | None = None) -> list[dict[str, Any]]:
    """The lines as JSON, those of one type alone if it is named."""
    found = [json.loads(line) for line in text.splitlines()]
    return [one for one in found if kind in {None, one["type"]}]


def text_of(lines: Sequence[dict[str, Any]]) -> bytes:
    """JSON as lines."""
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def faults(operation: Operation) -> list[str]:
    """The fields that a failed import names."""
    assert operation.result is not None
    return [fault["field"] for fault in operation.result["errors"]]
