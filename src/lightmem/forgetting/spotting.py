"""Where texts say a forgotten value: by words, and by meaning where it is to be looked at so."""

import asyncio
from collections.abc import Sequence

from lightmem.domain.forgetting import Look, Matcher, Span
from lightmem.ports import Encoder

#: More texts than these are looked at in a thread: others are not to wait for it.
AT_ONCE = 8


async def spotted(
    matcher: Matcher,
    encoder: Encoder,
    texts: Sequence[str],
    *,
    near: Sequence[bool] | None = None,
) -> list[list[Span]]:
    """The places in each text that say a value of the matcher.

    Args:
        encoder: That of the matcher's vectors.
        near: Which of the texts are looked at by meaning; None: all of them.
    """
    wanted = near if near is not None else [True] * len(texts)
    if len(texts) > AT_ONCE:
        looks = await asyncio.to_thread(_looks, matcher, texts, wanted)
    else:
        looks = _looks(matcher, texts, wanted)
    parts = [part for look in looks for part in look.texts()]
    rows = await encoder.encode(parts)
    found, at = [], 0
    for look in looks:
        size = len(look.texts())
        found.append(matcher.spans(look, rows[at : at + size]))
        at += size
    return found


def _looks(matcher: Matcher, texts: Sequence[str], near: Sequence[bool]) -> list[Look]:
    return [matcher.look(text, near=one) for text, one in zip(texts, near, strict=True)]
