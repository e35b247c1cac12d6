"""The promises that the core needs kept; adapters keep them, `bootstrap` chooses which.

Whatever stores or finds takes `tenant_id` (and `user_id`) first. Every method may raise the
`Unavailable` error of its part (see `errors`) and then has changed nothing. A foreign id and an
unknown one are both `NotFound`.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lightmem.domain.audit import AuditEntry
from lightmem.model import (
    AcceptedTurns,
    ApiKey,
    Completion,
    Concept,
    Extraction,
    Health,
    Idempotency,
    IndexPoint,
    Item,
    Job,
    JobKind,
    KeyRole,
    Memory,
    MemoryChange,
    MemoryKind,
    MemoryStatus,
    Message,
    NewTurn,
    Operation,
    Page,
    Plan,
    RecallFilters,
    RecallRequest,
    Selection,
    Session,
    SparseVector,
    Tenant,
    Turn,
    TurnOutcome,
    ViewQuery,
)


class Clock(Protocol):
    """The time, injected so that tests can turn it."""

    def now(self) -> datetime:
        """The present as an aware UTC datetime."""
        ...


# --- system of record -----------------------------------------------------------------------


class TenantDirectory(Protocol):
    """Tenants and their keys."""

    async def create_tenant(self, name: str, *, k_anonymity: int, actor: str) -> Tenant: ...

    async def get_tenant(self, tenant_id: str) -> Tenant: ...

    async def list_tenants(self, *, limit: int, cursor: str | None) -> Page[Tenant]: ...

    async def delete_tenant(self, tenant_id: str, *, actor: str) -> None:
        """Remove the tenant, its keys and all that the ledger holds of it."""
        ...

    async def create_key(
        self,
        tenant_id: str | None,
        *,
        key_hash: str,
        role: KeyRole,
        user_id: str | None,
        expires_at: datetime | None,
        actor: str,
    ) -> ApiKey:
        """Store a key by its hash. `tenant_id` is None for ADMIN keys only.

        Raises:
            NotFound: no such tenant.
        """
        ...

    async def find_key(self, key_hash: str) -> ApiKey | None:
        """The key with this hash, unless it expired or was deleted."""
        ...

    async def list_keys(
        self, tenant_id: str, *, limit: int, cursor: str | None
    ) -> Page[ApiKey]: ...

    async def delete_key(self, tenant_id: str, key_id: str, *, actor: str) -> None: ...


class TurnLedger(Protocol):
    """What was said, and the operations that work on it."""

    async def append_turns(
        self,
        tenant_id: str,
        user_id: str,
        session_id: str,
        turns: Sequence[NewTurn],
        *,
        actor: str,
        idempotency: Idempotency | None = None,
    ) -> AcceptedTurns:
        """Store turns, their operation, its jobs, the audit entry and the kept answer at once.

        Durable when it returns. A repeated `client_id` with the same content, role, speaker
        gives the outcome `duplicate` and the first turn's id; with other content `rejected`
        (reason `CLIENT_ID_CONFLICT`). New turns start `pending`; `system` turns end `no_facts`.
        One INDEX_TURNS and one WRITE job are put in the outbox for the new turns, if any; the
        INDEX_TURNS job becomes due a few seconds later, since the caller indexes at once itself.
        An operation without new turns is `succeeded`.

        Raises:
            IdempotencyConflict: the idempotency key came with another body before.
        """
        ...

    async def get_turn(
        self, tenant_id: str, turn_id: str, *, user_id: str | None = None
    ) -> Turn: ...

    async def get_turns(
        self, tenant_id: str, user_id: str, turn_ids: Sequence[str], *, neighbours: int = 0
    ) -> list[Turn]:
        """Those of the turns that exist and `neighbours` turns either side within the session.

        Ordered by session, then `seq`; each once.
        """
        ...

    async def list_turns(
        self,
        tenant_id: str,
        user_id: str,
        *,
        session_id: str | None,
        limit: int,
        cursor: str | None,
    ) -> Page[Turn]:
        """Oldest first."""
        ...

    async def list_sessions(
        self, tenant_id: str, user_id: str, *, limit: int, cursor: str | None
    ) -> Page[Session]:
        """Latest first."""
        ...

    async def recent_turns(
        self, tenant_id: str, user_id: str, *, session_id: str | None, limit: int
    ) -> list[Turn]:
        """The latest recorded turns, oldest of them first."""
        ...

    async def delete_turn(
        self, tenant_id: str, turn_id: str, *, user_id: str | None, actor: str
    ) -> None:
        """Delete a turn and its quotes; a memory that no quote is left of is forgotten.

        Puts a DELETE_POINTS job in the outbox for what left, INDEX_* for what changed.
        """
        ...

    async def get_operation(
        self, tenant_id: str, operation_id: str, *, user_id: str | None = None
    ) -> Operation: ...

    async def retry_operation(
        self, tenant_id: str, operation_id: str, *, user_id: str | None, actor: str
    ) -> Operation:
        """Make the quarantined turns `pending` again and put a WRITE job in the outbox.

        Raises:
            WrongState: nothing in it is quarantined.
        """
        ...


class MemoryLedger(Protocol):
    """What was learnt, with its versions and sources."""

    async def commit_writing(
        self,
        tenant_id: str,
        user_id: str,
        operation_id: str,
        *,
        changes: Sequence[MemoryChange],
        outcomes: Sequence[TurnOutcome],
        extraction: Extraction,
        job_id: str | None = None,
    ) -> list[Memory]:
        """Apply what the Writer decided, in one transaction; returns the memories it touched.

        Sets the outcome of each turn named (only those still `pending`), filling in the memory
        ids; adds the cost to the operation and ends it once no turn is pending; puts
        INDEX_MEMORIES in the outbox; completes job `job_id`. Two writers of the same fingerprint
        end in one memory with the sources of both. Turns that were deleted meanwhile give none.

        Raises:
            VersionConflict: a memory to supersede changed; nothing was applied.
        """
        ...

    async def get_memory(
        self, tenant_id: str, memory_id: str, *, user_id: str | None = None
    ) -> Memory: ...

    async def get_memories(
        self, tenant_id: str, user_id: str, memory_ids: Sequence[str]
    ) -> list[Memory]:
        """Those of the memories that exist, in the order asked for."""
        ...

    async def list_memories(
        self,
        tenant_id: str,
        user_id: str,
        *,
        status: MemoryStatus | None,
        kind: MemoryKind | None,
        query: str | None,
        limit: int,
        cursor: str | None,
    ) -> Page[Memory]:
        """Latest recorded first; `query` is a case-insensitive substring of the text."""
        ...

    async def memory_history(
        self, tenant_id: str, memory_id: str, *, user_id: str | None = None
    ) -> list[Memory]:
        """Every version, newest first."""
        ...


class Outbox(Protocol):
    """Work that must follow a transaction; the truth about what is still to do."""

    async def lease_jobs(
        self, kinds: Sequence[JobKind], *, limit: int, lease_s: float, begun: bool = True
    ) -> list[Job]:
        """Due jobs, oldest first, one tenant never ahead of all others; leased to the caller.

        A job that is neither completed nor failed within `lease_s` becomes due again. `begun`
        counts a try of each; without it they are only handed on to a worker, which counts its own.
        """
        ...

    async def get_job(self, job_id: str) -> Job | None:
        """The job if it is still to be done."""
        ...

    async def complete_job(self, job_id: str) -> None:
        """Take the job out. Completing twice is no error."""
        ...

    async def defer_job(self, job_id: str, *, delay_s: float, reason: str, tries: int = 0) -> None:
        """Make the job due again after `delay_s`, keeping why it failed.

        `tries` is added to its attempts: 1 as a worker begins what was handed on to it, -1 to
        give a try back that something else than the job put an end to.
        """
        ...

    async def pending_jobs(self) -> Mapping[JobKind, int]:
        """How many jobs of each kind are still to be done, leased ones included."""
        ...


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
        """
        ...

    async def keep(
        self, scope: str, idempotency: Idempotency, answer: str, *, owner: str
    ) -> None: ...

    async def release(self, scope: str, idempotency: Idempotency, *, owner: str) -> None: ...


class AuditTrail(Protocol):
    """Who changed what, in one hash chain a tenant."""

    async def list_audit(
        self, tenant_id: str, *, limit: int, cursor: str | None
    ) -> Page[AuditEntry]:
        """Oldest first. `lightmem.domain.audit.first_break` tells whether the chain holds."""
        ...


class Ledger(TenantDirectory, TurnLedger, MemoryLedger, Outbox, KeptAnswers, AuditTrail, Protocol):
    """The SQL system of record."""

    async def migrate(self) -> None:
        """Bring the schema to the newest revision; safe to call from several processes."""
        ...

    async def check(self) -> Health: ...

    async def get_meta(self, name: str) -> str | None:
        """A fact about the installation itself, such as the encoder that filled the index."""
        ...

    async def put_meta(self, name: str, value: str) -> None: ...

    async def turn_ids(self, *, after: str | None, limit: int) -> list[tuple[str, str, str]]:
        """(tenant_id, user_id, turn_id) of all turns by id, for re-embedding; `after` excluded."""
        ...

    async def memory_ids(self, *, after: str | None, limit: int) -> list[tuple[str, str, str]]:
        """The same for active memories."""
        ...

    async def close(self) -> None: ...


# --- finding --------------------------------------------------------------------------------


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

    async def search(
        self,
        tenant_id: str,
        user_id: str,
        queries: Sequence[ViewQuery],
        *,
        filters: RecallFilters,
    ) -> list[list[Item]]:
        """For each query the best items by that view's own score, best first.

        Scores are cosine similarity for dense views, BM25 with the idf of this user's texts for
        sparse ones; ties are ordered by id. Items have layer `mid_term`. A query of `View.TOKENS`
        scores what the others found: the sum over its tokens of the best dot product with a token
        of the item; what has no tokens is not among its answers.
        """
        ...

    async def get(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> list[Item]:
        """Those of the items that exist, with score 0, in the order asked for."""
        ...

    async def encoded(self, tenant_id: str, user_id: str, ids: Sequence[str]) -> dict[str, Encoded]:
        """The vectors of the items, by id: of the text and of its tokens.

        Items that do not exist, or are found by word alone as yet, are not in the answer.
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

    async def clear(self, tenant_id: str, user_id: str) -> None: ...

    async def check(self) -> Health: ...

    async def close(self) -> None: ...


class KnowledgeGraph(Protocol):
    """Long-term memory: the tenant's shared, de-identified graph."""

    async def ensure_schema(self) -> None: ...

    async def find(
        self, tenant_id: str, names: Sequence[str], *, min_support: int, limit: int
    ) -> list[Concept]:
        """Concepts with one of these names, strongest first, none under `min_support` users.

        Names compare by `domain.concepts.concept_key`. Equal weights are ordered by id.
        """
        ...

    async def upsert_concepts(self, tenant_id: str, concepts: Sequence[Concept]) -> None:
        """Store the concepts whole, by id: support and weight are replaced, not added up."""
        ...

    async def check(self) -> Health: ...

    async def close(self) -> None: ...


# --- models ---------------------------------------------------------------------------------


class LanguageModel(Protocol):
    """A generative model behind any server."""

    name: str

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        timeout_s: float,
        schema: Mapping[str, Any] | None = None,
    ) -> Completion:
        """One answer; decoded under the JSON schema when one is given.

        Raises:
            ModelUnavailable: no answer within `timeout_s`, or an answer that is no completion.
        """
        ...

    def stream(
        self, messages: Sequence[Message], *, max_tokens: int, timeout_s: float
    ) -> AsyncIterator[str]:
        """The answer in pieces as they come."""
        ...

    async def check(self) -> Health: ...

    async def close(self) -> None: ...


# --- roles: satisfied by the use case itself and by its gRPC client ---------------------------


class Controller(Protocol):
    """Plans a recall."""

    async def plan(self, tenant_id: str, user_id: str, request: RecallRequest) -> Plan: ...


class Selector(Protocol):
    """Finds candidates and chooses at most `top_k`; never rewrites or adds."""

    async def select(
        self, tenant_id: str, user_id: str, request: RecallRequest, plan: Plan
    ) -> Selection: ...


class Writer(Protocol):
    """Draws statements from the turns of one segment."""

    async def extract(
        self, tenant_id: str, user_id: str, turns: Sequence[Turn], context: Sequence[Turn] = ()
    ) -> Extraction:
        """Statements with verbatim quotes of `turns`; `context` is read but never quoted."""
        ...


class JobQueue(Protocol):
    """Hands leased jobs to workers. May lose what it holds: the outbox is the truth."""

    async def send(self, jobs: Sequence[Job]) -> None: ...

    async def waiting(self) -> int:
        """How many jobs no worker has taken up yet."""
        ...

    async def check(self) -> Health: ...

    async def close(self) -> None: ...
