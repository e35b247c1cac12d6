"""Writes that happen once under an `Idempotency-Key`, at any concurrency and after any restart."""

import asyncio
import base64
import hashlib
import hmac
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from starlette.requests import Request

from lightmem.domain.ids import new_id
from lightmem.errors import (
    ForgottenMeanwhile,
    InvalidInput,
    LedgerUnavailable,
    Unavailable,
    WrongState,
)
from lightmem.forgetting import ROUNDS, ForgottenValues
from lightmem.model import Idempotency, KeyRole
from lightmem.ports import KeptAnswers

HEADER = "Idempotency-Key"

#: A claim that outlives this many seconds falls to the next caller: its holder died.
LEASE_S = 60.0
#: How long a caller waits for the one who holds the claim.
PATIENCE_S = 30.0
POLL_FIRST_S, POLL_MOST_S = 0.02, 0.5

_VISIBLE_ASCII = re.compile(r"[\x21-\x7e]{1,255}")
_NO_BODY = hashlib.sha256(b"").hexdigest()

Answer = Mapping[str, Any]


def idempotency_of(request: Request, *, narrowed_to: str | None = None) -> Idempotency | None:
    """The request's idempotency key within its route, or None.

    The route is the path itself, so two users' keys never meet. Where the path does not name the
    user, `narrowed_to` is the user that the key reaches: what was kept for one is not shown to
    another.

    Raises:
        InvalidInput: the header is not 1 to 255 visible ASCII characters.
    """
    key = request.headers.get(HEADER)
    if key is None:
        return None
    if _VISIBLE_ASCII.fullmatch(key) is None:
        raise InvalidInput.of(HEADER, "must be 1 to 255 visible ASCII characters")
    where = f"{request.scope['path']}\0{narrowed_to or ''}"
    digest = hashlib.sha256(where.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return Idempotency(
        route=f"{request.method} {request.scope['route'].path_format} {digest}",
        key=key,
        body_hash=getattr(request.state, "body_hash", _NO_BODY),
    )


class AnswerOnce:
    """Does a thing once per idempotency key, and gives its first answer ever after.

    A thing that raises does not use the key up.

    Args:
        forgotten: What users had forgotten, which is struck before an answer about them is kept;
            None where nothing is ever forgotten.
    """

    def __init__(self, kept: KeptAnswers, forgotten: ForgottenValues | None = None) -> None:
        self._kept = kept
        self._forgotten = forgotten
        self._turns: dict[tuple[str, str, str], _Turn] = {}

    async def __call__(
        self,
        scope: str,
        idempotency: Idempotency | None,
        act: Callable[[], Awaitable[Answer]],
        *,
        lease_s: float = LEASE_S,
        about: str | None = None,
    ) -> Answer:
        """The answer of `act`, or the one that was kept.

        Args:
            about: The user whose words the answer may hold: forgetting and erasing reach it.
                Left out, it is the user whom the answer names.

        Raises:
            IdempotencyConflict: the key came with another body before.
            WrongState: another caller holds the key for longer than one waits.
            Erased: the answer was about a user who has been erased since.
        """
        if idempotency is None:
            return await act()
        async with self.claimed(scope, idempotency, lease_s=lease_s, about=about) as claim:
            if claim.kept is None:
                await claim.keep(await act())
            assert claim.kept is not None
            return claim.kept

    @asynccontextmanager
    async def claimed(
        self,
        scope: str,
        idempotency: Idempotency,
        *,
        lease_s: float = LEASE_S,
        about: str | None = None,
    ) -> AsyncIterator["Claim"]:
        """The key, held by this caller, or its kept answer; given back when none was kept."""
        async with self._in_turn(scope, idempotency):
            owner = new_id()
            text = await self._claim(scope, idempotency, lease_s=lease_s, owner=owner)
            claim = Claim(
                self._kept,
                scope,
                idempotency,
                text,
                owner=owner,
                about=about,
                forgotten=self._forgotten,
            )
            try:
                yield claim
            finally:
                if claim.kept is None:
                    await asyncio.shield(claim.give_back())

    async def _claim(
        self, scope: str, idempotency: Idempotency, *, lease_s: float, owner: str
    ) -> str | None:
        """Claim, waiting for another process that holds the key."""
        give_up_at = asyncio.get_running_loop().time() + PATIENCE_S
        delay_s = POLL_FIRST_S
        while True:
            try:
                return await self._kept.claim(scope, idempotency, lease_s=lease_s, owner=owner)
            except WrongState as exc:
                if asyncio.get_running_loop().time() >= give_up_at:
                    raise WrongState(
                        "the first request with this idempotency key is still at work",
                        retry_after_s=5,
                    ) from exc
            await asyncio.sleep(delay_s)
            delay_s = min(delay_s * 2, POLL_MOST_S)

    @asynccontextmanager
    async def _in_turn(self, scope: str, idempotency: Idempotency) -> AsyncIterator[None]:
        """Callers of this process with one key go one after the other, without polling."""
        name = (scope, idempotency.route, idempotency.key)
        turn = self._turns.setdefault(name, _Turn())
        turn.callers += 1
        try:
            async with turn.lock:
                yield
        finally:
            turn.callers -= 1
            if not turn.callers:
                del self._turns[name]


class Claim:
    """A held idempotency key, or the answer kept under it."""

    def __init__(
        self,
        answers: KeptAnswers,
        scope: str,
        idempotency: Idempotency,
        text: str | None,
        *,
        owner: str,
        about: str | None = None,
        forgotten: ForgottenValues | None = None,
    ) -> None:
        self._answers = answers
        self._forgotten = forgotten
        self._scope = scope
        self._idempotency = idempotency
        self._owner = owner
        self._about = about
        self.kept: Answer | None = None if text is None else json.loads(text)

    async def keep(self, answer: Answer) -> None:
        """Keep the answer for whoever comes with the same key.

        What its user had forgotten is struck from it, also what was forgotten while it was made.
        """
        about = self._about or _user_in(answer)
        for _ in range(ROUNDS):
            struck, state = answer, None
            if about is not None and self._forgotten is not None:
                struck, state = await self._forgotten.screen_value(self._scope, about, answer)
            try:
                await self._answers.keep(
                    self._scope,
                    self._idempotency,
                    json.dumps(struck),
                    owner=self._owner,
                    user_id=about,
                    forgetting_state=state,
                )
            except ForgottenMeanwhile:
                continue
            self.kept = struck
            return
        raise LedgerUnavailable("what this user has forgotten changes too fast to keep an answer")

    async def give_back(self) -> None:
        """Let the next caller try; where the ledger is down the claim's lease ends by itself."""
        try:
            await self._answers.release(self._scope, self._idempotency, owner=self._owner)
        except Unavailable:
            return


def _user_in(answer: Any) -> str | None:
    """The user whom an answer names anywhere."""
    waiting = [answer]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            if isinstance(value.get("user_id"), str):
                return str(value["user_id"])
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return None


class _Turn:
    """Whose turn it is among the callers of one key."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.callers = 0


# --- keys made under an idempotency key -------------------------------------------------------


def derived_key(role: KeyRole, secret: bytes, *, salt: str, idempotency: Idempotency) -> str:
    """An API key that can be shown again and is stored nowhere.

    It follows from the installation's secret and a salt that is kept with the answer.
    """
    message = "\0".join(("api key", idempotency.route, idempotency.key, salt))
    digest = hmac.new(secret, message.encode(), hashlib.sha256).digest()
    return f"lm_{role}_{base64.urlsafe_b64encode(digest).decode('ascii').rstrip('=')}"
