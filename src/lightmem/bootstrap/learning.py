"""What does WRITE jobs, put together."""

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from lightmem.bootstrap.roles import asking
from lightmem.bootstrap.stores import Finding
from lightmem.forgetting import ForgottenValues
from lightmem.ports import ChangeProposer, Ledger, Tokenizer, Writer
from lightmem.settings import Settings

if TYPE_CHECKING:
    from lightmem_writer import LearnTurns


def make_learning(
    stack: AsyncExitStack,
    settings: Settings,
    ledger: Ledger,
    finding: Finding,
    *,
    writer: Writer,
    tokenizer: Tokenizer,
    forgotten: ForgottenValues,
) -> "LearnTurns":
    """Learning over these stores: the Writer's statements, held against what is known."""
    from lightmem_writer import IndexedMemories, LearnTurns, ReconcileStatements

    index, encoder = finding.index, finding.encoder
    return LearnTurns(
        ledger=ledger,
        writer=writer,
        tokenizer=tokenizer,
        index=index,
        known=IndexedMemories(index=index, encoder=encoder, lexical=finding.lexical),
        forgotten=forgotten,
        memory_capacity=settings.memory_capacity,
        reconcile=ReconcileStatements(
            ledger=ledger, index=index, encoder=encoder, changes=open_changes(stack, settings)
        ),
        ask_writer=asking(writer),
        segment_tokens=settings.segment_tokens,
        job_attempts=settings.job_attempts,
        share_s=settings.job_share_s,
    )


def open_changes(stack: AsyncExitStack, settings: Settings) -> ChangeProposer | None:
    """What proposes changes where rules tell nothing; None where rules alone are to tell."""
    if settings.changes == "off":
        return None
    from lightmem.adapters.onnx import open_changes

    changes = open_changes(settings.changes)
    stack.callback(changes.close)
    return changes
