"""The promises that the core needs kept; adapters keep them, `bootstrap` chooses which.

Whatever stores or finds takes `tenant_id` (and `user_id`) first. Every method may raise the
`Unavailable` error of its part (see `errors`) and then has changed nothing. A foreign id and an
unknown one are both `NotFound`.
"""

from lightmem.ports.answers import KeptAnswers
from lightmem.ports.changes import ChangeProposer, StatedPair
from lightmem.ports.clock import Clock
from lightmem.ports.erasure import UserErasure
from lightmem.ports.finding import (
    Encoded,
    Encoder,
    LexicalEncoder,
    MemoryIndex,
    Ranker,
    ShortTermBuffer,
    Tokenizer,
)
from lightmem.ports.forgetting import ForgettingLedger, Reindexing
from lightmem.ports.gathering import GatheredWork
from lightmem.ports.generation import LanguageModel
from lightmem.ports.graph import KnowledgeGraph
from lightmem.ports.ledger import AuditTrail, Ledger
from lightmem.ports.memories import MemoryLedger
from lightmem.ports.outbox import Outbox
from lightmem.ports.portability import Portability, StagedLine
from lightmem.ports.reconciling import ReconcilingLedger
from lightmem.ports.roles import Controller, JobQueue, Selector, Writer
from lightmem.ports.tenants import TenantDirectory
from lightmem.ports.turns import TurnLedger
from lightmem.ports.usage import UsageLedger

__all__ = [
    "AuditTrail",
    "ChangeProposer",
    "Clock",
    "Controller",
    "Encoded",
    "Encoder",
    "ForgettingLedger",
    "GatheredWork",
    "JobQueue",
    "KeptAnswers",
    "KnowledgeGraph",
    "LanguageModel",
    "Ledger",
    "LexicalEncoder",
    "MemoryIndex",
    "MemoryLedger",
    "Outbox",
    "Portability",
    "Ranker",
    "ReconcilingLedger",
    "Reindexing",
    "Selector",
    "ShortTermBuffer",
    "StagedLine",
    "StatedPair",
    "TenantDirectory",
    "Tokenizer",
    "TurnLedger",
    "UsageLedger",
    "UserErasure",
    "Writer",
]
