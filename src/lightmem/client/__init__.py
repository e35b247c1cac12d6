"""The SDK: LightMem over HTTP, for threads (`Client`) and for asyncio (`AsyncClient`)."""

from lightmem.client.answers import (
    Chat,
    ChatEvent,
    Memory,
    NewKey,
    Operation,
    Page,
    Recall,
    RecalledItem,
    Remembered,
    Session,
    Tenant,
    Turn,
    TurnOutcome,
)
from lightmem.client.asynchronous import AsyncClient
from lightmem.client.calls import Limits
from lightmem.client.concepts import Concept, ConceptEdge, Neighbour
from lightmem.client.dreams import Dream, DreamAsked, DreamStep
from lightmem.client.forgetting import Forgot, Tombstone, WouldForget
from lightmem.client.sending import Retries
from lightmem.client.synchronous import Client
from lightmem.client.turns import SaidTurn
from lightmem.client.users import (
    AuditEntry,
    DoctorCheck,
    DoctorReport,
    ErasureReceipt,
    ImportResult,
    StoreErased,
)

__all__ = [
    "AsyncClient",
    "AuditEntry",
    "Chat",
    "ChatEvent",
    "Client",
    "Concept",
    "ConceptEdge",
    "DoctorCheck",
    "DoctorReport",
    "Dream",
    "DreamAsked",
    "DreamStep",
    "ErasureReceipt",
    "Forgot",
    "ImportResult",
    "Limits",
    "Memory",
    "Neighbour",
    "NewKey",
    "Operation",
    "Page",
    "Recall",
    "RecalledItem",
    "Remembered",
    "Retries",
    "SaidTurn",
    "Session",
    "StoreErased",
    "Tenant",
    "Tombstone",
    "Turn",
    "TurnOutcome",
    "WouldForget",
]
