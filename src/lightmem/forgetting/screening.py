"""Whatever is to be stored is held against what its user had forgotten.

    screened = await forgotten.screen(tenant_id, user_id, texts)
    await ledger.append_turns(..., forgetting_state=screened.state)

The ledger refuses with `ForgottenMeanwhile` what was held against another state, so that a value
forgotten between the two calls does not come through: screen again. So nothing has to be read
first: `as_known` takes what this process knows, and is refused where that is out of date.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lightmem.domain.forgetting import (
    Hasher,
    Matcher,
    Span,
    is_words,
    says_nothing,
    strings_in,
    struck,
    with_strings,
)
from lightmem.forgetting.spotting import spotted
from lightmem.model import NewTurn
from lightmem.ports import Encoder, ForgettingLedger

#: Users whose tombstones are kept at hand.
MOST_USERS = 1_000
#: Rounds of holding words against tombstones while others go on forgetting.
ROUNDS = 8


@dataclass(frozen=True, slots=True)
class ScreenedText:
    """A text as it was `given`, and with every forgotten value struck."""

    given: str
    text: str
    spans: Sequence[Span] = ()

    @property
    def is_struck(self) -> bool:
        """Whether it said a forgotten value."""
        return bool(self.spans)

    @property
    def says_nothing(self) -> bool:
        """Whether nothing is left of it."""
        return self.is_struck and says_nothing(self.text)


@dataclass(frozen=True, slots=True)
class Screened:
    """The texts in their order, and the state of forgetting that they were held against."""

    texts: Sequence[ScreenedText]
    state: str | None


class ForgottenValues:
    """Knows whether a text says what its user had forgotten.

    Args:
        secret: The installation's secret, which keys the hashes.
    """

    def __init__(self, *, ledger: ForgettingLedger, encoder: Encoder, secret: bytes) -> None:
        self._ledger = ledger
        self._encoder = encoder
        self._secret = secret
        self._known: OrderedDict[tuple[str, str], tuple[str | None, Matcher]] = OrderedDict()

    async def screen(
        self, tenant_id: str, user_id: str, texts: Sequence[str], *, as_known: bool = False
    ) -> Screened:
        """Each text with what it says of forgotten values struck."""
        state, matcher = await self.matcher(tenant_id, user_id, as_known=as_known)
        if matcher is None or matcher.is_empty:
            return Screened([ScreenedText(text, text) for text in texts], state)
        spans = await spotted(matcher, self._encoder, texts)
        return Screened(
            [
                ScreenedText(text, struck(text, found), found)
                for text, found in zip(texts, spans, strict=True)
            ],
            state,
        )

    async def screen_turns(
        self, tenant_id: str, user_id: str, turns: Sequence[NewTurn], *, as_known: bool = False
    ) -> tuple[list[NewTurn], str | None]:
        """The turns with forgotten values struck, and the state that they were held against."""
        state, matcher = await self.matcher(tenant_id, user_id, as_known=as_known)
        if matcher is None or matcher.is_empty:
            return list(turns), state
        texts = {text for turn in turns for text in (turn.content, *strings_in(turn.metadata))}
        screened = await self.screen(tenant_id, user_id, sorted(texts), as_known=as_known)
        left = {one.given: one.text for one in screened.texts if one.is_struck}
        return [_screened(turn, left) for turn in turns], screened.state

    async def screen_value(
        self, tenant_id: str, user_id: str, value: Any
    ) -> tuple[Any, str | None]:
        """A JSON value with forgotten values struck, and the state that it was held against."""
        state, matcher = await self.matcher(tenant_id, user_id)
        if matcher is None or matcher.is_empty:
            return value, state
        texts = list(dict.fromkeys(text for text in strings_in(value) if is_words(text)))
        screened = await self.screen(tenant_id, user_id, texts)
        left = {one.given: one.text for one in screened.texts if one.is_struck}
        return with_strings(value, lambda text: left.get(text, text)), screened.state

    async def matcher(
        self, tenant_id: str, user_id: str, *, as_known: bool = False
    ) -> tuple[str | None, Matcher | None]:
        """The state of forgetting, and what knows the values; None where none ever was.

        Args:
            as_known: Take what this process knows of the user, and do not ask the ledger.
        """
        known = self._known.get((tenant_id, user_id))
        if as_known:
            return known or (None, None)
        state = await self._ledger.forgetting_state(tenant_id, user_id)
        if state is None:
            # Who was erased begins anew.
            self._known.pop((tenant_id, user_id), None)
            return None, None
        if known is not None and known[0] == state:
            self._known.move_to_end((tenant_id, user_id))
            return known
        read = await self._ledger.tombstones(tenant_id, user_id)
        hasher = self.hasher(tenant_id, user_id)
        matcher = Matcher(read.items, hasher, encoder_id=self._encoder.encoder_id)
        self._known[tenant_id, user_id] = (read.state, matcher)
        while len(self._known) > MOST_USERS:
            self._known.popitem(last=False)
        return read.state, matcher

    def hasher(self, tenant_id: str, user_id: str) -> Hasher:
        """The user's keyed hashes."""
        return Hasher(self._secret, tenant_id, user_id)


def _screened(turn: NewTurn, left: Mapping[str, str]) -> NewTurn:
    """The turn with the texts that were struck."""
    metadata = with_strings(turn.metadata, lambda text: left.get(text, text))
    return replace(turn, content=left.get(turn.content, turn.content), metadata=metadata)
