"""What does WRITE jobs, put together."""

from typing import TYPE_CHECKING

from lightmem.bootstrap.roles import asking
from lightmem.bootstrap.stores import Finding
from lightmem.forgetting import ForgottenValues
from lightmem.ports import Ledger, Tokenizer, Writer
from lightmem.settings import Settings

if TYPE_CHECKING:
    from lightmem_writer import LearnTurns


def make_learning(
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
        reconcile=ReconcileStatements(ledger=ledger, index=index, encoder=encoder),
        ask_writer=asking(writer),
        segment_tokens=settings.segment_tokens,
        job_attempts=settings.job_attempts,
        share_s=settings.job_share_s,
    )
