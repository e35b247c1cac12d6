"""A user as a whole, the audit trail and the look over all stores: their calls, on both clients."""

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Protocol

import httpx

from lightmem.client.answers import Answer, Page
from lightmem.client.calls import Call, params_of, user_path
from lightmem.client.problems import error_of
from lightmem.client.sending import AsyncSends, Sends, failure_of
from lightmem.client.waiting import async_result, result
from lightmem.errors import LightMemError

MEDIA_TYPE = "application/x-ndjson"


class StoreErased(Answer):
    """One store after an erasure; `remaining` was counted by reading it again."""

    store: str
    removed: int
    remaining: int


class ErasureReceipt(Answer):
    """That a user was erased."""

    user_id: str
    erased_at: datetime
    stores: tuple[StoreErased, ...]
    digest: str


class ImportResult(Answer):
    """What came of an import: by type of line, how many were new and how many were there."""

    is_same_user: bool
    sessions: Mapping[str, int]
    turns: Mapping[str, int]
    memories: Mapping[str, int]
    memory_versions: Mapping[str, int]
    tombstones: Mapping[str, int]
    client_ids_dropped: int = 0
    learning: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class AuditEntry(Answer):
    """One change: who did what to which thing, chained by SHA-256."""

    id: str
    at: datetime
    actor: str
    action: str
    target: str
    prev_hash: str
    hash: str


class DoctorCheck(Answer):
    """One thing that the doctor looked at."""

    name: str
    expected: int
    found: int
    repaired: int
    ok: bool


class DoctorReport(Answer):
    """All that the doctor looked at."""

    ok: bool
    checks: tuple[DoctorCheck, ...]


# --- calls ----------------------------------------------------------------------------------


def erase_user(user_id: str) -> Call[Mapping[str, Any]]:
    """Erase a user: the receipt, or where to look for it."""
    return Call("DELETE", user_path(user_id), dict, is_write=True)


def audit(*, limit: int, cursor: str | None) -> Call[Page[AuditEntry]]:
    """Read who changed what, oldest first."""
    params = params_of(limit=limit, cursor=cursor)
    return Call("GET", "/v1/audit", Page[AuditEntry].model_validate, params=params)


def doctor(*, repair: bool) -> Call[DoctorReport]:
    """Hold all stores against the ledger."""
    body = {"repair": repair}
    return Call("POST", "/v1/admin/doctor", DoctorReport.model_validate, body=body, repeat="unsent")


def _answer(response: httpx.Response) -> Mapping[str, Any]:
    if not response.is_success:
        raise error_of(response)
    answer = response.json()
    if not isinstance(answer, dict):
        raise LightMemError("the answer is not what the API promises")
    return answer


# --- clients ---------------------------------------------------------------------------------


class _AsyncStreams(AsyncSends, Protocol):
    url: str
    _http: httpx.AsyncClient


class _Streams(Sends, Protocol):
    url: str
    _http: httpx.Client


class AsyncUsers:
    """What an asyncio client does with users as a whole."""

    async def export_user(self: _AsyncStreams, user_id: str) -> AsyncIterator[bytes]:
        """All that is kept of a user as JSON lines, in pieces of bytes as they come."""
        try:
            async with self._http.stream("GET", f"{user_path(user_id)}/export") as response:
                if not response.is_success:
                    await response.aread()
                    raise error_of(response)
                async for piece in response.aiter_bytes():
                    yield piece
        except httpx.TransportError as exc:
            raise failure_of(self.url, exc) from exc

    async def import_user(
        self: _AsyncStreams, user_id: str, lines: bytes | AsyncIterable[bytes]
    ) -> ImportResult:
        """Bring in what an export wrote, all of it or nothing; doing it again adds nothing.

        Raises:
            InvalidInput: lines that are none, or do not fit together, by number and field.
        """
        headers = {"Content-Type": MEDIA_TYPE}
        path = f"{user_path(user_id)}/import"
        try:
            response = await self._http.post(path, content=lines, headers=headers)
        except httpx.TransportError as exc:
            raise failure_of(self.url, exc) from exc
        return ImportResult.model_validate(await async_result(self, _answer(response)))

    async def erase_user(self: _AsyncStreams, user_id: str) -> ErasureReceipt:
        """Erase a user from every store, and wait for the receipt."""
        answer = await self.send(erase_user(user_id))
        return ErasureReceipt.model_validate(await async_result(self, answer))

    async def audit(
        self: _AsyncStreams, *, limit: int = 50, cursor: str | None = None
    ) -> Page[AuditEntry]:
        """Who changed what in the tenant, oldest first."""
        return await self.send(audit(limit=limit, cursor=cursor))

    async def doctor(self: _AsyncStreams, *, repair: bool = False) -> DoctorReport:
        """Hold all stores against the ledger, and rebuild from it if asked; for admin keys."""
        return await self.send(doctor(repair=repair))


class Users:
    """What a client for threads does with users as a whole."""

    def export_user(self: _Streams, user_id: str) -> Iterator[bytes]:
        """All that is kept of a user as JSON lines, in pieces of bytes as they come."""
        try:
            with self._http.stream("GET", f"{user_path(user_id)}/export") as response:
                if not response.is_success:
                    response.read()
                    raise error_of(response)
                yield from response.iter_bytes()
        except httpx.TransportError as exc:
            raise failure_of(self.url, exc) from exc

    def import_user(self: _Streams, user_id: str, lines: bytes | Iterable[bytes]) -> ImportResult:
        """Bring in what an export wrote, all of it or nothing; doing it again adds nothing.

        Raises:
            InvalidInput: lines that are none, or do not fit together, by number and field.
        """
        headers = {"Content-Type": MEDIA_TYPE}
        path = f"{user_path(user_id)}/import"
        try:
            response = self._http.post(path, content=lines, headers=headers)
        except httpx.TransportError as exc:
            raise failure_of(self.url, exc) from exc
        return ImportResult.model_validate(result(self, _answer(response)))

    def erase_user(self: _Streams, user_id: str) -> ErasureReceipt:
        """Erase a user from every store, and wait for the receipt."""
        answer = self.send(erase_user(user_id))
        return ErasureReceipt.model_validate(result(self, answer))

    def audit(self: _Streams, *, limit: int = 50, cursor: str | None = None) -> Page[AuditEntry]:
        """Who changed what in the tenant, oldest first."""
        return self.send(audit(limit=limit, cursor=cursor))

    def doctor(self: _Streams, *, repair: bool = False) -> DoctorReport:
        """Hold all stores against the ledger, and rebuild from it if asked; for admin keys."""
        return self.send(doctor(repair=repair))
