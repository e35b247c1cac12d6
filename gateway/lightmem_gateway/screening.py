"""Turns on their way into the ledger, without what their user had forgotten."""

import logging
from collections.abc import Sequence

from lightmem.errors import ForgottenMeanwhile, LedgerUnavailable, Unavailable
from lightmem.forgetting import ROUNDS, ForgottenValues
from lightmem.model import AcceptedTurns, Gathering, Idempotency, NewTurn, Turn
from lightmem.ports import Ledger, ShortTermBuffer

logger = logging.getLogger(__name__)


class AppendScreened:
    """Appends turns whose forgotten values were struck before, and keeps the buffer in step.

    Args:
        forgotten: Knows the values; None where nothing is ever forgotten.
    """

    def __init__(
        self, *, ledger: Ledger, short_term: ShortTermBuffer, forgotten: ForgottenValues | None
    ) -> None:
        self._ledger = ledger
        self._short_term = short_term
        self._forgotten = forgotten

    async def __call__(
        self,
        tenant_id: str,
        user_id: str,
        session_id: str,
        turns: Sequence[NewTurn],
        *,
        actor: str,
        idempotency: Idempotency | None,
        gathering: Gathering | None,
    ) -> AcceptedTurns:
        """Append them, anew where something was forgotten between looking and storing.

        The first time they are held against what is known here, which takes no read: the ledger
        refuses them where that is not all.
        """
        for round_ in range(ROUNDS):
            screened, state = list(turns), None
            if self._forgotten is not None:
                screened, state = await self._forgotten.screen_turns(
                    tenant_id, user_id, turns, as_known=round_ == 0
                )
            try:
                return await self._ledger.append_turns(
                    tenant_id,
                    user_id,
                    session_id,
                    screened,
                    actor=actor,
                    idempotency=idempotency,
                    gathering=gathering,
                    forgetting_state=state,
                )
            except ForgottenMeanwhile:
                continue
        raise LedgerUnavailable("what this user has forgotten changes too fast to write")

    async def mend(self, tenant_id: str, user_id: str, turns: Sequence[Turn]) -> None:
        """Take out of the buffer what left the ledger while the turns were put at hand."""
        if self._forgotten is None:
            return
        try:
            ids = [turn.id for turn in turns]
            left = {turn.id: turn for turn in await self._ledger.get_turns(tenant_id, user_id, ids)}
            gone = [turn.id for turn in turns if left.get(turn.id) != turn]
            if gone:
                await self._short_term.remove(tenant_id, user_id, gone)
                await self._short_term.append(
                    tenant_id, user_id, [left[one] for one in gone if one in left]
                )
        except Unavailable as exc:
            logger.warning("the buffer may be behind the ledger: %s", exc.code)
