"""Encoders, the stores that are searched, and the ranker of what they hold."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lightmem.model import (
    Found,
    Health,
    IndexEntry,
    IndexPoint,
    Item,
    Page,
    RecallFilters,
    SparseVector,
    Turn,
    ViewQuery,
)


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text as unit vectors: one of the whole, (dim,), and one a token, (n, token_dim).

    A long text has the means of runs of its tokens, so that n is bounded.
    """

    vector: NDArray[np.float32]
    tokens: NDArray[np.float32]


class Encoder(Protocol):
    """Turns text into unit vectors."""

    #: Changes whenever vectors would: model, weights' hash, pooling, dims.
    encoder_id: str
    dim: int
    #: Length of the vector of a token; 0 for an encoder that gives none.
    token_dim: int

    async def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-norm embeddings, shape (len(texts), dim). Concurrent calls share batches."""
        ...

    async def encode_tokens(self, texts: Sequence[str]) -> list[Encoded]:
        """The same vectors, and those of the tokens, of one pass over each text."""
        ...


class Ranker(Protocol):
    """Scores candidates by their features, as trained."""

    #: What it is and the start of its hash, for explanations and reports.
    name: str

    def score(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """One score a row, higher is better; shape (n, columns) to (n,). Fast, so not awaited."""
        ...


class LexicalEncoder(Protocol):
    """Turns text into sparse BM25 vectors, by the language of the text."""

    def document(self, text: str, *, window: bool = False) -> SparseVector:
        """Saturated term frequencies; the engine multiplies the idf of the user's own texts.

        `window`: the text is a turn with its neighbours, so a longer one is usual.
        """
        ...

    def query(self, text: str) -> SparseVector:
        """Each distinct stem once, weight 1; empty for stop words alone."""
        ...


class Tokenizer(Protocol):
    """Counts tokens for budgets."""

    name: str

    def count(self, text: str) -> int: ...


class MemoryIndex(Protocol):
    """Turns and memories by meaning, word, time, session and speaker, split by tenant and user."""

    async def open(self, encoder_id: str, dim: int, token_dim: int = 0) -> None:
        """Create what is missing and check that this encoder filled what is there.

        Raises:
            IncompatibleIndex: another encoder did.
        """
        ...

    async def reset(self, encoder_id: str, dim: int, token_dim: int = 0) -> None:
        """Empty the index and give it to this encoder; used by re-embedding alone."""
        ...

    async def upsert(self, tenant_id: str, user_id: str, points: Sequence[IndexPoint]) -> None:
        """Put points by `item.id`, replacing those that are there; visible when it returns."""
        ...

    async def insert(self, tenant_id: str, user_id: str, points: Sequence[IndexPoint]) -> None:
        """Put those points whose item has none yet; what is there stays, whoever puts it when."""
        ...

    async def find(
        self,
        tenant_id: str,
        user_id: str,
        queries: Sequence[ViewQuery],
        *,
        filters: RecallFilters,
    ) -> Found:
        """For each query the best by that view's own score, best first, and the items themselves.

        Scores are cosine similarity for dense views, BM25 with the idf of this user's texts for
        sparse ones; ties are ordered by id. Items have layer `mid_term`. A query of `View.TOKENS`
        scores what the others found: the sum over its tokens of the best dot product with a token
        of the item; what has no tokens is not among its answers.
        """
        ...

    async def search(
        self,
        tenant_id: str,
        user_id: str,
        queries: Sequence[ViewQuery],
        *,
        filters: RecallFilters,
    ) -> list[list[Item]]:
        """What `find` finds, for each query the items with its scores."""
        ...

    async def get(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> list[Item]:
        """Those of the items that exist, with score 0, in the order asked for."""
        ...

    async def held(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> set[str]:
        """Those of the ids that have a point."""
        ...

    async def encoded(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> dict[str, Encoded]:
        """The vectors of the items, by id: of the text and of its tokens.

        Items that do not exist, or are found by word alone as yet, are not in the answer.
        """
        ...

    async def speakers(self, tenant_id: str, user_id: str) -> list[str]:
        """Who speaks in the user's turns, in lower case: those heard most often first, 64 at most.

        All of them are told as they are now; their order may be that of a while ago.
        """
        ...

    async def entries(
        self, tenant_id: str | None, user_id: str | None, *, limit: int, cursor: str | None
    ) -> Page[IndexEntry]:
        """All that the index has of a user, of a tenant, or of all; each once, in no order.

        For maintenance alone: what is put or deleted between two pages may be in or out.
        """
        ...

    async def delete(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> None: ...

    async def delete_user(self, tenant_id: str, user_id: str) -> None: ...

    async def count(self, tenant_id: str, user_id: str | None = None) -> int: ...

    async def check(self) -> Health: ...

    async def close(self) -> None: ...


class ShortTermBuffer(Protocol):
    """Each user's latest turns, at hand before and after they are indexed. A cache: may be lost."""

    async def append(self, tenant_id: str, user_id: str, turns: Sequence[Turn]) -> None: ...

    async def recent(
        self, tenant_id: str, user_id: str, *, session_id: str | None, limit: int
    ) -> list[Turn]:
        """The latest turns of one session or of all, oldest first."""
        ...

    async def remove(self, tenant_id: str, user_id: str, turn_ids: Sequence[str]) -> None: ...

    async def ids(self, tenant_id: str, user_id: str) -> set[str]:
        """Ids of all turns at hand, of whichever session."""
        ...

    async def clear(self, tenant_id: str, user_id: str) -> None: ...

    async def check(self) -> Health: ...

    async def close(self) -> None: ...
