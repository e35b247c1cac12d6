"""All that the routes call, put together once from the opened services."""

from dataclasses import dataclass

from lightmem.bootstrap import Services
from lightmem.forgetting import FindMemories
from lightmem.knowledge import Anonymity
from lightmem.ports import Clock, Ledger
from lightmem.settings import Settings
from lightmem.upkeep import Doctor
from lightmem_gateway.answering import Chat, PlainSearch
from lightmem_gateway.auth import KeyRing
from lightmem_gateway.concepts import Concepts
from lightmem_gateway.correcting import CorrectMemory
from lightmem_gateway.deleting import DeleteTurn
from lightmem_gateway.dreaming import Dreaming
from lightmem_gateway.forgetting import Forget
from lightmem_gateway.idempotency import AnswerOnce
from lightmem_gateway.portability import Portability
from lightmem_gateway.pressure import Pace, Pressure
from lightmem_gateway.readiness import Readiness
from lightmem_gateway.recalling import RecallMemory
from lightmem_gateway.remembering import Notify, Remember
from lightmem_gateway.surroundings import FindSurroundings
from lightmem_gateway.usage import CountUses


@dataclass(frozen=True, slots=True)
class Gateway:
    """The use cases of the gateway, and who may call them."""

    clock: Clock
    secret: bytes
    ledger: Ledger
    keys: KeyRing
    once: AnswerOnce
    remember: Remember
    delete_turn: DeleteTurn
    portability: Portability
    doctor: Doctor
    dreaming: Dreaming
    find_memories: FindMemories
    forget: Forget
    correct: CorrectMemory
    recall: RecallMemory
    uses: CountUses
    concepts: Concepts
    chat: Chat
    readiness: Readiness
    model_timeout_s: float
    notify: Notify


def make_gateway(services: Services) -> Gateway:
    """The gateway over these services."""
    notify = services.worker.notify if services.worker is not None else _nobody
    remember = _remember(services, notify)
    anonymity = Anonymity(services.ledger)
    uses = CountUses(ledger=services.ledger, clock=services.clock)
    recall = _recall(services, anonymity, uses)
    once = AnswerOnce(services.ledger, services.forgotten)
    return Gateway(
        clock=services.clock,
        secret=services.secret,
        ledger=services.ledger,
        keys=KeyRing(services.ledger, clock=services.clock),
        once=once,
        remember=remember,
        delete_turn=DeleteTurn(
            ledger=services.ledger,
            short_term=services.short_term,
            index=services.index,
            notify=notify,
        ),
        find_memories=FindMemories(
            ledger=services.ledger, index=services.index, encoder=services.encoder
        ),
        forget=_forget(services, notify),
        correct=CorrectMemory(
            ledger=services.ledger,
            forgotten=services.forgotten,
            indexing=services.indexing,
            notify=notify,
        ),
        portability=_portability(services, once, notify),
        doctor=services.upkeep.doctor,
        dreaming=Dreaming(services.ledger, notify),
        recall=recall,
        uses=uses,
        concepts=Concepts(services.graph, services.encoder, anonymity),
        chat=_chat(services, recall, remember),
        readiness=Readiness(services),
        model_timeout_s=services.settings.model_timeout_s,
        notify=notify,
    )


def _remember(services: Services, notify: Notify) -> Remember:
    return Remember(
        ledger=services.ledger,
        short_term=services.short_term,
        indexing=services.indexing,
        encoder=services.encoder,
        notify=notify,
        has_workers=services.worker is not None or services.queue is not None,
        forgotten=services.forgotten,
        pressure=Pressure(services.ledger, _pace(services.settings)),
    )


def _recall(services: Services, anonymity: Anonymity, uses: CountUses) -> RecallMemory:
    return RecallMemory(
        controller=services.controller,
        selector=services.selector,
        tokenizer=services.tokenizer,
        short_term=services.short_term,
        lexical=services.lexical,
        anonymity=anonymity,
        uses=uses,
        surroundings=FindSurroundings(ledger=services.ledger, short_term=services.short_term),
    )


def _forget(services: Services, notify: Notify) -> Forget:
    return Forget(
        ledger=services.ledger,
        forget=services.forget,
        notify=notify,
        wait_s=services.settings.answer_wait_s,
    )


def _portability(services: Services, once: AnswerOnce, notify: Notify) -> Portability:
    return Portability(
        ledger=services.ledger,
        upkeep=services.upkeep,
        once=once,
        notify=notify,
        wait_s=services.settings.answer_wait_s,
    )


def _chat(services: Services, recall: RecallMemory, remember: Remember) -> Chat:
    return Chat(
        recall=recall,
        plain=PlainSearch(
            index=services.index, encoder=services.encoder, tokenizer=services.tokenizer
        ),
        remember=remember,
        responder=services.responder,
        short_term=services.short_term,
        timeout_s=services.settings.model_timeout_s,
    )


def _nobody() -> None:
    """Where other processes work, they look by themselves."""


def _pace(settings: Settings) -> Pace:
    return Pace(
        quiet_s=settings.segment_quiet_s,
        most_s=settings.segment_wait_s,
        segment_tokens=settings.segment_tokens,
        live_turns=settings.live_turns,
        most_waiting=settings.most_waiting,
    )
