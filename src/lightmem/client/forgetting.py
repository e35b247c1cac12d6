"""Forgetting and correcting: their calls, and the methods of both clients."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from lightmem.client.answers import Answer, Memory, Page
from lightmem.client.calls import Call, params_of, part_of, user_path
from lightmem.client.sending import AsyncSends, Sends
from lightmem.client.waiting import async_result, result
from lightmem.model import MemoryKind

#: Of a time that is to be taken away, where None leaves it as it is.
UNKNOWN = "unknown"

When = datetime | str | None


class WouldForget(Answer):
    """What would be forgotten."""

    ids: tuple[str, ...]
    memories: tuple[Memory, ...] = ()


class Forgot(Answer):
    """What was forgotten: memories, the tombstones they left, how many turns lost words."""

    forgotten: tuple[str, ...]
    tombstones: tuple[str, ...]
    redacted_turns: int


class Tombstone(Answer):
    """That a value is not to come back; not which."""

    id: str
    created_at: datetime
    reason: str


# --- calls ----------------------------------------------------------------------------------


def would_forget(
    user_id: str, *, query: str | None = None, ids: Sequence[str] | None = None
) -> Call[WouldForget]:
    """Ask what would be forgotten."""
    body = {"query": query} if query is not None else {"ids": list(ids or ())}
    path = f"{user_path(user_id)}/forget"
    return Call("POST", path, WouldForget.model_validate, body={**body, "dry_run": True})


def forget(user_id: str, ids: Sequence[str]) -> Call[Mapping[str, Any]]:
    """Forget memories: what came of it, or where to look for it."""
    body = {"ids": list(ids), "dry_run": False}
    return Call("POST", f"{user_path(user_id)}/forget", dict, body=body, is_write=True)


def forget_memory(memory_id: str) -> Call[Mapping[str, Any]]:
    """Forget one memory."""
    return Call("DELETE", f"/v1/memories/{part_of(memory_id)}", dict, is_write=True)


def correct_memory(
    memory_id: str,
    *,
    text: str | None,
    kind: MemoryKind | None,
    valid_from: When,
    valid_to: When,
) -> Call[Memory]:
    """Make the next version of a memory."""
    body: dict[str, Any] = {}
    if text is not None:
        body["text"] = text
    if kind is not None:
        body["kind"] = str(kind)
    for name, moment in (("valid_from", valid_from), ("valid_to", valid_to)):
        if moment is not None:
            body[name] = None if isinstance(moment, str) else moment.isoformat()
    path = f"/v1/memories/{part_of(memory_id)}"
    return Call("PATCH", path, Memory.model_validate, body=body, is_write=True)


def history(memory_id: str, *, limit: int, cursor: str | None) -> Call[Page[Memory]]:
    """Read the versions of a memory."""
    params = params_of(limit=limit, cursor=cursor)
    path = f"/v1/memories/{part_of(memory_id)}/history"
    return Call("GET", path, Page[Memory].model_validate, params=params)


def tombstones(user_id: str, *, limit: int, cursor: str | None) -> Call[Page[Tombstone]]:
    """List tombstones, latest first."""
    params = params_of(limit=limit, cursor=cursor)
    path = f"{user_path(user_id)}/tombstones"
    return Call("GET", path, Page[Tombstone].model_validate, params=params)


def lift_tombstone(user_id: str, tombstone_id: str) -> Call[None]:
    """Let a value be learnt again."""
    path = f"{user_path(user_id)}/tombstones/{part_of(tombstone_id)}"
    return Call("DELETE", path, _nothing, is_write=True)


def _nothing(_: Any) -> None:
    return None


# --- clients ---------------------------------------------------------------------------------


class AsyncForgetting:
    """What an asyncio client does to forget and to correct."""

    async def would_forget(
        self: AsyncSends,
        user_id: str,
        query: str | None = None,
        *,
        ids: Sequence[str] | None = None,
    ) -> WouldForget:
        """What would be forgotten by a question, or together with the memories of these ids."""
        return await self.send(would_forget(user_id, query=query, ids=ids))

    async def forget(self: AsyncSends, user_id: str, ids: Sequence[str]) -> Forgot:
        """Forget memories for good, with the words they rest on, and wait until it is done.

        Raises:
            NotFound: one of them is not the user's; nothing was forgotten.
        """
        return Forgot.model_validate(
            await async_result(self, await self.send(forget(user_id, ids)))
        )

    async def forget_memory(self: AsyncSends, memory_id: str) -> Forgot:
        """Forget one memory for good."""
        return Forgot.model_validate(
            await async_result(self, await self.send(forget_memory(memory_id)))
        )

    async def correct_memory(
        self: AsyncSends,
        memory_id: str,
        *,
        text: str | None = None,
        kind: MemoryKind | None = None,
        valid_from: When = None,
        valid_to: When = None,
    ) -> Memory:
        """Make the next version of a memory; what it said before stays in its history.

        Args:
            valid_from: Since when it is true; `UNKNOWN` takes the time away.
            valid_to: Until when it was true; likewise.

        Raises:
            WrongState: it is not active.
            Forgotten: it would say what was forgotten.
            AttributeTaken: another memory says what holds of what it would claim.
        """
        call = correct_memory(
            memory_id, text=text, kind=kind, valid_from=valid_from, valid_to=valid_to
        )
        return await self.send(call)

    async def history(
        self: AsyncSends, memory_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Memory]:
        """The versions of a memory, newest first."""
        return await self.send(history(memory_id, limit=limit, cursor=cursor))

    async def tombstones(
        self: AsyncSends, user_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Tombstone]:
        """That values were forgotten, the latest first."""
        return await self.send(tombstones(user_id, limit=limit, cursor=cursor))

    async def lift_tombstone(self: AsyncSends, user_id: str, tombstone_id: str) -> None:
        """Let a value be learnt again; nothing is restored."""
        await self.send(lift_tombstone(user_id, tombstone_id))


class Forgetting:
    """What a client for threads does to forget and to correct."""

    def would_forget(
        self: Sends,
        user_id: str,
        query: str | None = None,
        *,
        ids: Sequence[str] | None = None,
    ) -> WouldForget:
        """What would be forgotten by a question, or together with the memories of these ids."""
        return self.send(would_forget(user_id, query=query, ids=ids))

    def forget(self: Sends, user_id: str, ids: Sequence[str]) -> Forgot:
        """Forget memories for good, with the words they rest on, and wait until it is done.

        Raises:
            NotFound: one of them is not the user's; nothing was forgotten.
        """
        return Forgot.model_validate(result(self, self.send(forget(user_id, ids))))

    def forget_memory(self: Sends, memory_id: str) -> Forgot:
        """Forget one memory for good."""
        return Forgot.model_validate(result(self, self.send(forget_memory(memory_id))))

    def correct_memory(
        self: Sends,
        memory_id: str,
        *,
        text: str | None = None,
        kind: MemoryKind | None = None,
        valid_from: When = None,
        valid_to: When = None,
    ) -> Memory:
        """Make the next version of a memory; what it said before stays in its history.

        Args:
            valid_from: Since when it is true; `UNKNOWN` takes the time away.
            valid_to: Until when it was true; likewise.

        Raises:
            WrongState: it is not active.
            Forgotten: it would say what was forgotten.
            AttributeTaken: another memory says what holds of what it would claim.
        """
        call = correct_memory(
            memory_id, text=text, kind=kind, valid_from=valid_from, valid_to=valid_to
        )
        return self.send(call)

    def history(
        self: Sends, memory_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Memory]:
        """The versions of a memory, newest first."""
        return self.send(history(memory_id, limit=limit, cursor=cursor))

    def tombstones(
        self: Sends, user_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Tombstone]:
        """That values were forgotten, the latest first."""
        return self.send(tombstones(user_id, limit=limit, cursor=cursor))

    def lift_tombstone(self: Sends, user_id: str, tombstone_id: str) -> None:
        """Let a value be learnt again; nothing is restored."""
        self.send(lift_tombstone(user_id, tombstone_id))
