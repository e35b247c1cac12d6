"""A user as a whole, the audit trail and the look over all stores: their calls, on both clients."""

import asyncio
import time
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Protocol, TypeVar

import httpx

from lightmem.client.answers import Answer, Operation, Page
from lightmem.client.calls import Call, operation, params_of, user_path
from lightmem.client.problems import error_of
from lightmem.client.sending import failure_of
from lightmem.errors import FieldError, InvalidInput, LightMemError
from lightmem.model import OperationStatus

T = TypeVar("T")

MEDIA_TYPE = "application/x-ndjson"
#: How often it is asked for the end of what takes long.
POLL_S = 0.25


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


def _result_of(ended: Operation) -> Mapping[str, Any]:
    """The result of an operation, or the error that it stands for."""
    result = ended.result or {}
    if ended.status is OperationStatus.FAILED:
        errors = [FieldError(one["field"], one["message"]) for one in result.get("errors", ())]
        detail = f"{errors[0].field}: {errors[0].message}" if errors else "it failed"
        raise InvalidInput(detail, errors=errors)
    return result


def _answer(response: httpx.Response) -> Mapping[str, Any]:
    if not response.is_success:
        raise error_of(response)
    answer = response.json()
    if not isinstance(answer, dict):
        raise LightMemError("the answer is not what the API promises")
    return answer


# --- clients ---------------------------------------------------------------------------------


class _AsyncSends(Protocol):
    url: str
    _http: httpx.AsyncClient

    async def send(self, call: Call[T]) -> T: ...


class _Sends(Protocol):
    url: str
    _http: httpx.Client

    def send(self, call: Call[T]) -> T: ...


class AsyncUsers:
    """What an asyncio client does with users as a whole."""

    async def export_user(self: _AsyncSends, user_id: str) -> AsyncIterator[bytes]:
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
        self: _AsyncSends, user_id: str, lines: bytes | AsyncIterable[bytes]
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
        return ImportResult.model_validate(await _ended(self, _answer(response)))

    async def erase_user(self: _AsyncSends, user_id: str) -> ErasureReceipt:
        """Erase a user from every store, and wait for the receipt."""
        answer = await self.send(erase_user(user_id))
        return ErasureReceipt.model_validate(await _ended(self, answer))

    async def audit(
        self: _AsyncSends, *, limit: int = 50, cursor: str | None = None
    ) -> Page[AuditEntry]:
        """Who changed what in the tenant, oldest first."""
        return await self.send(audit(limit=limit, cursor=cursor))

    async def doctor(self: _AsyncSends, *, repair: bool = False) -> DoctorReport:
        """Hold all stores against the ledger, and rebuild from it if asked; for admin keys."""
        return await self.send(doctor(repair=repair))


class Users:
    """What a client for threads does with users as a whole."""

    def export_user(self: _Sends, user_id: str) -> Iterator[bytes]:
        """All that is kept of a user as JSON lines, in pieces of bytes as they come."""
        try:
            with self._http.stream("GET", f"{user_path(user_id)}/export") as response:
                if not response.is_success:
                    response.read()
                    raise error_of(response)
                yield from response.iter_bytes()
        except httpx.TransportError as exc:
            raise failure_of(self.url, exc) from exc

    def import_user(self: _Sends, user_id: str, lines: bytes | Iterable[bytes]) -> ImportResult:
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
        return ImportResult.model_validate(_waited_for(self, _answer(response)))

    def erase_user(self: _Sends, user_id: str) -> ErasureReceipt:
        """Erase a user from every store, and wait for the receipt."""
        answer = self.send(erase_user(user_id))
        return ErasureReceipt.model_validate(_waited_for(self, answer))

    def audit(self: _Sends, *, limit: int = 50, cursor: str | None = None) -> Page[AuditEntry]:
        """Who changed what in the tenant, oldest first."""
        return self.send(audit(limit=limit, cursor=cursor))

    def doctor(self: _Sends, *, repair: bool = False) -> DoctorReport:
        """Hold all stores against the ledger, and rebuild from it if asked; for admin keys."""
        return self.send(doctor(repair=repair))


async def _ended(client: _AsyncSends, answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The result, which a 202 has to be waited for."""
    if "operation_id" not in answer:
        return answer
    while True:
        found = await client.send(operation(answer["operation_id"]))
        if found.is_finished:
            return _result_of(found)
        await asyncio.sleep(POLL_S)


def _waited_for(client: _Sends, answer: Mapping[str, Any]) -> Mapping[str, Any]:
    if "operation_id" not in answer:
        return answer
    while True:
        found = client.send(operation(answer["operation_id"]))
        if found.is_finished:
            return _result_of(found)
        time.sleep(POLL_S)
