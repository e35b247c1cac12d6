"""The ledger's part in answers that are given again."""

from typing import Protocol

from lightmem.model import (
    Idempotency,
)


class KeptAnswers(Protocol):
    """Answers kept under idempotency keys for routes other than turns (which keep their own)."""

    async def claim(
        self, scope: str, idempotency: Idempotency, *, lease_s: float, owner: str
    ) -> str | None:
        """Claim the key, or return the answer kept under it (JSON text).

        Returns None when the caller now holds the claim and must `keep` or `release` it; a claim
        that outlives `lease_s` falls to the next caller. `scope` is the tenant id or `admin`.
        `owner` is a token of this claim alone: who lost the claim can neither keep nor release.

        Raises:
            IdempotencyConflict: the key came with another body before.
            WrongState: another caller holds the claim right now.
            Erased: the answer was about a user who has been erased since.
        """
        ...

    async def keep(
        self,
        scope: str,
        idempotency: Idempotency,
        answer: str,
        *,
        owner: str,
        user_id: str | None = None,
        forgetting_state: str | None = None,
    ) -> None:
        """Keep the answer; `user_id` is whom it is about, whose forgetting and erasure strike it.

        Raises:
            ForgottenMeanwhile: its words were held against another state of forgetting.
        """
        ...

    async def release(self, scope: str, idempotency: Idempotency, *, owner: str) -> None: ...
