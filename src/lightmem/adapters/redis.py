"""The short-term buffer on Redis, shared by all gateways.

For each user one sorted set of the latest turns, and one for each of the latest sessions; the
score is the time a turn was recorded at, so turns that arrive out of order fall into place. Keys
hold hashes of tenant, user and session, never their names. Everything expires: it is a cache.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from lightmem.adapters.embedded.short_term import SESSIONS_AT_HAND, latest_of_each
from lightmem.errors import ShortTermUnavailable
from lightmem.model import Health, Role, Turn

TIMEOUT_S = 0.25
TTL_S = 24 * 3600
_PREFIX = "lightmem:stm"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@contextmanager
def redis_errors() -> Iterator[None]:
    """Turn the driver's errors into ours."""
    try:
        yield
    except (RedisError, OSError, TimeoutError) as exc:
        raise ShortTermUnavailable("Redis did not answer") from exc


class RedisShortTermBuffer:
    """Latest turns on a Redis server, for `ttl_s` after the last one was written.

    Args:
        url: `redis://HOST:PORT/DB`, or `rediss://…`.
        capacity: Turns kept of one session.
    """

    def __init__(
        self, url: str, *, capacity: int, ttl_s: int = TTL_S, timeout_s: float = TIMEOUT_S
    ) -> None:
        self._capacity = capacity
        self._ttl_s = ttl_s
        # One retry: the pool's connections of before a restart of the server are dead.
        self._redis = redis.asyncio.Redis.from_url(
            url,
            socket_timeout=timeout_s,
            socket_connect_timeout=timeout_s,
            retry=Retry(NoBackoff(), 1),
            decode_responses=True,
        )

    async def append(self, tenant_id: str, user_id: str, turns: Sequence[Turn]) -> None:
        if not turns or self._capacity == 0:
            return
        user_key, sessions_key = _user_keys(tenant_id, user_id)
        sessions: dict[str, dict[str, float]] = {}
        for turn in latest_of_each(turns, self._capacity * SESSIONS_AT_HAND):
            key = _session_key(tenant_id, user_id, turn.session_id)
            sessions.setdefault(key, {})[_encode(turn)] = _score(turn)
        async with self._redis.pipeline(transaction=True) as pipe:
            for key, members in sessions.items():
                self._keep(pipe, user_key, members, self._capacity * SESSIONS_AT_HAND)
                self._keep(pipe, key, members, self._capacity)
                pipe.zadd(sessions_key, {key: max(members.values())}, gt=True)
            pipe.expire(sessions_key, self._ttl_s)
            with redis_errors():
                await pipe.execute()
        await self._drop_old_sessions(sessions_key)

    async def recent(
        self, tenant_id: str, user_id: str, *, session_id: str | None, limit: int
    ) -> list[Turn]:
        if limit <= 0:
            return []
        user_key, _ = _user_keys(tenant_id, user_id)
        key = user_key if session_id is None else _session_key(tenant_id, user_id, session_id)
        with redis_errors():
            members = await self._members(key, -limit)
        return [_decode(member, tenant_id, user_id) for member in members]

    async def remove(self, tenant_id: str, user_id: str, turn_ids: Sequence[str]) -> None:
        gone = set(turn_ids)
        user_key, sessions_key = _user_keys(tenant_id, user_id)
        with redis_errors():
            for key in [user_key, *await self._members(sessions_key)]:
                members = await self._members(key)
                if struck := [member for member in members if _turn_id(member) in gone]:
                    await self._redis.zrem(key, *struck)

    async def ids(self, tenant_id: str, user_id: str) -> set[str]:
        user_key, sessions_key = _user_keys(tenant_id, user_id)
        with redis_errors():
            keys = [user_key, *await self._members(sessions_key)]
            return {_turn_id(member) for key in keys for member in await self._members(key)}

    async def clear(self, tenant_id: str, user_id: str) -> None:
        user_key, sessions_key = _user_keys(tenant_id, user_id)
        with redis_errors():
            sessions = await self._members(sessions_key)
            await self._redis.delete(user_key, sessions_key, *sessions)

    async def check(self) -> Health:
        try:
            with redis_errors():
                await self._redis.ping()
        except ShortTermUnavailable as exc:
            return Health("short_term", "down", exc.message)
        return Health("short_term", "ok")

    async def close(self) -> None:
        await self._redis.aclose()

    def _keep(self, pipe: Any, key: str, members: dict[str, float], most: int) -> None:
        pipe.zadd(key, members)
        pipe.zremrangebyrank(key, 0, -most - 1)
        pipe.expire(key, self._ttl_s)

    async def _members(self, key: str, first: int = 0, last: int = -1) -> list[str]:
        """Members by ascending score, by rank."""
        return [str(member) for member in await self._redis.zrange(key, first, last)]

    async def _drop_old_sessions(self, sessions_key: str) -> None:
        """Forget the sessions that are no longer among a user's latest."""
        with redis_errors():
            old = await self._members(sessions_key, 0, -SESSIONS_AT_HAND - 1)
            if old:
                await self._redis.delete(*old)
                await self._redis.zrem(sessions_key, *old)


# --- keys -----------------------------------------------------------------------------------


def _digest(*parts: str) -> str:
    """A short hash of several names; their lengths go in, so no two lists run together."""
    return sha256("".join(f"{len(part)}:{part}" for part in parts).encode()).hexdigest()[:32]


def _user_keys(tenant_id: str, user_id: str) -> tuple[str, str]:
    # The braces keep all keys of a user on one node of a cluster.
    owner = f"{_PREFIX}:{{{_digest(tenant_id, user_id)}}}"
    return f"{owner}:turns", f"{owner}:sessions"


def _session_key(tenant_id: str, user_id: str, session_id: str) -> str:
    return f"{_PREFIX}:{{{_digest(tenant_id, user_id)}}}:s:{_digest(session_id)}"


# --- turns as members -------------------------------------------------------------------------


def _score(turn: Turn) -> float:
    """Microseconds since 1970, which a double holds exactly."""
    return float((turn.recorded_at - _EPOCH) // (turn.recorded_at.resolution))


def _encode(turn: Turn) -> str:
    """The turn as a member; what stands in front orders turns that were recorded together."""
    body = json.dumps(
        {
            "session_id": turn.session_id,
            "seq": turn.seq,
            "role": turn.role.value,
            "content": turn.content,
            "occurred_at": turn.occurred_at.isoformat(),
            "recorded_at": turn.recorded_at.isoformat(),
            "client_id": turn.client_id,
            "speaker": turn.speaker,
            "metadata": dict(turn.metadata),
            "utc_offset_minutes": turn.utc_offset_minutes,
        },
        ensure_ascii=False,
        sort_keys=True,
        separators=(",", ":"),
    )
    return f"{_digest(turn.session_id)}:{turn.seq:012d}:{turn.id}:{body}"


def _turn_id(member: str) -> str:
    return member.split(":", 3)[2]


def _decode(member: str, tenant_id: str, user_id: str) -> Turn:
    fields = json.loads(member.split(":", 3)[3])
    return Turn(
        id=_turn_id(member),
        tenant_id=tenant_id,
        user_id=user_id,
        session_id=fields["session_id"],
        seq=fields["seq"],
        role=Role(fields["role"]),
        content=fields["content"],
        occurred_at=datetime.fromisoformat(fields["occurred_at"]),
        recorded_at=datetime.fromisoformat(fields["recorded_at"]),
        client_id=fields["client_id"],
        speaker=fields["speaker"],
        metadata=fields["metadata"],
        utc_offset_minutes=fields["utc_offset_minutes"],
    )
