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
from lightmem.client.dreams import Dream, DreamAsked, DreamStep
from lightmem.client.sending import Retries
from lightmem.client.synchronous import Client
from lightmem.client.turns import SaidTurn

__all__ = [
    "AsyncClient",
    "Chat",
    "ChatEvent",
    "Client",
    "Dream",
    "DreamAsked",
    "DreamStep",
    "Limits",
    "Memory",
    "NewKey",
    "Operation",
    "Page",
    "Recall",
    "RecalledItem",
    "Remembered",
    "Retries",
    "SaidTurn",
    "Session",
    "Tenant",
    "Turn",
    "TurnOutcome",
]
